//! Why a message was not published.

use strum::{IntoStaticStr, VariantArray};

/// Reason why a message was not confirmed. The names of the variants are the label `reason` of the metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, thiserror::Error)]
#[strum(serialize_all = "snake_case")]
pub enum PublishError {
    /// There is no usable connection; nothing was sent.
    #[error("the broker is unavailable")]
    Down,
    /// The broker refused the message because the queue is full.
    #[error("the broker refused the message")]
    Refused,
    /// The message may or may not have been sent, or may still be sent.
    #[error("the broker did not confirm the message")]
    Unknown,
}
