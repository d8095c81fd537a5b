//! Money that went back to buyers before the ledger. The migration wrote one refund for all that a payment's provider had
//! counted, and one loss for all its disputes, both without the provider's ids. The provider's lists tell them apart.

use serde_json::json;
use shared::money::{Amount, Money};
use sqlx::PgConnection;
use uuid::Uuid;

use super::audit::{self, Cause, Change, Entity};
use super::refunds::{RefundLine, State};
use crate::error::JobResult;

/// Part of the past that no listed refund has claimed yet.
pub struct PastRefund {
    pub id: Uuid,
    pub amount: Money,
}

/// Finds the past refunds of a locked transaction.
pub async fn find(db: &mut PgConnection, transaction_id: Uuid) -> JobResult<Option<PastRefund>> {
    Ok(sqlx::query_as!(
        PastRefund,
        r#"SELECT id, (amount, currency) AS "amount!: Money" FROM refunds
           WHERE transaction_id = $1 AND origin = 'provider' AND provider_reference IS NULL AND state = 'succeeded'"#,
        transaction_id,
    )
    .fetch_optional(db)
    .await?)
}

/// Gives all of the past to one refund of the provider.
pub async fn claim(db: &mut PgConnection, past: &PastRefund, reference: &str) -> JobResult<()> {
    sqlx::query!("UPDATE refunds SET provider_reference = $2 WHERE id = $1", past.id, reference)
        .execute(db)
        .await?;
    Ok(())
}

/// Gives a part of the past to one refund of the provider, as a row of its own with these lines. Neither the lines of the
/// cart nor the ledger change: both have counted it. Returns the new row's id.
pub async fn split(
    db: &mut PgConnection,
    past: &PastRefund,
    amount: Money,
    lines: &[RefundLine],
    reference: &str,
    cause: Cause,
) -> JobResult<Uuid> {
    let id = Uuid::now_v7();
    sqlx::query!(
        "INSERT INTO refunds (id, transaction_id, origin, amount, currency, state, actor, provider_reference, asked_at,
             accepted_at, ended_at)
         SELECT $2, transaction_id, origin, $3, currency, state, $5, $4, asked_at, accepted_at, ended_at
         FROM refunds WHERE id = $1",
        past.id,
        id,
        amount.minor(),
        reference,
        cause.actor.to_string(),
    )
    .execute(&mut *db)
    .await?;
    let positions: Vec<i32> = lines.iter().map(|line| line.position).collect();
    let amounts: Vec<i64> = lines.iter().map(|line| line.amount).collect();
    sqlx::query!(
        "WITH part AS (SELECT * FROM unnest($3::integer[], $4::bigint[]) AS p (position, amount)),
              left_over AS (
                  UPDATE refund_lines l SET amount = l.amount - part.amount FROM part
                  WHERE l.refund_id = $1 AND l.position = part.position
                  RETURNING l.position, part.amount, l.ends_access)
         INSERT INTO refund_lines (refund_id, position, amount, ends_access)
         SELECT $2, position, amount, ends_access FROM left_over",
        past.id,
        id,
        &positions,
        &amounts,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!("UPDATE refunds SET amount = amount - $2 WHERE id = $1", past.id, amount.minor())
        .execute(&mut *db)
        .await?;
    let detail = json!({ "amount": Amount(amount), "currency": amount.currency(), "split_from": past.id });
    let to = State::Succeeded.into();
    audit::record(db, cause, Change { entity: Entity::Refund, id, from: None, to, detail }).await?;
    Ok(id)
}

/// Returns what disputes before the ledger have taken from a transaction, in minor units: no dispute on record accounts
/// for it.
pub async fn lost(db: &mut PgConnection, transaction_id: Uuid) -> JobResult<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT t.lost_amount - coalesce((SELECT sum(lost) FROM disputes WHERE transaction_id = t.id), 0)::bigint AS "lost!"
           FROM transactions t WHERE id = $1"#,
        transaction_id,
    )
    .fetch_one(db)
    .await?)
}
