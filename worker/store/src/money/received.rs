//! Money that arrived at an organisation which takes payments itself, as it was reported.

use chrono::{DateTime, Utc};
use serde_json::json;
use shared::ids::TransactionId;
use shared::messages::Idempotency;
use shared::money::{Amount, Money};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::transactions::Transaction;
use crate::error::JobResult;
use crate::plumbing::audit::{self, Cause, Change, Entity};

/// A payment to record.
pub struct NewReceived<'a> {
    pub amount: Money,
    pub received_at: DateTime<Utc>,
    /// How the bank knows it.
    pub reference: &'a str,
    pub idempotency: &'a Idempotency,
}

/// A recorded payment.
pub struct Received {
    /// In minor units.
    pub amount: i64,
    pub received_at: DateTime<Utc>,
    pub reference: String,
    pub request_key: String,
    pub request_hash: Vec<u8>,
}

/// The key of a report, unique to its caller and route.
pub fn request_key(idempotency: &Idempotency) -> String {
    format!("{} {}", idempotency.scope, idempotency.key)
}

/// The payment that was recorded for a locked transaction under this key or bank reference; the key comes first.
pub async fn find(
    db: &mut PgConnection,
    id: TransactionId,
    request_key: &str,
    reference: &str,
) -> JobResult<Option<Received>> {
    Ok(sqlx::query_as!(
        Received,
        "SELECT amount, received_at, reference, request_key, request_hash FROM received_payments
         WHERE transaction_id = $1 AND (request_key = $2 OR reference = $3) ORDER BY request_key = $2 DESC LIMIT 1",
        id as _,
        request_key,
        reference,
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
    let state = transaction.state.into();
    let detail = json!({ "received": Amount(new.amount), "currency": new.amount.currency(), "reference": new.reference });
    let entry = Change {
        entity: Entity::Transaction,
        id: transaction.id.into(),
        from: Some(state),
        to: state,
        detail,
    };
    audit::record(db, cause, entry).await
}

/// The sum of what was recorded for a transaction, in minor units.
pub async fn sum(db: &PgPool, id: TransactionId) -> JobResult<i64> {
    sum_of(&mut *db.acquire().await?, id).await
}

/// As [`sum`], in a transaction that has recorded some of it.
pub async fn sum_of(db: &mut PgConnection, id: TransactionId) -> JobResult<i64> {
    let id: Uuid = id.into();
    Ok(sqlx::query_scalar!(
        r#"SELECT coalesce(sum(amount), 0)::bigint AS "sum!" FROM received_payments WHERE transaction_id = $1"#,
        id,
    )
    .fetch_one(db)
    .await?)
}
