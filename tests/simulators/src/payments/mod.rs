//! The payment providers: the accounts, payments, refunds and attempts that all four share. Each provider has its own
//! file for its paths, and one in `shapes` for its objects; they share no code with the services under test.

mod browser;
mod control;
mod events;
mod idempotency;
mod mollie;
mod notify;
mod razorpay;
mod refunds;
mod shapes;
mod stripe;

use std::sync::Arc;

use axum::{
    Json, Router,
    http::{HeaderMap, StatusCode},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{
    faults::{Gate, Target, gate},
    state::{Simulation, now, random},
};

use idempotency::Answered;
pub(super) use notify::Delivery;
use refunds::Refund;

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

/// One try of the buyer to pay. Razorpay shows the attempts of an order; for Stripe they are charges.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub id: String,
    pub status: AttemptStatus,
    pub created: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptStatus {
    Captured,
    Failed,
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
    pub created: DateTime<Utc>,
    /// Number of create calls for it, repeats included.
    pub create_calls: u32,
    pub captured: i64,
    /// Oldest first.
    pub attempts: Vec<Attempt>,
    pub refunds: Vec<Refund>,
    /// The metadata of the create call, which every answer returns.
    pub sent: Value,
}

/// The providers' stored data.
#[derive(Default)]
pub(super) struct Payments {
    pub all: Vec<Payment>,
    pub deliveries: Vec<Delivery>,
    /// Whether new refunds wait for a control call that ends them.
    pub refunds_wait: bool,
    answered: Answered,
}

impl Payments {
    fn find(&mut self, account: &Account, reference: &str) -> Option<&mut Payment> {
        self.of(account, |payment| payment.reference == reference)
    }

    /// The payment of this account that the filter accepts.
    fn of(&mut self, account: &Account, wanted: impl Fn(&Payment) -> bool) -> Option<&mut Payment> {
        self.all.iter_mut().find(|payment| {
            payment.provider == account.provider
                && payment.organisation == account.organisation
                && wanted(payment)
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
            created: now(),
            create_calls: 1,
            captured: 0,
            attempts: Vec::new(),
            refunds: Vec::new(),
            sent,
        }
    }

    pub fn shown(&self) -> Value {
        let status = match self.status {
            _ if self.captured > 0 && self.refunded() == self.captured => "refunded",
            Status::Open => "open",
            Status::Paid => "paid",
            Status::Failed => "failed",
            Status::Cancelled => "cancelled",
        };
        json!({"gateway": self.provider.name(), "reference": self.reference, "our_reference": self.our_reference,
            "amount": self.amount, "currency": self.currency, "status": status, "create_calls": self.create_calls,
            "captured": self.captured, "refunded": self.refunded()})
    }

    /// The total of the refunds that have not failed. All four providers count a refund from the moment they take it.
    pub fn refunded(&self) -> i64 {
        self.refunds.iter().filter(|refund| refund.is_live()).map(|refund| refund.amount).sum()
    }

    fn attempt(&mut self, status: AttemptStatus) {
        self.attempts.push(Attempt { id: format!("pay_{}", random(14)), status, created: now() });
    }

    /// The attempt that paid.
    pub fn charge(&self) -> Option<&Attempt> {
        self.attempts.iter().find(|attempt| attempt.status == AttemptStatus::Captured)
    }
}

pub(super) fn routes(simulation: &Arc<Simulation>) -> Router<Arc<Simulation>> {
    let gated = |provider: Provider, router: Router<Arc<Simulation>>| {
        let entrance = Gate { simulation: simulation.clone(), target: provider.target(), refuse: refusal };
        let desk = idempotency::Desk { simulation: simulation.clone(), provider };
        router
            .layer(from_fn_with_state(entrance, gate))
            .layer(from_fn_with_state(desk, idempotency::one_at_a_time))
    };
    Router::new()
        .nest("/stripe", gated(Provider::Stripe, stripe::routes()))
        .nest("/mollie", gated(Provider::Mollie, mollie::routes()))
        .nest("/razorpay", gated(Provider::Razorpay, razorpay::routes(Provider::Razorpay)))
        .nest("/curlec", gated(Provider::Curlec, razorpay::routes(Provider::Curlec)))
        .merge(browser::routes())
        .merge(control::routes())
        .merge(refunds::routes())
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
    let mut own = simulation.config.accounts.iter().filter(|account| account.provider == provider);
    own.find(|account| proves(account)).cloned()
}

/// The key of an `Authorization: Bearer` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get("authorization")?.to_str().ok()?.strip_prefix("Bearer ")
}
