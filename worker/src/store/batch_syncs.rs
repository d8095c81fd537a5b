//! Syncs of lists. They wait in a table of their own until the relay moves them to the outbox, at a steady pace and from each
//! list in turn: a long list holds up neither buyers nor short lists.

use chrono::{DateTime, TimeDelta, Utc};
use shared::messages::SyncEnrollment;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::{outbox, sync};
use crate::error::JobResult;

/// Until then the reconciler leaves a waiting sync alone. Longer than any queue of lists: 100,000 calls at 82 a minute.
const RECONCILED_AFTER: TimeDelta = TimeDelta::days(1);

/// How far behind its pace the relay catches up.
const CATCH_UP: TimeDelta = TimeDelta::seconds(2);

/// Syncs released at once.
const MOST: usize = 200;

/// Takes the sync of an enrollment, whose message is this row of the outbox, out of the outbox to wait for its turn.
///
/// # Errors
/// The database is unavailable.
pub async fn hold_back(
    db: &mut PgConnection,
    batch: Uuid,
    enrollment: Uuid,
    message: i64,
    calls: i32,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "WITH held_back AS (DELETE FROM outbox WHERE id = $3),
              left_alone AS (UPDATE enrollments SET sync_requested_at = $6 WHERE id = $2)
         INSERT INTO batch_syncs (batch_id, enrollment_id, calls, created_at, turn)
         VALUES ($1, $2, $4::integer, $5, $4::integer + greatest(
             (SELECT max(turn) FROM batch_syncs WHERE batch_id = $1), (SELECT min(turn) FROM batch_syncs), 0))",
        batch,
        enrollment,
        message,
        calls,
        now,
        now + RECONCILED_AFTER,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Moves the syncs whose time has come to the outbox: each call takes `apart` of the time of all lists. None move while the
/// platform is behind with other syncs.
///
/// # Errors
/// The database is unavailable.
pub async fn release(db: &PgPool, apart: TimeDelta, now: DateTime<Utc>) -> JobResult<()> {
    if !sync::is_backlog_short(db, now).await? {
        return Ok(());
    }
    let mut tx = db.begin().await?;
    let pace = sqlx::query_scalar!("SELECT next_sync_at FROM batch_pace FOR UPDATE SKIP LOCKED");
    // Another worker's relay has it.
    let Some(next) = pace.fetch_optional(&mut *tx).await? else { return Ok(()) };
    let mut next = next.max(now - CATCH_UP);
    for _ in 0..MOST {
        if next > now {
            break;
        }
        let Some(calls) = release_next(&mut tx, now).await? else { break };
        next += apart * calls;
    }
    sqlx::query!("UPDATE batch_pace SET next_sync_at = $1", next).execute(&mut *tx).await?;
    Ok(tx.commit().await?)
}

/// Moves the next sync to the outbox and returns how many calls it takes: none if the platform agrees by now. None if no sync
/// waits.
async fn release_next(db: &mut PgConnection, now: DateTime<Utc>) -> JobResult<Option<i32>> {
    let next = sqlx::query!(
        "DELETE FROM batch_syncs WHERE id = (SELECT id FROM batch_syncs ORDER BY turn, id LIMIT 1)
         RETURNING enrollment_id, calls"
    );
    let Some(next) = next.fetch_optional(&mut *db).await? else { return Ok(None) };
    // It counts as waiting for the platform from now on.
    let begun = sqlx::query!(
        "UPDATE enrollments SET sync_requested_at = $2, updated_at = $2 WHERE id = $1 AND platform_state = 'queued'",
        next.enrollment_id,
        now,
    );
    if begun.execute(&mut *db).await?.rows_affected() == 0 {
        return Ok(Some(0));
    }
    outbox::push(db, SyncEnrollment { enrollment_id: next.enrollment_id }, now).await?;
    Ok(Some(next.calls))
}
