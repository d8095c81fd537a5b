//! Mollie's refunds and chargebacks, below the path of their payment.

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use chrono::TimeDelta;
use serde_json::Value;

use super::{
    account, problem, refused, run_once, see,
    shapes::{self, subunits},
    unknown,
};
use crate::{
    payments::{
        Account, Payment, Payments, Refused,
        events::{Happened, events},
        notify,
        refunds::{Refund, RefundStatus},
    },
    state::Simulation,
};

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/payments/{id}/refunds", post(refund).get(refunds))
        .route("/payments/{id}/refunds/{refund}", get(read_refund).delete(cancel_refund))
        .route("/payments/{id}/chargebacks", get(chargebacks))
        .route("/payments/{id}/chargebacks/{chargeback}", get(read_chargeback))
}

async fn refund(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Refused> {
    let account = account(&simulation, &headers)?;
    let sent: Value =
        serde_json::from_slice(&body).map_err(|_| refused(StatusCode::BAD_REQUEST, "Invalid JSON"))?;
    let request = format!("{id} {sent}");
    let mut refunded = None;
    let answer = run_once(&simulation, &account, &headers, &request, |payments| {
        if is_duplicate(payments, &account, &id, &sent) {
            return problem(StatusCode::CONFLICT, "A duplicate refund has been detected.");
        }
        match make_refund(payments, &account, &id, sent) {
            Some((payment, refund, answer)) => {
                refunded = Some((payment, refund));
                (StatusCode::CREATED, answer)
            }
            None => problem(StatusCode::UNPROCESSABLE_ENTITY, "The amount is higher than the maximum"),
        }
    })?;
    if let Some((payment, refund)) = refunded {
        notify::send(&simulation, &payment, events(&payment, &Happened::Refunded(refund)), 1);
    }
    Ok(answer)
}

/// Returns whether the payment has had a refund of the same amount within the hour, which Mollie blocks under any
/// idempotency key (<https://docs.mollie.com/changelog/v2/changelog#thursday-12th>, and the answer as in
/// <https://github.com/mollie/magento2/issues/456>; <https://github.com/mollie/PrestaShop/pull/1397> says that a new
/// key changes nothing). Like every answer, the refusal is kept for its key for a day
/// (<https://docs.mollie.com/overview/api-idempotency>).
fn is_duplicate(payments: &mut Payments, account: &Account, id: &str, sent: &Value) -> bool {
    let now = payments.now();
    let Some(payment) = payments.find(account, id) else { return false };
    let value = sent.pointer("/amount/value").and_then(Value::as_str);
    let amount = value.and_then(|value| subunits(value, &payment.currency));
    let is_recent = |refund: &Refund| refund.is_live() && now - refund.created < TimeDelta::hours(1);
    payment.refunds.iter().any(|refund| is_recent(refund) && Some(refund.amount) == amount)
}

/// The payment with its new refund, the refund's id, and the answer.
fn make_refund(
    payments: &mut Payments,
    account: &Account,
    id: &str,
    sent: Value,
) -> Option<(Payment, String, Value)> {
    let (waits, at) = (payments.refunds_wait, payments.now());
    let payment = payments.find(account, id)?;
    let is_same = sent.pointer("/amount/currency").and_then(Value::as_str) == Some(payment.currency.as_str());
    let value = sent.pointer("/amount/value").and_then(Value::as_str).filter(|_| is_same)?;
    let amount = subunits(value, &payment.currency)?;
    let mut refund = payment.refund(None, Some(amount), sent, waits, at)?;
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
) -> Result<Response, Refused> {
    see(&simulation, &headers, &id, |payment| {
        let refunds = payment.refunds.iter().rev().map(|refund| shapes::refund(payment, refund));
        Some(shapes::list(payment, "refunds", refunds.collect()))
    })
}

async fn read_refund(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path((id, refund)): Path<(String, String)>,
) -> Result<Response, Refused> {
    see(&simulation, &headers, &id, |payment| Some(shapes::refund(payment, payment.refund_with(&refund)?)))
}

/// Mollie cancels a refund that it has not begun, as its dashboard does.
async fn cancel_refund(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path((id, refund)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let account = account(&simulation, &headers)?;
    let payment = {
        let payments = &mut simulation.state().payments;
        let payment = payments.find(&account, &id).ok_or_else(unknown)?;
        let found = payment.refunds.iter_mut().find(|known| known.id == refund).ok_or_else(unknown)?;
        if !matches!(found.status, RefundStatus::Queued | RefundStatus::Pending) {
            return Err(refused(StatusCode::UNPROCESSABLE_ENTITY, "The refund cannot be canceled"));
        }
        found.status = RefundStatus::Cancelled;
        payment.clone()
    };
    notify::send(&simulation, &payment, events(&payment, &Happened::RefundChanged(refund)), 1);
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn chargebacks(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Refused> {
    see(&simulation, &headers, &id, |payment| {
        let disputes = payment.disputes.iter().rev().map(|dispute| shapes::chargeback(payment, dispute));
        Some(shapes::list(payment, "chargebacks", disputes.collect()))
    })
}

async fn read_chargeback(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path((id, chargeback)): Path<(String, String)>,
) -> Result<Response, Refused> {
    see(&simulation, &headers, &id, |payment| {
        Some(shapes::chargeback(payment, payment.dispute_with(&chargeback)?))
    })
}
