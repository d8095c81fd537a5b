//! Organisations' credentials at payment gateways: stored sealed, never displayed.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use shared::db::Db;
use shared::gateway::Gateway;
use shared::ids::{CartId, OrganisationId};
use shared::seal::Sealed;
use sqlx::PgConnection;

use crate::error::JobResult;
use crate::plumbing::audit::{self, Cause, Change, Entity};

/// Stores or replaces credentials. The organisation becomes configured if it sells through this gateway.
pub async fn set_credentials(
    db: &mut PgConnection,
    organisation: OrganisationId,
    gateway: Gateway,
    sealed: &Sealed,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO gateway_credentials (organisation_id, gateway, key_id, sealed, updated_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (organisation_id, gateway) DO UPDATE
         SET key_id = excluded.key_id, sealed = excluded.sealed, updated_at = excluded.updated_at, refused_at = NULL",
        organisation as _,
        gateway.name(),
        sealed.key_id,
        sealed.bytes,
        now,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE payout_readings SET due_at = $3, refused_at = NULL WHERE organisation_id = $1 AND gateway = $2",
        organisation as _,
        gateway.name(),
        now,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE organisations SET configured = true WHERE id = $1 AND gateway = $2",
        organisation as _,
        gateway.name(),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Stores a webhook signing secret in a slot, `current` or `previous`; None empties the slot.
pub async fn set_notification_secret(
    db: &mut PgConnection,
    organisation: OrganisationId,
    gateway: Gateway,
    slot: &str,
    sealed: Option<&Sealed>,
    now: DateTime<Utc>,
) -> JobResult<()> {
    match sealed {
        Some(sealed) => {
            sqlx::query!(
                "INSERT INTO notification_secrets (organisation_id, gateway, slot, key_id, sealed, updated_at)
                 VALUES ($1, $2, $3, $4, $5, $6)
                 ON CONFLICT (organisation_id, gateway, slot) DO UPDATE
                 SET key_id = excluded.key_id, sealed = excluded.sealed, updated_at = excluded.updated_at",
                organisation as _,
                gateway.name(),
                slot,
                sealed.key_id,
                sealed.bytes,
                now,
            )
            .execute(db)
            .await?
        }
        None => {
            sqlx::query!(
                "DELETE FROM notification_secrets WHERE organisation_id = $1 AND gateway = $2 AND slot = $3",
                organisation as _,
                gateway.name(),
                slot,
            )
            .execute(db)
            .await?
        }
    };
    Ok(())
}

/// A sealed secret that signs notifications.
pub struct NotificationSecret {
    /// `current` or `previous`.
    pub slot: String,
    pub sealed: Sealed,
}

/// The current and the previous signing secret of an organisation's gateway.
pub async fn notification_secrets(
    db: &Db,
    organisation: OrganisationId,
    gateway: Gateway,
) -> JobResult<Vec<NotificationSecret>> {
    let rows = sqlx::query!(
        "SELECT slot, key_id, sealed FROM notification_secrets WHERE organisation_id = $1 AND gateway = $2",
        organisation as _,
        gateway.name(),
    );
    let secrets = rows.fetch_all(db).await?.into_iter().map(|row| NotificationSecret {
        slot: row.slot,
        sealed: Sealed { key_id: row.key_id, bytes: row.sealed },
    });
    Ok(secrets.collect())
}

/// A stored secret, described without its content.
#[derive(Debug, Serialize)]
pub struct StoredSecret {
    pub organisation: String,
    pub gateway: String,
    /// Indicates whether the organisation sells through this gateway.
    pub in_use: bool,
    /// `credentials`, `notifications, current` or `notifications, previous`.
    pub what: String,
    /// The name of the key that sealed it.
    pub key_id: String,
    pub updated_at: DateTime<Utc>,
    /// Time when the provider refused the credentials; None if it has not.
    pub refused_at: Option<DateTime<Utc>>,
    #[serde(skip)]
    pub organisation_id: OrganisationId,
    #[serde(skip)]
    pub sealed: Vec<u8>,
}

impl StoredSecret {
    /// The slot of a webhook secret; None for credentials.
    pub fn slot(&self) -> Option<&str> {
        self.what.strip_prefix("notifications, ")
    }
}

/// Lists all stored credentials and webhook secrets.
pub async fn kept(db: &Db) -> JobResult<Vec<StoredSecret>> {
    Ok(sqlx::query_as!(
        StoredSecret,
        r#"SELECT o.short_name AS "organisation!", k.gateway AS "gateway!", o.gateway IS NOT DISTINCT FROM k.gateway AS "in_use!",
                  k.what AS "what!", k.key_id AS "key_id!", k.updated_at AS "updated_at!", k.refused_at, o.id AS "organisation_id!", k.sealed AS "sealed!"
           FROM (SELECT organisation_id, gateway, 'credentials' AS what, key_id, updated_at, refused_at, sealed FROM gateway_credentials
                 UNION ALL
                 SELECT organisation_id, gateway, 'notifications, ' || slot, key_id, updated_at, NULL, sealed FROM notification_secrets) k
           JOIN organisations o ON o.id = k.organisation_id ORDER BY 1, 2, 4"#
    )
    .fetch_all(db)
    .await?)
}

/// Replaces a stored secret by the same one under another key. False if it has been set anew meanwhile.
pub async fn reseal(
    db: &mut PgConnection,
    kept: &StoredSecret,
    resealed: &Sealed,
    cause: Cause,
) -> JobResult<bool> {
    let moved = match kept.slot() {
        Some(slot) => {
            sqlx::query!(
                "UPDATE notification_secrets SET key_id = $5, sealed = $6
                 WHERE organisation_id = $1 AND gateway = $2 AND slot = $3 AND sealed = $4",
                kept.organisation_id as _,
                kept.gateway,
                slot,
                kept.sealed,
                resealed.key_id,
                resealed.bytes,
            )
            .execute(&mut *db)
            .await?
        }
        None => {
            sqlx::query!(
                "UPDATE gateway_credentials SET key_id = $4, sealed = $5
                 WHERE organisation_id = $1 AND gateway = $2 AND sealed = $3",
                kept.organisation_id as _,
                kept.gateway,
                kept.sealed,
                resealed.key_id,
                resealed.bytes,
            )
            .execute(&mut *db)
            .await?
        }
    };
    if moved.rows_affected() == 0 {
        return Ok(false);
    }
    let detail = json!({ "gateway": kept.gateway, "what": kept.what, "from_key": kept.key_id, "to_key": resealed.key_id });
    record(db, kept.organisation_id, "resealed", detail, cause).await?;
    Ok(true)
}

/// Puts a change of an organisation's accounts on record.
pub async fn record(
    db: &mut PgConnection,
    organisation: OrganisationId,
    to: &'static str,
    detail: Value,
    cause: Cause,
) -> JobResult<()> {
    let change = Change { entity: Entity::Gateway, id: organisation.into(), from: None, to, detail };
    audit::record(db, cause, change).await
}

/// An organisation's credentials for a gateway.
pub struct StoredCredentials {
    pub sealed: Sealed,
    /// The provider refused them, and no checkout has succeeded since.
    pub is_refused: bool,
}

/// Reads an organisation's credentials for a gateway.
pub async fn credentials(
    db: &Db,
    organisation: OrganisationId,
    gateway: Gateway,
) -> JobResult<Option<StoredCredentials>> {
    let row = sqlx::query!(
        r#"SELECT key_id, sealed, refused_at IS NOT NULL AS "is_refused!" FROM gateway_credentials
           WHERE organisation_id = $1 AND gateway = $2"#,
        organisation as _,
        gateway.name(),
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| StoredCredentials {
        sealed: Sealed { key_id: row.key_id, bytes: row.sealed },
        is_refused: row.is_refused,
    }))
}

/// Records that the provider refuses these credentials. False if that was recorded before, or if an operator has replaced
/// them meanwhile.
pub async fn set_refused(
    db: &Db,
    organisation: OrganisationId,
    gateway: Gateway,
    sealed: &Sealed,
    now: DateTime<Utc>,
) -> JobResult<bool> {
    let set = sqlx::query!(
        "UPDATE gateway_credentials SET refused_at = $4
         WHERE organisation_id = $1 AND gateway = $2 AND sealed = $3 AND refused_at IS NULL",
        organisation as _,
        gateway.name(),
        sealed.bytes,
        now,
    );
    Ok(set.execute(db).await?.rows_affected() == 1)
}

/// Records that the provider accepts the credentials again.
pub async fn set_accepted(db: &Db, organisation: OrganisationId, gateway: Gateway) -> JobResult<()> {
    sqlx::query!(
        "UPDATE gateway_credentials SET refused_at = NULL WHERE organisation_id = $1 AND gateway = $2",
        organisation as _,
        gateway.name(),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The provider's customer id of a buyer.
pub async fn customer(
    db: &Db,
    organisation: OrganisationId,
    gateway: Gateway,
    buyer: &str,
) -> JobResult<Option<String>> {
    Ok(sqlx::query_scalar!(
        "SELECT reference FROM gateway_customers WHERE organisation_id = $1 AND gateway = $2 AND buyer = $3",
        organisation as _,
        gateway.name(),
        buyer,
    )
    .fetch_optional(db)
    .await?)
}

/// Stores the provider's customer id of a cart's buyer, or deletes it with None.
pub async fn set_customer(
    db: &mut PgConnection,
    cart_id: CartId,
    gateway: Gateway,
    reference: Option<&str>,
) -> JobResult<()> {
    match reference {
        Some(reference) => {
            sqlx::query!(
                "INSERT INTO gateway_customers (organisation_id, gateway, buyer, reference)
                 SELECT organisation_id, $2, buyer, $3 FROM carts WHERE id = $1
                 ON CONFLICT (organisation_id, gateway, buyer) DO UPDATE SET reference = excluded.reference",
                cart_id as _,
                gateway.name(),
                reference,
            )
            .execute(db)
            .await?
        }
        None => {
            sqlx::query!(
                "DELETE FROM gateway_customers g USING carts c
                 WHERE c.id = $1 AND g.organisation_id = c.organisation_id AND g.buyer = c.buyer
                   AND g.gateway = $2",
                cart_id as _,
                gateway.name(),
            )
            .execute(db)
            .await?
        }
    };
    Ok(())
}
