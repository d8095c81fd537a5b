//! Staff of organisations: who works at the support desk of which one, and in which roles.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;
use shared::db::Db;
use shared::email::Email;
use shared::ids::{LearnerId, OrganisationId};
use shared::messages::{Refusal, StaffMember};
use shared::staff::Role;
use sqlx::PgConnection;

use crate::error::JobResult;
use crate::plumbing::audit::{self, Cause, Change, Entity};

/// A member of an organisation's staff.
#[derive(Debug, Serialize)]
pub struct StaffRecord {
    pub user_id: i64,
    pub email: String,
    pub name: String,
    pub roles: Vec<String>,
    pub added_at: DateTime<Utc>,
}

/// Outcome for a person who was to be added.
#[derive(Debug, PartialEq, Eq)]
pub enum Added {
    New,
    /// The person had other roles before.
    Changed,
    /// The person had these roles already.
    Same,
}

/// The states of a member of staff in the audit log.
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum State {
    Added,
    Changed,
    Removed,
}

/// Checks that a person who acts as a member of the staff has a role, at this moment.
///
/// # Errors
/// `Forbidden`, which names the role.
pub async fn check(db: &Db, member: &StaffMember, needed: Role) -> JobResult<()> {
    check_any(db, member, &[needed]).await.map(drop)
}

/// Checks that a person has one of some roles, as [`check`] does. Returns all roles of the person.
///
/// # Errors
/// `Forbidden`, which names the first of them.
pub async fn check_any(db: &Db, member: &StaffMember, needed: &[Role]) -> JobResult<Vec<Role>> {
    let held = roles(db, member.organisation_id, member.user_id).await?;
    if held.iter().any(|role| needed.contains(role)) {
        return Ok(held);
    }
    let first = needed.first().copied().unwrap_or(Role::Support);
    Err(Refusal::Forbidden { detail: format!("this needs the role {first} at the organisation") }.into())
}

/// Adds a person to an organisation's staff, or replaces their roles.
pub async fn set(
    db: &mut PgConnection,
    organisation: OrganisationId,
    learner: LearnerId,
    email: &Email,
    roles: &[Role],
    cause: Cause,
) -> JobResult<Added> {
    let roles = names(roles);
    let before = sqlx::query_scalar!(
        "SELECT roles FROM staff WHERE organisation_id = $1 AND learner_id = $2 FOR UPDATE",
        organisation as _,
        learner as _,
    )
    .fetch_optional(&mut *db)
    .await?;
    if before.as_ref() == Some(&roles) {
        return Ok(Added::Same);
    }
    sqlx::query!(
        "INSERT INTO staff (organisation_id, learner_id, email, name, roles, added_at)
         SELECT $1, id, coalesce(email, $3), name, $4, $5 FROM learners WHERE id = $2
         ON CONFLICT (organisation_id, learner_id) DO UPDATE SET roles = excluded.roles, email = excluded.email,
             name = excluded.name",
        organisation as _,
        learner as _,
        email.as_str(),
        &roles,
        cause.now,
    )
    .execute(&mut *db)
    .await?;
    let (to, added) = match before {
        None => (State::Added, Added::New),
        Some(_) => (State::Changed, Added::Changed),
    };
    record(db, organisation, learner, to, &roles, cause).await?;
    Ok(added)
}

/// Removes a person from an organisation's staff; the next request finds them gone. False if they were none of it.
pub async fn remove(
    db: &mut PgConnection,
    organisation: OrganisationId,
    learner: LearnerId,
    cause: Cause,
) -> JobResult<bool> {
    let removed = sqlx::query!(
        "DELETE FROM staff WHERE organisation_id = $1 AND learner_id = $2",
        organisation as _,
        learner as _,
    );
    let was_staff = removed.execute(&mut *db).await?.rows_affected() == 1;
    if was_staff {
        record(db, organisation, learner, State::Removed, &[], cause).await?;
    }
    Ok(was_staff)
}

