//! Disputes about payments, as their providers report them.

use shared::ids::TransactionId;
use shared::money::Money;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;
use crate::plumbing::audit::Cause;

/// The state of a dispute. A lost one can still be won, when the bank reverses its decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type, strum::Display)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum State {
    Open,
    Won,
    Lost,
}

/// A stored dispute.
pub struct Dispute {
    pub id: Uuid,
    pub state: State,
    /// Amount that the provider has taken, in minor units: an open one can still give it back.
    pub lost: i64,
}

/// Finds a dispute by the provider's id. The caller holds the lock on its transaction.
pub async fn find(
    db: &mut PgConnection,
    transaction_id: TransactionId,
    reference: &str,
) -> JobResult<Option<Dispute>> {
    Ok(sqlx::query_as!(
        Dispute,
        r#"SELECT id, state AS "state: State", lost FROM disputes WHERE transaction_id = $1 AND provider_reference = $2"#,
        transaction_id as _,
        reference,
    )
    .fetch_optional(db)
    .await?)
}

/// Returns what a payment's disputes hold that wait for the bank's decision, in minor units; None if none waits. The caller holds the lock
/// on its transaction.
pub async fn held(db: &mut PgConnection, transaction_id: TransactionId) -> JobResult<Option<i64>> {
    let held = sqlx::query_scalar!(
        "SELECT sum(lost)::bigint FROM disputes WHERE transaction_id = $1 AND state = 'open'",
        transaction_id as _,
    );
    Ok(held.fetch_one(db).await?)
}

/// Inserts an open dispute.
pub async fn insert(
    db: &mut PgConnection,
    transaction_id: TransactionId,
    reference: &str,
    amount: Money,
    cause: Cause,
) -> JobResult<Dispute> {
    let dispute = Dispute { id: Uuid::now_v7(), state: State::Open, lost: 0 };
    sqlx::query!(
        "INSERT INTO disputes (id, transaction_id, provider_reference, state, amount, lost, opened_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, 0, $6, $6)",
        dispute.id,
        transaction_id as _,
        reference,
        dispute.state as State,
        amount.minor(),
        cause.now,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE transactions SET disputed_at = coalesce(disputed_at, $2) WHERE id = $1",
        transaction_id as _,
        cause.now,
    )
    .execute(db)
    .await?;
    Ok(dispute)
}

/// Stores the state of a dispute and what the provider has taken, in minor units.
pub async fn update(db: &mut PgConnection, id: Uuid, state: State, lost: i64, cause: Cause) -> JobResult<()> {
    sqlx::query!(
        "UPDATE disputes SET state = $2, lost = $3, updated_at = $4 WHERE id = $1",
        id,
        state as State,
        lost,
        cause.now,
    )
    .execute(db)
    .await?;
    Ok(())
}
