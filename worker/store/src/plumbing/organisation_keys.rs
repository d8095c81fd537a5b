//! The keys of organisations. The database holds the digest of a key's secret, never the secret.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;
use shared::db::Db;
use shared::ids::OrganisationId;
use shared::messages::KeyOf;
use shared::organisation_key::{KeyId, OrganisationKey, Scope};
use sqlx::PgConnection;

use super::audit::{self, Cause, Change, Entity};
use crate::error::JobResult;

/// A key as an operator sees it.
#[derive(Debug, Serialize)]
pub struct KeyRecord {
    pub id: String,
    /// The organisation's short name.
    pub organisation: String,
    pub name: String,
    pub scopes: Vec<String>,
    pub created_at: DateTime<Utc>,
    /// Null while the key is valid.
    pub revoked_at: Option<DateTime<Utc>>,
}

/// Outcome for a key that was to be revoked.
#[derive(Debug, PartialEq, Eq)]
pub enum Revoked {
    Now,
    Before,
    /// There is no such key.
    Unknown,
}

/// The states of a key in the audit log.
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum State {
    Valid,
    Revoked,
}

/// Stores a new key of an organisation.
pub async fn insert(
    db: &mut PgConnection,
    organisation: OrganisationId,
    key: &OrganisationKey,
    name: &str,
    scopes: &[Scope],
    cause: Cause,
) -> JobResult<()> {
    let scopes: Vec<String> = scopes.iter().map(Scope::to_string).collect();
    sqlx::query!(
        "INSERT INTO organisation_keys (id, organisation_id, name, secret_hash, scopes, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        key.id.to_string(),
        organisation as _,
        name,
        key.digest().to_vec(),
        &scopes,
        cause.now,
    )
    .execute(&mut *db)
    .await?;
    let detail = json!({ "key": key.id, "name": name, "scopes": scopes });
    let change =
        Change { entity: Entity::Key, id: organisation.into(), from: None, to: State::Valid.into(), detail };
    audit::record(db, cause, change).await
}

/// Revokes a key. The api refuses it from the commit on.
pub async fn revoke(db: &mut PgConnection, id: KeyId, cause: Cause) -> JobResult<Revoked> {
    let organisation = sqlx::query_scalar!(
        "UPDATE organisation_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL
         RETURNING organisation_id",
        id.to_string(),
        cause.now,
    )
    .fetch_optional(&mut *db)
    .await?;
    let Some(organisation) = organisation else {
        let exists = sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM organisation_keys WHERE id = $1) AS "exists!""#,
            id.to_string(),
        );
        let exists = exists.fetch_one(db).await?;
        return Ok(if exists { Revoked::Before } else { Revoked::Unknown });
    };
    let (from, to) = (Some(State::Valid.into()), State::Revoked.into());
    let change =
        Change { entity: Entity::Key, id: organisation.into(), from, to, detail: json!({ "key": id }) };
    audit::record(db, cause, change).await?;
    Ok(Revoked::Now)
}

/// Returns whether a key is valid, and of the organisation that a command needs it from.
///
/// # Errors
/// The database is unavailable.
pub async fn is_valid(db: &Db, id: KeyId, of: KeyOf) -> JobResult<bool> {
    let (organisation, voucher) = match of {
        KeyOf::Organisation(id) => (Some(id), None),
        KeyOf::Voucher(id) => (None, Some(id)),
    };
    let is_valid = sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM organisation_keys WHERE id = $1 AND revoked_at IS NULL
                 AND organisation_id = coalesce($2, (SELECT organisation_id FROM vouchers WHERE id = $3))) AS "valid!""#,
        id.to_string(),
        organisation as _,
        voucher as _,
    );
    Ok(is_valid.fetch_one(db).await?)
}

/// Returns whether a key has a scope.
pub async fn has_scope(db: &Db, id: KeyId, scope: Scope) -> JobResult<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM organisation_keys WHERE id = $1 AND $2 = ANY (scopes)) AS "has!""#,
        id.to_string(),
        scope.name(),
    )
    .fetch_one(db)
    .await?)
}

/// The keys of an organisation, or all keys.
pub async fn list(db: &Db, organisation: Option<OrganisationId>) -> JobResult<Vec<KeyRecord>> {
    Ok(sqlx::query_as!(
        KeyRecord,
        "SELECT k.id, o.short_name AS organisation, k.name, k.scopes, k.created_at, k.revoked_at
         FROM organisation_keys k JOIN organisations o ON o.id = k.organisation_id
         WHERE $1::uuid IS NULL OR k.organisation_id = $1 ORDER BY o.short_name, k.created_at, k.id",
        organisation as _,
    )
    .fetch_all(db)
    .await?)
}
