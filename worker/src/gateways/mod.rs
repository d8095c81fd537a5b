//! The payment gateways behind one small trait: a payment is created, read and cancelled, and its events are understood.
//! Paths, shapes and amounts of each provider stand in its own file. No database here.

mod amounts;
mod caller;
mod credentials;
mod events;
mod mollie;
mod razorpay;
mod stripe;

use async_trait::async_trait;
use clap::Args;
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use shared::breaker::Breaker;
use shared::email::Email;
use shared::gateway::Gateway;
use shared::messages::{BillingAddress, PaymentStart};
use shared::seal::{self, SealError, SealKey, Sealed};
use shared::settings::parse_http_url;
use uuid::Uuid;

pub use amounts::Amounts;
pub use caller::{Caller, Patience};
pub use credentials::Credentials;
pub use events::{About, Event, Meaning, about, read_event};

/// What a gateway is asked to charge, and for whom.
pub struct NewPayment<'a> {
    pub transaction_id: Uuid,
    pub cart_id: Uuid,
    /// As the provider counts.
    pub subunits: i64,
    pub currency: &'static str,
    pub email: &'a Email,
    /// Of a signed-in learner; a guest is nobody's customer.
    pub customer: Option<Customer>,
    pub description: String,
    pub billing_address: Option<&'a BillingAddress>,
    /// Where the provider sends the buyer back to.
    pub return_url: String,
}

pub struct Customer {
    pub name: String,
    /// What the provider calls this learner, if it has met them.
    pub reference: Option<String>,
}

/// A payment that the provider knows now.
pub struct Created {
    pub facts: Facts,
    /// What the buyer pays with.
    pub start: PaymentStart,
    pub customer: Option<String>,
}

/// What a provider says of a payment, in an event or when it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub reference: String,
    /// Ours, as the provider repeats it.
    pub transaction_id: Option<Uuid>,
    pub status: Status,
    /// As the provider counts.
    pub subunits: i64,
    pub currency: String,
    /// Given back so far, as the provider counts; only who asks the provider is told.
    pub refunded: Option<i64>,
    pub dispute: Option<Dispute>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Waits for its buyer.
    Open,
    /// An attempt has failed; the buyer can try another.
    Failed,
    /// It cannot be paid any more.
    Dead(Death),
    Paid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    Failed,
    Cancelled,
    Expired,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dispute {
    Opened,
    /// The money is gone, as with a refund: so much, as the provider counts, or all of it.
    Lost(Option<i64>),
}

#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// It may have done what it was asked, or may do it yet: only asking again tells.
    #[error("the payment provider has not answered: {0}")]
    Unanswered(String),
    /// It has not done it, and will say the same again.
    #[error("the payment provider refused with {status} {code}")]
    Refused { status: u16, code: String },
    /// It repeats the failure that it once answered to this idempotency key, and will for a day.
    #[error("the payment provider repeats an old failure")]
    Replayed,
}

