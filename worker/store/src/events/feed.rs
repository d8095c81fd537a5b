//! Events for the organisations' systems. Triggers of the schema write them; this gives them their places in the feed, and
//! forgets them.
//!
//! Why: `docs/decisions/events.md`

use chrono::{DateTime, Utc};
use shared::db::Db;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// Gives a position to each of the oldest committed events that have none, and creates their deliveries. Returns how many
/// there were; 0 if another worker is at it. Until the transaction ends, no other worker gives positions.
///
/// # Errors
/// The database is unavailable.
pub async fn give_positions(
    db: &mut PgConnection,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<i64, sqlx::Error> {
    let found = sqlx::query!(
        r#"SELECT last, feed_place() IS NOT DISTINCT FROM (SELECT place FROM feed_epochs ORDER BY number DESC LIMIT 1) AS "is_same!"
           FROM event_positions WHERE EXISTS (SELECT FROM events WHERE position IS NULL)
           FOR UPDATE OF event_positions SKIP LOCKED"#
    );
    let Some(found) = found.fetch_optional(&mut *db).await? else { return Ok(0) };
    let last = match found.is_same {
        true => found.last,
        false => begin_epoch(db, found.last, now).await?,
    };
    // A statement of its own: it sees all that the last holder of the lock has committed.
    sqlx::query_scalar!(
        r#"WITH new AS (
               SELECT id, row_number() OVER (ORDER BY at, id) AS nth FROM (
                   SELECT id, at FROM events WHERE position IS NULL ORDER BY at LIMIT $2) oldest),
           placed AS (
               UPDATE events e SET position = $1 + new.nth FROM new WHERE e.id = new.id
               RETURNING e.id, e.organisation_id, e.type, e.at),
           raised AS (UPDATE event_positions SET last = $1 + (SELECT count(*) FROM placed)),
           due AS (
               INSERT INTO webhook_deliveries (endpoint_id, event_id, at, next_attempt_at)
               SELECT w.id, placed.id, placed.at, $3 FROM placed
               JOIN webhook_endpoints w ON w.organisation_id = placed.organisation_id
               WHERE w.disabled_at IS NULL AND placed.type = ANY (w.types)
               ON CONFLICT DO NOTHING)
           SELECT count(*) AS "count!" FROM placed"#,
        last,
        limit,
        now,
    )
    .fetch_one(db)
    .await
}

/// Begins an epoch of the feed, in a database that was not its place before. Returns the last position of the one before: events
/// alone can be restored, without the number of the last one.
async fn begin_epoch(db: &mut PgConnection, last: i64, now: DateTime<Utc>) -> Result<i64, sqlx::Error> {
    let began_after = sqlx::query_scalar!(
        r#"INSERT INTO feed_epochs (place, began_after, began_at)
           SELECT feed_place(), greatest($1, (SELECT max(position) FROM events)), $2
           RETURNING began_after"#,
        last,
        now,
    );
    began_after.fetch_one(db).await
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
