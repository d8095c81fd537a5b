//! Syncs of batches. They wait in a table of their own until the relay moves them to the outbox, at a steady pace and from each
//! batch in turn: a long batch holds up neither buyers nor short batches.

use chrono::{DateTime, TimeDelta, Utc};
use shared::db::Db;
use shared::ids::EnrollmentId;
use shared::messages::SyncEnrollment;
use shared::words::EnrollmentStatus as State;
use sqlx::PgConnection;
use uuid::Uuid;

use super::sync;
use crate::error::JobResult;
use crate::plumbing::outbox;

/// Number of syncs sent within [`RECENTLY`], of batches and others, that may wait for the platform before batches send no more.
/// Older ones may wait for a retry, and hold up no batch.
const WAITING: i64 = 10;

const RECENTLY: TimeDelta = TimeDelta::minutes(1);

/// Time by which the relay, behind its pace, catches up.
const CATCH_UP: TimeDelta = TimeDelta::seconds(2);

/// Syncs released at once.
const MOST: usize = 100;

/// Holds back the syncs of enrollments that are now in this state until the turn of their batch, in this order.
///
/// # Errors
/// The database is unavailable.
pub(crate) async fn insert(
    db: &mut PgConnection,
    batch: Uuid,
    enrollments: &[EnrollmentId],
    state: State,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO batch_syncs (batch_id, enrollment_id, created_at, rank)
         SELECT $1, id, $4, $3 * nth + greatest(
             (SELECT max(rank) FROM batch_syncs WHERE batch_id = $1), (SELECT min(rank) FROM batch_syncs), 0)
         FROM unnest($2::uuid[]) WITH ORDINALITY AS e (id, nth)",
        batch,
        enrollments as _,
        i64::from(sync::calls(state == State::Enrolled)),
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Moves the syncs whose time has come to the outbox: each call takes `apart` of the time of all batches. None move while another
/// worker does this, or while the platform is behind.
///
/// # Errors
/// The database is unavailable.
pub async fn release(db: &Db, apart: TimeDelta, now: DateTime<Utc>) -> JobResult<()> {
    let mut tx = db.begin().await?;
    // By the server's clock, so that the workers' clocks need not agree.
    let pace = sqlx::query!(
        r#"SELECT now() AS "at!", next_sync_at FROM batch_pace
           WHERE next_sync_at <= now() AND EXISTS (SELECT FROM batch_syncs) FOR UPDATE SKIP LOCKED"#
    );
    let Some(pace) = pace.fetch_optional(&mut *tx).await? else { return Ok(()) };
    if !sync::is_backlog_below(&mut tx, WAITING, now - RECENTLY).await? {
        return Ok(());
    }
    let mut next = pace.next_sync_at.max(pace.at - CATCH_UP);
    for _ in 0..MOST {
        if next > pace.at {
            break;
        }
        let Some(calls) = release_next(&mut tx, now).await? else { break };
        next += apart * calls;
    }
    sqlx::query!("UPDATE batch_pace SET next_sync_at = $1", next).execute(&mut *tx).await?;
    Ok(tx.commit().await?)
}

/// Moves the next sync to the outbox, unless it was sent meanwhile. Returns how many calls it takes; None if no sync waits. It
/// passes over enrollments that another transaction has locked, and so waits for no job.
async fn release_next(db: &mut PgConnection, now: DateTime<Utc>) -> JobResult<Option<i32>> {
    let next = sqlx::query!(
        r#"WITH next AS (
               SELECT s.id, s.enrollment_id, e.state, e.sync_held_back AND e.platform_state = 'queued' AS is_needed
               FROM batch_syncs s JOIN enrollments e ON e.id = s.enrollment_id
               ORDER BY s.rank, s.id LIMIT 1 FOR NO KEY UPDATE OF e SKIP LOCKED),
           gone AS (DELETE FROM batch_syncs s USING next WHERE s.id = next.id),
           -- It counts as waiting for the platform from now on.
           released AS (UPDATE enrollments e SET sync_held_back = false, updated_at = $1 FROM next
                        WHERE e.id = next.enrollment_id AND e.sync_held_back)
           SELECT enrollment_id, state AS "state: State", is_needed AS "is_needed!" FROM next"#,
        now,
    );
    let Some(next) = next.fetch_optional(&mut *db).await? else { return Ok(None) };
    if !next.is_needed {
        return Ok(Some(0));
    }
    outbox::push(db, SyncEnrollment { enrollment_id: next.enrollment_id }, now).await?;
    Ok(Some(sync::calls(next.state == State::Enrolled)))
}
