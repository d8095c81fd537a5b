//! Queries for enrollments, by the storefront's own records.

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::ids::CourseKey;
use uuid::Uuid;

use crate::error::ApiResult;

/// The mode of a learner's enrollment; None if there is no enrollment, no learner, or the course platform has refused it.
pub struct Checked {
    pub mode: Option<String>,
    /// When the access in this mode ends by the clock.
    pub access_ends_at: Option<DateTime<Utc>>,
}

/// Checks a learner's enrollment; None if there is no such course. Learners keep enrollments in unpublished courses.
pub async fn check(db: &Db, key: &CourseKey, platform_user_id: Option<i64>) -> ApiResult<Option<Checked>> {
    Ok(sqlx::query_as!(
        Checked,
        r#"SELECT e.mode AS "mode?", enrollment_ends(e.id, e.mode) AS access_ends_at FROM courses c
           LEFT JOIN learners l ON l.platform_user_id = $2
           LEFT JOIN enrollments e ON e.course_id = c.id AND e.learner_id = l.id AND e.state = 'enrolled'
             AND e.platform_state <> 'refused'
           WHERE c.openedx_course_id = $1"#,
        key.as_str(),
        platform_user_id,
    )
    .fetch_optional(db)
    .await?)
}

/// The modes that a partner may grant, cheapest first; None if there is no such course.
pub async fn modes(db: &Db, course_id: Uuid, now: DateTime<Utc>) -> ApiResult<Option<Vec<String>>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT ARRAY(SELECT m.slug FROM course_modes m
                        WHERE m.course_id = c.id AND (m.expires_at IS NULL OR m.expires_at > $2)
                        ORDER BY m.price_order, m.slug) AS "modes!"
           FROM courses c WHERE c.id = $1"#,
        course_id,
        now,
    )
    .fetch_optional(db)
    .await?)
}
