//! Mollie's settlements. Their amount has two decimals, what is in them has four. Shapes as in @mollie/api-client 4.6 and
//! <https://docs.mollie.com/reference/get-settlement>.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use axum::{
    Json, Router,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::{Map, Value, json};

use super::{host, refused, shapes};
use crate::{
    payments::{
        Account, Provider, Refused, bearer,
        payouts::{Entry, EntryKind, Payout, PayoutStatus},
    },
    state::Simulation,
};

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new().route("/settlements", get(settlements)).route("/settlements/{id}", get(read))
}

/// The account whose organisation's access token the call has. The API key of a profile reads no settlements.
fn account(simulation: &Simulation, headers: &HeaderMap) -> Result<Account, Refused> {
    let token = bearer(headers).unwrap_or_default();
    let state = simulation.state();
    let mut own = state.accounts.iter().filter(|account| account.provider == Provider::Mollie);
    let found = own.find(|account| token == format!("access_{}", account.key)).cloned();
    let is_key = state.accounts.iter().any(|account| account.key == token);
    let status = if is_key { StatusCode::FORBIDDEN } else { StatusCode::UNAUTHORIZED };
    found.ok_or_else(|| refused(status, "The API key doesn't have the permissions to perform this action."))
}

async fn settlements(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Query(params): Query<HashMap<String, String>>,
) -> Result<Response, Refused> {
    let (account, base) = (account(&simulation, &headers)?, host(&headers));
    let limit = params.get("limit").and_then(|limit| limit.parse().ok()).unwrap_or(50usize).min(250);
    let state = simulation.state();
    let own: Vec<&Payout> = state.payments.payouts_of(&account).collect();
    let begin = params.get("from").and_then(|from| own.iter().position(|payout| payout.id == *from));
    let left = own.get(begin.unwrap_or(0)..).unwrap_or_default();
    let shown: Vec<Value> = left.iter().take(limit).map(|payout| settlement(payout, &base)).collect();
    let link = |path: &str| json!({"href": format!("{base}/v2/{path}"), "type": "application/hal+json"});
    let next = left.get(limit).map(|next| link(&format!("settlements?from={}&limit={limit}", next.id)));
    Ok(Json(json!({"count": shown.len(), "_embedded": {"settlements": shown},
        "_links": {"self": link("settlements"), "previous": null, "next": next, "documentation": link("docs")}}))
    .into_response())
}

async fn read(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Refused> {
    let (account, base) = (account(&simulation, &headers)?, host(&headers));
    let state = simulation.state();
    let found = state.payments.payouts_of(&account).find(|payout| payout.id == id);
    let found =
        found.ok_or_else(|| refused(StatusCode::NOT_FOUND, "No settlement exists with this token."))?;
    Ok(Json(settlement(found, &base)).into_response())
}

fn settlement(payout: &Payout, base: &str) -> Value {
    let status = match payout.status {
        PayoutStatus::Pending => "processing-at-bank",
        PayoutStatus::Paid => "paidout",
        PayoutStatus::Failed => "failed",
    };
    let at = shapes::time(payout.created);
    let is_settled = payout.status != PayoutStatus::Pending;
    json!({"resource": "settlement", "id": payout.id, "reference": format!("1234567.{}", payout.created.format("%y%m.%d")),
        "createdAt": at, "settledAt": is_settled.then_some(at), "status": status,
        "amount": {"currency": payout.currency, "value": shapes::decimal(payout.amount, &payout.currency)},
        "balanceId": "bal_gVMhHKqSSRYJyPsuoPNFH", "periods": periods(payout), "invoiceId": "inv_FrvewDA3Pr",
        "_links": {"self": {"href": format!("{base}/v2/settlements/{}", payout.id), "type": "application/hal+json"}}})
}

/// What is in a settlement, by year and month (`"04"`): its payments and refunds are revenue, the fees are costs.
fn periods(payout: &Payout) -> Value {
    let mut months: BTreeMap<(String, String), Vec<&Entry>> = BTreeMap::new();
    for entry in &payout.entries {
        let month = (entry.at.format("%Y").to_string(), entry.at.format("%m").to_string());
        months.entry(month).or_default().push(entry);
    }
    let mut years = Map::new();
    for ((year, month), entries) in months {
        let year = years.entry(year).or_insert_with(|| json!({}));
        year[month] = json!({"revenue": revenue(payout, &entries), "costs": costs(payout, &entries),
            "invoiceId": "inv_FrvewDA3Pr", "invoiceReference": "2026.10001"});
    }
    years.into()
}

/// Refunds and chargebacks have a negative net; the gross is positive in the fixture of the SDK.
fn revenue(payout: &Payout, entries: &[&Entry]) -> Vec<Value> {
    let mut sums: BTreeMap<(&str, Option<&str>), (u32, i64)> = BTreeMap::new();
    for entry in entries {
        let (description, method) = match &entry.kind {
            EntryKind::Payment => ("iDEAL", Some("ideal")),
            EntryKind::Refund => ("iDEAL refunds", Some("refund")),
            EntryKind::Dispute => ("Chargebacks", Some("chargeback")),
            EntryKind::Other(word) => (word.as_str(), None),
            EntryKind::Fee | EntryKind::Returned => continue,
        };
        let sum = sums.entry((description, method)).or_default();
        *sum = (sum.0 + 1, sum.1 + entry.gross);
    }
    let row = |((description, method), (count, gross)): ((&str, Option<&str>), (u32, i64))| {
        json!({"description": description, "method": method, "count": count,
            "amountNet": exact(gross * 100, payout), "amountVat": null, "amountGross": exact(gross.abs() * 100, payout)})
    };
    sums.into_iter().map(row).collect()
}

fn costs(payout: &Payout, entries: &[&Entry]) -> Vec<Value> {
    let charged = |is_apart: bool| {
        let own =
            entries.iter().filter(move |entry| (entry.kind == EntryKind::Fee) == is_apart && entry.fee > 0);
        own.fold((0, 0, 0), |(count, fee, tax), entry| (count + 1, fee + entry.fee, tax + entry.tax))
    };
    let row = |(description, method, (count, fee, tax)): (&str, Option<&str>, (u32, i64, i64))| {
        json!({"description": description, "method": method, "count": count,
            "rate": {"fixed": {"currency": payout.currency, "value": "0.2500"}, "percentage": method.map(|_| "1.80")},
            "amountNet": exact(fee - tax, payout), "amountVat": exact(tax, payout), "amountGross": exact(fee, payout)})
    };
    let rows = [("iDEAL", Some("ideal"), charged(false)), ("Other fees", None, charged(true))];
    rows.into_iter().filter(|(_, _, (count, ..))| *count > 0).map(row).collect()
}

/// An amount in hundredths of a subunit, with four decimals.
fn exact(hundredths: i64, payout: &Payout) -> Value {
    let (sign, size) = (if hundredths < 0 { "-" } else { "" }, hundredths.abs());
    let value = match shapes::digits(&payout.currency) {
        0 => format!("{sign}{}.{:02}", size / 100, size % 100),
        _ => format!("{sign}{}.{:04}", size / 10_000, size % 10_000),
    };
    json!({"currency": payout.currency, "value": value})
}
