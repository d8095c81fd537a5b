//! Queries for the keys of organisations.

use shared::db::Db;
use shared::ids::OrganisationId;
use shared::organisation_key::KeyId;

use crate::error::ApiResult;

/// A valid key.
pub struct StoredKey {
    pub organisation_id: OrganisationId,
    /// SHA-256 of the secret.
    pub secret_hash: Vec<u8>,
    pub scopes: Vec<String>,
}

/// A key that is not revoked. Never cached, so that revoking holds at once.
pub async fn find(db: &Db, id: KeyId) -> ApiResult<Option<StoredKey>> {
    Ok(sqlx::query_as!(
        StoredKey,
        "SELECT organisation_id, secret_hash, scopes FROM organisation_keys WHERE id = $1 AND revoked_at IS NULL",
        id.to_string(),
    )
    .fetch_optional(db)
    .await?)
}
