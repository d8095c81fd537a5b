//! A payment at a provider: to create, created, and as the provider reports it.

use shared::email::Email;
use shared::ids::{CartId, TransactionId};
use shared::messages::{BillingAddress, Labels, PaymentStart};

use super::{DisputeFacts, RefundFacts};

/// A payment to create at a gateway.
pub struct NewPayment<'a> {
    pub transaction_id: TransactionId,
    pub cart_id: CartId,
    /// In the provider's subunits.
    pub subunits: i64,
    pub currency: &'static str,
    pub email: &'a Email,
    /// Set for a signed-in learner; a guest has no customer at the provider.
    pub customer: Option<Customer>,
    pub description: String,
    pub billing_address: Option<&'a BillingAddress>,
    pub labels: &'a Labels,
    /// Page to which the provider sends the buyer after the payment.
    pub return_url: String,
}

impl NewPayment<'_> {
    /// The names and texts of the labels, the reference first. A provider keeps our own ids under the same names, which come before
    /// them.
    pub fn labels(&self) -> impl Iterator<Item = (String, String)> {
        let reference = self.labels.reference.clone().map(|reference| ("reference".to_owned(), reference));
        let metadata = self.labels.metadata.clone().unwrap_or_default();
        reference.into_iter().chain(metadata)
    }
}

/// A signed-in learner as a customer of the provider.
pub struct Customer {
    pub name: String,
    /// The provider's customer id, if it has one for this learner.
    pub reference: Option<String>,
}

/// A payment that exists at the provider.
pub struct Created {
    pub snapshot: PaymentSnapshot,
    /// Data that the buyer's page needs to start the payment.
    pub start: PaymentStart,
    pub customer: Option<String>,
}

/// A payment's state according to the provider, from a notification or a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentSnapshot {
    pub reference: String,
    /// Our transaction id, as the provider repeats it.
    pub transaction_id: Option<TransactionId>,
    pub status: Status,
    /// In the provider's subunits.
    pub subunits: i64,
    /// Amount that the buyer has paid for it, if that is less: the provider's offer took the rest.
    pub paid_less: Option<i64>,
    pub currency: String,
    /// All refunds and disputes of the payment. Only a read of a paid payment has them, a notification does not.
    pub after_sale: Option<RefundsAndDisputes>,
}

/// The money that went back to the buyer, or is disputed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundsAndDisputes {
    pub refunds: Vec<RefundFacts>,
    pub disputes: Vec<DisputeFacts>,
    /// Indicates whether the provider holds the money of another payment of the order.
    pub is_paid_twice: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Waits for the buyer.
    Open,
    /// The buyer has done their part, or was given a voucher or bank details: the provider works on the payment, which
    /// must not be cancelled.
    Pending,
    /// A payment attempt has failed; the buyer can try again.
    Failed,
    /// The buyer can no longer pay it.
    Closed(Closure),
    Paid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closure {
    Failed,
    Cancelled,
    /// The provider's time for the payment is over.
    Expired,
    /// The worker cancelled it because its cart had waited too long.
    Abandoned,
}
