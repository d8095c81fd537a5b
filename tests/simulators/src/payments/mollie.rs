//! Mollie: payments with a hosted checkout page, cancelled by DELETE, and refunds. JSON in and out.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{
    Account, Payment, Payments, Provider, Status,
    events::{Happened, events},
    idempotency::{key, once},
    notify,
    refunds::RefundStatus,
    shapes::mollie::{self as shapes, decimal, subunits},
};
use crate::state::Simulation;

/// Accepts paths both with and without the version that is part of the real base URL.
pub fn routes() -> Router<Arc<Simulation>> {
    let api = || {
        Router::new()
            .route("/payments", post(create))
            .route("/payments/{id}", get(read).delete(cancel))
            .route("/payments/{id}/refunds", post(refund).get(refunds))
            .route("/payments/{id}/refunds/{refund}", get(read_refund).delete(cancel_refund))
    };
    Router::new()
        .merge(api())
        .nest("/v2", api())
        .route("/checkout/{id}", get(page))
        .route("/checkout/{id}/{what}", post(choose))
}

fn account(simulation: &Simulation, headers: &HeaderMap) -> Result<Account, Box<Response>> {
    let key = super::bearer(headers);
    let found = super::account(simulation, Provider::Mollie, |account| Some(account.key.as_str()) == key);
    found.ok_or_else(|| {
        Box::new(error(StatusCode::UNAUTHORIZED, "Missing authentication, or failed to authenticate"))
    })
}

fn error(status: StatusCode, detail: &str) -> Response {
    (status, [(header::CONTENT_TYPE, "application/hal+json")], Json(problem(status, detail))).into_response()
}

fn problem(status: StatusCode, detail: &str) -> Value {
    json!({"status": status.as_u16(), "title": status.canonical_reason(), "detail": detail,
        "_links": {"documentation": {"href": "https://docs.mollie.com/overview/handling-errors", "type": "text/html"}}})
}

/// Another call under the same key is still running.
pub fn key_in_use() -> Response {
    error(StatusCode::CONFLICT, "A request with this idempotency key is being processed")
}

fn mismatch() -> Response {
    error(StatusCode::CONFLICT, "The idempotency key was used with another request")
}

