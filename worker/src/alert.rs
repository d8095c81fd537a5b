//! Alerts: situations that an operator has to look at. Each is an error in the log and a count in the metrics. Code that
//! finds one inside a transaction returns it, and the caller raises it after the commit. Stores nothing.

use shared::gateway::Gateway;
use strum::{EnumDiscriminants, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::metrics;

/// A situation that an operator has to look at. The names of the variants are the label `what` of the count.
#[derive(Debug, EnumDiscriminants)]
#[strum_discriminants(
    name(AlertKind),
    derive(IntoStaticStr, VariantArray),
    strum(serialize_all = "snake_case")
)]
#[must_use = "an alert must be raised, after the commit"]
pub enum Alert {
    /// Something is wrong with a payment; `payments list` shows it until an operator closes it.
    Payment { transaction: Uuid, reason: String },
    /// A provider's event contradicts its transaction and is parked.
    Event { id: i64, transaction: Uuid, reason: String },
    /// A message with a notification that no secret of its organisation signed: the broker took it from another sender than
    /// the api, or the secret was replaced while it waited.
    Notification { organisation: Uuid, gateway: Gateway },
    /// The dead-letter queue or the queue of a retry delay is full: the worker keeps what it cannot publish, and that holds up
    /// its work queue.
    QueueFull { queue: &'static str },
    /// A payment provider refuses the key of an organisation's account. Raised once, until an operator sets another key or
    /// a checkout succeeds.
    Account { organisation: Uuid, gateway: Gateway, reason: String },
    /// The course platform keeps failing at one enrollment.
    EnrollmentSync { enrollment: Uuid, failures: i32, reason: String },
    /// An endpoint for events was disabled: it said so itself, or has taken none for days.
    Endpoint { endpoint: Uuid, reason: String },
    /// No call to the course platform can succeed until an operator changes a setting.
    PlatformConfiguration { reason: String },
}

/// Raises each of these alerts.
pub fn raise(alerts: impl IntoIterator<Item = Alert>) {
    alerts.into_iter().for_each(Alert::raise);
}

impl Alert {
    /// Logs and counts the alert.
    pub fn raise(self) {
        metrics::alert(AlertKind::from(&self));
        match self {
            Self::Payment { transaction, reason } => {
                tracing::error!(%transaction, reason, "payment needs an operator; alert raised");
            }
            Self::Event { id, transaction, reason } => {
                tracing::error!(event = id, %transaction, reason, "provider event parked; alert raised");
            }
            Self::Notification { organisation, gateway } => tracing::error!(
                %organisation,
                %gateway,
                "alert: a queued provider notification is not signed by its provider; dead-lettered, nothing settled"
            ),
            Self::QueueFull { queue } => tracing::error!(
                queue,
                "alert: the broker refuses a retry or a dead letter of this queue; it is full (see `dead list`)"
            ),
            Self::Account { organisation, gateway, reason } => tracing::error!(
                %organisation,
                %gateway,
                reason,
                "alert: a payment provider refuses an account's key; its payments are not checked (see `gateways show`)"
            ),
            Self::EnrollmentSync { enrollment, failures, reason } => tracing::error!(
                %enrollment,
                failures,
                reason,
                "alert: the course platform fails at an enrollment; the learner's account may have no profile"
            ),
            Self::Endpoint { endpoint, reason } => tracing::error!(
                %endpoint,
                reason,
                "alert: an organisation's endpoint for events was disabled (see `webhooks list`)"
            ),
            Self::PlatformConfiguration { reason } => tracing::error!(
                reason,
                "alert: the course platform is misconfigured; enrollments wait (see `doctor`)"
            ),
        }
    }
}
