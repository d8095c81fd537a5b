//! Providers' notifications as received, each stored once: some wait for their transaction, some for an operator.

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::db::Db;
use shared::gateway::Gateway;
use shared::ids::{OrganisationId, TransactionId};
use sqlx::PgConnection;

use crate::alert::Alert;
use crate::error::JobResult;

/// A stored notification.
pub struct StoredNotification {
    pub id: i64,
    pub gateway: Gateway,
    pub organisation_id: OrganisationId,
    pub kind: String,
    pub body: Value,
}

/// A received notification to store.
pub struct NewNotification<'a> {
    pub gateway: Gateway,
    pub organisation_id: OrganisationId,
    /// The same for each delivery of one notification.
    pub notification_id: &'a str,
    pub kind: &'a str,
    pub body: &'a Value,
    /// The provider's id of the payment.
    pub reference: Option<&'a str>,
    /// Our transaction id, as the provider repeats it.
    pub transaction_id: Option<TransactionId>,
}

/// Stores a notification until it is matched with its transaction. None if it was processed or parked before; a notification that
/// was only stored is returned again.
pub async fn store(
    db: &Db,
    notification: &NewNotification<'_>,
    now: DateTime<Utc>,
) -> JobResult<Option<i64>> {
    Ok(sqlx::query_scalar!(
        "INSERT INTO inbox AS i (gateway, organisation_id, event_id, type, body, reference, transaction_hint, received_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT ON CONSTRAINT inbox_event_key DO UPDATE SET event_id = i.event_id
         WHERE i.processed_at IS NULL AND i.parked_reason IS NULL
         RETURNING id",
        notification.gateway as Gateway,
        notification.organisation_id as _,
        notification.notification_id,
        notification.kind,
        notification.body,
        notification.reference,
        notification.transaction_id as _,
        now,
    )
    .fetch_optional(db)
    .await?)
}

/// Marks a notification as processed, with or without effect.
pub async fn processed(
    db: &mut PgConnection,
    id: i64,
    transaction_id: Option<TransactionId>,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "UPDATE inbox SET processed_at = $3, transaction_id = $2 WHERE id = $1",
        id,
        transaction_id as _,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Parks a notification that contradicts its transaction: it has no effect until an operator decides. Returns the alert to
/// raise after the commit.
pub async fn park(
    db: &mut PgConnection,
    id: i64,
    transaction_id: TransactionId,
    reason: String,
) -> JobResult<Alert> {
    sqlx::query!(
        "UPDATE inbox SET parked_reason = $3, transaction_id = $2 WHERE id = $1",
        id,
        transaction_id as _,
        reason,
    )
    .execute(db)
    .await?;
    Ok(Alert::Parked { id, transaction: transaction_id, reason })
}

/// A parked notification that no operator has handled, and why it was parked.
pub async fn parked(db: &Db, id: i64) -> JobResult<Option<(StoredNotification, String)>> {
    let row = sqlx::query!(
        r#"SELECT gateway AS "gateway: Gateway", organisation_id, type AS kind, body, parked_reason AS "reason!" FROM inbox
           WHERE id = $1 AND parked_reason IS NOT NULL AND processed_at IS NULL"#,
        id,
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| {
        let (gateway, organisation_id, kind, body) = (row.gateway, row.organisation_id, row.kind, row.body);
        (StoredNotification { id, gateway, organisation_id, kind, body }, row.reason)
    }))
}

/// A notification that was neither processed nor parked.
pub async fn open(db: &Db, id: i64) -> JobResult<Option<StoredNotification>> {
    Ok(sqlx::query_as!(
        StoredNotification,
        r#"SELECT id, gateway AS "gateway: Gateway", organisation_id, type AS kind, body FROM inbox
           WHERE id = $1 AND processed_at IS NULL AND parked_reason IS NULL"#,
        id,
    )
    .fetch_optional(db)
    .await?)
}

