//! Queries for the secrets that sign provider notifications; they stay encrypted here.

use shared::db::Db;
use shared::gateway::Gateway;
use shared::ids::OrganisationId;
use shared::seal::Sealed;

use crate::error::ApiResult;

pub struct StoredSecret {
    pub organisation_id: OrganisationId,
    /// `current` or `previous`.
    pub slot: String,
    pub sealed: Sealed,
}

/// The current and the previous signing secret of an organisation's gateway; empty if there is no such organisation.
pub async fn secrets(db: &Db, organisation: &str, gateway: Gateway) -> ApiResult<Vec<StoredSecret>> {
    let rows = sqlx::query!(
        "SELECT s.organisation_id, s.slot, s.key_id, s.sealed
         FROM notification_secrets s JOIN organisations o ON o.id = s.organisation_id
         WHERE lower(o.short_name) = lower($1) AND s.gateway = $2",
        organisation,
        gateway.name(),
    );
    let stored = rows.fetch_all(db).await?.into_iter().map(|row| StoredSecret {
        organisation_id: row.organisation_id,
        slot: row.slot,
        sealed: Sealed { key_id: row.key_id, bytes: row.sealed },
    });
    Ok(stored.collect())
}
