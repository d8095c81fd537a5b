//! Stripe's refunds and disputes. A dispute can only be read: buyers open it at their bank.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{
    Call,
    parameters::{self, missing, nested},
    problem, shapes, unknown,
};
use crate::{
    payments::{
        Payment, Payments, Refused,
        disputes::Outcome,
        events::{Happened, events},
        notify,
    },
    state::Simulation,
};

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/v1/charges/{id}", get(read_charge))
        .route("/v1/refunds", post(refund).get(refunds))
        .route("/v1/refunds/{id}", get(read_refund))
        .route("/v1/disputes", get(disputes))
        .route("/v1/disputes/{id}", get(read_dispute))
}

async fn refund(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refused> {
    let call = Call::read(&simulation, &headers, &body, parameters::CREATE_REFUND)?;
    // Either names the payment: https://docs.stripe.com/api/refunds/create
    if ["payment_intent", "charge"].iter().all(|name| !call.fields.contains_key(*name)) {
        return Err(missing("payment_intent"));
    }
    let mut refunded = None;
    let answer = call.once(&simulation, "refunds", |payments| match make_refund(payments, &call) {
        Ok((payment, id, answer)) => {
            refunded = Some((payment, id));
            (StatusCode::OK, answer)
        }
        Err(refused) => refused,
    });
    if let Some((payment, id)) = refunded {
        notify::send(&simulation, &payment, events(&payment, &Happened::Refunded(id)), 1);
    }
    Ok(answer)
}

/// The payment with its new refund, the refund's id, and the answer; or the refusal.
fn make_refund(
    payments: &mut Payments,
    call: &Call,
) -> Result<(Payment, String, Value), (StatusCode, Value)> {
    let refused = |code, message: &str| (StatusCode::BAD_REQUEST, problem(Some(code), message));
    let (waits, at) = (payments.refunds_wait, payments.now());
    let (intent, charge) = (call.fields.get("payment_intent"), call.fields.get("charge"));
    let named = if intent.is_some() { "payment_intent" } else { "charge" };
    let payment = payments.of(&call.account, |payment| is_named(payment, intent, charge));
    let payment = payment.ok_or_else(|| unknown(named))?;
    if payment.disputes.iter().any(|dispute| dispute.taken.is_some() && dispute.outcome != Outcome::Won) {
        return Err(refused("charge_disputed", "The charge has been charged back."));
    }
    let amount = call.fields.get("amount").map(|amount| amount.parse()).transpose();
    let amount = amount.map_err(|_| refused("parameter_invalid_integer", "Invalid integer: amount"))?;
    let sent = json!({"metadata": nested(&call.fields, "metadata"), "reason": call.fields.get("reason")});
    let Some(refund) = payment.refund(None, amount, sent, waits, at) else {
        let is_refunded = payment.captured > 0 && payment.refunded() == payment.captured;
        return Err(match is_refunded {
            true => refused("charge_already_refunded", "The charge has already been refunded."),
            false => {
                (StatusCode::BAD_REQUEST, problem(None, "The refund exceeds the amount left on the charge."))
            }
        });
    };
    let answer = shapes::refund(payment, &refund);
    Ok((payment.clone(), refund.id, answer))
}

async fn refunds(
    state: State<Arc<Simulation>>,
    headers: HeaderMap,
    query: RawQuery,
) -> Result<Response, Refused> {
    list(&state, &headers, query, "/v1/refunds", |payment| {
        payment.refunds.iter().rev().map(|refund| shapes::refund(payment, refund)).collect()
    })
}

async fn disputes(
    state: State<Arc<Simulation>>,
    headers: HeaderMap,
    query: RawQuery,
) -> Result<Response, Refused> {
    list(&state, &headers, query, "/v1/disputes", |payment| {
        payment.disputes.iter().rev().map(|dispute| shapes::dispute(payment, dispute)).collect()
    })
}

/// Returns whether a payment has this intent and this charge, as far as they are given.
fn is_named(payment: &Payment, intent: Option<&String>, charge: Option<&String>) -> bool {
    intent.is_none_or(|intent| shapes::intent_id(payment) == Some(intent))
        && charge.is_none_or(|charge| shapes::charge_id(payment) == *charge)
}

/// Lists objects of the account's payments, of one payment if the query names it; newest first.
fn list(
    simulation: &Simulation,
    headers: &HeaderMap,
    RawQuery(query): RawQuery,
    url: &str,
    of: impl Fn(&Payment) -> Vec<Value>,
) -> Result<Response, Refused> {
    let query = query.unwrap_or_default();
    let call = Call::read(simulation, headers, query.as_bytes(), parameters::LIST)?;
    let (intent, charge) = (call.fields.get("payment_intent"), call.fields.get("charge"));
    let state = simulation.state();
    let own = state.payments.all.iter().rev();
    let own = own.filter(|payment| payment.is_of(&call.account) && is_named(payment, intent, charge));
    let items: Vec<Value> = own.flat_map(of).collect();
    Ok(Json(shapes::list(url, &items)).into_response())
}

/// <https://docs.stripe.com/api/charges/retrieve>
async fn read_charge(
    state: State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    query: RawQuery,
) -> Result<Response, Refused> {
    find(&state, &headers, query, "charge", |payment| {
        (payment.charge().is_some() && shapes::charge_id(payment) == id).then(|| shapes::charge(payment))
    })
}

async fn read_refund(
    state: State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    query: RawQuery,
) -> Result<Response, Refused> {
    find(&state, &headers, query, "refund", |payment| {
        Some(shapes::refund(payment, payment.refund_with(&id)?))
    })
}

async fn read_dispute(
    state: State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    query: RawQuery,
) -> Result<Response, Refused> {
    find(&state, &headers, query, "dispute", |payment| {
        Some(shapes::dispute(payment, payment.dispute_with(&id)?))
    })
}

fn find(
    simulation: &Simulation,
    headers: &HeaderMap,
    RawQuery(query): RawQuery,
    what: &str,
    of: impl Fn(&Payment) -> Option<Value>,
) -> Result<Response, Refused> {
    let query = query.unwrap_or_default();
    let call = Call::read(simulation, headers, query.as_bytes(), parameters::READ)?;
    let state = simulation.state();
    let mut own = state.payments.all.iter().filter(|payment| payment.is_of(&call.account));
    let (status, body) = own.find_map(of).map_or_else(|| unknown(what), |found| (StatusCode::OK, found));
    Ok((status, Json(body)).into_response())
}
