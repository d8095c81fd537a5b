//! Razorpay, and Curlec, which is the same with other accounts: orders and their payments. Basic authentication, JSON in
//! and out. Orders have no idempotency header: clients find one again by its receipt.

mod after_sale;
mod events;
mod payouts;
mod shapes;

use std::{collections::HashMap, sync::Arc};

use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{
    payments::{
        self, Account, DemoAccount, Payment, Profile, Provider, Refused, Script, Style, notify, payouts::Fees,
    },
    state::{Simulation, random},
};

pub const PROFILE: Profile = Profile {
    demo: DemoAccount {
        organisation: "saraswati",
        key: "rzp_test_demo_saraswati",
        key_secret: "demo-key-secret-saraswati",
    },
    has_key_id: true,
    routes,
    script: Some(Script { path: "/razorpay/v1/checkout.js", text: include_str!("script.js") }),
    style: Style::Order,
    payment_prefix: "order_",
    refund_id: || format!("rfnd_{}", random(14)),
    dispute_id: || format!("disp_{}", random(14)),
    queues_refunds: false,
    takes_disputed_money: false,
    decides_parts: true,
    has_appeals: false,
    fees: Fees { permille: 20, fixed: 0, tax: 18, in_subunits: true, dispute: 0 },
    payout_prefix: "setl_",
    returns_failed_payouts: false,
    key_header: "x-refund-idempotency",
    key_in_use,
    repeated_failure: None,
    events: events::events,
    signature: |secret, body| ("x-razorpay-signature", notify::hmac(secret, body)),
};

/// Its pages load Razorpay's script.
pub const CURLEC: Profile = Profile {
    demo: DemoAccount {
        organisation: "kinabalu",
        key: "rzp_test_demo_kinabalu",
        key_secret: "demo-key-secret-kinabalu",
    },
    script: None,
    ..PROFILE
};

/// Accepts paths both with and without the version that is part of the real base URL.
fn routes(provider: Provider) -> Router<Arc<Simulation>> {
    let api = || {
        Router::new()
            .route("/orders", post(create).get(list))
            .route("/orders/{id}", get(read))
            .route("/orders/{id}/payments", get(attempts))
            .route("/payments/{id}", get(read_attempt))
            .merge(after_sale::routes())
            .merge(payouts::routes())
    };
    Router::new().merge(api()).nest("/v1", api()).layer(Extension(provider))
}

pub fn account(simulation: &Simulation, provider: Provider, headers: &HeaderMap) -> Result<Account, Refused> {
    let sent = headers.get("authorization").and_then(|value| value.to_str().ok()?.strip_prefix("Basic "));
    let found = payments::account(simulation, provider, |account| {
        let pair = format!("{}:{}", account.key, account.key_secret);
        sent == Some(STANDARD.encode(pair).as_str())
    });
    found.ok_or_else(|| Refused::new(StatusCode::UNAUTHORIZED, &problem("Authentication failed")))
}

pub fn problem(description: &str) -> Value {
    json!({"error": {"code": "BAD_REQUEST_ERROR", "description": description, "source": "NA", "step": "NA",
        "reason": "NA", "metadata": {}}})
}

pub fn refused(description: &str) -> Refused {
    Refused::new(StatusCode::BAD_REQUEST, &problem(description))
}

/// Another refund under the same key is still running.
fn key_in_use() -> Response {
    let problem = problem("A request with the same idempotency key is in progress.");
    (StatusCode::CONFLICT, Json(problem)).into_response()
}

async fn create(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refused> {
    let account = account(&simulation, provider, &headers)?;
    let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    let amount = sent.get("amount").and_then(Value::as_i64).filter(|amount| *amount >= 100);
    let (Some(amount), Some(currency)) = (amount, sent.get("currency").and_then(Value::as_str)) else {
        return Err(refused("The amount must be at least 100, in a currency"));
    };
    let receipt = sent.get("receipt").and_then(Value::as_str).map(str::to_owned);
    if receipt.as_ref().is_some_and(|receipt| receipt.len() > 40) {
        return Err(refused("receipt: the length must be no more than 40."));
    }
    // At most 15 notes of 256 characters: https://razorpay.com/docs/api/orders/create/
    let notes = sent.get("notes").and_then(Value::as_object);
    let is_long = |text: &Value| text.as_str().is_some_and(|text| text.chars().count() > 256);
    if notes.is_some_and(|notes| notes.len() > 15 || notes.values().any(is_long)) {
        return Err(refused("The notes must be at most 15, of at most 256 characters each"));
    }
    let payments = &mut simulation.state().payments;
    let mut payment = Payment::new(&account, amount, currency, sent.clone(), payments.now());
    payment.our_reference = receipt;
    let answer = shapes::order(&payment);
    payments.all.push(payment);
    Ok(Json(answer).into_response())
}

async fn list(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Query(params): Query<HashMap<String, String>>,
) -> Result<Response, Refused> {
    let account = account(&simulation, provider, &headers)?;
    let state = simulation.state();
    let own = state.payments.all.iter().filter(|payment| {
        payment.is_of(&account)
            && params.get("receipt").is_none_or(|receipt| payment.our_reference.as_ref() == Some(receipt))
    });
    let items: Vec<Value> = own.map(shapes::order).collect();
    Ok(Json(shapes::collection(&items)).into_response())
}

async fn read(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Refused> {
    find(&simulation, provider, &headers, |payment| (payment.reference == id).then(|| shapes::order(payment)))
}

async fn attempts(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Refused> {
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
) -> Result<Response, Refused> {
    find(&simulation, provider, &headers, |payment| {
        let attempt = payment.attempts.iter().find(|attempt| attempt.id == id)?;
        Some(shapes::attempt(payment, attempt))
    })
}

/// Answers with what the function finds in one of the account's orders.
pub fn find(
    simulation: &Simulation,
    provider: Provider,
    headers: &HeaderMap,
    show: impl Fn(&Payment) -> Option<Value>,
) -> Result<Response, Refused> {
    let account = account(simulation, provider, headers)?;
    let state = simulation.state();
    let mut own = state.payments.all.iter().filter(|payment| payment.is_of(&account));
    let found = own.find_map(show).ok_or_else(|| refused("The id provided does not exist"))?;
    Ok(Json(found).into_response())
}
