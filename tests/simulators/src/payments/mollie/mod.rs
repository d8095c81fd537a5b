//! Mollie: payments with a hosted checkout page, cancelled by DELETE. JSON in and out.

mod after_sale;
mod events;
mod payouts;
mod shapes;

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use crate::{
    page,
    payments::{
        self, Account, DemoAccount, Payment, Payments, Profile, Provider, Refused, Status, Style, bearer,
        control,
        events::Happened,
        idempotency::{key, once},
        notify,
        payouts::Fees,
    },
    state::{Simulation, random},
};
use shapes::{decimal, subunits};

pub const PROFILE: Profile = Profile {
    demo: DemoAccount { organisation: "lindgren", key: "test_demo_lindgren", key_secret: "" },
    has_key_id: false,
    routes: |_| routes(),
    script: None,
    style: Style::Redirect,
    payment_prefix: "tr_",
    refund_id: || format!("re_{}", random(10)),
    dispute_id: || format!("chb_{}", random(21)),
    queues_refunds: true,
    takes_disputed_money: true,
    decides_parts: false,
    has_appeals: false,
    fees: Fees { permille: 18, fixed: 25, tax: 21, in_subunits: false, dispute: 0 },
    payout_prefix: "stl_",
    returns_failed_payouts: false,
    key_header: "idempotency-key",
    key_in_use,
    repeated_failure: None,
    events: events::events,
    signature: |secret, body| ("x-mollie-signature", format!("sha256={}", notify::hmac(secret, body))),
};

/// Accepts paths both with and without the version that is part of the real base URL.
fn routes() -> Router<Arc<Simulation>> {
    let api = || {
        Router::new()
            .route("/payments", post(create))
            .route("/payments/{id}", get(read).delete(cancel))
            .merge(after_sale::routes())
            .merge(payouts::routes())
    };
    Router::new()
        .merge(api())
        .nest("/v2", api())
        .route("/checkout/{id}", get(checkout))
        .route("/checkout/{id}/{what}", post(choose))
}

pub fn account(simulation: &Simulation, headers: &HeaderMap) -> Result<Account, Refused> {
    let key = bearer(headers);
    let found = payments::account(simulation, Provider::Mollie, |account| Some(account.key.as_str()) == key);
    found
        .ok_or_else(|| refused(StatusCode::UNAUTHORIZED, "Missing authentication, or failed to authenticate"))
}

pub fn problem(status: StatusCode, detail: &str) -> (StatusCode, Value) {
    let documentation =
        json!({"href": "https://docs.mollie.com/overview/handling-errors", "type": "text/html"});
    let body = json!({"status": status.as_u16(), "title": status.canonical_reason(), "detail": detail,
        "_links": {"documentation": documentation}});
    (status, body)
}

pub fn refused(status: StatusCode, detail: &str) -> Refused {
    Refused::new(status, &problem(status, detail).1)
}

pub fn unknown() -> Refused {
    refused(StatusCode::NOT_FOUND, "No payment, refund or chargeback exists with this token.")
}

/// Another call under the same key is still running.
fn key_in_use() -> Response {
    refused(StatusCode::CONFLICT, "A request with this idempotency key is being processed").into_response()
}

/// Runs a call once for its idempotency key.
pub fn run_once(
    simulation: &Simulation,
    account: &Account,
    headers: &HeaderMap,
    request: &str,
    make: impl FnOnce(&mut Payments) -> (StatusCode, Value),
) -> Result<Response, Refused> {
    once(simulation, account, key(Provider::Mollie, headers), request, make)
        .map_err(|()| refused(StatusCode::CONFLICT, "The idempotency key was used with another request"))
}