async fn create(State(simulation): State<Arc<Simulation>>, headers: HeaderMap, body: Bytes) -> Response {
    let account = match account(&simulation, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let Ok(sent) = serde_json::from_slice::<Value>(&body) else {
        return error(StatusCode::BAD_REQUEST, "Invalid JSON");
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let currency = sent.pointer("/amount/currency").and_then(text).unwrap_or_default();
    let value = sent.pointer("/amount/value").and_then(text).unwrap_or_default();
    let fits =
        sent.get("description").and_then(Value::as_str).is_some_and(|text| (1..=255).contains(&text.len()));
    let Some(amount) =
        subunits(&value, &currency).filter(|amount| *amount > 0 && fits && sent.get("redirectUrl").is_some())
    else {
        return error(StatusCode::UNPROCESSABLE_ENTITY, "The amount, description or redirectUrl is invalid");
    };
    let request = String::from_utf8_lossy(&body).into_owned();
    let base = host(&headers);
    let made = once(&simulation, &account, key(Provider::Mollie, &headers), &request, |payments| {
        let mut payment = Payment::new(&account, "tr_", amount, &currency, sent);
        let reference = payment.sent.pointer("/metadata/transaction_id").and_then(text);
        payment.our_reference = reference;
        if let Some(sent) = payment.sent.as_object_mut() {
            sent.insert("base".into(), json!(base));
        }
        let answer = shapes::payment(&payment);
        payments.all.push(payment);
        (StatusCode::CREATED, answer)
    });
    made.unwrap_or_else(|()| mismatch())
}

fn host(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1");
    format!("http://{host}/mollie")
}

async fn read(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    change(&simulation, &headers, &id, |_| true)
}

async fn cancel(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    change(&simulation, &headers, &id, |payment| {
        let may = payment.status == Status::Open;
        if may {
            payment.status = Status::Cancelled;
        }
        may
    })
}

fn change(
    simulation: &Simulation,
    headers: &HeaderMap,
    id: &str,
    change: impl FnOnce(&mut Payment) -> bool,
) -> Response {
    let account = match account(simulation, headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let payments = &mut simulation.state().payments;
    let Some(payment) = payments.find(&account, id) else {
        return unknown();
    };
    match change(payment) {
        true => Json(shapes::payment(payment)).into_response(),
        false => error(StatusCode::UNPROCESSABLE_ENTITY, "The payment cannot be canceled"),
    }
}

async fn refund(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let account = match account(&simulation, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let Ok(sent) = serde_json::from_slice::<Value>(&body) else {
        return error(StatusCode::BAD_REQUEST, "Invalid JSON");
    };
    let request = format!("{id} {sent}");
    let mut refunded = None;
    let made =
        once(&simulation, &account, key(Provider::Mollie, &headers), &request, |payments| match make_refund(
            payments, &account, &id, sent,
        ) {
            Some((payment, refund, answer)) => {
                refunded = Some((payment, refund));
                (StatusCode::CREATED, answer)
            }
            None => {
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                (status, problem(status, "The amount is higher than the maximum"))
            }
        });
    if let Some((payment, refund)) = refunded {
        notify::send(&simulation, &payment, events(&payment, &Happened::Refunded(refund)), 1);
    }
    made.unwrap_or_else(|()| mismatch())
}

/// The payment with its new refund, the refund's id, and the answer.
fn make_refund(
    payments: &mut Payments,
    account: &Account,
    id: &str,
    sent: Value,
) -> Option<(Payment, String, Value)> {
    let waits = payments.refunds_wait;
    let payment = payments.find(account, id)?;
    let is_same = sent.pointer("/amount/currency").and_then(Value::as_str) == Some(payment.currency.as_str());
    let value = sent.pointer("/amount/value").and_then(Value::as_str).filter(|_| is_same)?;
    let amount = subunits(value, &payment.currency)?;
    let mut refund = payment.refund(Some(amount), sent, waits)?;
    let id = refund.id.clone();
    // Mollie never refunds at once: the answer says pending, and a webhook tells the rest.
    if refund.status == RefundStatus::Done {
        refund.status = RefundStatus::Pending;
    }
    let answer = shapes::refund(payment, &refund);
    Some((payment.clone(), id, answer))
}

async fn refunds(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    see(&simulation, &headers, &id, |payment| {
        let items: Vec<Value> =
            payment.refunds.iter().rev().map(|refund| shapes::refund(payment, refund)).collect();
        Some(shapes::list(payment, "refunds", &items))
    })
}

async fn read_refund(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path((id, refund)): Path<(String, String)>,
) -> Response {
    see(&simulation, &headers, &id, |payment| Some(shapes::refund(payment, payment.refund_with(&refund)?)))
}

/// Mollie cancels a refund that it has not begun, as its dashboard does.
async fn cancel_refund(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path((id, refund)): Path<(String, String)>,
) -> Response {
    let account = match account(&simulation, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let payment = {
        let payments = &mut simulation.state().payments;
        let Some(payment) = payments.find(&account, &id) else { return unknown() };
        let Some(found) = payment.refunds.iter_mut().find(|known| known.id == refund) else {
            return unknown();
        };
        if !matches!(found.status, RefundStatus::Queued | RefundStatus::Pending) {
            return error(StatusCode::UNPROCESSABLE_ENTITY, "The refund cannot be canceled");
        }
        found.status = RefundStatus::Cancelled;
        payment.clone()
    };
    notify::send(&simulation, &payment, events(&payment, &Happened::RefundChanged(refund)), 1);
    StatusCode::NO_CONTENT.into_response()
}

/// Answers with what the function finds in the payment.
fn see(
    simulation: &Simulation,
    headers: &HeaderMap,
    id: &str,
    show: impl FnOnce(&Payment) -> Option<Value>,
) -> Response {
    let account = match account(simulation, headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let found = simulation.state().payments.find(&account, id).and_then(|payment| show(payment));
    found.map_or_else(unknown, |found| Json(found).into_response())
}

fn unknown() -> Response {
    error(StatusCode::NOT_FOUND, "No payment or refund exists with this token.")
}

/// Mollie's checkout page for the buyer.
async fn page(State(simulation): State<Arc<Simulation>>, Path(id): Path<String>) -> Response {
    let mut state = simulation.state();
    let Some(payment) = state.payments.with_reference(&id) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let (amount, currency) = (decimal(payment.amount, &payment.currency), payment.currency.clone());
    Html(format!(
        "<!doctype html><html lang=\"en\"><meta name=\"viewport\" content=\"width=device-width\"><title>Pay</title>\
         <h1>{amount} {currency}</h1>\
         <form method=\"post\" action=\"/mollie/checkout/{id}/pay\"><button>Pay</button></form>\
         <form method=\"post\" action=\"/mollie/checkout/{id}/fail\"><button>Fail</button></form>"
    ))
    .into_response()
}

async fn choose(
    State(simulation): State<Arc<Simulation>>,
    Path((id, what)): Path<(String, String)>,
) -> Response {
    let back = {
        let mut state = simulation.state();
        let payment =
            state.payments.with_reference(&id).map(|payment| payment.sent.get("redirectUrl").cloned());
        payment.flatten().and_then(|url| url.as_str().map(str::to_owned))
    };
    let steered = super::control::steer(State(simulation), Path((id, what)), Bytes::new()).await;
    match (steered, back) {
        (Ok(_), Some(back)) => (StatusCode::SEE_OTHER, [(header::LOCATION, back)]).into_response(),
        (Ok(_), None) => StatusCode::NO_CONTENT.into_response(),
        (Err(refused), _) => refused.into_response(),
    }
}
