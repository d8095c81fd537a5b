//! Differences between gateways on the worker's side. Each provider's file has the values; everything else reads them here.

use reqwest::Url;
use serde_json::Value;
use shared::gateway::Gateway;

use super::notifications::{Notification, Subject, field};
use super::{Amounts, Books, Caller, Credentials, PaymentGateway, external, mollie, razorpay, stripe};
use crate::config::GatewaySettings;

/// Differences between a gateway and the others.
pub struct Profile {
    /// The amounts that it can charge.
    pub amounts: Amounts,
    /// Indicates whether the buyer's page needs a public key of the account.
    pub has_public_key: bool,
    /// Indicates whether it refuses a billing address that lacks a name, a first line, a city or a country.
    pub needs_whole_address: bool,
    /// Indicates whether it can cancel a payment that waits for its buyer. Without that, the buyer can pay at any time.
    pub can_cancel: bool,
    /// None if no provider is behind it.
    pub(super) provider: Option<Provider>,
}

/// The API and the notifications of a payment provider.
pub struct Provider {
    /// The name of the setting with the base URL of its API.
    pub url_setting: &'static str,
    /// The base URL of its API.
    pub base_url: fn(&GatewaySettings) -> &Url,
    /// Opens an account.
    pub open: fn(Caller, Credentials) -> Box<dyn PaymentGateway>,
    /// Opens the books of an account.
    pub open_books: fn(Caller, Credentials) -> Box<dyn Books>,
    pub books_key: BooksKey,
    /// Identifies a notification, given as text and as JSON; two deliveries of one notification have the same id.
    pub notification_id: fn(&str, &Value) -> Result<String, String>,
    /// The field of a notification that has its type.
    pub notification_kind: &'static str,
    /// Interprets a notification of a type.
    pub interpret: fn(&str, &Value) -> Subject,
}

/// The key that reads the books of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BooksKey {
    /// That of payments alone.
    Same,
    /// That of payments, or another one.
    Optional,
    /// Another one than that of payments.
    Needed,
}

/// The names of the gateways whose payments stay payable, because they cannot be cancelled.
pub fn uncancellable_gateways() -> Vec<String> {
    let uncancellable = Gateway::ALL.iter().filter(|gateway| !profile(**gateway).can_cancel);
    uncancellable.map(|gateway| gateway.name().to_owned()).collect()
}

/// The profile of a gateway.
pub fn profile(gateway: Gateway) -> &'static Profile {
    match gateway {
        Gateway::Stripe => &stripe::PROFILE,
        Gateway::Mollie => &mollie::PROFILE,
        Gateway::Razorpay => &razorpay::PROFILE,
        Gateway::Curlec => &razorpay::CURLEC,
        Gateway::External => &external::PROFILE,
    }
}

/// Interprets a notification's body according to its type.
pub fn interpret(gateway: Gateway, kind: &str, body: &Value) -> Subject {
    match &profile(gateway).provider {
        Some(provider) => (provider.interpret)(kind, body),
        None => Subject::NOTHING,
    }
}

/// Reads the id and type of a notification.
///
/// # Errors
/// Why the body does not have the documented shape.
pub fn read_notification(gateway: Gateway, text: &str) -> Result<Notification, String> {
    let body: Value = serde_json::from_str(text).map_err(|error| format!("is not JSON: {error}"))?;
    let provider = profile(gateway).provider.as_ref().ok_or("comes from a gateway without a provider")?;
    Ok(Notification {
        id: (provider.notification_id)(text, &body)?,
        kind: field(&body, provider.notification_kind)?,
        body,
    })
}