async fn create(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refused> {
    let account = account(&simulation, &headers)?;
    let sent: Value =
        serde_json::from_slice(&body).map_err(|_| refused(StatusCode::BAD_REQUEST, "Invalid JSON"))?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let currency = sent.pointer("/amount/currency").and_then(text).unwrap_or_default();
    let value = sent.pointer("/amount/value").and_then(text).unwrap_or_default();
    let fits =
        sent.get("description").and_then(Value::as_str).is_some_and(|text| (1..=255).contains(&text.len()));
    let amount =
        subunits(&value, &currency).filter(|amount| *amount > 0 && fits && sent.get("redirectUrl").is_some());
    let amount = amount.ok_or_else(|| {
        refused(StatusCode::UNPROCESSABLE_ENTITY, "The amount, description or redirectUrl is invalid")
    })?;
    if let Some(fault) = fault_of(sent.get("billingAddress").unwrap_or(&Value::Null)) {
        let detail = format!("The billing address is invalid: {fault}");
        return Err(refused(StatusCode::UNPROCESSABLE_ENTITY, &detail));
    }
    // The words of https://github.com/mollie/Shopware6/issues/348.
    if sent.get("metadata").is_some_and(|metadata| metadata.to_string().len() > 1024) {
        let detail = "The metadata storage is currently limited to 1024 bytes.";
        return Err(refused(StatusCode::UNPROCESSABLE_ENTITY, detail));
    }
    let request = String::from_utf8_lossy(&body).into_owned();
    let base = host(&headers);
    run_once(&simulation, &account, &headers, &request, |payments| {
        let mut payment = Payment::new(&account, amount, &currency, sent, payments.now());
        let reference = payment.sent.pointer("/metadata/transaction_id").and_then(text);
        payment.our_reference = reference;
        if let Some(sent) = payment.sent.as_object_mut() {
            sent.insert("base".into(), json!(base));
        }
        let answer = shapes::payment(&payment);
        payments.all.push(payment);
        (StatusCode::CREATED, answer)
    })
}

/// Why Mollie refuses an address: a field that is given but blank, or a country that ISO 3166-1 does not have.
fn fault_of(address: &Value) -> Option<String> {
    let blank = |value: &Value| value.as_str().is_none_or(|text| text.trim().is_empty());
    let blank = address.as_object()?.iter().find(|(_, value)| blank(value));
    if let Some((name, _)) = blank {
        return Some(format!("'{name}' should not be blank"));
    }
    let country = address.get("country")?.as_str()?;
    let is_unknown = country.parse::<iso_country::Country>().is_err();
    is_unknown.then(|| "'country' should be an ISO 3166-1 alpha-2 country code".to_owned())
}

fn host(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1");
    format!("http://{host}/mollie")
}

async fn read(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Refused> {
    sweep(&simulation);
    see(&simulation, &headers, &id, |payment| Some(shapes::payment(payment)))
}

async fn cancel(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Refused> {
    sweep(&simulation);
    let account = account(&simulation, &headers)?;
    let payments = &mut simulation.state().payments;
    let at = payments.now();
    let payment = payments.find(&account, &id).ok_or_else(unknown)?;
    if !shapes::is_cancelable(payment) {
        return Err(refused(StatusCode::UNPROCESSABLE_ENTITY, "The payment cannot be canceled"));
    }
    payment.becomes(Status::Cancelled, at);
    Ok(Json(shapes::payment(payment)).into_response())
}

/// Answers with what the function finds in the payment.
pub fn see(
    simulation: &Simulation,
    headers: &HeaderMap,
    id: &str,
    show: impl FnOnce(&Payment) -> Option<Value>,
) -> Result<Response, Refused> {
    let account = account(simulation, headers)?;
    let found = simulation.state().payments.find(&account, id).and_then(|payment| show(payment));
    Ok(Json(found.ok_or_else(unknown)?).into_response())
}

/// Ends the payments whose time is over, as Mollie does by itself.
pub fn sweep(simulation: &Arc<Simulation>) {
    let expired: Vec<Payment> = {
        let payments = &mut simulation.state().payments;
        let at = payments.now();
        let own = payments.all.iter_mut().filter(|payment| payment.provider == Provider::Mollie);
        let over = own.filter(|payment| shapes::expires(payment).is_some_and(|end| end <= at));
        over.map(|payment| {
            payment.becomes(Status::Expired, at);
            payment.clone()
        })
        .collect()
    };
    for payment in expired {
        notify::send(simulation, &payment, events::events(&payment, &Happened::Expired), 1);
    }
}

/// Mollie's checkout page for the buyer.
async fn checkout(State(simulation): State<Arc<Simulation>>, Path(id): Path<String>) -> Response {
    let mut state = simulation.state();
    let Some(payment) = state.payments.with_reference(&id) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let (amount, currency) = (decimal(payment.amount, &payment.currency), payment.currency.clone());
    let what = payment.sent.get("description").and_then(Value::as_str).unwrap_or_default();
    let body = format!(
        "<h1>Test payment</h1><p class=\"soft\">{}</p><p class=\"sum\">{amount} {currency}</p><div class=\"row\">\
         <form method=\"post\" action=\"/mollie/checkout/{id}/pay\"><button>Pay</button></form>\
         <form method=\"post\" action=\"/mollie/checkout/{id}/fail\"><button class=\"quiet\">Fail</button></form></div>",
        page::Escaped(what)
    );
    page::card("Pay", &body).into_response()
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
    let steered = control::steer(State(simulation), Path((id, what)), Bytes::new()).await;
    match (steered, back) {
        (Ok(_), Some(back)) => (StatusCode::SEE_OTHER, [(header::LOCATION, back)]).into_response(),
        (Ok(_), None) => StatusCode::NO_CONTENT.into_response(),
        (Err(refused), _) => refused.into_response(),
    }
}
