//! Invoices: the command that corrects the buyer on one.

use serde::{Deserialize, Serialize};

use super::{BillingAddress, CallerKey, Idempotency, OrderCaller};
use crate::ids::CartId;

/// Issues the invoice of an order anew, for another buyer. The money does not move, unless the buyer is to declare the tax: a member of
/// the staff who may not pay it back asks finance by it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CorrectInvoice {
    pub cart_id: CartId,
    pub caller: OrderCaller,
    pub billing_address: BillingAddress,
    pub idempotency: Option<Idempotency>,
}

impl CorrectInvoice {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.caller.key()
    }
}
