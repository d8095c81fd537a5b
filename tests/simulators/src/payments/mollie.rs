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

use super::{Account, Payment, Provider, Status, notify, once};
use crate::state::{Simulation, now, random, seconds};

/// Accepts paths both with and without the version that is part of the real base URL.
pub fn routes() -> Router<Arc<Simulation>> {
    let api = || {
        Router::new()
            .route("/payments", post(create))
            .route("/payments/{id}", get(read).delete(cancel))
            .route("/payments/{id}/refunds", post(refund))
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
    let body = json!({"status": status.as_u16(), "title": status.canonical_reason(), "detail": detail});
    (status, [(header::CONTENT_TYPE, "application/hal+json")], Json(body)).into_response()
}

/// Two decimals, or none for the two currencies without subunits.
fn digits(currency: &str) -> usize {
    if ["JPY", "ISK"].contains(&currency) { 0 } else { 2 }
}

fn subunits(value: &str, currency: &str) -> Option<i64> {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    (fraction.len() == digits(currency)).then(|| format!("{whole}{fraction}").parse().ok())?
}

fn decimal(amount: i64, currency: &str) -> String {
    match digits(currency) {
        0 => amount.to_string(),
        _ => format!("{}.{:02}", amount / 100, amount % 100),
    }
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
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok());
    let request = String::from_utf8_lossy(&body).into_owned();
    let base = host(&headers);
    let made = once(&simulation, &account, key, &request, |payments| {
        let mut payment = Payment::new(&account, "tr_", amount, &currency, sent);
        let reference = payment.sent.pointer("/metadata/transaction_id").and_then(text);
        payment.our_reference = reference;
        if let Some(sent) = payment.sent.as_object_mut() {
            sent.insert("base".into(), json!(base));
        }
        let answer = shown(&payment);
        payments.all.push(payment);
        (StatusCode::CREATED, answer)
    });
    match made {
        Ok((status, answer)) => (status, Json(answer)).into_response(),
        Err(()) => error(StatusCode::CONFLICT, "The idempotency key was used with another request"),
    }
}

fn host(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1");
    format!("http://{host}/mollie")
}

/// A payment, as answers and events contain it.
pub fn shown(payment: &Payment) -> Value {
    let status = match payment.status {
        Status::Open => "open",
        Status::Paid => "paid",
        Status::Failed => "failed",
        Status::Cancelled => "canceled",
    };
    let money = |amount| json!({"currency": payment.currency, "value": decimal(amount, &payment.currency)});
    let base = payment.sent.get("base").and_then(Value::as_str).unwrap_or_default();
    let paid_at = (payment.status == Status::Paid).then(|| seconds(now()));
    json!({"resource": "payment", "id": payment.reference, "mode": "test", "status": status, "paidAt": paid_at,
        "amount": money(payment.amount), "amountRefunded": money(payment.refunded),
        "description": payment.sent.get("description"), "metadata": payment.sent.get("metadata"),
        "redirectUrl": payment.sent.get("redirectUrl"), "webhookUrl": payment.sent.get("webhookUrl"),
        "isCancelable": payment.status == Status::Open,
        "_links": {"self": {"href": format!("{base}/payments/{}", payment.reference), "type": "application/hal+json"},
            "checkout": {"href": format!("{base}/checkout/{}", payment.reference), "type": "text/html"}}})
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
    let Some(payment) = payments.find(Provider::Mollie, &account.organisation, id) else {
        return error(StatusCode::NOT_FOUND, "No payment exists with this token.");
    };
    match change(payment) {
        true => Json(shown(payment)).into_response(),
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
    let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    let refunded = {
        let payments = &mut simulation.state().payments;
        payments.find(Provider::Mollie, &account.organisation, &id).and_then(|payment| {
            let value = sent.pointer("/amount/value").and_then(Value::as_str)?;
            let amount = subunits(value, &payment.currency)?;
            (1..=payment.captured - payment.refunded).contains(&amount).then(|| {
                payment.refunded += amount;
                payment.clone()
            })
        })
    };
    let Some(payment) = refunded else {
        return error(StatusCode::UNPROCESSABLE_ENTITY, "The amount is higher than the maximum");
    };
    let answer = json!({"resource": "refund", "id": format!("re_{}", random(10)), "paymentId": payment.reference,
        "amount": sent.get("amount"), "status": "refunded"});
    notify::send(simulation, payment, "refund", 1);
    (StatusCode::CREATED, Json(answer)).into_response()
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
    let steered = super::steer(State(simulation), Path((id, what)), Bytes::new()).await;
    match (steered, back) {
        (Ok(_), Some(back)) => (StatusCode::SEE_OTHER, [(header::LOCATION, back)]).into_response(),
        (Ok(_), None) => StatusCode::NO_CONTENT.into_response(),
        (Err(refused), _) => refused.into_response(),
    }
}
