//! Queries for the staff of organisations.

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::ids::OrganisationId;

use crate::error::ApiResult;

/// A member of an organisation's staff.
pub struct StaffRow {
    pub email: String,
    pub name: String,
    pub roles: Vec<String>,
    pub added_at: DateTime<Utc>,
}

/// An organisation on whose staff a person is.
pub struct Workplace {
    pub organisation_id: OrganisationId,
    pub short_name: String,
    pub name: String,
    pub roles: Vec<String>,
    /// The time zone of its days.
    pub zone: String,
}

/// Lists the workplaces of an account's owner, by the organisations' names. Never cached, so that a removal holds at once.
pub async fn workplaces(db: &Db, platform_user_id: i64) -> ApiResult<Vec<Workplace>> {
    Ok(sqlx::query_as!(
        Workplace,
        r#"SELECT o.id AS organisation_id, o.short_name, o.name, s.roles, day_zone(o.seller) AS "zone!"
         FROM learners l JOIN staff s ON s.learner_id = l.id JOIN organisations o ON o.id = s.organisation_id
         WHERE l.platform_user_id = $1 ORDER BY lower(o.name), o.id"#,
        platform_user_id,
    )
    .fetch_all(db)
    .await?)
}

/// The staff of an organisation, by their addresses.
pub async fn list(db: &Db, organisation_id: OrganisationId) -> ApiResult<Vec<StaffRow>> {
    Ok(sqlx::query_as!(
        StaffRow,
        "SELECT email, name, roles, added_at FROM staff WHERE organisation_id = $1 ORDER BY email, learner_id",
        organisation_id as _,
    )
    .fetch_all(db)
    .await?)
}
