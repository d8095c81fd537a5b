//! Razorpay's and Curlec's settlements, and the movements that were settled on a day. Shapes as in razorpay-node 2.9,
//! <https://razorpay.com/docs/api/settlements/fetch-all> and <https://razorpay.com/docs/api/settlements/fetch-recon>. The tax is in the
//! fee. `notes` is a text, null or a list.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Extension, Json, Router,
    extract::{Query, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
    routing::get,
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::{account, refused, shapes};
use crate::{
    payments::{
        Payment, Provider, Refused,
        payouts::{Entry, EntryKind, Payout, PayoutStatus},
    },
    state::Simulation,
};

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new().route("/settlements", get(settlements)).route("/settlements/recon/combined", get(recon))
}

/// One page of a list: ten, unless the caller asks for up to 1000.
fn page<T>(all: impl Iterator<Item = T>, params: &HashMap<String, String>) -> Vec<T> {
    let number = |name: &str, default| params.get(name).and_then(|text| text.parse().ok()).unwrap_or(default);
    all.skip(number("skip", 0)).take(number("count", 10).min(1_000)).collect()
}

async fn settlements(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Query(params): Query<HashMap<String, String>>,
) -> Result<Response, Refused> {
    let account = account(&simulation, provider, &headers)?;
    let from = params.get("from").and_then(|from| from.parse().ok()).unwrap_or(0);
    let state = simulation.state();
    let own = state.payments.payouts_of(&account).filter(|payout| payout.created.timestamp() >= from);
    Ok(Json(shapes::collection(&page(own.map(settlement), &params))).into_response())
}

/// A settlement names no currency, and its fees and taxes are 0.
fn settlement(payout: &Payout) -> Value {
    let status = match payout.status {
        PayoutStatus::Pending => "created",
        PayoutStatus::Paid => "processed",
        PayoutStatus::Failed => "failed",
    };
    json!({"id": payout.id, "entity": "settlement", "amount": payout.amount, "status": status, "fees": 0, "tax": 0,
        "utr": utr(payout), "created_at": payout.created.timestamp()})
}

fn utr(payout: &Payout) -> String {
    format!("1568176960vxp0{}", payout.id.len())
}

/// The day of the settlement, as in India.
fn day(at: DateTime<Utc>) -> String {
    (at + TimeDelta::minutes(330)).format("%Y-%-m-%-d").to_string()
}

async fn recon(
    State(simulation): State<Arc<Simulation>>,
    Extension(provider): Extension<Provider>,
    headers: HeaderMap,
    Query(params): Query<HashMap<String, String>>,
) -> Result<Response, Refused> {
    let account = account(&simulation, provider, &headers)?;
    let part =
        |name: &str| params.get(name).cloned().ok_or_else(|| refused("The year, month and day are required"));
    let wanted = format!("{}-{}-{}", part("year")?, part("month")?, part("day")?);
    let state = simulation.state();
    let settled = state.payments.payouts_of(&account).filter(|payout| day(payout.created) == wanted);
    let settled = settled.filter(|payout| payout.status != PayoutStatus::Pending);
    let entries = settled.flat_map(|payout| payout.entries.iter().map(move |entry| (payout, entry)));
    let payment_of = |entry: &Entry| {
        let reference = entry.payment.as_ref()?;
        state.payments.all.iter().find(|payment| payment.reference == *reference)
    };
    let rows: Vec<Value> = page(entries, &params)
        .into_iter()
        .map(|(payout, entry)| row(payout, entry, payment_of(entry)))
        .collect();
    Ok(Json(shapes::collection(&rows)).into_response())
}

fn row(payout: &Payout, entry: &Entry, payment: Option<&Payment>) -> Value {
    let (fee, tax) = (entry.fee / 100, entry.tax / 100);
    let charge = payment.and_then(Payment::charge).map(|attempt| attempt.id.clone());
    let (kind, id, of_payment) = match &entry.kind {
        EntryKind::Payment => ("payment", charge.unwrap_or_else(|| format!("pay_{}", entry.id)), None),
        EntryKind::Refund => ("refund", entry.id.clone(), charge),
        EntryKind::Dispute => ("adjustment", format!("adj_{}", entry.id), None),
        EntryKind::Fee => ("adjustment", format!("adj_{}", entry.id), None),
        EntryKind::Returned => ("adjustment", format!("adj_{}", entry.id), None),
        EntryKind::Other(word) => (word.as_str(), entry.id.clone(), None),
    };
    let (credit, debit) =
        if entry.gross - fee >= 0 { (entry.gross - fee, 0) } else { (0, fee - entry.gross) };
    let order =
        payment.map(|payment| payment.reference.as_str()).filter(|_| entry.kind == EntryKind::Payment);
    let is_dispute = entry.kind == EntryKind::Dispute;
    json!({"entity_id": id, "type": kind, "debit": debit, "credit": credit, "amount": entry.gross.abs(),
        "currency": payout.currency, "fee": fee, "tax": tax, "on_hold": false, "settled": true,
        "created_at": entry.at.timestamp(), "settled_at": payout.created.timestamp(), "posted_at": null,
        "settlement_id": payout.id, "settlement_utr": utr(payout), "description": null, "notes": "{}",
        "payment_id": of_payment, "order_id": order,
        "order_receipt": payment.filter(|_| order.is_some()).and_then(|payment| payment.our_reference.as_deref()),
        "method": null, "card_network": null, "card_issuer": null, "card_type": null, "credit_type": "default",
        "dispute_id": is_dispute.then(|| entry.id.trim_end_matches("_back"))})
}
