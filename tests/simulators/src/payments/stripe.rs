//! Stripe: payment intents, customers, customer sessions, refunds. Forms with bracketed keys in, JSON out.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, Query, RawQuery, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{
    Account, Payment, Payments, Provider, Status,
    events::{Happened, events},
    idempotency::{key, once},
    notify,
    shapes::stripe as shapes,
};
use crate::state::{Simulation, now, random};

type Fields = BTreeMap<String, String>;

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/v1/payment_intents", post(create))
        .route("/v1/payment_intents/{id}", get(read))
        .route("/v1/payment_intents/{id}/cancel", post(cancel))
        .route("/v1/customers", post(customer))
        .route("/v1/customer_sessions", post(customer_session))
        .route("/v1/refunds", post(refund).get(refunds))
        .route("/v1/refunds/{id}", get(read_refund))
}

fn account(simulation: &Simulation, headers: &HeaderMap) -> Result<Account, Box<Response>> {
    let key = super::bearer(headers);
    let found = super::account(simulation, Provider::Stripe, |account| Some(account.key.as_str()) == key);
    found.ok_or_else(|| {
        Box::new(error(StatusCode::UNAUTHORIZED, "invalid_request_error", "Invalid API Key provided"))
    })
}

fn error(status: StatusCode, kind: &str, message: &str) -> Response {
    (status, Json(problem(kind, message))).into_response()
}

fn problem(kind: &str, message: &str) -> Value {
    json!({"error": {"type": kind, "message": message}})
}

fn invalid(message: &str) -> Response {
    error(StatusCode::BAD_REQUEST, "invalid_request_error", message)
}

fn mismatch() -> Response {
    error(
        StatusCode::BAD_REQUEST,
        "idempotency_error",
        "Keys for idempotent requests can only be used with the same parameters they were first used with.",
    )
}

/// Another call under the same key is still running.
pub fn key_in_use() -> Response {
    let message = "There is currently another in-progress request using this Idempotency-Key.";
    let body =
        json!({"error": {"type": "idempotency_error", "code": "idempotency_key_in_use", "message": message}});
    (StatusCode::CONFLICT, Json(body)).into_response()
}

fn missing(name: &str) -> Response {
    invalid(&format!("Missing required param: {name}."))
}

fn form(body: &Bytes) -> Fields {
    url::form_urlencoded::parse(body).into_owned().collect()
}

/// Reads `metadata[a]=b` and similar form fields.
fn nested(fields: &Fields, name: &str) -> Value {
    let prefix = format!("{name}[");
    let inner = fields.iter().filter_map(|(key, value)| {
        Some((key.strip_prefix(&prefix)?.strip_suffix(']')?.to_owned(), json!(value)))
    });
    Value::Object(inner.collect())
}

