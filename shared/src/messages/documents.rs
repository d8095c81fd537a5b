//! Invoices: the command that corrects the buyer on one.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{AnyCommand, BillingAddress, Command, Idempotency, Message, Queue, RefundCaller};

/// Issues the invoice of an order anew, for another buyer. The money does not move.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CorrectInvoice {
    pub cart_id: Uuid,
    pub caller: RefundCaller,
    pub billing_address: BillingAddress,
    pub idempotency: Option<Idempotency>,
}

impl Message for CorrectInvoice {
    const KIND: &str = "page.correct_invoice.v1";
    const QUEUE: Queue = Queue::Page;
}

impl Command for CorrectInvoice {
    type Answer = ();
    const VARIANT: fn(Self) -> AnyCommand = |command| AnyCommand::CorrectInvoice(Box::new(command));
}
