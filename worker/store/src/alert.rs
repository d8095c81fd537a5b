//! Alerts: situations that an operator has to look at. Code that finds one inside a transaction returns it; the worker raises
//! it after the commit.

use shared::gateway::Gateway;
use shared::ids::{EnrollmentId, OrganisationId, TransactionId};
use strum::{EnumDiscriminants, IntoStaticStr, VariantArray};
use uuid::Uuid;

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
    Payment { transaction: TransactionId, reason: String },
    /// A provider's notification contradicts its transaction and is parked.
    #[strum_discriminants(strum(serialize = "event"))]
    Parked { id: i64, transaction: TransactionId, reason: String },
    /// A message with a notification that no secret of its organisation signed: the broker took it from another sender than
    /// the api, or the secret was replaced while it waited.
    Notification { organisation: OrganisationId, gateway: Gateway },
    /// The dead-letter queue or the queue of a retry delay is full: the worker keeps what it cannot publish, and that holds up
    /// its work queue.
    QueueFull { queue: &'static str },
    /// A payment provider refuses the key of an organisation's account. Raised once, until an operator sets another key or
    /// a checkout succeeds.
    Account { organisation: OrganisationId, gateway: Gateway, reason: String },
    /// A payout has failed, differs from its movements, or is not shown to the account's key.
    Payout { organisation: OrganisationId, gateway: Gateway, reason: String },
    /// The course platform keeps failing at one enrollment.
    EnrollmentSync { enrollment: EnrollmentId, failures: i32, reason: String },
    /// An endpoint for events was disabled: it said so itself, or has taken none for days.
    Endpoint { endpoint: Uuid, reason: String },
    /// No call to the course platform can succeed until an operator changes a setting.
    PlatformConfiguration { reason: String },
}
