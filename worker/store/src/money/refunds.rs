//! Refunds, from the request to their end. Each move is one guarded UPDATE. The callers hold the lock on the
//! transaction, which serialises all that happens to its refunds.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use shared::db::Db;
use shared::ids::{RefundId, TransactionId};
use shared::money::{Amount, Money};
use sqlx::PgConnection;

use super::attention;
use crate::error::{JobError, JobResult};
use crate::plumbing::audit::{self, Cause, Change, Entity};
use crate::sales::seats;

pub use shared::messages::RefundStatus as State;

/// The lease of a job that calls the provider: longer than all provider calls of one job may take.
const CALL_LEASE: TimeDelta = TimeDelta::seconds(12);

/// After this time the reconciler asks about a refund for the first time.
const FIRST_CHECK: TimeDelta = TimeDelta::seconds(30);

/// For an hour, Mollie takes a refund of the same amount of the same payment for a duplicate.
pub const PUT_OFF: TimeDelta = TimeDelta::minutes(61);

/// Origin of a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Origin {
    /// A backend with an organisation's key.
    Api,
    Learner,
    Operator,
    /// The provider's dashboard.
    Provider,
    /// A buyer's withdrawal.
    Withdrawal,
}

/// A stored refund.
pub struct Refund {
    pub id: RefundId,
    pub transaction_id: TransactionId,
    pub amount: Money,
    pub state: State,
    pub request_hash: Option<Vec<u8>>,
    pub asked_at: DateTime<Utc>,
    pub accepted_at: Option<DateTime<Utc>>,
    /// Number of times that the provider took it for a duplicate.
    pub put_off: i32,
}

/// Effect of a refund on one line of its cart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundLine {
    pub position: i32,
    /// In minor units.
    pub amount: i64,
    pub ends_access: bool,
}

/// A refund to insert.
pub struct NewRefund<'a> {
    pub id: RefundId,
    pub transaction_id: TransactionId,
    pub origin: Origin,
    /// Actor that asked for it.
    pub actor: String,
    /// The caller with its idempotency key, and the hash of its request.
    pub request: Option<(String, &'a [u8])>,
    pub reason: Option<&'a str>,
    pub amount: Money,
    pub state: State,
    pub reference: Option<&'a str>,
    pub lines: &'a [RefundLine],
}

/// Selects refunds by the rest of a query. A macro, so that the columns are written once and the compiler still checks each
/// query.
macro_rules! select_refunds {
    ($rest:literal, $($value:expr),+ $(,)?) => {
        sqlx::query_as!(
            Refund,
            r#"SELECT id, transaction_id, (amount, currency) AS "amount!: Money", state AS "state: State", request_hash,
                      asked_at, accepted_at, put_off FROM refunds "#
                + $rest,
            $($value),+
        )
    };
}

/// Inserts a refund and reserves its amounts on the lines of the cart, whose CHECK refuses more than a line was charged. The
/// inserting job holds the call lease.
pub async fn insert(db: &mut PgConnection, new: &NewRefund<'_>, cause: Cause) -> JobResult<()> {
    let (request_key, request_hash) = new.request.clone().unzip();
    let is_asked = new.state == State::Asked;
    sqlx::query!(
        "INSERT INTO refunds (id, transaction_id, origin, request_key, request_hash, reason, amount, currency, state, actor,
             provider_reference, asked_at, accepted_at, ended_at, next_check_at, call_lease_until)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
        new.id as _,
        new.transaction_id as _,
        new.origin as Origin,
        request_key,
        request_hash,
        new.reason,
        new.amount.minor(),
        new.amount.currency().code(),
        new.state as State,
        new.actor,
        new.reference,
        cause.now,
        (!is_asked).then_some(cause.now),
        (new.state == State::Succeeded).then_some(cause.now),
        (new.state != State::Succeeded).then_some(cause.now + FIRST_CHECK),
        is_asked.then_some(cause.now + CALL_LEASE),
    )
    .execute(&mut *db)
    .await?;
    let positions: Vec<i32> = new.lines.iter().map(|line| line.position).collect();
    let amounts: Vec<i64> = new.lines.iter().map(|line| line.amount).collect();
    let ends: Vec<bool> = new.lines.iter().map(|line| line.ends_access).collect();
    sqlx::query!(
        "INSERT INTO refund_lines (refund_id, position, amount, ends_access)
         SELECT $1, position, amount, ends_access
         FROM unnest($2::integer[], $3::bigint[], $4::boolean[]) AS l (position, amount, ends_access)",
        new.id as _,
        &positions,
        &amounts,
        &ends,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE cart_items i SET refunded = i.refunded + l.amount
         FROM refund_lines l JOIN transactions t ON t.id = $2
         WHERE l.refund_id = $1 AND i.cart_id = t.cart_id AND i.position = l.position",
        new.id as _,
        new.transaction_id as _,
    )
    .execute(&mut *db)
    .await?;
    let detail = json!({
        "amount": Amount(new.amount), "currency": new.amount.currency(), "transaction": new.transaction_id,
        "reason": new.reason, "by": new.actor,
    });
    audit::record(db, cause, change(new.id, None, new.state, detail)).await
}

