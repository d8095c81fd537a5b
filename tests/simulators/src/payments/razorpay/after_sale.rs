//! Razorpay's and Curlec's refunds and disputes. Refunds have an idempotency header; disputes can only be read, and are
//! listed for the account alone (<https://razorpay.com/docs/api/disputes/fetch-all>), not for a payment.

use std::sync::Arc;

use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::Value;

use super::{account, find, problem, refused, shapes};
use crate::{
    payments::{
        Account, Attempt, AttemptStatus, Payment, Payments, Provider, Refused,
        events::{Happened, events},
        idempotency::{key, once},
        notify,
        refunds::Refund,
    },
    state::Simulation,
};

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/payments/{id}/refund", post(refund))
        .route("/payments/{id}/refunds", get(refunds))
        .route("/payments/{id}/refunds/{refund}", get(read_refund))
        .route("/disputes", get(disputes))
        .route("/disputes/{id}", get(read_dispute))
}

/// An idempotency key has at least 10 of these characters, and the body must stay the same
/// (<https://razorpay.com/docs/api/refunds/normal-refunds-idempotent>).
fn is_key(key: &str) -> bool {
    key.len() >= 10 && key.chars().all(|c| c.is_ascii_alphanumeric() || ['-', '_'].contains(&c))
}

async fn refund(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Refused> {
    let account = account(&simulation, provider, &headers)?;
    let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    let key = key(provider, &headers);
    if key.is_some_and(|key| !is_key(key)) {
        return Err(refused("The idempotency key needs 10 letters, digits, hyphens or underscores."));
    }
    let request = format!("{id} {}", String::from_utf8_lossy(&body));
    let mut refunded = None;
    let answer = once(&simulation, &account, key, &request, |payments| {
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
    answer.map_err(|()| refused(differs))
}

fn make_refund(
    payments: &mut Payments,
    account: &Account,
    id: &str,
    sent: Value,
) -> Option<(Payment, Refund)> {
    let (waits, at) = (payments.refunds_wait, payments.now());
    let is_captured = |attempt: &Attempt| attempt.id == id && attempt.status == AttemptStatus::Captured;
    let payment = payments.of(account, |payment| payment.attempts.iter().any(is_captured))?;
    let amount = match sent.get("amount") {
        Some(amount) => Some(amount.as_i64()?),
        None => None,
    };
    let refund = payment.refund(payment.other_than_charge(id), amount, sent, waits, at)?;
    Some((payment.clone(), refund))
}

async fn refunds(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Refused> {
    find(&simulation, provider, &headers, |payment| {
        payment.attempts.iter().find(|attempt| attempt.id == id)?;
        let attempt = payment.other_than_charge(&id);
        let refunds = payment.refunds.iter().rev().filter(|refund| refund.attempt == attempt);
        let items: Vec<Value> = refunds.map(|refund| shapes::refund(payment, refund)).collect();
        Some(shapes::collection(&items))
    })
}

async fn read_refund(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path((_, refund)): Path<(String, String)>,
) -> Result<Response, Refused> {
    find(&simulation, provider, &headers, |payment| {
        Some(shapes::refund(payment, payment.refund_with(&refund)?))
    })
}

async fn disputes(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let account = account(&simulation, provider, &headers)?;
    let state = simulation.state();
    let own = state.payments.all.iter().rev().filter(|payment| payment.is_of(&account));
    let disputes = own
        .flat_map(|payment| payment.disputes.iter().rev().map(|dispute| shapes::dispute(payment, dispute)));
    Ok(Json(shapes::collection(&disputes.collect::<Vec<_>>())).into_response())
}

async fn read_dispute(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Refused> {
    find(&simulation, provider, &headers, |payment| {
        Some(shapes::dispute(payment, payment.dispute_with(&id)?))
    })
}
