//! A person at the support desk: the enrollments of an address in the organisation's courses.

use chrono::{DateTime, Utc};
use shared::email::Email;
use shared::ids::{EnrollmentId, OrganisationId};
use sqlx::PgPool;

use crate::error::ApiResult;

/// An enrollment of the address.
pub struct PersonAccess {
    pub enrollment_id: EnrollmentId,
    pub course: String,
    pub openedx_course_id: String,
    pub state: String,
    pub mode: String,
    pub platform_state: String,
    pub platform_reason: Option<String>,
    pub updated_at: DateTime<Utc>,
}

/// The enrollments of an address in the courses of an organisation.
pub async fn access(
    db: &PgPool,
    organisation_id: OrganisationId,
    email: &Email,
) -> ApiResult<Vec<PersonAccess>> {
    Ok(sqlx::query_as!(
        PersonAccess,
        "SELECT e.id AS enrollment_id, c.display_name AS course, c.openedx_course_id, e.state, e.mode, e.platform_state,
                e.platform_reason, e.updated_at
         FROM enrollments e JOIN courses c ON c.id = e.course_id
         WHERE e.email = $2 AND c.organisation_id = $1 ORDER BY e.updated_at DESC, e.id LIMIT 200",
        organisation_id as _,
        email.as_str(),
    )
    .fetch_all(db)
    .await?)
}
