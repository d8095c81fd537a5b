//! Money that arrived at an organisation which takes payments itself, as it was reported.

use chrono::{DateTime, Utc};
use serde_json::json;
use shared::ids::{CartId, TransactionId};
use shared::messages::Idempotency;
use shared::money::{Amount, Money};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::transactions::Transaction;
use crate::error::JobResult;
use crate::plumbing::audit::{self, Cause, Change, Entity};

/// A payment to record.
pub struct NewReceived<'a> {
    pub amount: Money,
    pub received_at: DateTime<Utc>,
    /// Reference by which the bank knows it.
    pub reference: &'a str,
    pub idempotency: &'a Idempotency,
}

/// A recorded payment.
pub struct Received {
    pub id: Uuid,
    pub transaction_id: TransactionId,
    /// In minor units.
    pub amount: i64,
    pub request_key: String,
    pub request_hash: Vec<u8>,
    pub is_returned: bool,
}

/// The key of a report, unique to its caller and route.
pub fn request_key(idempotency: &Idempotency) -> String {
    format!("{} {}", idempotency.scope, idempotency.key)
}

/// The payment that was recorded under this key, whatever its order, else that of a locked transaction with this bank reference.
pub async fn find(
    db: &mut PgConnection,
    id: TransactionId,
    request_key: &str,
    reference: &str,
) -> JobResult<Option<Received>> {
    Ok(sqlx::query_as!(
        Received,
        r#"SELECT id AS "id!", transaction_id, amount, request_key, request_hash, returned_at IS NOT NULL AS "is_returned!"
           FROM received_payments
           WHERE request_key = $2 OR transaction_id = $1 AND lower(reference) = lower($3)
           ORDER BY request_key = $2 DESC LIMIT 1"#,
        id as _,
        request_key,
        reference,
    )
    .fetch_optional(db)
    .await?)
}

/// Another order of the organisation for which money with this bank reference was recorded, by its cart.
pub async fn other_order(
    db: &mut PgConnection,
    transaction: &Transaction,
    reference: &str,
) -> JobResult<Option<CartId>> {
    Ok(sqlx::query_scalar!(
        "SELECT t.cart_id FROM received_payments p JOIN transactions t ON t.id = p.transaction_id
         WHERE lower(p.reference) = lower($1) AND t.organisation_id = $2 AND t.id <> $3 AND p.returned_at IS NULL LIMIT 1",
        reference,
        transaction.organisation_id as _,
        transaction.id as _,
    )
    .fetch_optional(db)
    .await?)
}

/// Records a payment of a locked transaction. The command's id becomes the payment's id.
pub async fn insert(
    db: &mut PgConnection,
    transaction: &Transaction,
    new: &NewReceived<'_>,
    cause: Cause,
) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO received_payments (id, transaction_id, amount, received_at, reference, actor, request_key, request_hash, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        cause.command_id,
        transaction.id as _,
        new.amount.minor(),
        new.received_at,
        new.reference,
        cause.actor.to_string(),
        request_key(new.idempotency),
        new.idempotency.request_hash,
        cause.now,
    )
    .execute(&mut *db)
    .await?;
    record(db, transaction, new.amount, "received", cause).await
}

/// Marks a payment as paid back, so that it counts no more.
pub async fn set_returned(
    db: &mut PgConnection,
    transaction: &Transaction,
    id: Uuid,
    amount: Money,
    cause: Cause,
) -> JobResult<()> {
    sqlx::query!("UPDATE received_payments SET returned_at = $2 WHERE id = $1", id, cause.now)
        .execute(&mut *db)
        .await?;
    record(db, transaction, amount, "returned", cause).await
}

async fn record(
    db: &mut PgConnection,
    transaction: &Transaction,
    amount: Money,
    to: &'static str,
    cause: Cause,
) -> JobResult<()> {
    let detail = json!({ "amount": Amount(amount), "currency": amount.currency() });
    let entry = Change { entity: Entity::Transaction, id: transaction.id.into(), from: None, to, detail };
    audit::record(db, cause, entry).await
}

/// The sum of what was recorded for a transaction and not paid back, in minor units.
pub async fn sum(db: impl PgExecutor<'_>, id: TransactionId) -> JobResult<i64> {
    let id: Uuid = id.into();
    Ok(sqlx::query_scalar!(
        r#"SELECT coalesce(sum(amount), 0)::bigint AS "sum!" FROM received_payments
           WHERE transaction_id = $1 AND returned_at IS NULL"#,
        id,
    )
    .fetch_one(db)
    .await?)
}