/// The staff of an organisation.
pub async fn list(db: &Db, organisation: OrganisationId) -> JobResult<Vec<StaffRecord>> {
    Ok(sqlx::query_as!(
        StaffRecord,
        "SELECT l.platform_user_id AS user_id, s.email, s.name, s.roles, s.added_at
         FROM staff s JOIN learners l ON l.id = s.learner_id
         WHERE s.organisation_id = $1 ORDER BY s.email, l.platform_user_id",
        organisation as _,
    )
    .fetch_all(db)
    .await?)
}

/// The member of an organisation's staff who has an address: at the course platform, or else when they were added. The learner,
/// and the roles.
pub async fn member(
    db: &mut PgConnection,
    organisation: OrganisationId,
    email: &Email,
) -> JobResult<Option<(LearnerId, Vec<Role>)>> {
    let found = sqlx::query!(
        "SELECT s.learner_id, s.roles FROM staff s JOIN learners l ON l.id = s.learner_id
         WHERE s.organisation_id = $1 AND (l.email = $2 OR s.email = $2)
         ORDER BY l.email = $2 DESC NULLS LAST, s.learner_id LIMIT 1",
        organisation as _,
        email.as_str(),
    )
    .fetch_optional(db)
    .await?;
    Ok(found.map(|row| (row.learner_id, Role::parse_all(&row.roles))))
}

/// The learner with an address whom an organisation knows, by a purchase or an enrollment of its own. None also for an account that
/// others know: a manager must not learn of it.
pub async fn known_person(
    db: &mut PgConnection,
    organisation: OrganisationId,
    email: &Email,
) -> JobResult<Option<LearnerId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT l.id AS "id: LearnerId" FROM learners l WHERE l.email = $2 AND (
               EXISTS (SELECT FROM organisation_members m WHERE (m.organisation_id, m.learner_id) = ($1, l.id))
               OR EXISTS (SELECT FROM buyers_of($1) buyer WHERE buyer = l.platform_user_id::text))"#,
        organisation as _,
        email.as_str(),
    )
    .fetch_optional(db)
    .await?)
}

/// The roles that the owner of an account has at an organisation; none for who is not of its staff.
///
/// # Errors
/// The database is unavailable.
pub async fn roles(db: &Db, organisation: OrganisationId, platform_user_id: i64) -> JobResult<Vec<Role>> {
    let roles = sqlx::query_scalar!(
        "SELECT s.roles FROM staff s JOIN learners l ON l.id = s.learner_id
         WHERE s.organisation_id = $1 AND l.platform_user_id = $2",
        organisation as _,
        platform_user_id,
    )
    .fetch_optional(db)
    .await?;
    Ok(Role::parse_all(&roles.unwrap_or_default()))
}

/// The number of managers that an organisation has. Locks its staff, so that of two managers who remove each other at the same
/// time one stays.
pub async fn managers(db: &mut PgConnection, organisation: OrganisationId) -> JobResult<usize> {
    let rows = sqlx::query_scalar!(
        "SELECT roles FROM staff WHERE organisation_id = $1 ORDER BY learner_id FOR UPDATE",
        organisation as _,
    )
    .fetch_all(db)
    .await?;
    Ok(rows.iter().filter(|roles| Role::parse_all(roles).contains(&Role::Manager)).count())
}

fn names(roles: &[Role]) -> Vec<String> {
    let mut roles = roles.to_vec();
    roles.sort_unstable();
    roles.dedup();
    roles.iter().map(Role::to_string).collect()
}

async fn record(
    db: &mut PgConnection,
    organisation: OrganisationId,
    learner: LearnerId,
    to: State,
    roles: &[String],
    cause: Cause,
) -> JobResult<()> {
    let detail = json!({ "organisation_id": organisation, "roles": roles });
    let entry = Change { entity: Entity::Staff, id: learner.into(), from: None, to: to.into(), detail };
    audit::record(db, cause, entry).await
}