/// One organisation's account with one provider.
#[async_trait]
pub trait PaymentGateway: Send + Sync {
    /// Exactly what is sent to create a payment: stored before it is, so that the same can be sent again.
    fn request(&self, payment: &NewPayment<'_>) -> Value;

    /// Has the payment made, or finds the one that the same request has made. `first` if nobody can have sent it before.
    async fn create(
        &self,
        transaction_id: Uuid,
        request: &Value,
        first: bool,
    ) -> Result<Created, GatewayError>;

    async fn read(&self, reference: &str) -> Result<Facts, GatewayError>;

    /// How it stands after it was to be cancelled, which not every provider and state allows.
    async fn cancel(&self, reference: &str) -> Result<Facts, GatewayError>;
}

#[derive(Clone, Debug, Args)]
pub struct GatewaySettings {
    /// Open the providers' API keys: 64 hexadecimal digits each, comma-separated, the current one first; never the api's
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub gateway_keys: SecretString,
    /// Base URL of Stripe's API
    #[arg(long, env, value_parser = parse_http_url, default_value = "https://api.stripe.com")]
    pub stripe_url: Url,
    /// Base URL of Mollie's API
    #[arg(long, env, value_parser = parse_http_url, default_value = "https://api.mollie.com/v2")]
    pub mollie_url: Url,
    /// Base URL of Razorpay's API
    #[arg(long, env, value_parser = parse_http_url, default_value = "https://api.razorpay.com/v1")]
    pub razorpay_url: Url,
    /// Base URL of Curlec's API
    #[arg(long, env, value_parser = parse_http_url, default_value = "https://api.razorpay.com/v1")]
    pub curlec_url: Url,
}

/// The way to all providers.
#[derive(Clone)]
pub struct Gateways {
    http: reqwest::Client,
    settings: GatewaySettings,
    keys: Vec<SealKey>,
    /// One for each of them, in the order of `Gateway::ALL`.
    breakers: [Breaker; 4],
}

#[derive(Debug, thiserror::Error)]
pub enum GatewaySetupError {
    #[error("GATEWAY_KEYS: {0}")]
    Keys(#[from] SealError),
    #[error("gateway client: {0}")]
    Client(#[from] reqwest::Error),
}

impl Gateways {
    /// # Errors
    /// Keys that are none, or this machine's TLS configuration.
    pub fn new(settings: &GatewaySettings) -> Result<Self, GatewaySetupError> {
        let keys = seal::parse_keys(&settings.gateway_keys)?;
        let breakers = Gateway::ALL.map(|gateway| Breaker::new(gateway.name(), caller::TOLERANCE));
        Ok(Self { http: caller::client()?, settings: settings.clone(), keys, breakers })
    }

    /// An organisation's credentials.
    ///
    /// # Errors
    /// Why they cannot be used, for an operator.
    pub fn unseal(
        &self,
        organisation: Uuid,
        gateway: Gateway,
        sealed: &Sealed,
    ) -> Result<Credentials, String> {
        let opened = seal::open(&self.keys, &seal::credentials_place(organisation, gateway), sealed);
        let opened = opened.map_err(|error| error.to_string())?;
        let text = std::str::from_utf8(opened.expose_secret()).map_err(|_| "they are not UTF-8")?;
        Credentials::parse(gateway, text).map_err(|error| format!("they {error}"))
    }

    /// An account, for calls that take no longer together than the patience lasts.
    pub fn open(
        &self,
        gateway: Gateway,
        credentials: Credentials,
        patience: Patience,
    ) -> Box<dyn PaymentGateway> {
        let [stripe, mollie, razorpay, curlec] = &self.breakers;
        let (base, breaker) = match gateway {
            Gateway::Stripe => (&self.settings.stripe_url, stripe),
            Gateway::Mollie => (&self.settings.mollie_url, mollie),
            Gateway::Razorpay => (&self.settings.razorpay_url, razorpay),
            Gateway::Curlec => (&self.settings.curlec_url, curlec),
        };
        let caller = Caller::new(self.http.clone(), base, breaker.clone(), patience);
        match gateway {
            Gateway::Stripe => Box::new(stripe::Stripe { caller, credentials }),
            Gateway::Mollie => Box::new(mollie::Mollie { caller, credentials }),
            Gateway::Razorpay | Gateway::Curlec => Box::new(razorpay::Razorpay { caller, credentials }),
        }
    }
}

/// How a gateway counts money.
pub fn amounts(gateway: Gateway) -> &'static Amounts {
    match gateway {
        Gateway::Stripe => &stripe::AMOUNTS,
        Gateway::Mollie => &mollie::AMOUNTS,
        Gateway::Razorpay => &razorpay::AMOUNTS,
        Gateway::Curlec => &razorpay::CURLEC_AMOUNTS,
    }
}

/// A text of an answer, by its JSON pointer.
fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

fn unreadable(what: &str) -> GatewayError {
    GatewayError::Unanswered(format!("its answer has no {what}"))
}
