//! The ledger: one row for each movement of money, never changed, in the database transaction of the movement itself. A
//! transaction's sums and its state follow from it; the database refuses a commit that leaves them apart.

use sqlx::PgConnection;
use uuid::Uuid;

use super::audit::Cause;
use super::transactions::{self, State, Transaction};
use crate::error::{JobError, JobResult};

/// A kind of movement. Captures, failed refunds and reversed chargebacks bring money to the organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Kind {
    Captured,
    Refunded,
    RefundFailed,
    Chargeback,
    ChargebackReversed,
}

/// A movement to book.
pub struct Movement<'a> {
    pub kind: Kind,
    /// In minor units, above 0.
    pub minor: i64,
    pub refund_id: Option<Uuid>,
    /// The provider's id of the payment, refund or dispute.
    pub reference: Option<&'a str>,
}

/// Books the capture of a payment, which has just succeeded.
pub async fn capture(db: &mut PgConnection, transaction: &Transaction, cause: Cause) -> JobResult<()> {
    let reference = transaction.reference.as_deref();
    let minor = transaction.total.minor();
    insert(db, transaction, &Movement { kind: Kind::Captured, minor, refund_id: None, reference }, cause)
        .await
}

/// Books money that goes back to the buyer, or comes back from there. The locked transaction becomes `refunded` once all
/// of it is gone, and `succeeded` again when some returns. A sum that exceeds the payment is booked up to the payment:
/// returns what was booked.
pub async fn book(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    movement: Movement<'_>,
    cause: Cause,
) -> JobResult<i64> {
    let total = transaction.total.minor();
    let (refunded, lost) = (transaction.refunded, transaction.lost);
    let minor = match movement.kind {
        Kind::Refunded => movement.minor.min(total - refunded),
        Kind::RefundFailed => {
            booked(db, transaction.id, movement.refund_id).await?.unwrap_or(movement.minor).min(refunded)
        }
        Kind::Chargeback => movement.minor.min(total - lost),
        Kind::ChargebackReversed => movement.minor.min(lost),
        Kind::Captured => return Err(JobError::dead("a capture is booked by its own function")),
    };
    if minor <= 0 {
        return Ok(0);
    }
    let (refunded, lost) = match movement.kind {
        Kind::Refunded => (refunded + minor, lost),
        Kind::RefundFailed => (refunded - minor, lost),
        Kind::Chargeback => (refunded, lost + minor),
        Kind::ChargebackReversed | Kind::Captured => (refunded, lost - minor),
    };
    insert(db, transaction, &Movement { minor, ..movement }, cause).await?;
    let state = if refunded + lost >= total { State::Refunded } else { State::Succeeded };
    transactions::set_sums(db, transaction, (refunded, lost), state, cause).await?;
    (transaction.refunded, transaction.lost, transaction.state) = (refunded, lost, state);
    Ok(minor)
}

/// What the ledger holds of a refund, in minor units: less than the refund if it exceeded the payment. None for a refund of
/// the time before the ledger, which has no row of its own.
async fn booked(
    db: &mut PgConnection,
    transaction_id: Uuid,
    refund_id: Option<Uuid>,
) -> JobResult<Option<i64>> {
    let sum = sqlx::query_scalar!(
        r#"SELECT -sum(amount)::bigint AS "sum" FROM ledger WHERE transaction_id = $1 AND refund_id = $2"#,
        transaction_id,
        refund_id,
    );
    Ok(sum.fetch_one(db).await?)
}

async fn insert(
    db: &mut PgConnection,
    transaction: &Transaction,
    movement: &Movement<'_>,
    cause: Cause,
) -> JobResult<()> {
    let signed = match movement.kind {
        Kind::Refunded | Kind::Chargeback => -movement.minor,
        Kind::Captured | Kind::RefundFailed | Kind::ChargebackReversed => movement.minor,
    };
    sqlx::query!(
        "INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, refund_id, amount, currency, gateway,
                             provider_reference)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        cause.now,
        transaction.organisation_id,
        movement.kind as Kind,
        transaction.cart_id,
        transaction.id,
        movement.refund_id,
        signed,
        transaction.total.currency().code(),
        transaction.gateway.name(),
        movement.reference,
    )
    .execute(db)
    .await?;
    Ok(())
}