/// Unprocessed notifications whose transaction now exists: they came before it, or the worker failed to process them. Not those of an
/// account whose key the provider refuses: the worker may have to ask about them.
pub async fn matchable(db: &Db, before: DateTime<Utc>, limit: i64) -> JobResult<Vec<StoredNotification>> {
    Ok(sqlx::query_as!(
        StoredNotification,
        r#"SELECT i.id, i.gateway AS "gateway: Gateway", i.organisation_id, i.type AS kind, i.body FROM inbox i
           WHERE i.processed_at IS NULL AND i.parked_reason IS NULL AND i.received_at <= $1 AND EXISTS (
               SELECT FROM (
                   SELECT i.transaction_hint AS id
                   UNION ALL SELECT o.id FROM transactions o WHERE o.gateway = i.gateway AND o.provider_reference = i.reference
                   UNION ALL SELECT o.id FROM refunds r JOIN transactions o ON o.id = r.transaction_id
                   WHERE r.provider_reference = i.reference AND o.gateway = i.gateway
                   UNION ALL SELECT o.id FROM disputes d JOIN transactions o ON o.id = d.transaction_id
                   WHERE d.provider_reference = i.reference AND o.gateway = i.gateway
               ) named JOIN transactions t ON t.id = named.id
               WHERE NOT EXISTS (
                     SELECT FROM gateway_credentials g WHERE g.organisation_id = t.organisation_id
                         AND g.gateway = t.gateway AND g.refused_at IS NOT NULL))
           ORDER BY i.tried_at NULLS FIRST, i.received_at LIMIT $2"#,
        before,
        limit,
    )
    .fetch_all(db)
    .await?)
}

/// Closes old notifications that name no transaction of ours and match none, nor a refund or a dispute: another shop uses the same
/// account. Their bodies go. Returns how many.
pub async fn close_foreign(
    db: &mut PgConnection,
    before: DateTime<Utc>,
    now: DateTime<Utc>,
    limit: i64,
) -> JobResult<u64> {
    let closed = sqlx::query!(
        "UPDATE inbox SET processed_at = $2, body = '{}' WHERE id = ANY (ARRAY(
             SELECT i.id FROM inbox i
             WHERE i.processed_at IS NULL AND i.parked_reason IS NULL AND i.transaction_hint IS NULL
               AND i.received_at <= $1 AND NOT EXISTS (
                   SELECT FROM transactions t WHERE t.gateway = i.gateway AND t.provider_reference = i.reference)
               AND NOT EXISTS (
                   SELECT FROM refunds r JOIN transactions t ON t.id = r.transaction_id
                   WHERE r.provider_reference = i.reference AND t.gateway = i.gateway)
               AND NOT EXISTS (
                   SELECT FROM disputes d JOIN transactions t ON t.id = d.transaction_id
                   WHERE d.provider_reference = i.reference AND t.gateway = i.gateway)
             ORDER BY i.received_at LIMIT $3))",
        before,
        now,
        limit,
    );
    Ok(closed.execute(db).await?.rows_affected())
}

/// Records a failed attempt, so that other notifications come first next time.
pub async fn tried(db: &Db, id: i64, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!("UPDATE inbox SET tried_at = $2 WHERE id = $1", id, now).execute(db).await?;
    Ok(())
}

/// Deletes a batch of old notifications, except parked ones that are still open. Returns how many.
pub async fn forget_old(db: &mut PgConnection, before: DateTime<Utc>) -> Result<u64, sqlx::Error> {
    let gone = sqlx::query!(
        "DELETE FROM inbox WHERE id = ANY (ARRAY(
             SELECT id FROM inbox WHERE received_at < $1 AND (parked_reason IS NULL OR processed_at IS NOT NULL)
             ORDER BY received_at LIMIT 10000))",
        before,
    )
    .execute(db)
    .await?;
    Ok(gone.rows_affected())
}
