//! What the course platform gave a learner before the worker's first change. It is recorded as a grant of its own kind, to
//! which the end of a purchase falls back.

use chrono::{DateTime, Utc};
use shared::course_mode::CourseMode;
use sqlx::{Connection, PgConnection};
use uuid::Uuid;

use super::bought_access;
use super::sync::Task;
use crate::error::JobResult;
use crate::plumbing::audit::{Actor, Cause};

/// Records what the platform has: the mode of the learner's active enrollment there, or None.
///
/// # Errors
/// The database is unavailable.
pub async fn record(
    db: &mut PgConnection,
    task: &Task,
    found: Option<CourseMode>,
    now: DateTime<Utc>,
) -> JobResult<()> {
    let mut tx = db.begin().await?;
    let looked = sqlx::query!(
        "UPDATE enrollments SET platform_seen_at = $3 WHERE id = $1 AND sync_lease_until = $2",
        task.id as _,
        task.lease,
        now,
    );
    // Another job holds the lease, and has looked itself.
    let is_ours = looked.execute(&mut *tx).await?.rows_affected() > 0;
    if let Some(mode) = found.filter(|_| is_ours) {
        sqlx::query!(
            "INSERT INTO enrollment_grants (id, enrollment_id, source, mode, granted_at) VALUES ($1, $2, 'platform', $3, $4)
             ON CONFLICT (enrollment_id) WHERE source = 'platform' AND ended_at IS NULL DO UPDATE SET mode = excluded.mode",
            Uuid::now_v7(),
            task.id as _,
            mode as CourseMode,
            now,
        )
        .execute(&mut *tx)
        .await?;
        let cause = Cause { actor: Actor::System, command_id: task.id.into(), now };
        bought_access::settle_rows(&mut tx, &[task.id], cause).await?;
    }
    Ok(tx.commit().await?)
}