/// Reads a refund.
pub async fn find(db: &mut PgConnection, id: RefundId) -> JobResult<Option<Refund>> {
    Ok(select_refunds!("WHERE id = $1", id as _).fetch_optional(db).await?)
}

/// Reads a refund, which must exist.
pub async fn get(db: &mut PgConnection, id: RefundId) -> JobResult<Refund> {
    find(db, id).await?.ok_or_else(|| JobError::dead(format!("no refund {id}")))
}

/// The refund that an earlier request under the same key asked for.
pub async fn of_request(
    db: &mut PgConnection,
    transaction_id: TransactionId,
    key: &str,
) -> JobResult<Option<Refund>> {
    Ok(select_refunds!("WHERE transaction_id = $1 AND request_key = $2", transaction_id as _, key)
        .fetch_optional(db)
        .await?)
}

/// The refund of a transaction that the provider has not answered yet.
pub async fn asked(db: &mut PgConnection, transaction_id: TransactionId) -> JobResult<Option<Refund>> {
    Ok(select_refunds!("WHERE transaction_id = $1 AND state = 'asked'", transaction_id as _)
        .fetch_optional(db)
        .await?)
}

/// The refund that the provider reports: by our id if the provider repeats it, otherwise by the provider's.
pub async fn reported(
    db: &mut PgConnection,
    transaction_id: TransactionId,
    ours: Option<RefundId>,
    reference: &str,
) -> JobResult<Option<Refund>> {
    Ok(select_refunds!(
        "WHERE transaction_id = $1 AND (id = $2 OR provider_reference = $3) ORDER BY id = $2 DESC NULLS LAST LIMIT 1",
        transaction_id as _,
        ours as _,
        reference,
    )
    .fetch_optional(db)
    .await?)
}

/// What is booked of a refund that a provider lists under an unknown reference.
pub enum Recognised {
    /// It is a former shop's of the same amount, which has its reference from now on.
    AsBooked,
    /// The former shop's have other amounts: it may be a part of one.
    Unclear,
}

/// Looks for a refund without a reference: a former shop has not always kept that of the provider. None if there is none.
pub async fn recognise(
    db: &mut PgConnection,
    transaction_id: TransactionId,
    reference: &str,
    amount: Money,
) -> JobResult<Option<Recognised>> {
    let recognised = sqlx::query_scalar!(
        r#"WITH unnamed AS (
               SELECT id, amount FROM refunds
               WHERE transaction_id = $1 AND provider_reference IS NULL AND state = 'succeeded' AND amount > 0),
           named AS (
               UPDATE refunds r SET provider_reference = $2
               WHERE r.id = (SELECT id FROM unnamed WHERE amount = $3 ORDER BY id LIMIT 1) RETURNING r.id)
           SELECT EXISTS (SELECT FROM named) AS "is_named!" FROM unnamed LIMIT 1"#,
        transaction_id as _,
        reference,
        amount.minor(),
    );
    let recognised = recognised.fetch_optional(db).await?;
    Ok(recognised.map(|is_named| if is_named { Recognised::AsBooked } else { Recognised::Unclear }))
}

/// The alert of a refund that a provider lists, and that may be a part of what a former shop paid back.
pub fn unclear(reference: &str, amount: Money) -> String {
    format!(
        "the provider lists refund {reference} of {amount}, which may be one of the former shop; compare them, it is not booked"
    )
}

/// The lines of a refund, in the cart's order.
pub async fn lines(db: &mut PgConnection, id: RefundId) -> JobResult<Vec<RefundLine>> {
    Ok(sqlx::query_as!(
        RefundLine,
        "SELECT position, amount, ends_access FROM refund_lines WHERE refund_id = $1 ORDER BY position",
        id as _,
    )
    .fetch_all(db)
    .await?)
}

