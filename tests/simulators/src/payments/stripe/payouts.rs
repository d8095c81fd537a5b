//! Stripe's payouts, and the balance transactions in each. Shapes as in stripe-python 16.1 (`Payout`, `BalanceTransaction`) and
//! <https://docs.stripe.com/reports/balance-transaction-types>.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{RawQuery, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::{Value, json};

use super::{
    Call,
    parameters::{self, Fields, missing},
    problem, shapes, unknown,
};
use crate::{
    payments::{
        Payment, Refused,
        payouts::{Entry, EntryKind, Payout, PayoutStatus},
    },
    state::Simulation,
};

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new().route("/v1/payouts", get(payouts)).route("/v1/balance_transactions", get(transactions))
}

/// A call by a key that may read balances. A restricted key (`rk_…`) of this account may not.
fn call(
    simulation: &Simulation,
    headers: &HeaderMap,
    query: Option<String>,
    known: &[&str],
) -> Result<Call, Refused> {
    let call = Call::read(simulation, headers, query.unwrap_or_default().as_bytes(), known)?;
    if call.account.key.starts_with("rk_") {
        let problem =
            problem(None, "The provided key does not have the required permissions for this endpoint");
        return Err(Refused::new(StatusCode::FORBIDDEN, &problem));
    }
    Ok(call)
}

