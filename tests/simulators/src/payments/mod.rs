//! The payment providers: what all four share, and how a test controls them. Each provider has its own file for its
//! paths and formats; they share no code with the services under test.

mod browser;
mod mollie;
mod notify;
mod razorpay;
mod stripe;

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    control::{ControlError, ControlResult, parse},
    faults::{Gate, Target, gate},
    state::{Simulation, random},
};

pub(super) use notify::Delivery;

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
        let account = |provider, organisation: &str, key: &str, key_secret: &str| Self {
            provider,
            organisation: organisation.into(),
            key: key.into(),
            key_secret: key_secret.into(),
            notification_secret: format!("whsec_demo_{organisation}"),
        };
        vec![
            account(Provider::Stripe, "northwind", "sk_test_demo_northwind", ""),
            account(Provider::Mollie, "lindgren", "test_demo_lindgren", ""),
            account(Provider::Razorpay, "saraswati", "rzp_test_demo_saraswati", "demo-key-secret-saraswati"),
            account(Provider::Curlec, "kinabalu", "rzp_test_demo_kinabalu", "demo-key-secret-kinabalu"),
        ]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    Stripe,
    Mollie,
    Razorpay,
    Curlec,
}

impl Provider {
    pub fn name(self) -> &'static str {
        match self {
            Self::Stripe => "stripe",
            Self::Mollie => "mollie",
            Self::Razorpay => "razorpay",
            Self::Curlec => "curlec",
        }
    }

    fn target(self) -> Target {
        match self {
            Self::Stripe => Target::Stripe,
            Self::Mollie => Target::Mollie,
            Self::Razorpay => Target::Razorpay,
            Self::Curlec => Target::Curlec,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Open,
    Paid,
    Failed,
    Cancelled,
}

/// A payment at its provider. Amounts are in the provider's subunits.
#[derive(Clone, Debug)]
pub(super) struct Payment {
    pub provider: Provider,
    pub organisation: String,
    pub reference: String,
    pub our_reference: Option<String>,
    pub amount: i64,
    /// In upper case.
    pub currency: String,
    pub status: Status,
    /// Number of create calls for it, repeats included.
    pub create_calls: u32,
    pub captured: i64,
    pub refunded: i64,
    /// The provider's id of the successful attempt, where it differs from `reference`.
    pub attempt: String,
    /// The metadata of the create call, which every answer returns.
    pub sent: Value,
}

/// The providers' stored data.
#[derive(Default)]
pub(super) struct Payments {
    pub all: Vec<Payment>,
    pub deliveries: Vec<Delivery>,
    /// By provider, account and idempotency key: the request, and its answer.
    answered: HashMap<(Provider, String, String), (String, StatusCode, Value)>,
}

impl Payments {
    fn find(&mut self, provider: Provider, organisation: &str, reference: &str) -> Option<&mut Payment> {
        self.all.iter_mut().find(|payment| {
            payment.provider == provider
                && payment.organisation == organisation
                && payment.reference == reference
        })
    }

    fn with_reference(&mut self, reference: &str) -> Option<&mut Payment> {
        self.all.iter_mut().find(|payment| payment.reference == reference)
    }
}

impl Payment {
    fn new(account: &Account, prefix: &str, amount: i64, currency: &str, sent: Value) -> Self {
        Self {
            provider: account.provider,
            organisation: account.organisation.clone(),
            reference: format!("{prefix}{}", random(20)),
            our_reference: None,
            amount,
            currency: currency.to_uppercase(),
            status: Status::Open,
            create_calls: 1,
            captured: 0,
            refunded: 0,
            attempt: String::new(),
            sent,
        }
    }

    pub fn shown(&self) -> Value {
        let status = match self.status {
            _ if self.refunded > 0 && self.refunded == self.captured => "refunded",
            Status::Open => "open",
            Status::Paid => "paid",
            Status::Failed => "failed",
            Status::Cancelled => "cancelled",
        };
        json!({"gateway": self.provider.name(), "reference": self.reference, "our_reference": self.our_reference,
            "amount": self.amount, "currency": self.currency, "status": status, "create_calls": self.create_calls,
            "captured": self.captured, "refunded": self.refunded})
    }
}

pub(super) fn routes(simulation: &Arc<Simulation>) -> Router<Arc<Simulation>> {
    let gated = |provider: Provider, router: Router<Arc<Simulation>>| {
        let entrance = Gate { simulation: simulation.clone(), target: provider.target(), refuse: refusal };
        router.layer(from_fn_with_state(entrance, gate))
    };
    Router::new()
        .nest("/stripe", gated(Provider::Stripe, stripe::routes()))
        .nest("/mollie", gated(Provider::Mollie, mollie::routes()))
        .nest("/razorpay", gated(Provider::Razorpay, razorpay::routes(Provider::Razorpay)))
        .nest("/curlec", gated(Provider::Curlec, razorpay::routes(Provider::Curlec)))
        .merge(browser::routes())
        .route("/_sim/payments", get(list))
        .route("/_sim/payments/{reference}/{what}", post(steer))
        .route("/_sim/notifications", get(deliveries))
}

/// An error status outside of the provider's own endpoints.
fn refusal(status: StatusCode) -> Response {
    (status, Json(json!({"error": {"message": status.canonical_reason()}}))).into_response()
}

async fn list(
    State(simulation): State<Arc<Simulation>>,
    Query(params): Query<HashMap<String, String>>,
) -> Json<Value> {
    let state = simulation.state();
    let wanted = state.payments.all.iter().filter(|payment| {
        params.get("our_reference").is_none_or(|ours| payment.our_reference.as_ref() == Some(ours))
            && params.get("gateway").is_none_or(|gateway| payment.provider.name() == gateway)
    });
    Json(wanted.map(Payment::shown).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Steering {
    notify: Option<bool>,
    copies: Option<u32>,
    /// The amount to refund, in subunits; if missing, all that is left.
    amount: Option<i64>,
}

async fn steer(
    State(simulation): State<Arc<Simulation>>,
    Path((reference, what)): Path<(String, String)>,
    body: Bytes,
) -> ControlResult<Json<Value>> {
    let steering: Steering = if body.is_empty() { parse(&"{}".into())? } else { parse(&body)? };
    let refuse = |status, message: &str| Err(ControlError(status, message.to_owned()));
    let payment = {
        let mut state = simulation.state();
        let Some(payment) = state.payments.with_reference(&reference) else {
            return refuse(StatusCode::NOT_FOUND, "no such payment");
        };
        match (what.as_str(), payment.status) {
            ("pay", Status::Open | Status::Failed | Status::Cancelled) => {
                payment.status = Status::Paid;
                payment.captured = payment.amount;
                payment.attempt = format!("pay_{}", random(14));
            }
            ("fail", Status::Open) => payment.status = Status::Failed,
            ("refund", Status::Paid) => {
                let left = payment.captured - payment.refunded;
                let amount = steering.amount.unwrap_or(left);
                if !(1..=left).contains(&amount) {
                    return refuse(StatusCode::CONFLICT, "the refund exceeds the amount left");
                }
                payment.refunded += amount;
            }
            ("pay" | "fail" | "refund", _) => {
                return refuse(StatusCode::CONFLICT, "the payment's status does not allow this");
            }
            _ => return refuse(StatusCode::NOT_FOUND, "a payment can be paid, failed or refunded"),
        }
        payment.clone()
    };
    let shown = payment.shown();
    if steering.notify.unwrap_or(true) {
        notify::send(simulation, payment, &what, steering.copies.unwrap_or(1));
    }
    Ok(Json(shown))
}

async fn deliveries(
    State(simulation): State<Arc<Simulation>>,
    Query(params): Query<HashMap<String, String>>,
) -> Json<Value> {
    let state = simulation.state();
    let wanted =
        state.payments.deliveries.iter().filter(|delivery| {
            params.get("reference").is_none_or(|reference| delivery.reference == *reference)
        });
    Json(wanted.map(Delivery::shown).collect())
}

/// The provider's account whose key the request proves to hold.
fn account(
    simulation: &Simulation,
    provider: Provider,
    proves: impl Fn(&Account) -> bool,
) -> Option<Account> {
    let mut own = simulation.config.accounts.iter().filter(|account| account.provider == provider);
    own.find(|account| proves(account)).cloned()
}

/// The key of an `Authorization: Bearer` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get("authorization")?.to_str().ok()?.strip_prefix("Bearer ")
}

/// Runs a create call once: answers a repeated key with the first answer, and refuses the key with other parameters.
fn once(
    simulation: &Simulation,
    account: &Account,
    key: Option<&str>,
    request: &str,
    make: impl FnOnce(&mut Payments) -> (StatusCode, Value),
) -> Result<(StatusCode, Value), ()> {
    let payments = &mut simulation.state().payments;
    let Some(key) = key else { return Ok(make(payments)) };
    let name = (account.provider, account.organisation.clone(), key.to_owned());
    if let Some((first, status, answer)) = payments.answered.get(&name) {
        if first != request {
            return Err(());
        }
        let (status, answer) = (*status, answer.clone());
        let reference = answer.get("id").and_then(Value::as_str).unwrap_or_default();
        if let Some(payment) = payments.all.iter_mut().find(|payment| payment.reference == reference) {
            payment.create_calls += 1;
        }
        return Ok((status, answer));
    }
    let (status, answer) = make(payments);
    payments.answered.insert(name, (request.to_owned(), status, answer.clone()));
    Ok((status, answer))
}
