//! The full enrollment history of one address, for an operator.

use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, EnrollmentId};
use uuid::Uuid;

use crate::error::JobResult;

#[derive(Debug, Serialize)]
pub struct EnrollmentRecord {
    pub id: EnrollmentId,
    pub email: String,
    pub course: String,
    pub state: String,
    pub mode: String,
    /// The state of the sync with the course platform; the next field has the reason of a refusal.
    pub platform_state: String,
    pub platform_reason: Option<String>,
    pub username: Option<String>,
    pub invited_at: Option<DateTime<Utc>>,
    pub updated_at: DateTime<Utc>,
}

#[derive(Debug, Serialize)]
pub struct GrantRecord {
    pub enrollment_id: EnrollmentId,
    pub source: String,
    pub mode: String,
    pub cart_id: Option<CartId>,
    pub granted_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    pub ended_reason: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct ChangeRecord {
    pub enrollment_id: Uuid,
    pub at: DateTime<Utc>,
    pub actor: String,
    pub from_state: Option<String>,
    pub to_state: String,
    pub detail: serde_json::Value,
    pub command_id: Uuid,
}

#[derive(Debug, Serialize)]
pub struct History {
    pub enrollments: Vec<EnrollmentRecord>,
    pub grants: Vec<GrantRecord>,
    pub changes: Vec<ChangeRecord>,
}

/// The enrollments made for the address, and those of the learner who has it now.
pub async fn of_address(db: &Db, email: &Email) -> JobResult<History> {
    let enrollments = sqlx::query_as!(
        EnrollmentRecord,
        r#"SELECT e.id, e.email, c.openedx_course_id AS course, e.state, e.mode, e.platform_state, e.platform_reason,
                  l.username AS "username?", e.invited_at, e.updated_at
           FROM enrollments e JOIN courses c ON c.id = e.course_id LEFT JOIN learners l ON l.id = e.learner_id
           WHERE e.email = $1 OR e.learner_id = (SELECT id FROM learners WHERE email = $1) ORDER BY e.created_at, e.id"#,
        email.as_str(),
    )
    .fetch_all(db)
    .await?;
    let ids: Vec<EnrollmentId> = enrollments.iter().map(|enrollment| enrollment.id).collect();
    let grants = sqlx::query_as!(
        GrantRecord,
        "SELECT enrollment_id, source, mode, cart_id, granted_at, ended_at, ended_reason
         FROM enrollment_grants WHERE enrollment_id = ANY($1) ORDER BY granted_at, id",
        &ids as _,
    )
    .fetch_all(db)
    .await?;
    let changes = sqlx::query_as!(
        ChangeRecord,
        "SELECT entity_id AS enrollment_id, at, actor, from_state, to_state, detail, command_id
         FROM audit_log WHERE entity = 'enrollment' AND entity_id = ANY($1) ORDER BY at, id",
        &ids as _,
    )
    .fetch_all(db)
    .await?;
    Ok(History { enrollments, grants, changes })
}
