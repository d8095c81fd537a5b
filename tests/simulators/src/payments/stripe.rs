//! Stripe: payment intents, customers, customer sessions, refunds. Forms with bracketed keys in, JSON out.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{Account, Payment, Provider, Status, notify, once};
use crate::state::{Simulation, random};

type Fields = BTreeMap<String, String>;

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/v1/payment_intents", post(create))
        .route("/v1/payment_intents/{id}", get(read))
        .route("/v1/payment_intents/{id}/cancel", post(cancel))
        .route("/v1/customers", post(customer))
        .route("/v1/customer_sessions", post(customer_session))
        .route("/v1/refunds", post(refund))
}

fn account(simulation: &Simulation, headers: &HeaderMap) -> Result<Account, Box<Response>> {
    let key = super::bearer(headers);
    let found = super::account(simulation, Provider::Stripe, |account| Some(account.key.as_str()) == key);
    found.ok_or_else(|| {
        Box::new(error(StatusCode::UNAUTHORIZED, "invalid_request_error", "Invalid API Key provided"))
    })
}

fn error(status: StatusCode, kind: &str, message: &str) -> Response {
    (status, Json(json!({"error": {"type": kind, "message": message}}))).into_response()
}

fn mismatch() -> Response {
    error(
        StatusCode::BAD_REQUEST,
        "idempotency_error",
        "Keys for idempotent requests can only be used with the same parameters they were first used with.",
    )
}

fn missing(name: &str) -> Response {
    error(StatusCode::BAD_REQUEST, "invalid_request_error", &format!("Missing required param: {name}."))
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
        return error(StatusCode::BAD_REQUEST, "invalid_request_error", "Invalid amount or currency");
    }
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok());
    let request = format!("{fields:?}");
    let made = once(&simulation, &account, key, &request, |payments| {
        let sent = json!({"metadata": nested(&fields, "metadata"), "description": fields.get("description"),
            "customer": fields.get("customer"), "receipt_email": fields.get("receipt_email")});
        let mut payment = Payment::new(&account, "pi_", amount, currency, sent);
        payment.our_reference = fields.get("metadata[transaction_id]").cloned();
        let answer = shown(&payment);
        payments.all.push(payment);
        (StatusCode::OK, answer)
    });
    match made {
        Ok((status, answer)) => (status, Json(answer)).into_response(),
        Err(()) => mismatch(),
    }
}

/// A payment intent, as answers and events contain it.
pub fn shown(payment: &Payment) -> Value {
    let status = match payment.status {
        Status::Open | Status::Failed => "requires_payment_method",
        Status::Paid => "succeeded",
        Status::Cancelled => "canceled",
    };
    let mut intent = json!({"id": payment.reference, "object": "payment_intent", "amount": payment.amount,
        "amount_received": payment.captured, "currency": payment.currency.to_lowercase(), "status": status,
        "client_secret": format!("{}_secret_demo", payment.reference), "livemode": false});
    if payment.captured > 0
        && let Some(intent) = intent.as_object_mut()
    {
        // Always expanded, as if every request asked for it.
        let charge = json!({"object": "charge", "amount_captured": payment.captured, "amount_refunded": payment.refunded});
        intent.insert("latest_charge".into(), charge);
    }
    if let (Some(intent), Some(sent)) = (intent.as_object_mut(), payment.sent.as_object()) {
        intent.extend(sent.clone());
    }
    intent
}

async fn read(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    change(&simulation, &headers, &id, |_| Ok(()))
}

async fn cancel(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Response {
    change(&simulation, &headers, &id, |payment| match payment.status {
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
    change: impl FnOnce(&mut Payment) -> Result<(), &'static str>,
) -> Response {
    let account = match account(simulation, headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let payments = &mut simulation.state().payments;
    let Some(payment) = payments.find(Provider::Stripe, &account.organisation, id) else {
        return error(StatusCode::NOT_FOUND, "invalid_request_error", "No such payment_intent");
    };
    match change(payment) {
        Ok(()) => Json(shown(payment)).into_response(),
        Err(message) => error(StatusCode::BAD_REQUEST, "invalid_request_error", message),
    }
}

async fn customer(State(simulation): State<Arc<Simulation>>, headers: HeaderMap, body: Bytes) -> Response {
    let account = match account(&simulation, &headers) {
        Ok(account) => account,
        Err(refused) => return *refused,
    };
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok());
    let fields = form(&body);
    let made = once(&simulation, &account, key, &format!("{fields:?}"), |_| {
        let id = format!("cus_{}", random(14));
        (StatusCode::OK, json!({"id": id, "object": "customer", "email": fields.get("email")}))
    });
    match made {
        Ok((status, answer)) => (status, Json(answer)).into_response(),
        Err(()) => mismatch(),
    }
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
    let Some(id) = fields.get("payment_intent") else { return missing("payment_intent") };
    let refunded = {
        let payments = &mut simulation.state().payments;
        let payment = payments.find(Provider::Stripe, &account.organisation, id);
        payment.and_then(|payment| {
            let left = payment.captured - payment.refunded;
            let amount = fields.get("amount").map_or(Some(left), |amount| amount.parse().ok())?;
            (1..=left).contains(&amount).then(|| {
                payment.refunded += amount;
                (payment.clone(), amount)
            })
        })
    };
    let Some((payment, amount)) = refunded else {
        return error(StatusCode::BAD_REQUEST, "invalid_request_error", "The refund exceeds the amount left");
    };
    let answer = json!({"id": format!("re_{}", random(20)), "object": "refund", "amount": amount,
        "payment_intent": payment.reference, "status": "succeeded"});
    notify::send(simulation, payment, "refund", 1);
    Json(answer).into_response()
}
