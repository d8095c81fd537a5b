//! Payments: what providers tell us, what they are asked, and what a buyer pays with.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Asked, CartItem, Message};
use crate::gateway::Gateway;
use crate::money::Money;

/// What a page needs so that its buyer can pay, by the style of the gateway.
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
}

/// A provider's notification whose signature was genuine. Nobody waits for what it leads to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProviderNotification {
    pub gateway: Gateway,
    /// Whose secret has signed it.
    pub organisation_id: Uuid,
    /// As it came.
    pub body: String,
}

/// Asks the provider how a payment stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckPayment {
    pub transaction_id: Uuid,
}

/// Asks what the hosted page of a cart shows. Whoever asks has been let in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShowPayment {
    pub cart_id: Uuid,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownPayment {
    /// Who sells.
    pub organisation: String,
    /// Where the buyer goes when it is done, with the cart's id.
    pub return_url: String,
    pub email: String,
    pub gateway: Option<Gateway>,
    pub total: Money,
    pub items: Vec<CartItem>,
    /// None if there is nothing to pay, or no longer.
    pub start: Option<PaymentStart>,
}

impl ProviderNotification {
    pub const KIND: &str = "payment.notification.v1";
}

impl CheckPayment {
    /// Apart from notifications: it waits for a provider.
    pub const KIND: &str = "checks.payment.v1";
}

impl ShowPayment {
    /// Apart from checkouts, which wait for providers.
    pub const KIND: &str = "payment.show.v1";
}

impl From<ProviderNotification> for Message {
    fn from(message: ProviderNotification) -> Self {
        Self::ProviderNotification(message)
    }
}

impl From<CheckPayment> for Message {
    fn from(message: CheckPayment) -> Self {
        Self::CheckPayment(message)
    }
}

impl From<ShowPayment> for Message {
    fn from(message: ShowPayment) -> Self {
        Self::ShowPayment(message)
    }
}

impl Asked for ShowPayment {
    type Answer = ShownPayment;
}
