//! The payment providers: the accounts and the stored data that all four share. Each provider has a folder: `mod` has its
//! payments and its profile, `after_sale` its refunds and disputes, `shapes` its objects, `events` its webhooks. They
//! share no code with the services under test.

mod accounts;
mod browser;
mod control;
mod disputes;
mod events;
mod idempotency;
mod mollie;
mod notify;
mod payment;
mod payouts;
mod provider;
mod razorpay;
mod record;
mod refunds;
mod stripe;

use std::sync::Arc;

use axum::{
    Json, Router,
    http::{HeaderMap, StatusCode},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::{
    faults::{Gate, Target, gate},
    state::{Simulation, now},
};

use idempotency::Answered;
pub(super) use notify::Delivery;
pub(super) use payment::{Attempt, AttemptStatus, Method, Payment, Status};
pub use provider::Provider;
use provider::{DemoAccount, Profile, Script, Style};

/// An organisation's account with a provider: its API keys and its notification secret.
#[derive(Clone, Debug)]
pub struct Account {
    pub provider: Provider,
    pub organisation: String,
    /// Stripe's and Mollie's API key, Razorpay's and Curlec's key id.
    pub key: String,
    /// The key secret of Razorpay and Curlec; empty for the others.
    pub key_secret: String,
    pub notification_secret: String,
}

impl Account {
    /// The demo's accounts: one provider for each organisation of its catalog.
    pub fn demo() -> Vec<Self> {
        let account = |provider: &Provider| {
            let DemoAccount { organisation, key, key_secret } = provider.profile().demo;
            Self {
                provider: *provider,
                organisation: organisation.into(),
                key: key.into(),
                key_secret: key_secret.into(),
                notification_secret: format!("whsec_demo_{organisation}"),
            }
        };
        Provider::ALL.iter().map(account).collect()
    }
}

/// The providers' stored data.
#[derive(Default)]
pub(super) struct Payments {
    pub all: Vec<Payment>,
    /// Stripe's customers.
    pub customers: Vec<stripe::Customer>,
    pub deliveries: Vec<Delivery>,
    pub payouts: Vec<payouts::Payout>,
    /// Indicates whether new refunds wait for a control call that ends them.
    pub refunds_wait: bool,
    /// Time by which the providers' clock is ahead.
    pub ahead: TimeDelta,
    answered: Answered,
}

impl Payments {
    /// The providers' clock, which a test can move forward.
    pub fn now(&self) -> DateTime<Utc> {
        now() + self.ahead
    }

    fn find(&mut self, account: &Account, reference: &str) -> Option<&mut Payment> {
        self.of(account, |payment| payment.reference == reference)
    }

    /// The payment of this account that the filter accepts.
    fn of(&mut self, account: &Account, wanted: impl Fn(&Payment) -> bool) -> Option<&mut Payment> {
        self.all.iter_mut().find(|payment| payment.is_of(account) && wanted(payment))
    }

    fn with_reference(&mut self, reference: &str) -> Option<&mut Payment> {
        self.all.iter_mut().find(|payment| payment.reference == reference)
    }
}

pub(super) fn routes(simulation: &Arc<Simulation>) -> Router<Arc<Simulation>> {
    let shared = Router::new()
        .merge(accounts::routes())
        .merge(browser::routes())
        .merge(control::routes())
        .merge(payouts::routes())
        .merge(refunds::routes());
    Provider::ALL.iter().fold(shared, |routes, provider| {
        routes.nest(&format!("/{}", provider.name()), calls(simulation, *provider))
    })
}

/// The provider's own paths, with its faults, its idempotency keys and their record.
fn calls(simulation: &Arc<Simulation>, provider: Provider) -> Router<Arc<Simulation>> {
    let target = Target::Provider(provider);
    let entrance = Gate { simulation: simulation.clone(), target, refuse: refusal };
    let desk = idempotency::Desk { simulation: simulation.clone(), provider };
    (provider.profile().routes)(provider)
        .layer(from_fn_with_state(desk.clone(), record::calls))
        .layer(from_fn_with_state(entrance, gate))
        .layer(from_fn_with_state(desk, idempotency::one_at_a_time))
}

/// A refused call, in the provider's words.
pub(super) struct Refused(Box<Response>);

impl Refused {
    fn new(status: StatusCode, body: &Value) -> Self {
        Self(Box::new((status, Json(body)).into_response()))
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        *self.0
    }
}

/// An error status outside of the provider's own endpoints.
fn refusal(status: StatusCode) -> Response {
    (status, Json(json!({"error": {"message": status.canonical_reason()}}))).into_response()
}

/// The provider's account whose key the request proves to hold.
fn account(
    simulation: &Simulation,
    provider: Provider,
    proves: impl Fn(&Account) -> bool,
) -> Option<Account> {
    let state = simulation.state();
    let mut own = state.accounts.iter().filter(|account| account.provider == provider);
    own.find(|account| proves(account)).cloned()
}

/// The key of an `Authorization: Bearer` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get("authorization")?.to_str().ok()?.strip_prefix("Bearer ")
}
