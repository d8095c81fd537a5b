//! Deliveries of events to the endpoints of organisations: which are due, and how their attempts have ended.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use shared::db::Db;
use shared::messages::{DeliverEvents, Message};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// Time that one job has an endpoint for itself after its last look. It is longer than its attempts take. Another job
/// follows one that has died after this time.
const LEASE: TimeDelta = TimeDelta::minutes(2);

/// An event and where it goes.
pub struct Delivery {
    pub event_id: Uuid,
    /// Attempts before this one.
    pub attempts: i32,
    pub url: String,
    pub kind: String,
    pub data: Value,
    pub email: Option<String>,
    pub at: DateTime<Utc>,
    /// The organisation's short name.
    pub organisation: String,
}

/// End of an attempt.
pub struct Attempt<'a> {
    /// None if there was no answer.
    pub status: Option<i32>,
    /// The beginning of the answer, or the fault.
    pub answer: &'a str,
}

/// Writes a message for each endpoint that has deliveries due and no job, for the relay to publish. Returns how many.
///
/// # Errors
/// The database is unavailable.
pub async fn queue_due(db: &Db, now: DateTime<Utc>) -> Result<u64, sqlx::Error> {
    let queued = sqlx::query!(
        "WITH ready AS (
             -- OFFSET leaves the planner only the way by the key: it would read all deliveries that are due.
             SELECT id FROM webhook_endpoints w
             WHERE disabled_at IS NULL AND (lease_until IS NULL OR lease_until <= $1) AND EXISTS (
                 SELECT FROM webhook_deliveries d WHERE d.endpoint_id = w.id AND d.next_attempt_at <= $1 OFFSET 0)
             FOR NO KEY UPDATE SKIP LOCKED),
         leased AS (
             UPDATE webhook_endpoints w SET lease_id = gen_random_uuid(), lease_until = $2 FROM ready WHERE w.id = ready.id
             RETURNING w.id, w.lease_id)
         INSERT INTO outbox (message_id, type, body, created_at)
         SELECT gen_random_uuid(), $3, jsonb_build_object('endpoint_id', id, 'lease_id', lease_id), $1 FROM leased",
        now,
        now + LEASE,
        DeliverEvents::KIND,
    );
    Ok(queued.execute(db).await?.rows_affected())
}

/// The deliveries to an endpoint that are due, the oldest first. Renews the lease; empty if it is over, or if the endpoint is
/// disabled.
pub async fn take(
    db: &Db,
    message: &DeliverEvents,
    now: DateTime<Utc>,
    limit: i64,
) -> JobResult<Vec<Delivery>> {
    Ok(sqlx::query_as!(
        Delivery,
        r#"WITH held AS (
               UPDATE webhook_endpoints SET lease_until = $4 WHERE id = $1 AND lease_id = $2 AND disabled_at IS NULL
               RETURNING id, url)
           SELECT d.event_id, d.attempts, held.url, e.type AS kind, e.data, e.at,
                  (SELECT n.email FROM enrollments n WHERE n.id = e.enrollment_id) AS email,
                  (SELECT o.short_name FROM organisations o WHERE o.id = e.organisation_id) AS "organisation!"
           -- The first ones before the joins: a backlog of a million costs no more than these. OFFSET leaves the planner only the
           -- way by the key.
           FROM held CROSS JOIN LATERAL (
               SELECT event_id, attempts, next_attempt_at FROM webhook_deliveries
               WHERE endpoint_id = held.id AND next_attempt_at <= $3 ORDER BY next_attempt_at LIMIT $5) d
           CROSS JOIN LATERAL (SELECT * FROM events WHERE id = d.event_id OFFSET 0) e
           ORDER BY d.next_attempt_at"#,
        message.endpoint_id,
        message.lease_id,
        now,
        now + LEASE,
        limit,
    )
    .fetch_all(db)
    .await?)
}

/// Ends the lease, so that another job can deliver to the endpoint.
pub async fn release(db: &Db, message: &DeliverEvents) -> JobResult<()> {
    sqlx::query!(
        "UPDATE webhook_endpoints SET lease_id = NULL, lease_until = NULL WHERE id = $1 AND lease_id = $2",
        message.endpoint_id,
        message.lease_id,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Records the attempts that succeeded, with the event of each.
pub async fn delivered(
    db: &Db,
    endpoint: Uuid,
    attempts: &[(Uuid, Attempt<'_>)],
    now: DateTime<Utc>,
) -> JobResult<()> {
    let events: Vec<Uuid> = attempts.iter().map(|(event, _)| *event).collect();
    let statuses: Vec<i32> = attempts.iter().map(|(_, attempt)| attempt.status.unwrap_or_default()).collect();
    let answers: Vec<String> = attempts.iter().map(|(_, attempt)| attempt.answer.to_owned()).collect();
    // The endpoint's row is written after a failure only.
    sqlx::query!(
        "WITH works AS (UPDATE webhook_endpoints SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL)
         UPDATE webhook_deliveries SET attempts = attempts + 1, next_attempt_at = NULL, delivered_at = $3,
             last_status = ($4::integer[])[array_position($2, event_id)],
             last_answer = ($5::text[])[array_position($2, event_id)]
         WHERE endpoint_id = $1 AND event_id = ANY ($2)",
        endpoint,
        &events,
        now,
        &statuses,
        &answers,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Records an attempt that failed, and when the next one is; None gives the delivery up.
pub async fn failed(
    db: &mut PgConnection,
    endpoint: Uuid,
    delivery: &Delivery,
    attempt: &Attempt<'_>,
    next: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "WITH fails AS (UPDATE webhook_endpoints SET failing_since = $6 WHERE id = $1 AND failing_since IS NULL)
         UPDATE webhook_deliveries SET attempts = attempts + 1, next_attempt_at = $3, last_status = $4, last_answer = $5
         WHERE endpoint_id = $1 AND event_id = $2 AND attempts = $7 AND delivered_at IS NULL",
        endpoint,
        delivery.event_id,
        next,
        attempt.status,
        attempt.answer,
        now,
        delivery.attempts,
    )
    .execute(db)
    .await?;
    Ok(())
}
