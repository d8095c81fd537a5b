//! Reasons for which the worker refuses commands, by the interface's error codes. The api alone turns a refusal into an
//! HTTP status.

use serde::{Deserialize, Serialize};

/// Reason why the worker refused a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Refusal {
    #[error("organisation not found")]
    OrganisationNotFound,
    #[error("course not found")]
    CourseNotFound,
    #[error("{detail}")]
    UnsupportedMode { detail: String },
    #[error("items cannot be bought")]
    InvalidItems { errors: Vec<FieldError> },
    /// A fault that the worker found once it knew the gateway.
    #[error("the request is not valid")]
    InvalidRequest { errors: Vec<FieldError> },
    #[error("the cart is empty")]
    EmptyCart,
    #[error("cart not found")]
    CartNotFound,
    /// The caller may see the object, and not do this with it.
    #[error("{detail}")]
    Forbidden { detail: String },
    #[error("the idempotency key is being worked on")]
    InProgress,
    #[error("the idempotency key was used with another body")]
    IdempotencyMismatch,
    /// What the caller reports contradicts what is on record.
    #[error("{detail}")]
    Contradiction { detail: String },
    #[error("{detail}")]
    NotConfigured { detail: String },
    /// The payment provider refused, or did not answer. If it made a payment after all, no buyer can pay it.
    #[error("{detail}")]
    GatewayError { detail: String },
    /// A server that the command needs is unavailable; nothing was started.
    #[error("a server is unavailable")]
    Unavailable,
    /// A fault of the worker itself, which its log describes.
    #[error("internal error")]
    Internal,
}

impl Refusal {
    /// Returns whether the worker may store this answer under the idempotency key. Answers that depend on the
    /// availability or configuration of servers are not stored: the same request may succeed next time.
    pub fn may_be_stored(&self) -> bool {
        !matches!(
            self,
            Self::InProgress
                | Self::NotConfigured { .. }
                | Self::GatewayError { .. }
                | Self::Unavailable
                | Self::Internal
        )
    }
}

/// One fault of a request, and the field that has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(as = Fault, description = "One thing that is wrong with a request.")
)]
pub struct FieldError {
    /// The path of the field, or the name of the parameter or header.
    #[cfg_attr(feature = "openapi", schema(example = "items[0].mode"))]
    pub field: String,
    /// Fault in the field.
    #[cfg_attr(feature = "openapi", schema(example = "is not a course mode"))]
    pub message: String,
}

impl FieldError {
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}
