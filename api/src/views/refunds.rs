//! JSON of a refund.

use serde::Serialize;
use shared::messages::RefundStatus;
use shared::messages::{RefundAnswer, RefundedLine};
use shared::money::Amount;
use utoipa::ToSchema;
use uuid::Uuid;

/// Status of a refund.
#[derive(Debug, Serialize, ToSchema)]
pub struct RefundBody {
    refund_id: Uuid,
    cart_id: Uuid,
    status: RefundStatus,
    /// Amount that is paid back; 0 if the refund only ends access.
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    amount: Amount,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    currency: &'static str,
    items: Vec<RefundItem>,
    /// The order's refunds so far, as far as the provider has accepted them.
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    refunded_amount: Amount,
    /// Amount that can still be refunded.
    #[schema(value_type = f64, minimum = 0, example = 0)]
    remaining: Amount,
}

/// The part of one line of the order.
#[derive(Debug, Serialize, ToSchema)]
pub struct RefundItem {
    /// Counted from 0.
    position: u32,
    #[schema(value_type = f64, minimum = 0, example = 49.99)]
    amount: Amount,
    /// Indicates whether the refund has ended the access that the line bought. Not while the provider has not accepted
    /// the refund, if the learner keeps the access because of a certificate, and if the course platform does not say
    /// whether there is one.
    access_ended: bool,
}

impl RefundBody {
    /// Returns whether the provider has not answered yet.
    pub fn is_asked(&self) -> bool {
        self.status == RefundStatus::Asked
    }
}

impl From<RefundedLine> for RefundItem {
    fn from(line: RefundedLine) -> Self {
        Self { position: line.position, amount: Amount(line.amount), access_ended: line.access_ended }
    }
}

impl From<RefundAnswer> for RefundBody {
    fn from(refund: RefundAnswer) -> Self {
        Self {
            refund_id: refund.refund_id.into(),
            cart_id: refund.cart_id.into(),
            status: refund.status,
            amount: Amount(refund.amount),
            currency: refund.amount.currency().code(),
            items: refund.items.into_iter().map(RefundItem::from).collect(),
            refunded_amount: Amount(refund.refunded),
            remaining: Amount(refund.remaining),
        }
    }
}