async fn payouts(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Refused> {
    let call = call(&simulation, &headers, query, parameters::LIST_PAYOUTS)?;
    let since = call.fields.get("created[gte]").and_then(|since| since.parse().ok()).unwrap_or(0);
    let state = simulation.state();
    let own = state.payments.payouts_of(&call.account).filter(|payout| payout.created.timestamp() >= since);
    Ok(Json(page("/v1/payouts", own.map(payout).collect(), &call.fields)).into_response())
}

async fn transactions(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Refused> {
    let call = call(&simulation, &headers, query, parameters::LIST_BALANCE_TRANSACTIONS)?;
    let id = call.fields.get("payout").ok_or_else(|| missing("payout"))?;
    let state = simulation.state();
    let Some(payout) = state.payments.payouts_of(&call.account).find(|payout| payout.id == *id) else {
        let (status, problem) = unknown("payout");
        return Err(Refused::new(status, &problem));
    };
    if payout.is_manual {
        let message = "Balance transaction history can only be filtered on automatic transfers, not manual.";
        return Err(Refused::new(StatusCode::BAD_REQUEST, &problem(None, message)));
    }
    let expands = parameters::expands(&call.fields, "data.source");
    let payment_of = |entry: &Entry| {
        let reference = entry.payment.as_ref()?;
        state.payments.all.iter().find(|payment| payment.reference == *reference)
    };
    let newest_first = payout.entries.iter().rev();
    let moved = newest_first.map(|entry| transaction(payout, entry, payment_of(entry).filter(|_| expands)));
    let all = std::iter::once(own_transaction(payout)).chain(moved).collect();
    Ok(Json(page("/v1/balance_transactions", all, &call.fields)).into_response())
}

/// A page of a list that is newest first.
fn page(url: &str, all: Vec<Value>, fields: &Fields) -> Value {
    let limit = fields.get("limit").and_then(|limit| limit.parse().ok()).unwrap_or(10).clamp(1, 100);
    let after = fields.get("starting_after");
    let begin = all.iter().position(|one| one["id"].as_str() == after.map(String::as_str));
    let left = all.get(begin.map_or(0, |nth| nth + 1)..).unwrap_or_default();
    let shown: Vec<&Value> = left.iter().take(limit).collect();
    json!({"object": "list", "url": url, "has_more": left.len() > limit, "data": shown})
}

fn payout(payout: &Payout) -> Value {
    let status = match payout.status {
        PayoutStatus::Pending => "in_transit",
        PayoutStatus::Paid => "paid",
        PayoutStatus::Failed => "failed",
    };
    let (has_failed, created) = (payout.status == PayoutStatus::Failed, payout.created.timestamp());
    let reconciliation = match (payout.is_manual, payout.status) {
        (true, _) => "not_applicable",
        (false, PayoutStatus::Pending) => "in_progress",
        (false, _) => "completed",
    };
    json!({"id": payout.id, "object": "payout", "amount": payout.amount, "application_fee": null,
        "application_fee_amount": null, "arrival_date": created + 86_400, "automatic": !payout.is_manual,
        "balance_transaction": format!("txn_{}", payout.id), "created": created,
        "currency": payout.currency.to_lowercase(), "description": "STRIPE PAYOUT", "destination": null,
        "failure_balance_transaction": has_failed.then(|| format!("txn_{}_returned", payout.id)),
        "failure_code": has_failed.then_some("account_closed"),
        "failure_message": has_failed.then_some("The bank account has been closed."),
        "livemode": false, "metadata": {}, "method": "standard", "original_payout": null, "payout_method": null,
        "reconciliation_status": reconciliation, "reversed_by": null, "source_type": "card",
        "statement_descriptor": null, "status": status,
        "trace_id": {"status": "supported", "value": format!("TRN{}", payout.id.len())}, "type": "bank_account"})
}

/// The payout's own transaction, which its list has as well.
fn own_transaction(payout: &Payout) -> Value {
    let at = payout.created.timestamp();
    json!({"id": format!("txn_{}", payout.id), "object": "balance_transaction", "amount": -payout.amount,
        "available_on": at, "balance_type": "payments", "created": at, "currency": payout.currency.to_lowercase(),
        "description": "STRIPE PAYOUT", "exchange_rate": null, "fee": 0, "fee_details": [], "net": -payout.amount,
        "reporting_category": "payout", "source": payout.id, "status": "available", "type": "payout"})
}

/// A movement; its payment is given if the source is to be expanded.
fn transaction(payout: &Payout, entry: &Entry, payment: Option<&Payment>) -> Value {
    let at = entry.at.timestamp();
    let fee = entry.fee / 100;
    // What is billed apart is an amount of its own, without a fee.
    let (amount, fee) = if entry.kind == EntryKind::Fee { (-fee, 0) } else { (entry.gross, fee) };
    let (kind, category) = match &entry.kind {
        EntryKind::Payment => ("charge", "charge"),
        EntryKind::Refund => ("refund", "refund"),
        EntryKind::Dispute if amount < 0 => ("adjustment", "dispute"),
        EntryKind::Dispute => ("adjustment", "dispute_reversal"),
        EntryKind::Returned => ("payout_failure", "payout_reversal"),
        EntryKind::Fee => ("stripe_fee", "fee"),
        EntryKind::Other(word) => (word.as_str(), word.as_str()),
    };
    let details = json!({"amount": fee, "application": null, "currency": payout.currency.to_lowercase(),
        "description": "Stripe processing fees", "type": "stripe_fee"});
    let details = if fee == 0 { vec![] } else { vec![details] };
    json!({"id": format!("txn_{}", entry.id), "object": "balance_transaction", "amount": amount, "available_on": at,
        "balance_type": "payments", "created": at, "currency": payout.currency.to_lowercase(), "description": null,
        "exchange_rate": null, "fee": fee, "fee_details": details, "net": amount - fee,
        "reporting_category": category, "source": source(entry, payment), "status": "available", "type": kind})
}

fn source(entry: &Entry, payment: Option<&Payment>) -> Value {
    let Some(payment) = payment else { return json!(entry.id) };
    let id = entry.id.trim_end_matches("_back");
    match entry.kind {
        EntryKind::Payment => shapes::charge(payment),
        EntryKind::Refund => payment.refund_with(id).map(|refund| shapes::refund(payment, refund)).into(),
        EntryKind::Dispute => {
            payment.dispute_with(id).map(|dispute| shapes::dispute(payment, dispute)).into()
        }
        _ => json!(entry.id),
    }
}
