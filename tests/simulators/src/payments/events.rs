//! The changes that providers report by webhooks. Each provider's folder has its types and bodies; delivery is in
//! `notify`.

use serde_json::Value;

use super::Payment;

/// A change that providers report.
pub enum Happened {
    Paid,
    /// Another payment of a paid order was captured, which Razorpay and Curlec alone can do.
    PaidAgain,
    Failed,
    Waiting,
    Authorized,
    Expired,
    /// A change without a webhook.
    Nothing,
    /// A dispute was opened, closed, or both.
    Disputed {
        id: String,
        is_new: bool,
    },
    /// A refund was made; its id.
    Refunded(String),
    /// A refund has another state; its id.
    RefundChanged(String),
}

pub struct Event {
    pub id: String,
    pub kind: String,
    pub body: String,
}

impl Event {
    /// Turns Mollie's full payload into its simple one, without the entity (the first example of
    /// <https://docs.mollie.com/reference/webhooks-new>).
    pub fn simplify(&mut self) {
        let mut body: Value = serde_json::from_str(&self.body).unwrap_or_default();
        if let Some(fields) = body.as_object_mut() {
            fields.remove("_embedded");
        }
        self.body = body.to_string();
    }
}

/// The provider's events about the change, in the order in which it sends them.
pub fn events(payment: &Payment, happened: &Happened) -> Vec<Event> {
    (payment.provider.profile().events)(payment, happened)
}