async fn create(State(simulation): State<Arc<Simulation>>, headers: HeaderMap, body: Bytes) -> Response {
    let account = match account(&simulation, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let fields = form(&body);
    let amount = fields.get("amount").and_then(|amount| amount.parse::<i64>().ok());
    let (Some(amount), Some(currency)) = (amount, fields.get("currency")) else { return missing("amount") };
    if amount < 1 || currency.len() != 3 {
        return invalid("Invalid amount or currency");
    }
    let made = once(
        &simulation,
        &account,
        key(Provider::Stripe, &headers),
        &format!("{fields:?}"),
        |payments| {
            let sent = json!({"metadata": nested(&fields, "metadata"), "description": fields.get("description"),
            "customer": fields.get("customer"), "receipt_email": fields.get("receipt_email")});
            let mut payment = Payment::new(&account, "pi_", amount, currency, sent);
            payment.our_reference = fields.get("metadata[transaction_id]").cloned();
            let answer = shapes::intent(&payment, false);
            payments.all.push(payment);
            (StatusCode::OK, answer)
        },
    );
    made.unwrap_or_else(|()| mismatch())
}

async fn read(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let expands = query.is_some_and(|query| query.contains("latest_charge"));
    change(&simulation, &headers, &id, expands, |_| Ok(()))
}

async fn cancel(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    change(&simulation, &headers, &id, false, |payment| match payment.status {
        Status::Open | Status::Failed | Status::Cancelled => {
            payment.status = Status::Cancelled;
            Ok(())
        }
        Status::Paid => Err("You cannot cancel this PaymentIntent because it has a status of succeeded."),
    })
}

fn change(
    simulation: &Simulation,
    headers: &HeaderMap,
    id: &str,
    expands_charge: bool,
    change: impl FnOnce(&mut Payment) -> Result<(), &'static str>,
) -> Response {
    let account = match account(simulation, headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let payments = &mut simulation.state().payments;
    let Some(payment) = payments.find(&account, id) else {
        return error(StatusCode::NOT_FOUND, "invalid_request_error", "No such payment_intent");
    };
    match change(payment) {
        Ok(()) => Json(shapes::intent(payment, expands_charge)).into_response(),
        Err(message) => invalid(message),
    }
}

async fn customer(State(simulation): State<Arc<Simulation>>, headers: HeaderMap, body: Bytes) -> Response {
    let account = match account(&simulation, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let fields = form(&body);
    let made = once(&simulation, &account, key(Provider::Stripe, &headers), &format!("{fields:?}"), |_| {
        let id = format!("cus_{}", random(14));
        let customer = json!({"id": id, "object": "customer", "created": now().timestamp(), "livemode": false,
            "email": fields.get("email"), "name": fields.get("name")});
        (StatusCode::OK, customer)
    });
    made.unwrap_or_else(|()| mismatch())
}

async fn customer_session(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    match (account(&simulation, &headers), form(&body).get("customer")) {
        (Err(refused), _) => *refused,
        (Ok(_), None) => missing("customer"),
        (Ok(_), Some(customer)) => Json(json!({"object": "customer_session", "customer": customer,
            "created": now().timestamp(), "expires_at": now().timestamp() + 1800, "livemode": false,
            "client_secret": format!("cuss_secret_{}", random(20))}))
        .into_response(),
    }
}

async fn refund(State(simulation): State<Arc<Simulation>>, headers: HeaderMap, body: Bytes) -> Response {
    let account = match account(&simulation, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let fields = form(&body);
    if !fields.contains_key("payment_intent") {
        return missing("payment_intent");
    }
    let mut refunded = None;
    let made =
        once(&simulation, &account, key(Provider::Stripe, &headers), &format!("{fields:?}"), |payments| {
            match make_refund(payments, &account, &fields) {
                Ok((payment, id, answer)) => {
                    refunded = Some((payment, id));
                    (StatusCode::OK, answer)
                }
                Err(refused) => (StatusCode::BAD_REQUEST, refused),
            }
        });
    if let Some((payment, id)) = refunded {
        notify::send(&simulation, &payment, events(&payment, &Happened::Refunded(id)), 1);
    }
    made.unwrap_or_else(|()| mismatch())
}

/// The payment with its new refund, the refund's id, and the answer; or the refusal.
fn make_refund(
    payments: &mut Payments,
    account: &Account,
    fields: &Fields,
) -> Result<(Payment, String, Value), Value> {
    let refused = |message: &str| problem("invalid_request_error", message);
    let waits = payments.refunds_wait;
    let intent = fields.get("payment_intent").and_then(|id| payments.find(account, id));
    let payment = intent.ok_or_else(|| refused("No such payment_intent"))?;
    let amount = fields.get("amount").map(|amount| amount.parse()).transpose();
    let amount = amount.map_err(|_| refused("Invalid integer: amount"))?;
    let sent = json!({"metadata": nested(fields, "metadata"), "reason": fields.get("reason")});
    let Some(refund) = payment.refund(amount, sent, waits) else {
        let is_refunded = payment.captured > 0 && payment.refunded() == payment.captured;
        let code = if is_refunded { "charge_already_refunded" } else { "refund_exceeds_amount_left" };
        let message = "The refund exceeds the amount left on the charge";
        return Err(json!({"error": {"type": "invalid_request_error", "code": code, "message": message}}));
    };
    let answer = shapes::refund(payment, &refund);
    Ok((payment.clone(), refund.id, answer))
}

async fn refunds(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Query(params): Query<Fields>,
) -> Response {
    let account = match account(&simulation, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let Some(id) = params.get("payment_intent") else { return missing("payment_intent") };
    let payments = &mut simulation.state().payments;
    let Some(payment) = payments.find(&account, id) else {
        return invalid("No such payment_intent");
    };
    // Newest first.
    let items: Vec<Value> =
        payment.refunds.iter().rev().map(|refund| shapes::refund(payment, refund)).collect();
    Json(shapes::list("/v1/refunds", &items)).into_response()
}

async fn read_refund(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    let account = match account(&simulation, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let payments = &mut simulation.state().payments;
    let payment = payments.of(&account, |payment| payment.refund_with(&id).is_some());
    match payment.and_then(|payment| Some(shapes::refund(payment, payment.refund_with(&id)?))) {
        Some(refund) => Json(refund).into_response(),
        None => error(StatusCode::NOT_FOUND, "invalid_request_error", "No such refund"),
    }
}