/// Moves a refund on, and frees the reserved amounts and the seats of one that has failed.
///
/// # Errors
/// `Retry` if it has moved since it was read.
pub async fn move_to(
    db: &mut PgConnection,
    refund: &Refund,
    to: State,
    reference: Option<&str>,
    cause: Cause,
) -> JobResult<()> {
    let moving = sqlx::query!(
        "UPDATE refunds SET state = $3, provider_reference = coalesce($4, provider_reference), call_lease_until = NULL,
             accepted_at = CASE WHEN $3 IN ('accepted', 'succeeded') THEN coalesce(accepted_at, $5) ELSE accepted_at END,
             ended_at = CASE WHEN $3 = 'accepted' THEN NULL ELSE $5::timestamptz END,
             next_check_at = CASE WHEN $3 = 'accepted' THEN $6::timestamptz END
         WHERE id = $1 AND state = $2",
        refund.id as _,
        refund.state as State,
        to as State,
        reference,
        cause.now,
        cause.now + FIRST_CHECK,
    );
    if moving.execute(&mut *db).await?.rows_affected() == 0 {
        return Err(JobError::Retry(format!("refund {} is no longer {}", refund.id, refund.state)));
    }
    if to == State::Failed {
        sqlx::query!(
            "UPDATE cart_items i SET refunded = greatest(0, i.refunded - l.amount)
             FROM refund_lines l JOIN transactions t ON t.id = $2
             WHERE l.refund_id = $1 AND i.cart_id = t.cart_id AND i.position = l.position",
            refund.id as _,
            refund.transaction_id as _,
        )
        .execute(&mut *db)
        .await?;
        seats::restore_of(db, refund.id).await?;
    }
    if let Some(reason) = overdue(refund.id, refund.state) {
        attention::end(db, refund.transaction_id, &reason, &format!("the refund is {to}"), cause).await?;
    }
    audit::record(db, cause, change(refund.id, Some(refund.state), to, json!({}))).await
}

/// The alert of a refund that is in this state for too long; the next state ends it.
pub fn overdue(id: RefundId, state: State) -> Option<String> {
    match state {
        State::Asked => {
            Some(format!("the provider has not answered refund {id}; it is repeated until it does"))
        }
        State::Accepted => {
            Some(format!("refund {id} was accepted thirty days ago and has not arrived; ask the provider"))
        }
        State::Succeeded | State::Failed => None,
    }
}

/// The alert of a refund that has failed; it ends if the provider counts the refund all the same.
pub fn failed(refund: &Refund) -> String {
    format!("refund {} of {} has failed; refund it again, or restore the access", refund.id, refund.amount)
}

/// Reserves the amounts of a failed refund, which the provider counts, on the lines again, and its seats, as far as there are any.
pub async fn reserve_again(db: &mut PgConnection, refund: &Refund, cause: Cause) -> JobResult<()> {
    attention::end(db, refund.transaction_id, &failed(refund), "the provider counts it", cause).await?;
    sqlx::query!(
        "UPDATE cart_items i SET refunded = least(line_charged(i), i.refunded + l.amount)
         FROM refund_lines l JOIN transactions t ON t.id = $2
         WHERE l.refund_id = $1 AND i.cart_id = t.cart_id AND i.position = l.position",
        refund.id as _,
        refund.transaction_id as _,
    )
    .execute(&mut *db)
    .await?;
    seats::withdraw_for(db, refund.id).await
}

fn change(id: RefundId, from: Option<State>, to: State, detail: serde_json::Value) -> Change {
    Change { entity: Entity::Refund, id: id.into(), from: from.map(Into::into), to: to.into(), detail }
}

/// Takes the lease to call the provider about an asked refund. False if another job holds it.
pub async fn lease_call(db: &Db, id: RefundId, now: DateTime<Utc>) -> JobResult<bool> {
    let taken = sqlx::query!(
        "UPDATE refunds SET call_lease_until = $2
         WHERE id = $1 AND state = 'asked' AND (call_lease_until IS NULL OR call_lease_until <= $3)",
        id as _,
        now + CALL_LEASE,
        now,
    );
    Ok(taken.execute(db).await?.rows_affected() == 1)
}

/// Ends the call lease of a refund that the provider takes for a duplicate, and has it asked again once it no longer does.
pub async fn put_off(db: &Db, id: RefundId, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE refunds SET call_lease_until = NULL, put_off = put_off + 1, next_check_at = $2
         WHERE id = $1 AND state = 'asked'",
        id as _,
        now + PUT_OFF,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Leaves the first call of a new refund to the job that follows it up.
pub async fn leave_call(db: &mut PgConnection, id: RefundId) -> JobResult<()> {
    sqlx::query!("UPDATE refunds SET call_lease_until = NULL WHERE id = $1", id as _).execute(db).await?;
    Ok(())
}

/// Ends the call lease early.
pub async fn release_call(db: &Db, id: RefundId) -> JobResult<()> {
    sqlx::query!("UPDATE refunds SET call_lease_until = NULL WHERE id = $1", id as _).execute(db).await?;
    Ok(())
}
