//! The grants that stand for what the course platform gave by itself.

use chrono::{DateTime, Utc};
use shared::course_mode::CourseMode;
use shared::ids::EnrollmentId;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// Returns whether the platform alone had given an enrollment before a grant of this moment.
pub(super) async fn was_alone(
    db: &mut PgConnection,
    id: EnrollmentId,
    now: DateTime<Utc>,
) -> JobResult<bool> {
    let alone = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM enrollment_grants WHERE enrollment_id = $1 AND ended_at IS NULL AND source = 'platform')
               AND NOT EXISTS (SELECT FROM enrollment_grants
                   WHERE enrollment_id = $1 AND ended_at IS NULL AND source <> 'platform' AND granted_at < $2) AS "alone!""#,
        id as _,
        now,
    );
    Ok(alone.fetch_one(db).await?)
}

/// Inserts one, or gives the live one this mode.
pub(super) async fn insert(
    db: &mut PgConnection,
    id: EnrollmentId,
    mode: CourseMode,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO enrollment_grants (id, enrollment_id, source, mode, granted_at) VALUES ($1, $2, 'platform', $3, $4)
         ON CONFLICT (enrollment_id) WHERE source = 'platform' AND ended_at IS NULL DO UPDATE SET mode = excluded.mode",
        Uuid::now_v7(),
        id as _,
        mode as CourseMode,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}
