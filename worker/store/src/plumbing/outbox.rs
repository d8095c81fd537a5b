//! The outbox: tasks written in the transaction that causes them, and published by the relay after its commit.

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::db::Db;
use shared::messages::Task;
use shared::trace_parent::TraceParent;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// A message that waits for the relay.
pub struct OutboxRow {
    pub id: i64,
    pub message_id: Uuid,
    pub kind: String,
    pub body: Value,
    pub created_at: DateTime<Utc>,
    /// The job that wrote the row; None outside of jobs, where a trace begins with the message.
    pub traceparent: Option<String>,
}

/// Writes a task for the relay to publish after the commit. Returns the row's id.
///
/// # Errors
/// The database is unavailable, or the task cannot be serialised as JSON.
pub async fn push<T: Task>(db: &mut PgConnection, task: T, now: DateTime<Utc>) -> JobResult<i64> {
    push_at(db, task, now, None).await
}

/// As [`push`], but the relay publishes the task no earlier than `not_before`.
///
/// # Errors
/// As [`push`].
pub async fn push_at<T: Task>(
    db: &mut PgConnection,
    task: T,
    now: DateTime<Utc>,
    not_before: Option<DateTime<Utc>>,
) -> JobResult<i64> {
    Ok(sqlx::query_scalar!(
        "INSERT INTO outbox (message_id, type, body, created_at, traceparent, not_before) VALUES ($1, $2, $3, $4, $5, $6)
         RETURNING id",
        Uuid::now_v7(),
        T::KIND,
        serde_json::to_value(&task)?,
        now,
        TraceParent::current().map(|trace| trace.to_string()),
        not_before,
    )
    .fetch_one(db)
    .await?)
}

/// Writes a row and takes it back: fails wherever the worker could not write, such as at a standby, in a read-only session, or
/// without the right.
///
/// # Errors
/// The database is unavailable, or takes no writes.
pub async fn try_write(db: &Db) -> Result<(), sqlx::Error> {
    let mut tx = db.begin().await?;
    sqlx::query!(
        "INSERT INTO outbox (message_id, type, body, created_at) VALUES (gen_random_uuid(), '', '{}', now())"
    )
    .execute(&mut *tx)
    .await?;
    tx.rollback().await
}

/// Lets the relay publish a held-back message at once.
///
/// # Errors
/// The database is unavailable.
pub async fn publish_now(db: &Db, id: i64) -> JobResult<()> {
    sqlx::query!("UPDATE outbox SET not_before = NULL WHERE id = $1", id).execute(db).await?;
    Ok(())
}

/// Rows that wait for the relay.
pub struct Due {
    /// Rows of the outbox.
    pub rows: bool,
    /// Events without a position.
    pub events: bool,
    /// Deliveries of events.
    pub deliveries: bool,
    /// Syncs of batches.
    pub batch_syncs: bool,
    /// Any of these, now or later.
    pub later: bool,
}

/// Returns what waits for the relay now, without rows whose kind is in `excluded`.
///
/// # Errors
/// The database is unavailable.
pub async fn due(db: &Db, excluded: &[String], now: DateTime<Utc>) -> Result<Due, sqlx::Error> {
    sqlx::query_as!(
        Due,
        // OFFSET leaves the planner only the way by the key: it would read all deliveries.
        r#"SELECT EXISTS (SELECT FROM outbox WHERE type <> ALL($1) AND (not_before IS NULL OR not_before <= $2)) AS "rows!",
                  EXISTS (SELECT FROM events WHERE position IS NULL) AS "events!",
                  EXISTS (SELECT FROM webhook_endpoints w
                      WHERE w.disabled_at IS NULL AND (w.lease_until IS NULL OR w.lease_until <= $2) AND EXISTS (
                      SELECT FROM webhook_deliveries d WHERE d.endpoint_id = w.id AND d.next_attempt_at <= $2 OFFSET 0)) AS "deliveries!",
                  EXISTS (SELECT FROM batch_pace WHERE next_sync_at <= now()) AND EXISTS (SELECT FROM batch_syncs)
                      AS "batch_syncs!",
                  EXISTS (SELECT FROM outbox) OR EXISTS (SELECT FROM batch_syncs)
                      OR EXISTS (SELECT FROM webhook_endpoints w WHERE EXISTS (
                          SELECT FROM webhook_deliveries d WHERE d.endpoint_id = w.id AND d.next_attempt_at IS NOT NULL OFFSET 0))
                      AS "later!""#,
        excluded,
        now,
    )
    .fetch_one(db)
    .await
}

/// Takes the oldest due rows that no other relay has taken, except those whose kind is in `excluded`. Whatever of them is not
/// published stays by a rollback.
///
/// # Errors
/// The database is unavailable.
pub async fn take(
    db: &mut PgConnection,
    excluded: &[String],
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<OutboxRow>, sqlx::Error> {
    let mut rows = sqlx::query_as!(
        OutboxRow,
        r#"DELETE FROM outbox WHERE id = ANY (ARRAY(
               SELECT id FROM outbox WHERE type <> ALL($1) AND (not_before IS NULL OR not_before <= $2)
               ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED))
           RETURNING id, message_id, type AS kind, body, created_at, traceparent"#,
        excluded,
        now,
        limit,
    )
    .fetch_all(db)
    .await?;
    rows.sort_by_key(|row| row.id);
    Ok(rows)
}

/// Deletes published messages.
pub async fn delete(db: &Db, ids: &[i64]) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM outbox WHERE id = ANY($1)", ids).execute(db).await?;
    Ok(())
}
