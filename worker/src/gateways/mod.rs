//! The payment gateways behind one small trait: it creates, reads and cancels payments; `notifications` interprets their
//! notifications. Each provider's paths and shapes are in its own file or folder, and what differs by gateway in its profile. No database
//! here.

mod after_sale;
mod amounts;
mod books;
mod caller;
mod credentials;
mod external;
mod mollie;
mod notifications;
mod payment;
mod profile;
mod razorpay;
mod stripe;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use secrecy::{ExposeSecret, SecretSlice};
use serde_json::Value;
use shared::breaker::Breaker;
use shared::causes;
use shared::gateway::Gateway;
use shared::ids::{OrganisationId, TransactionId};
use shared::seal::{self, SealError, SealKey, Sealed};
use shared::tls::{TlsSettings, UrlError};

use crate::config::GatewaySettings;

pub use after_sale::{DisputeFacts, Outcome, RefundFacts, RefundRequest, RefundStatus};
pub use amounts::Amounts;
pub use books::{Books, PayoutPlace};
pub use caller::{CallBudget, Caller};
pub use credentials::Credentials;
pub use external::{Asked, External, GRACE_DAYS};
pub use notifications::{Interpretation, Notification, Subject};
pub use payment::{Closure, Created, Customer, NewPayment, PaymentSnapshot, RefundsAndDisputes, Status};
pub use profile::{
    BooksKey, Profile, Provider, interpret, profile, read_notification, uncancellable_gateways,
};

#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The provider may have acted on the call, or may do so later: only another call can tell.
    #[error("the payment provider has not answered: {0}")]
    Unanswered(String),
    /// The provider did not act on the call, and would refuse it again.
    #[error("the payment provider refused with {status} {code}")]
    Refused { status: u16, code: String },
    /// The provider repeats the failure that it stored for this idempotency key, and will do so for a day.
    #[error("the payment provider repeats an earlier failure")]
    Replayed,
    /// The provider did not act on the call, and will for an hour take it for a duplicate of another refund.
    #[error("the payment provider takes the refund for a duplicate")]
    Duplicate,
}

impl GatewayError {
    /// Returns whether the provider refuses the account's key, not the call.
    pub fn refuses_key(&self) -> bool {
        matches!(self, Self::Refused { status: 401 | 403, .. })
    }
}

/// One organisation's account at one provider.
#[async_trait]
pub trait PaymentGateway: Send + Sync {
    /// The exact request that creates a payment. The caller stores it before sending, so that a retry sends the same.
    fn request(&self, payment: &NewPayment<'_>) -> Value;

    /// Creates the payment, or finds the one that an earlier send of the request has created. `first` says that the
    /// request cannot have been sent before.
    async fn create(
        &self,
        transaction_id: TransactionId,
        request: &Value,
        first: bool,
    ) -> Result<Created, GatewayError>;

    /// Reads the payment, and what of it went back to the buyer.
    async fn read(&self, reference: &str) -> Result<PaymentSnapshot, GatewayError>;

    /// Tries to cancel a payment, which not every provider and state allows, and returns its state afterwards.
    async fn cancel(&self, reference: &str) -> Result<PaymentSnapshot, GatewayError>;

    /// Pays a part of the payment back, or finds the refund that an earlier call has made.
    async fn refund(&self, refund: &RefundRequest<'_>) -> Result<RefundFacts, GatewayError>;
}

/// Access to all providers.
#[derive(Clone)]
pub struct Gateways {
    http: reqwest::Client,
    settings: GatewaySettings,
    keys: Vec<SealKey>,
    notification_keys: Vec<SealKey>,
    /// One for the payments and one for the books of each account: the failures of one must not stop the calls of the others.
    breakers: Arc<Mutex<HashMap<Account, Breaker>>>,
}

/// An organisation's account at a provider, and what is called.
type Account = (OrganisationId, Gateway, Calls);

/// Use of an account.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Calls {
    Payments,
    Books,
}

#[derive(Debug, thiserror::Error)]
pub enum GatewaySetupError {
    #[error("GATEWAY_KEYS: {0}")]
    Keys(SealError),
    #[error("NOTIFICATION_KEYS: {0}")]
    NotificationKeys(SealError),
    #[error(transparent)]
    Url(#[from] UrlError),
}

impl Gateways {
    /// Reads the keys and prepares the HTTP client.
    ///
    /// # Errors
    /// Invalid keys, a URL that names another machine without TLS, or a faulty TLS configuration of this machine.
    pub fn new(settings: &GatewaySettings, tls: &TlsSettings) -> Result<Self, GatewaySetupError> {
        for provider in Gateway::ALL.iter().filter_map(|gateway| profile(*gateway).provider.as_ref()) {
            tls.check_http(provider.url_setting, (provider.base_url)(settings))?;
        }
        let keys = seal::parse_keys(&settings.gateway_keys).map_err(GatewaySetupError::Keys)?;
        let notification_keys =
            seal::parse_keys(&settings.notification_keys).map_err(GatewaySetupError::NotificationKeys)?;
        let (http, settings, breakers) = (caller::client(tls)?, settings.clone(), Arc::default());
        Ok(Self { http, settings, keys, notification_keys, breakers })
    }

