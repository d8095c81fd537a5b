//! The end of all grants of an address on a course, at the partner's request. `bought_access` ends those of a refunded
//! cart alone.

use chrono::{DateTime, Utc};
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::ids::EnrollmentId;
use shared::words::EnrollmentOutcome;
use sqlx::PgConnection;
use uuid::Uuid;

use super::records::{PlatformState, Row, State, Target, change, enrollment_rows};
use super::sync_queue::{self, SyncAt};
use crate::error::JobResult;
use crate::plumbing::audit::Cause;
use crate::plumbing::locks::{self, Lock};
use crate::sales::carts;

/// Ends every grant of an address on a course. Returns what that made of its enrollment.
pub async fn remove(
    db: &mut PgConnection,
    email: &Email,
    course_id: Uuid,
    sync_at: SyncAt,
    cause: Cause,
) -> JobResult<EnrollmentOutcome> {
    let learner_id = sqlx::query_scalar!("SELECT id FROM learners WHERE email = $1", email.as_str())
        .fetch_optional(&mut *db)
        .await?;
    carts::held(db, email).await?;
    locks::take(db, &[Lock::Enrollment(email, course_id)]).await?;
    let rows = enrollment_rows!(
        "SELECT",
        columns,
        "FROM enrollments
         WHERE course_id = $1 AND (state <> 'removed' OR sync_held_back) AND (learner_id = $3 OR email = $2) ORDER BY id FOR UPDATE",
        course_id,
        email.as_str(),
        learner_id as _,
    )
    .fetch_all(&mut *db)
    .await?;
    // Two rows, if the learner had the course under an earlier address and this address was granted it since.
    let mut outcome = EnrollmentOutcome::None;
    for row in rows {
        if row.state == State::Removed {
            // By a batch, whose turn this caller need not wait for.
            sync_queue::push_again(db, row.id, row.state, sync_at, cause.now).await?;
            continue;
        }
        outcome = match (row.state, outcome) {
            (State::Enrolled, _) | (_, EnrollmentOutcome::Removed) => EnrollmentOutcome::Removed,
            _ => EnrollmentOutcome::Cancelled,
        };
        end_grants(db, row.id, cause.now).await?;
        let to = Target { state: State::Removed, mode: row.mode, learner_id: row.learner_id };
        change(db, &row, to, sync_at, cause).await?;
    }
    if outcome != EnrollmentOutcome::None {
        carts::cancel_emptied(db, email, cause).await?;
    }
    Ok(outcome)
}

async fn end_grants(db: &mut PgConnection, enrollment_id: EnrollmentId, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE enrollment_grants SET ended_at = $2, ended_reason = 'removed by the partner'
         WHERE enrollment_id = $1 AND ended_at IS NULL",
        enrollment_id as _,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}
