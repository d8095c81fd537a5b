//! `/_sim/payments`, `/_sim/customers`, `/_sim/notifications` and `/_sim/clock`: what a test sees of the payments, what buyers, banks and
//! merchants do to them at the provider, and the providers' time. Refunds have their own file.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, Query, State},
    http::StatusCode,
    routing::{get, post},
};
use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Account, AttemptStatus, Delivery, Method, Payment, Provider, Status, Style,
    disputes::Outcome,
    events::{Event, Happened, events},
    mollie, notify, stripe,
};
use crate::{
    control::{ControlError, ControlResult, bad, parse},
    state::Simulation,
};

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/_sim/payments", get(list).post(take))
        .route("/_sim/payments/{reference}/{what}", post(steer))
        .route("/_sim/customers", get(customers))
        .route("/_sim/notifications", get(deliveries))
        .route("/_sim/clock", post(advance))
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
struct Taken {
    gateway: Provider,
    organisation: String,
    reference: String,
    /// In subunits.
    amount: i64,
    currency: String,
    /// Metadata of the create call.
    #[serde(default)]
    metadata: Value,
}

/// Adds a paid payment that another program has taken with an organisation's account.
async fn take(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<Json<Value>> {
    let Taken { gateway, organisation, reference, amount, currency, metadata } = parse(&body)?;
    let mut state = simulation.state();
    let own = |account: &&Account| account.provider == gateway && account.organisation == organisation;
    let account = state.accounts.iter().find(own).cloned();
    let account = account.ok_or_else(|| bad("the organisation has no account with this provider"))?;
    let at = state.payments.now();
    let mut payment = Payment::new(&account, amount, &currency, json!({ "metadata": metadata }), at);
    payment.reference = reference;
    pay(&mut payment, &Steering::default(), at);
    let shown = payment.shown();
    state.payments.all.push(payment);
    Ok(Json(shown))
}

async fn customers(State(simulation): State<Arc<Simulation>>) -> Json<Value> {
    Json(simulation.state().payments.customers.iter().map(stripe::Customer::shown).collect())
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    seconds: u32,
}

/// Moves the providers' clock forward: payments expire, and idempotency keys are forgotten.
async fn advance(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<StatusCode> {
    let Advance { seconds } = parse(&body)?;
    simulation.state().payments.ahead += TimeDelta::seconds(seconds.into());
    mollie::sweep(&simulation);
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steering {
    notify: Option<bool>,
    copies: Option<u32>,
    /// The amount to refund or to dispute, in subunits; if missing, all that is left.
    amount: Option<i64>,
    /// Course of a dispute.
    outcome: Option<Outcome>,
    /// Indicates whether the account has Razorpay's "deduct at onset": a dispute takes the money when it is raised
    /// (<https://razorpay.com/docs/payments/disputes/chargeback-fees-and-penalties>).
    #[serde(default)]
    onset: bool,
    /// The slow method of a pending payment.
    #[serde(default)]
    method: Method,
    /// Indicates whether the bank answers late, about the attempt that failed last.
    #[serde(default)]
    late: bool,
    /// Fee that the buyer pays on top, where the buyer bears Razorpay's fee; below 0 with an offer, or where the
    /// merchant has captured a part of a payment at Mollie.
    #[serde(default)]
    fee: i64,
    /// Indicates whether it is about a second payment of an order that is paid.
    #[serde(default)]
    twice: bool,
    /// Indicates whether Mollie sends its simple payload, which has the entity's id alone.
    #[serde(default)]
    simple: bool,
}

impl Steering {
    pub fn read(body: &Bytes) -> ControlResult<Self> {
        if body.is_empty() { parse(&"{}".into()) } else { parse(body) }
    }

    /// The second payment of an order, if the call is about it.
    fn attempt(&self, payment: &Payment) -> Option<String> {
        let newest = payment.attempts.iter().rfind(|attempt| attempt.status == AttemptStatus::Captured);
        newest.filter(|_| self.twice).and_then(|one| payment.other_than_charge(&one.id))
    }

    /// Sends the provider's webhooks about what happened, unless the caller wants none.
    pub fn tell(&self, simulation: &Arc<Simulation>, payment: &Payment, happened: &Happened) {
        if self.notify.unwrap_or(true) {
            let mut events = events(payment, happened);
            if self.simple {
                events.iter_mut().for_each(Event::simplify);
            }
            notify::send(simulation, payment, events, self.copies.unwrap_or(1));
        }
    }
}

pub async fn steer(
    State(simulation): State<Arc<Simulation>>,
    Path((reference, what)): Path<(String, String)>,
    body: Bytes,
) -> ControlResult<Json<Value>> {
    let steering = Steering::read(&body)?;
    let (payment, happened) = {
        let payments = &mut simulation.state().payments;
        let (waits, at) = (payments.refunds_wait, payments.now());
        let payment = payments
            .with_reference(&reference)
            .ok_or_else(|| ControlError(StatusCode::NOT_FOUND, "no such payment".into()))?;
        let happened = act(payment, &what, &steering, waits, at)?;
        let told = payment.clone();
        // An order is paid once: Razorpay gives a second authorisation back at once
        // (https://razorpay.com/docs/payments/payments/late-authorisation/handle).
        if payment.status == Status::Paid {
            let authorized =
                payment.attempts.iter_mut().filter(|attempt| attempt.status == AttemptStatus::Authorized);
            for attempt in authorized {
                attempt.status = AttemptStatus::Returned;
            }
        }
        (told, happened)
    };
    steering.tell(&simulation, &payment, &happened);
    Ok(Json(payment.shown()))
}

fn act(
    payment: &mut Payment,
    what: &str,
    steering: &Steering,
    waits: bool,
    at: DateTime<Utc>,
) -> ControlResult<Happened> {
    match (what, payment.status) {
        ("refund", Status::Paid) => {
            let refund = payment.refund(steering.attempt(payment), steering.amount, json!({}), waits, at);
            let refund = refund.ok_or_else(|| conflict("the refund exceeds the amount left"))?;
            Ok(Happened::Refunded(refund.id))
        }
        ("dispute", Status::Paid) => {
            let outcome = steering.outcome.ok_or_else(|| bad("a dispute needs an outcome"))?;
            payment.dispute(steering.attempt(payment), outcome, steering.amount, steering.onset, at)
        }
        // Razorpay captures where the account says so, whether or not the order is paid
        // (https://razorpay.com/docs/payments/payments/capture-settings).
        ("pay", Status::Paid) if steering.twice && payment.style() == Style::Order => {
            payment.attempt(&[], AttemptStatus::Captured, at);
            Ok(Happened::PaidAgain)
        }
        ("pay", status) if status != Status::Paid => {
            pay(payment, steering, at);
            Ok(Happened::Paid)
        }
        ("expire", _) => expire(payment, at),
        ("pay" | "pending" | "fail" | "authorize", _) => move_on(payment, what, steering, at),
        ("refund" | "dispute", _) => Err(conflict("the payment is not paid")),
        _ => Err(ControlError(StatusCode::NOT_FOUND, "nothing like this can happen to a payment".into())),
    }
}

/// Also after the provider gave the payment up: a late success.
fn pay(payment: &mut Payment, steering: &Steering, at: DateTime<Utc>) {
    use AttemptStatus::{Authorized, Captured, Created, Failed};
    payment.becomes(Status::Paid, at);
    payment.captured = payment.amount;
    let from: &[AttemptStatus] = if steering.late { &[Failed] } else { &[Created, Authorized] };
    payment.attempt(from, Captured, at);
    if let Some(attempt) = payment.attempts.iter_mut().find(|attempt| attempt.status == Captured) {
        attempt.fee = steering.fee;
    }
}

/// Takes the steps before the success, or instead of it.
fn move_on(
    payment: &mut Payment,
    what: &str,
    steering: &Steering,
    at: DateTime<Utc>,
) -> ControlResult<Happened> {
    use AttemptStatus::{Authorized, Created, Failed};
    let style = payment.style();
    let may_begin =
        payment.status == Status::Open || payment.status == Status::Failed && style != Style::Redirect;
    let is_waiting = matches!(payment.status, Status::Waiting(_));
    match (what, payment.status) {
        // Stripe shows the buyer only means that take the amount.
        ("pending", _)
            if style == Style::Intent && payment.amount > stripe::most_without_card(&payment.currency) =>
        {
            Err(conflict("only cards take this amount"))
        }
        ("pending", _) if may_begin => {
            payment.becomes(Status::Waiting(steering.method), at);
            payment.attempt(&[], Created, at);
            Ok(Happened::Waiting)
        }
        ("authorize", _) if may_begin || is_waiting => {
            payment.becomes(Status::Authorized, at);
            payment.attempt(if steering.late { &[Failed] } else { &[Created] }, Authorized, at);
            Ok(Happened::Authorized)
        }
        ("authorize", Status::Paid) if style == Style::Order => {
            payment.attempt(if steering.late { &[Failed] } else { &[] }, Authorized, at);
            Ok(Happened::Authorized)
        }
        ("fail", status) if may_begin || is_waiting || status == Status::Authorized => {
            payment.becomes(Status::Failed, at);
            payment.attempt(&[Created, Authorized], Failed, at);
            Ok(Happened::Failed)
        }
        _ => Err(not_allowed()),
    }
}

/// Ends what was not paid or captured in time.
fn expire(payment: &mut Payment, at: DateTime<Utc>) -> ControlResult<Happened> {
    use AttemptStatus::{Authorized, Created, Failed, Returned};
    match (payment.style(), payment.status) {
        // Not captured in time: the money goes back, and the order stays open.
        (Style::Order, Status::Authorized) => {
            payment.becomes(Status::Failed, at);
            payment.attempt(&[Authorized], Returned, at);
            Ok(Happened::Nothing)
        }
        // A voucher or bank transfer that was not paid is a failed attempt; the intent stays.
        (Style::Intent, Status::Waiting(_)) => {
            payment.becomes(Status::Failed, at);
            payment.attempt(&[Created], Failed, at);
            Ok(Happened::Failed)
        }
        (Style::Intent | Style::Redirect, Status::Open | Status::Waiting(_) | Status::Authorized) => {
            payment.becomes(Status::Expired, at);
            Ok(Happened::Expired)
        }
        _ => Err(not_allowed()),
    }
}

fn not_allowed() -> ControlError {
    conflict("the payment's status or provider does not allow this")
}

pub fn conflict(message: &str) -> ControlError {
    ControlError(StatusCode::CONFLICT, message.to_owned())
}
