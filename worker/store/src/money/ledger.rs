//! The ledger: one row for each movement of money, never changed, in the database transaction of the movement itself. A
//! transaction's sums and its state follow from it; the database refuses a commit that leaves them apart.

use chrono::{DateTime, Utc};
use shared::ids::{RefundId, TransactionId};
use sqlx::PgConnection;

use super::disputes;
use super::transactions::{self, State, Transaction};
use crate::error::{JobError, JobResult};
use crate::model::tax;
use crate::plumbing::audit::{self, Cause, Entity};
use crate::sales::{cart_items, carts};

pub use shared::words::MovementKind as Kind;

/// A movement to book.
pub struct Movement<'a> {
    pub kind: Kind,
    /// In minor units, above 0.
    pub minor: i64,
    pub refund_id: Option<RefundId>,
    /// The provider's id of the payment, refund or dispute.
    pub reference: Option<&'a str>,
    /// The provider's time of it, as far as it is known.
    pub bank_at: Option<DateTime<Utc>>,
}

/// Moves a transaction that is paid to `succeeded`, as [`transactions::move_to`] does, and books its capture.
pub async fn capture(db: &mut PgConnection, transaction: &Transaction, cause: Cause) -> JobResult<()> {
    let captured = sqlx::query!(
        "WITH paid AS (
             UPDATE transactions SET state = 'succeeded', updated_at = $3, dead_at = NULL WHERE id = $1 AND state = $2 RETURNING *),
         booked AS (
             INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, tax, currency, gateway, provider_reference)
             SELECT $3, organisation_id, 'captured', cart_id, id, amount, tax, currency, gateway, provider_reference FROM paid)
         INSERT INTO audit_log (at, entity, entity_id, actor, command_id, from_state, to_state, detail, trace)
         SELECT $3, $4, id, $5, $6, $2, state, '{}', $7 FROM paid",
        transaction.id as _,
        transaction.state as State,
        cause.now,
        Entity::Transaction as Entity,
        cause.actor.to_string(),
        cause.command_id,
        audit::trace(),
    );
    if captured.execute(db).await?.rows_affected() == 0 {
        return Err(JobError::Retry(format!(
            "transaction {} is no longer {}",
            transaction.id, transaction.state
        )));
    }
    Ok(())
}

/// Books money that goes back to the buyer, or comes back from there. The locked transaction becomes `refunded` once all
/// of it is gone, and `succeeded` again when some returns; what an open dispute holds is not gone. A sum that exceeds the payment is
/// booked up to the payment, and a decision that moves nothing has no row.
pub async fn book(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    movement: Movement<'_>,
    cause: Cause,
) -> JobResult<()> {
    let total = transaction.total.minor();
    let (refunded, lost) = (transaction.refunded, transaction.lost);
    let minor = match movement.kind {
        Kind::Refunded => movement.minor.min(total - refunded),
        Kind::RefundFailed => booked(db, transaction.id, movement.refund_id).await?,
        Kind::Chargeback => movement.minor.min(total - lost),
        Kind::ChargebackReversed => movement.minor.min(lost),
        Kind::Captured | Kind::Moved | Kind::Fee | Kind::Payout => {
            return Err(JobError::dead(
                "a capture, a move and what a payout moves are booked by functions of their own",
            ));
        }
    };
    let minor = minor.max(0);
    let (refunded, lost) = match movement.kind {
        Kind::Refunded => (refunded + minor, lost),
        Kind::RefundFailed => (refunded - minor, lost),
        Kind::Chargeback => (refunded, lost + minor),
        Kind::ChargebackReversed | Kind::Captured | Kind::Moved | Kind::Fee | Kind::Payout => {
            (refunded, lost - minor)
        }
    };
    let held = disputes::held(db, transaction.id).await?.unwrap_or(0);
    let state = if refunded + lost - held >= total { State::Refunded } else { State::Succeeded };
    if minor > 0 {
        let movement = Movement { minor, ..movement };
        let tax = tax_of(db, transaction, &movement, refunded + lost >= total).await?;
        insert(db, transaction, &movement, tax, cause).await?;
    } else if state == transaction.state {
        return Ok(());
    }
    transactions::set_sums(db, transaction, refunded, lost, state, cause).await?;
    (transaction.refunded, transaction.lost, transaction.state) = (refunded, lost, state);
    Ok(())
}

/// Books what [`book`] has left out of refunds that count, as far as the payment has room for it: they exceeded the payment together
/// with another one that has failed since. A provider can make a refund before the failure of the other one is known here.
pub async fn book_rest(db: &mut PgConnection, transaction: &mut Transaction, cause: Cause) -> JobResult<()> {
    let rests = sqlx::query!(
        r#"SELECT r.id, r.provider_reference, r.amount + coalesce(sum(l.amount), 0)::bigint AS "minor!"
           FROM refunds r LEFT JOIN ledger l ON l.transaction_id = r.transaction_id AND l.refund_id = r.id
           WHERE r.transaction_id = $1 AND r.state IN ('accepted', 'succeeded')
           GROUP BY r.id HAVING r.amount + coalesce(sum(l.amount), 0) > 0 ORDER BY r.accepted_at, r.id"#,
        transaction.id as _,
    )
    .fetch_all(&mut *db)
    .await?;
    for rest in rests {
        let (refund_id, reference) = (Some(rest.id), rest.provider_reference.as_deref());
        let (kind, minor) = (Kind::Refunded, rest.minor);
        let movement = Movement { kind, minor, refund_id, reference, bank_at: None };
        book(db, transaction, movement, cause).await?;
    }
    Ok(())
}

