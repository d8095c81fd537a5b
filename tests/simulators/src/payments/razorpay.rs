//! Razorpay, and Curlec, which is the same with other accounts: orders, their payments, refunds. Basic
//! authentication, JSON in and out. Orders have no idempotency header: clients find one again by its receipt.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{
    Account, Payment, Payments, Provider,
    events::{Happened, events},
    idempotency::{key, once},
    notify,
    refunds::Refund,
    shapes::razorpay as shapes,
};
use crate::state::Simulation;

/// Accepts paths both with and without the version that is part of the real base URL.
pub fn routes(provider: Provider) -> Router<Arc<Simulation>> {
    let api = || {
        Router::new()
            .route("/orders", post(create).get(list))
            .route("/orders/{id}", get(read))
            .route("/orders/{id}/payments", get(attempts))
            .route("/payments/{id}", get(read_attempt))
            .route("/payments/{id}/refund", post(refund))
            .route("/payments/{id}/refunds", get(refunds))
            .route("/payments/{id}/refunds/{refund}", get(read_refund))
    };
    Router::new().merge(api()).nest("/v1", api()).layer(Extension(provider))
}

fn account(
    simulation: &Simulation,
    provider: Provider,
    headers: &HeaderMap,
) -> Result<Account, Box<Response>> {
    let sent = headers.get("authorization").and_then(|value| value.to_str().ok()?.strip_prefix("Basic "));
    let found = super::account(simulation, provider, |account| {
        let pair = format!("{}:{}", account.key, account.key_secret);
        sent == Some(base64(pair.as_bytes()).as_str())
    });
    found.ok_or_else(|| Box::new(error(StatusCode::UNAUTHORIZED, "Authentication failed")))
}

fn base64(bytes: &[u8]) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = digits.get(bits >> (18 - 6 * place) & 63).copied().unwrap_or(b'=');
            text.push(char::from(if place > chunk.len() { b'=' } else { digit }));
        }
    }
    text
}

fn error(status: StatusCode, description: &str) -> Response {
    (status, Json(problem(description))).into_response()
}

fn problem(description: &str) -> Value {
    json!({"error": {"code": "BAD_REQUEST_ERROR", "description": description, "source": "NA", "step": "NA",
        "reason": "NA", "metadata": {}}})
}

fn refused(description: &str) -> Response {
    error(StatusCode::BAD_REQUEST, description)
}

/// Another refund under the same key is still running.
pub fn key_in_use() -> Response {
    error(StatusCode::CONFLICT, "A request with the same idempotency key is in progress.")
}

async fn create(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let account = match account(&simulation, provider, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    let amount = sent.get("amount").and_then(Value::as_i64).filter(|amount| *amount >= 100);
    let (Some(amount), Some(currency)) = (amount, sent.get("currency").and_then(Value::as_str)) else {
        return refused("The amount must be at least 100, in a currency");
    };
    let receipt = sent.get("receipt").and_then(Value::as_str).map(str::to_owned);
    if receipt.as_ref().is_some_and(|receipt| receipt.len() > 40) {
        return refused("receipt: the length must be no more than 40.");
    }
    let mut payment = Payment::new(&account, "order_", amount, currency, sent.clone());
    payment.our_reference = receipt;
    let answer = shapes::order(&payment);
    simulation.state().payments.all.push(payment);
    Json(answer).into_response()
}

async fn list(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Query(params): Query<HashMap<String, String>>,
) -> Response {
    let account = match account(&simulation, provider, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let state = simulation.state();
    let own = state.payments.all.iter().filter(|payment| {
        payment.provider == provider
            && payment.organisation == account.organisation
            && params.get("receipt").is_none_or(|receipt| payment.our_reference.as_ref() == Some(receipt))
    });
    let items: Vec<Value> = own.map(shapes::order).collect();
    Json(shapes::collection(&items)).into_response()
}

async fn read(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    find(&simulation, provider, &headers, |payment| (payment.reference == id).then(|| shapes::order(payment)))
}

async fn attempts(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    find(&simulation, provider, &headers, |payment| {
        // Newest first.
        let attempts = payment.attempts.iter().rev().map(|attempt| shapes::attempt(payment, attempt));
        (payment.reference == id).then(|| shapes::collection(&attempts.collect::<Vec<_>>()))
    })
}

async fn read_attempt(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    find(&simulation, provider, &headers, |payment| {
        let attempt = payment.attempts.iter().find(|attempt| attempt.id == id)?;
        Some(shapes::attempt(payment, attempt))
    })
}

async fn refunds(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    find(&simulation, provider, &headers, |payment| {
        payment.attempts.iter().find(|attempt| attempt.id == id)?;
        let is_charge = payment.charge().is_some_and(|charge| charge.id == id);
        let refunds = payment.refunds.iter().rev().filter(|_| is_charge);
        let items: Vec<Value> = refunds.map(|refund| shapes::refund(payment, refund)).collect();
        Some(shapes::collection(&items))
    })
}

async fn read_refund(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path((_, refund)): Path<(String, String)>,
) -> Response {
    find(&simulation, provider, &headers, |payment| {
        Some(shapes::refund(payment, payment.refund_with(&refund)?))
    })
}

/// Answers with what the function finds in one of the account's orders.
fn find(
    simulation: &Simulation,
    provider: Provider,
    headers: &HeaderMap,
    show: impl Fn(&Payment) -> Option<Value>,
) -> Response {
    let account = match account(simulation, provider, headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let payments = &mut simulation.state().payments;
    let order = payments.of(&account, |payment| show(payment).is_some());
    match order.and_then(|payment| show(payment)) {
        Some(found) => Json(found).into_response(),
        None => refused("The id provided does not exist"),
    }
}

/// An idempotency key has at least 10 of these characters, and the body must stay the same
/// (https://razorpay.com/docs/api/refunds/normal-refunds-idempotent).
fn is_key(key: &str) -> bool {
    key.len() >= 10 && key.chars().all(|c| c.is_ascii_alphanumeric() || ['-', '_'].contains(&c))
}

async fn refund(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let account = match account(&simulation, provider, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    let key = key(provider, &headers);
    if key.is_some_and(|key| !is_key(key)) {
        return refused("The idempotency key must have at least 10 letters, digits, hyphens or underscores.");
    }
    let request = format!("{id} {}", String::from_utf8_lossy(&body));
    let mut refunded = None;
    let made = once(&simulation, &account, key, &request, |payments| {
        match make_refund(payments, &account, &id, sent) {
            Some((payment, refund)) => {
                let answer = shapes::refund(&payment, &refund);
                refunded = Some((payment, refund.id));
                (StatusCode::OK, answer)
            }
            None => (StatusCode::BAD_REQUEST, problem("The refund amount is greater than what is left")),
        }
    });
    if let Some((payment, refund)) = refunded {
        notify::send(&simulation, &payment, events(&payment, &Happened::Refunded(refund)), 1);
    }
    let differs = "Different request with the same idempotency key has already been processed.";
    made.unwrap_or_else(|()| refused(differs))
}

fn make_refund(
    payments: &mut Payments,
    account: &Account,
    id: &str,
    sent: Value,
) -> Option<(Payment, Refund)> {
    let waits = payments.refunds_wait;
    let payment = payments.of(account, |payment| payment.charge().is_some_and(|charge| charge.id == id))?;
    let amount = match sent.get("amount") {
        Some(amount) => Some(amount.as_i64()?),
        None => None,
    };
    let refund = payment.refund(amount, sent, waits)?;
    Some((payment.clone(), refund))
}
