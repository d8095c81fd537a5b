//! Events for the organisations' systems. Triggers of the schema write them; this gives them their places in the feed, and
//! forgets them.
//!
//! Why: `docs/decisions/events.md`

use chrono::{DateTime, Utc};
use shared::db::Db;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// Events that got their positions, and what waits beside them.
pub struct Placed {
    /// 0 if another worker is at it.
    pub events: i64,
    /// Deliveries that were created for them.
    pub due: i64,
    /// Indicates whether messages of the outbox are due.
    pub has_messages: bool,
}

/// Gives a position to each of the oldest committed events that have none, and creates their deliveries. Looks for messages of other
/// kinds than those in `excluded`.
///
/// # Errors
/// The database is unavailable.
pub async fn give_positions(
    db: &Db,
    excluded: &[String],
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Placed, sqlx::Error> {
    let placed = sqlx::query_as!(
        Placed,
        r#"SELECT placed AS "events!", due AS "due!",
                  EXISTS (SELECT FROM outbox WHERE type <> ALL($3) AND (not_before IS NULL OR not_before <= $2)) AS "has_messages!"
           FROM give_positions($1, $2)"#,
        limit,
        now,
        excluded,
    );
    placed.fetch_one(db).await
}

/// Deletes events that happened before this time, at most `limit` of each organisation. Returns how many.
pub async fn forget_old(db: &Db, before: DateTime<Utc>, limit: i64) -> JobResult<u64> {
    // Positions follow the time but for moments, so the first event tells whether there is anything to delete.
    let gone = sqlx::query!(
        "DELETE FROM events WHERE id = ANY (ARRAY(
             SELECT old.id FROM organisations o
             CROSS JOIN LATERAL (
                 SELECT at FROM events WHERE organisation_id = o.id AND position IS NOT NULL ORDER BY position LIMIT 1) first
             CROSS JOIN LATERAL (
                 SELECT id, at FROM events WHERE organisation_id = o.id AND position IS NOT NULL ORDER BY position LIMIT $2) old
             WHERE first.at < $1 AND old.at < $1))",
        before,
        limit,
    );
    Ok(gone.execute(db).await?.rows_affected())
}

/// Makes an endpoint's events since a time due again: all of them, or only those that it has not received. Returns how many.
pub async fn replay(
    db: &mut PgConnection,
    endpoint: Uuid,
    since: DateTime<Utc>,
    all: bool,
    now: DateTime<Utc>,
) -> JobResult<u64> {
    let again = sqlx::query!(
        "INSERT INTO webhook_deliveries (endpoint_id, event_id, at, next_attempt_at)
         SELECT w.id, e.id, e.at, $3 FROM webhook_endpoints w JOIN events e ON e.organisation_id = w.organisation_id
         WHERE w.id = $1 AND e.at >= $2 AND e.position IS NOT NULL AND e.type = ANY (w.types)
         ON CONFLICT (endpoint_id, event_id) DO UPDATE
         SET attempts = 0, next_attempt_at = excluded.next_attempt_at, delivered_at = NULL
         WHERE $4 OR webhook_deliveries.delivered_at IS NULL",
        endpoint,
        since,
        now,
        all,
    );
    Ok(again.execute(db).await?.rows_affected())
}
