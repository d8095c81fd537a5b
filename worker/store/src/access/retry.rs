//! Another try of an enrollment that the course platform has refused, after a person has dealt with the reason.

use serde_json::json;
use shared::ids::{EnrollmentId, OrganisationId};
use sqlx::PgConnection;

use super::enrollments::State;
use super::sync_queue::{self, SyncAt};
use crate::error::JobResult;
use crate::plumbing::audit::{self, Cause, Change, Entity};

/// Queues the sync of a refused enrollment in a course of an organisation. False if there is none with this id.
pub async fn retry(
    db: &mut PgConnection,
    enrollment_id: EnrollmentId,
    organisation: OrganisationId,
    cause: Cause,
) -> JobResult<bool> {
    let refused = sqlx::query!(
        r#"UPDATE enrollments e SET version = e.version + 1, platform_state = 'queued', platform_reason = NULL, sync_failures = 0,
               updated_at = $3
           FROM courses c, enrollments before
           WHERE e.id = $1 AND c.id = e.course_id AND c.organisation_id = $2 AND before.id = e.id
             AND e.platform_state = 'refused' AND e.learner_id IS NOT NULL
           RETURNING e.state AS "state: State", before.platform_reason"#,
        enrollment_id as _,
        organisation as _,
        cause.now,
    )
    .fetch_optional(&mut *db)
    .await?;
    let Some(refused) = refused else { return Ok(false) };
    sync_queue::push(db, enrollment_id, refused.state, SyncAt::Now, cause.now).await?;
    let entry = Change {
        entity: Entity::Enrollment,
        id: enrollment_id.into(),
        from: None,
        to: "retried",
        detail: json!({}),
    };
    audit::record(db, cause, entry).await?;
    Ok(true)
}
