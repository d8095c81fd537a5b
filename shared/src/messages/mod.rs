//! All messages that travel through the queue. Each message is named like its job: `worker/src/jobs/start_checkout.rs`
//! handles `StartCheckout`.

mod background;
mod checkout;
mod enrollment;
mod payment;
mod refusal;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use background::{
    CatalogChanged, CourseChanged, Mail, Receipt, RegistrationHint, ResolveRegistration, SendEmail,
    SyncEnrollment,
};
pub use checkout::{
    BasketItem, BillingAddress, CartItem, CheckoutAnswer, CheckoutCart, CheckoutCartAnswer, FulfilCart,
    ItemKind, LearnerAccount, LearnerCart, PayableCart, SetCart, StartCheckout,
};
pub use enrollment::{EnrollmentAnswer, EnrollmentState, GrantEnrollment, RemoveEnrollment};
pub use payment::{CheckPayment, PaymentStart, ProviderNotification, ShowPayment, ShownPayment};
pub use refusal::{FieldError, Refusal};

/// A message to the worker. The AMQP property `type` names the variant and its version; the body holds the variant's
/// fields.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Message {
    StartCheckout(Box<StartCheckout>),
    SetCart(Box<SetCart>),
    CheckoutCart(CheckoutCart),
    ShowPayment(ShowPayment),
    GrantEnrollment(GrantEnrollment),
    RemoveEnrollment(RemoveEnrollment),
    ProviderNotification(ProviderNotification),
    CheckPayment(CheckPayment),
    FulfilCart(FulfilCart),
    SyncEnrollment(SyncEnrollment),
    RegistrationHint(RegistrationHint),
    ResolveRegistration(ResolveRegistration),
    SendEmail(SendEmail),
    CatalogChanged(CatalogChanged),
    CourseChanged(CourseChanged),
}

/// A command whose caller waits for the answer.
pub trait Asked: Into<Message> {
    type Answer: Serialize + DeserializeOwned;
}

/// The worker's reply: the answer, or why it refused the command.
pub type Answer<T> = Result<T, Refusal>;

/// A caller's idempotency key, with the hash that tells whether a second request is the same one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idempotency {
    /// The route and the caller.
    pub scope: String,
    pub key: String,
    /// SHA-256 of the parsed request.
    pub request_hash: Vec<u8>,
}

/// Why a message's type or body cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableMessage {
    #[error("unknown message type {0:?}")]
    UnknownType(String),
    #[error("unreadable body of {kind}: {source}")]
    Body { kind: &'static str, source: serde_json::Error },
}

impl Message {
    /// The versioned type, which is also the routing key.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::StartCheckout(_) => StartCheckout::KIND,
            Self::SetCart(_) => SetCart::KIND,
            Self::CheckoutCart(_) => CheckoutCart::KIND,
            Self::ShowPayment(_) => ShowPayment::KIND,
            Self::GrantEnrollment(_) => GrantEnrollment::KIND,
            Self::RemoveEnrollment(_) => RemoveEnrollment::KIND,
            Self::ProviderNotification(_) => ProviderNotification::KIND,
            Self::CheckPayment(_) => CheckPayment::KIND,
            Self::FulfilCart(_) => FulfilCart::KIND,
            Self::SyncEnrollment(_) => SyncEnrollment::KIND,
            Self::RegistrationHint(_) => RegistrationHint::KIND,
            Self::ResolveRegistration(_) => ResolveRegistration::KIND,
            Self::SendEmail(_) => SendEmail::KIND,
            Self::CatalogChanged(_) => CatalogChanged::KIND,
            Self::CourseChanged(_) => CourseChanged::KIND,
        }
    }

    /// The caller's idempotency key; None for background messages, and if the caller sent none.
    pub fn idempotency(&self) -> Option<&Idempotency> {
        match self {
            Self::StartCheckout(command) => command.idempotency.as_ref(),
            Self::SetCart(command) => command.idempotency.as_ref(),
            Self::CheckoutCart(command) => command.idempotency.as_ref(),
            Self::GrantEnrollment(command) => command.idempotency.as_ref(),
            Self::RemoveEnrollment(command) => command.idempotency.as_ref(),
            Self::ShowPayment(_)
            | Self::ProviderNotification(_)
            | Self::CheckPayment(_)
            | Self::FulfilCart(_)
            | Self::SyncEnrollment(_)
            | Self::RegistrationHint(_)
            | Self::ResolveRegistration(_)
            | Self::SendEmail(_)
            | Self::CatalogChanged(_)
            | Self::CourseChanged(_) => None,
        }
    }

    /// Parses a message's body by its type.
    ///
    /// # Errors
    /// This version does not know the type, or the body does not fit it.
    pub fn read(kind: &str, body: &[u8]) -> Result<Self, UnreadableMessage> {
        match kind {
            StartCheckout::KIND => parse(StartCheckout::KIND, body, |command: StartCheckout| command.into()),
            SetCart::KIND => parse(SetCart::KIND, body, |command: SetCart| command.into()),
            CheckoutCart::KIND => parse(CheckoutCart::KIND, body, Self::CheckoutCart),
            ShowPayment::KIND => parse(ShowPayment::KIND, body, Self::ShowPayment),
            GrantEnrollment::KIND => parse(GrantEnrollment::KIND, body, Self::GrantEnrollment),
            RemoveEnrollment::KIND => parse(RemoveEnrollment::KIND, body, Self::RemoveEnrollment),
            ProviderNotification::KIND => parse(ProviderNotification::KIND, body, Self::ProviderNotification),
            CheckPayment::KIND => parse(CheckPayment::KIND, body, Self::CheckPayment),
            FulfilCart::KIND => parse(FulfilCart::KIND, body, Self::FulfilCart),
            SyncEnrollment::KIND => parse(SyncEnrollment::KIND, body, Self::SyncEnrollment),
            RegistrationHint::KIND => parse(RegistrationHint::KIND, body, Self::RegistrationHint),
            ResolveRegistration::KIND | ResolveRegistration::FORMER_KIND => {
                parse(ResolveRegistration::KIND, body, Self::ResolveRegistration)
            }
            SendEmail::KIND => parse(SendEmail::KIND, body, Self::SendEmail),
            CatalogChanged::KIND => parse(CatalogChanged::KIND, body, Self::CatalogChanged),
            CourseChanged::KIND => parse(CourseChanged::KIND, body, Self::CourseChanged),
            _ => Err(UnreadableMessage::UnknownType(kind.to_owned())),
        }
    }
}

fn parse<T: DeserializeOwned>(
    kind: &'static str,
    body: &[u8],
    wrap: impl FnOnce(T) -> Message,
) -> Result<Message, UnreadableMessage> {
    serde_json::from_slice(body).map(wrap).map_err(|source| UnreadableMessage::Body { kind, source })
}