    /// Opens an organisation's sealed credentials.
    ///
    /// # Errors
    /// Why they cannot be used, in words for an operator.
    pub fn unseal(
        &self,
        organisation: OrganisationId,
        gateway: Gateway,
        sealed: &Sealed,
    ) -> Result<Credentials, String> {
        let opened = seal::open(&self.keys, &seal::credentials_place(organisation, gateway), sealed);
        let opened = opened.map_err(|error| error.to_string())?;
        let text = std::str::from_utf8(opened.expose_secret()).map_err(|_| "they are not UTF-8")?;
        Credentials::parse(gateway, text).map_err(|error| format!("they {error}"))
    }

    /// Opens the sealed secret in one slot, `current` or `previous`, with which a provider signs an organisation's
    /// notifications.
    ///
    /// # Errors
    /// No configured key opens it, or it was damaged.
    pub fn unseal_notification(
        &self,
        organisation: OrganisationId,
        gateway: Gateway,
        slot: &str,
        sealed: &Sealed,
    ) -> Result<SecretSlice<u8>, SealError> {
        seal::open(&self.notification_keys, &seal::notification_place(organisation, gateway, slot), sealed)
    }

    /// Opens an organisation's account at a provider. `budget` limits the time of all its calls together.
    pub fn open(
        &self,
        organisation: OrganisationId,
        gateway: Gateway,
        credentials: Credentials,
        budget: CallBudget,
    ) -> Option<Box<dyn PaymentGateway>> {
        let provider = profile(gateway).provider.as_ref()?;
        let caller = self.caller(provider, (organisation, gateway, Calls::Payments), budget);
        Some((provider.open)(caller, credentials))
    }

    /// Opens the books of an organisation's account. None if the credentials have no key that reads them.
    pub fn open_books(
        &self,
        organisation: OrganisationId,
        gateway: Gateway,
        credentials: Credentials,
        budget: CallBudget,
    ) -> Option<Box<dyn Books>> {
        let provider = profile(gateway).provider.as_ref()?;
        let caller = self.caller(provider, (organisation, gateway, Calls::Books), budget);
        Some((provider.open_books)(caller, credentials.of_books(provider.books_key)?))
    }

    fn caller(&self, provider: &Provider, account: Account, budget: CallBudget) -> Caller {
        let base = (provider.base_url)(&self.settings);
        Caller::new(self.http.clone(), account.1, base, self.breaker(account), budget)
    }

    /// The setting with the URL of a provider's API, and its address.
    pub fn place(&self, gateway: Gateway) -> Option<String> {
        let provider = profile(gateway).provider.as_ref()?;
        Some(causes::place(provider.url_setting, (provider.base_url)(&self.settings)))
    }

    fn breaker(&self, account: Account) -> Breaker {
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let (organisation, gateway, _) = account;
        let server = || format!("{gateway} for organisation {organisation}");
        let new = || Breaker::new(gateway.name(), server(), caller::TOLERANCE);
        breakers.entry(account).or_insert_with(new).clone()
    }
}

/// A string in an answer, by its JSON pointer.
fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

fn unreadable(what: &str) -> GatewayError {
    GatewayError::Unanswered(format!("its answer has no {what}"))
}
