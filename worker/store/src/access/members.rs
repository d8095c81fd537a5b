//! Members of organisations, who may see a closed one. An enrollment, a purchase or an operator makes a learner a member; a purchase is
//! not on record here, and does so for good.

use serde::Serialize;
use serde_json::json;
use shared::db::Db;
use shared::ids::{LearnerId, OrganisationId};
use sqlx::PgConnection;

use crate::error::JobResult;
use crate::plumbing::audit::{self, Cause, Change, Entity};
use crate::sales::carts;

/// A learner with a claim on an organisation.
#[derive(Debug, Serialize)]
pub struct Member {
    pub user_id: i64,
    pub username: String,
    /// Null once the address belongs to another account.
    pub email: Option<String>,
    pub name: String,
}

/// The states of a membership in the audit log.
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum State {
    Member,
    Removed,
}

/// Adds a member. False if the learner was one already.
pub async fn add(
    db: &mut PgConnection,
    organisation: OrganisationId,
    learner: LearnerId,
    cause: Cause,
) -> JobResult<bool> {
    let added = sqlx::query!(
        "INSERT INTO organisation_members (organisation_id, learner_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        organisation as _,
        learner as _,
    );
    let is_new = added.execute(&mut *db).await?.rows_affected() == 1;
    if is_new {
        record(db, organisation, learner, State::Member, cause).await?;
    }
    Ok(is_new)
}

/// Returns whether a learner has bought from an organisation, also as the guest of the address.
pub async fn has_bought(db: &Db, organisation: OrganisationId, learner: LearnerId) -> JobResult<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM learners l, buyers_of($1) buyer
               WHERE l.id = $2 AND buyer IN (l.platform_user_id::text, $3 || l.email)) AS "exists!""#,
        organisation as _,
        learner as _,
        carts::GUEST,
    )
    .fetch_one(db)
    .await?)
}

/// Removes a member. False if the learner was none.
pub async fn remove(
    db: &mut PgConnection,
    organisation: OrganisationId,
    learner: LearnerId,
    cause: Cause,
) -> JobResult<bool> {
    let removed = sqlx::query!(
        "DELETE FROM organisation_members WHERE organisation_id = $1 AND learner_id = $2",
        organisation as _,
        learner as _,
    );
    let was_member = removed.execute(&mut *db).await?.rows_affected() == 1;
    if was_member {
        record(db, organisation, learner, State::Removed, cause).await?;
    }
    Ok(was_member)
}

async fn record(
    db: &mut PgConnection,
    organisation: OrganisationId,
    learner: LearnerId,
    to: State,
    cause: Cause,
) -> JobResult<()> {
    let detail = json!({ "organisation_id": organisation });
    let entry = Change { entity: Entity::Membership, id: learner.into(), from: None, to: to.into(), detail };
    audit::record(db, cause, entry).await
}

/// The members of an organisation.
pub async fn list(db: &Db, organisation: OrganisationId) -> JobResult<Vec<Member>> {
    Ok(sqlx::query_as!(
        Member,
        "SELECT l.platform_user_id AS user_id, l.username, l.email, l.name
         FROM learners l
         WHERE l.id IN (SELECT learner_id FROM organisation_members WHERE organisation_id = $1)
            OR l.platform_user_id::text IN (SELECT buyers_of($1)) OR $2 || l.email IN (SELECT buyers_of($1))
         ORDER BY l.email NULLS LAST, l.platform_user_id",
        organisation as _,
        carts::GUEST,
    )
    .fetch_all(db)
    .await?)
}