/// The booked amount of a refund, in minor units: less than the refund if it exceeded the payment.
async fn booked(
    db: &mut PgConnection,
    transaction_id: TransactionId,
    refund_id: Option<RefundId>,
) -> JobResult<i64> {
    let sum = sqlx::query_scalar!(
        r#"SELECT coalesce(-sum(amount), 0)::bigint AS "sum!" FROM ledger WHERE transaction_id = $1 AND refund_id = $2"#,
        transaction_id as _,
        refund_id as _,
    );
    Ok(sum.fetch_one(db).await?)
}

/// The tax in a movement after the capture, in minor units. Once all money is gone, all tax is.
async fn tax_of(
    db: &mut PgConnection,
    transaction: &Transaction,
    movement: &Movement<'_>,
    is_all_gone: bool,
) -> JobResult<i64> {
    if transaction.tax == 0 {
        return Ok(0);
    }
    let booked = sqlx::query!(
        r#"SELECT coalesce(sum(tax), 0)::bigint AS "kept!",
                  coalesce(-sum(tax) FILTER (WHERE kind IN ('refunded', 'refund_failed')), 0)::bigint AS "refunded!",
                  coalesce(-sum(tax) FILTER (WHERE kind IN ('chargeback', 'chargeback_reversed')), 0)::bigint AS "lost!",
                  coalesce(-sum(tax) FILTER (WHERE refund_id = $2), 0)::bigint AS "of_refund!"
           FROM ledger WHERE transaction_id = $1"#,
        transaction.id as _,
        movement.refund_id as _,
    )
    .fetch_one(&mut *db)
    .await?;
    let most = match movement.kind {
        Kind::Refunded | Kind::Chargeback => movement.minor.min(booked.kept),
        Kind::RefundFailed
        | Kind::ChargebackReversed
        | Kind::Captured
        | Kind::Moved
        | Kind::Fee
        | Kind::Payout => movement.minor,
    };
    let lost = |minor| tax::of_part(transaction.tax, transaction.total.minor(), minor);
    let tax = match movement.kind {
        Kind::Refunded | Kind::Chargeback if is_all_gone => booked.kept,
        Kind::Refunded => refunded_tax(db, transaction, movement.minor).await? - booked.refunded,
        Kind::RefundFailed => booked.of_refund,
        Kind::Chargeback => lost(transaction.lost + movement.minor) - booked.lost,
        Kind::ChargebackReversed | Kind::Captured | Kind::Moved | Kind::Fee | Kind::Payout => {
            booked.lost - lost(transaction.lost - movement.minor)
        }
    };
    Ok(tax.clamp(0, most.max(0)))
}

/// The tax in all that is refunded of a payment, with a refund of `minor` that is not booked yet. Line by line, as on credit
/// notes, where the lines add up to what was charged and refunded: with a refund that exceeds the payment they do not. Of a payment
/// whose tax was refunded under reverse charge, the tax goes back first.
async fn refunded_tax(db: &mut PgConnection, transaction: &Transaction, minor: i64) -> JobResult<i64> {
    let (total, refunded) = (transaction.total.minor(), transaction.refunded + minor);
    let terms = carts::tax_terms(&mut *db, transaction.cart_id).await?;
    if terms.is_some_and(|terms| terms.refunded.is_some()) {
        return Ok(transaction.tax.min(refunded));
    }
    let lines = sqlx::query!(
        r#"SELECT (SELECT coalesce(sum(l.amount), 0) FROM refunds r JOIN refund_lines l ON l.refund_id = r.id
                   WHERE r.transaction_id = $2 AND r.state IN ('accepted', 'succeeded') AND l.position = i.position)::bigint
                      AS "refunded!"
           FROM cart_items i WHERE i.cart_id = $1 ORDER BY i.position"#,
        transaction.cart_id as _,
        transaction.id as _,
    )
    .fetch_all(&mut *db)
    .await?;
    let charged = cart_items::charged(db, transaction.cart_id).await?;
    let of_lines: i64 = charged.iter().map(|line| line.total).sum();
    let spread: i64 = lines.iter().map(|line| line.refunded).sum();
    if (of_lines, spread) != (total, refunded) {
        return Ok(tax::of_part(transaction.tax, total, refunded));
    }
    let taxes =
        charged.iter().zip(lines).map(|(line, back)| tax::of_part(line.tax, line.total, back.refunded));
    Ok(taxes.sum())
}

async fn insert(
    db: &mut PgConnection,
    transaction: &Transaction,
    movement: &Movement<'_>,
    tax: i64,
    cause: Cause,
) -> JobResult<()> {
    let sign = match movement.kind {
        Kind::Refunded | Kind::Chargeback | Kind::Fee | Kind::Payout => -1,
        Kind::Captured | Kind::RefundFailed | Kind::ChargebackReversed | Kind::Moved => 1,
    };
    sqlx::query!(
        "INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, refund_id, amount, tax, currency,
                             gateway, provider_reference, bank_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        cause.now,
        transaction.organisation_id as _,
        movement.kind as Kind,
        transaction.cart_id as _,
        transaction.id as _,
        movement.refund_id as _,
        sign * movement.minor,
        sign * tax,
        transaction.total.currency().code(),
        transaction.gateway.name(),
        movement.reference,
        movement.bank_at,
    )
    .execute(db)
    .await?;
    Ok(())
}
