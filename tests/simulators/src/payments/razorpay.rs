//! Razorpay, and Curlec, which is the same with other accounts: orders, their payments, refunds. Basic
//! authentication, JSON in and out, no idempotency header: clients find an order again by its receipt.

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

use super::{Account, Payment, Provider, Status, notify};
use crate::state::{Simulation, random};

/// Accepts paths both with and without the version that is part of the real base URL.
pub fn routes(provider: Provider) -> Router<Arc<Simulation>> {
    let api = || {
        Router::new()
            .route("/orders", post(create).get(list))
            .route("/orders/{id}", get(read))
            .route("/orders/{id}/payments", get(attempts))
            .route("/payments/{id}/refund", post(refund))
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
    let body = json!({"error": {"code": "BAD_REQUEST_ERROR", "description": description}});
    (status, Json(body)).into_response()
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
        return error(StatusCode::BAD_REQUEST, "The amount must be at least 100, in a currency");
    };
    let receipt = sent.get("receipt").and_then(Value::as_str).map(str::to_owned);
    if receipt.as_ref().is_some_and(|receipt| receipt.len() > 40) {
        return error(StatusCode::BAD_REQUEST, "receipt: the length must be no more than 40.");
    }
    let mut payment = Payment::new(&account, "order_", amount, currency, sent.clone());
    payment.our_reference = receipt;
    let answer = shown(&payment);
    simulation.state().payments.all.push(payment);
    Json(answer).into_response()
}

/// An order, as answers and events contain it.
pub fn shown(payment: &Payment) -> Value {
    let status = match payment.status {
        Status::Open | Status::Cancelled => "created",
        Status::Failed => "attempted",
        Status::Paid => "paid",
    };
    // Razorpay answers empty notes as an empty array.
    let notes =
        payment.sent.get("notes").filter(|notes| notes.as_object().is_some_and(|notes| !notes.is_empty()));
    json!({"id": payment.reference, "entity": "order", "amount": payment.amount, "amount_paid": payment.captured,
        "amount_due": payment.amount - payment.captured, "currency": payment.currency,
        "receipt": payment.our_reference, "status": status, "notes": notes.cloned().unwrap_or_else(|| json!([]))})
}

/// The order's successful attempt, if it has one.
pub fn attempt(payment: &Payment) -> Option<Value> {
    let status = match payment.status {
        Status::Paid => "captured",
        Status::Failed => "failed",
        Status::Open | Status::Cancelled => return None,
    };
    let id = if payment.attempt.is_empty() {
        format!("pay_{}", payment.reference)
    } else {
        payment.attempt.clone()
    };
    Some(json!({"id": id, "entity": "payment", "order_id": payment.reference, "amount": payment.amount,
        "currency": payment.currency, "status": status, "captured": payment.captured > 0,
        "amount_refunded": payment.refunded, "notes": []}))
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
    let items: Vec<Value> = own.map(shown).collect();
    Json(json!({"entity": "collection", "count": items.len(), "items": items})).into_response()
}

async fn read(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    find(&simulation, provider, &headers, &id, shown)
}

async fn attempts(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    find(&simulation, provider, &headers, &id, |payment| {
        let items: Vec<Value> = attempt(payment).into_iter().collect();
        json!({"entity": "collection", "count": items.len(), "items": items})
    })
}

fn find(
    simulation: &Simulation,
    provider: Provider,
    headers: &HeaderMap,
    id: &str,
    show: impl FnOnce(&Payment) -> Value,
) -> Response {
    let account = match account(simulation, provider, headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    match simulation.state().payments.find(provider, &account.organisation, id) {
        Some(payment) => Json(show(payment)).into_response(),
        None => error(StatusCode::BAD_REQUEST, "The id provided does not exist"),
    }
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
    let refunded = {
        let payments = &mut simulation.state().payments.all;
        let payment = payments.iter_mut().find(|payment| {
            payment.provider == provider
                && payment.organisation == account.organisation
                && payment.attempt == id
        });
        payment.and_then(|payment| {
            let left = payment.captured - payment.refunded;
            let amount = sent.get("amount").map_or(Some(left), Value::as_i64)?;
            (1..=left).contains(&amount).then(|| {
                payment.refunded += amount;
                (payment.clone(), amount)
            })
        })
    };
    let Some((payment, amount)) = refunded else {
        return error(StatusCode::BAD_REQUEST, "The refund amount is greater than what is left");
    };
    let answer = json!({"id": format!("rfnd_{}", random(14)), "entity": "refund", "amount": amount,
        "payment_id": id, "status": "processed"});
    notify::send(simulation, payment, "refund", 1);
    Json(answer).into_response()
}
