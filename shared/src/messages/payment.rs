//! Payments: provider notifications, checks of a payment's state, and what a buyer's page needs to pay.

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::{BillingAddress, CallerKey, CartItem, DeskCaller, Idempotency};
use crate::gateway::Gateway;
use crate::ids::{CartId, OrganisationId, RefundId, TransactionId};
use crate::money::Money;

/// Data that a page needs so that the buyer can pay, by the gateway's integration style.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "style", rename_all = "snake_case")]
pub enum PaymentStart {
    Intent {
        client_secret: String,
        publishable_key: String,
        customer_session_client_secret: Option<String>,
    },
    Redirect {
        redirect_url: String,
        payment_id: String,
    },
    Order {
        order_id: String,
        key_id: String,
        /// In the provider's subunits.
        amount: i64,
    },
    /// The buyer pays to the organisation's bank account.
    Transfer {
        /// The creditor reference of ISO 11649, by which the organisation knows the payment.
        payment_reference: String,
        bank_lines: Vec<String>,
        due_on: NaiveDate,
    },
}

/// A provider's notification, as the api received it. The api has verified its signature, and the worker does so again: what
/// reached the broker past the api settles nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProviderNotification {
    pub gateway: Gateway,
    /// The organisation whose secret verified the signature.
    pub organisation_id: OrganisationId,
    /// The raw body.
    pub body: String,
    pub signature: ReceivedSignature,
}

/// The signature of a notification.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReceivedSignature {
    /// The value of the gateway's signature header.
    pub value: String,
    /// Time when the api received it: some signatures are valid for a few minutes, and the message may wait for longer.
    pub received_at: DateTime<Utc>,
}

/// Settles a provider's notification that the inbox holds, after the first attempt has failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SettleNotification {
    /// The notification's id in the inbox.
    pub notification_id: i64,
}

/// Reads what is new of the payouts of an organisation's account.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadPayouts {
    pub organisation_id: OrganisationId,
    pub gateway: Gateway,
}

/// Asks the provider for the state of a payment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckPayment {
    pub transaction_id: TransactionId,
}

/// Reports what an organisation that takes payments itself has seen at its bank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportPayment {
    pub cart_id: CartId,
    pub caller: DeskCaller,
    pub report: PaymentReport,
    /// Required for money that has arrived; the other reports say a state, and are harmless when repeated.
    pub idempotency: Option<Idempotency>,
}

/// Report about the money of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentReport {
    /// Money has arrived.
    Received {
        /// In major units of the order's currency.
        amount: Decimal,
        received_at: DateTime<Utc>,
        /// Reference by which the bank knows it. Two reports of an order with the same reference are one.
        reference: String,
    },
    /// Money that had arrived was paid back at the bank, and counts no more.
    Returned { reference: String },
    /// The order is not waited for any more.
    Cancelled,
    /// A refund has reached the buyer, or came back.
    Refund { refund_id: RefundId, has_arrived: bool },
}

/// Money that has arrived for an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedPayment {
    pub cart_id: CartId,
    pub total: Money,
    pub received: Money,
    /// Amount that is still to be paid.
    pub open: Money,
}

impl ReportPayment {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.caller.key_to_check()
    }
}

/// Asks for the content of a cart's hosted payment page. The api has already checked that the caller may see the cart.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShowPayment {
    pub cart_id: CartId,
}

/// The content of a cart's hosted payment page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownPayment {
    /// The name of the selling organisation.
    pub organisation: String,
    /// The URL, with the cart's id, to which the buyer returns after the payment.
    pub return_url: String,
    pub email: String,
    /// As given at the checkout.
    pub billing_address: Option<BillingAddress>,
    pub gateway: Option<Gateway>,
    pub total: Money,
    /// Amount that an organisation that takes payments itself has reported of it.
    pub received: Money,
    /// Indicates whether the buyer has access, even before the payment.
    #[serde(default)]
    pub has_access: bool,
    pub items: Vec<CartItem>,
    /// None if there is nothing to pay, or nothing any more.
    pub start: Option<PaymentStart>,
}
