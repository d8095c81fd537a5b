//! Refunds: a command that pays a part of an order back, and the task that follows it up.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::{CallerKey, Idempotency, KeyOf, LearnerAccount, StaffMember};
use crate::email::Email;
use crate::ids::{CartId, OrganisationId, RefundId};
use crate::money::Money;
use crate::organisation_key::KeyId;
pub use crate::words::RefundStatus;

/// Refunds a part or all of a paid cart. The command's id becomes the refund's id.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RefundOrder {
    pub cart_id: CartId,
    pub caller: OrderCaller,
    /// The positions of the lines, from 0. None: all lines. Empty: the amount is allocated to all lines, and no access ends.
    pub items: Option<Vec<u32>>,
    /// In major units; None: all that is left of the lines.
    pub amount: Option<Decimal>,
    pub reason: Option<String>,
    /// Refund although a dispute of the payment is open.
    pub despite_dispute: bool,
    pub idempotency: Idempotency,
}

/// Caller that acts on an order: refunds, moves a line, corrects the invoice. The api has verified it. An operator acts at the command
/// line and never by a message.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderCaller {
    /// A backend with a key of this organisation.
    Key { id: KeyId, organisation_id: OrganisationId },
    /// A member of the organisation's staff.
    Staff(StaffMember),
    /// A signed-in learner.
    Learner { account: LearnerAccount, email: Email },
}

/// Status of a refund.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundAnswer {
    pub refund_id: RefundId,
    pub cart_id: CartId,
    pub status: RefundStatus,
    pub amount: Money,
    pub items: Vec<RefundedLine>,
    /// The total refunded so far, this refund included once the provider has accepted it.
    pub refunded: Money,
    /// Amount that is left to refund.
    pub remaining: Money,
}

/// The part of one line in a refund.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundedLine {
    pub position: u32,
    pub amount: Money,
    pub access_ended: bool,
}

/// Repeats a refund that the provider has not answered, or asks for the status of an accepted one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckRefund {
    pub refund_id: RefundId,
}

impl RefundOrder {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.caller.key()
    }
}

impl OrderCaller {
    pub(super) fn key(&self) -> Option<CallerKey> {
        match self {
            Self::Key { id, organisation_id } => {
                Some(CallerKey { id: *id, of: KeyOf::Organisation(*organisation_id) })
            }
            Self::Staff(_) | Self::Learner { .. } => None,
        }
    }
}
