//! Waiting work, its amount and age: what the reconciler has to do and what the backlog metrics show.

use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::db::Db;
use shared::gateway::Gateway;

use crate::error::JobResult;

/// One kind of waiting work.
#[derive(Debug, Serialize)]
pub struct Waiting {
    pub what: String,
    pub count: i64,
    pub oldest: Option<DateTime<Utc>>,
}

/// The kinds, besides `batch_rows`.
const KINDS: [&str; 21] = [
    "enrollments_unconfirmed",
    "enrollments_refused",
    "enrollments_pending_registration",
    "carts_held",
    "payments_pending",
    "refunds_asked",
    "refunds_accepted",
    "payments_alarmed",
    "accounts_refused",
    "carts_paid",
    "events_unmatched",
    "events_parked",
    "commands_unanswered",
    "webhooks_due",
    "webhooks_disabled",
    "batch_syncs",
    "documents_missing",
    "documents_requested",
    "withdrawals_waiting",
    "withdrawals_undecided",
    "outbox",
];

/// Number at which the count of work ends that is under way, of which there is none at rest.
const UNDER_WAY: i64 = 10_000;

/// Number at which the count ends of what waits for somebody else: an address that registers, a buyer who pays, an operator. A million
/// can wait so for ever, and a gauge that is read every half minute does not read them.
const ELSEWHERE: i64 = 200;

/// Counts each kind of waiting work, up to 10,000 or 200. A kind with nothing waiting is in the list with a count of 0. Payments at an
/// uncancellable gateway stay payable for good: those made before `given_up` no longer count.
pub async fn read(
    db: &Db,
    uncancellable_gateways: &[String],
    given_up: DateTime<Utc>,
) -> JobResult<Vec<Waiting>> {
    Ok(sqlx::query_file_as!(
        Waiting,
        "src/plumbing/backlog.sql",
        uncancellable_gateways,
        given_up,
        UNDER_WAY,
        &KINDS.map(str::to_owned),
        ELSEWHERE,
        &Gateway::ALL.iter().map(|gateway| gateway.name().to_owned()).collect::<Vec<_>>(),
    )
    .fetch_all(db)
    .await?)
}
