//! Transactions: what a cart's buyer is charged, from the stored request to the refund. Each move is one guarded
//! UPDATE.
//!
//! Why: `docs/decisions/one-payment-per-cart.md`

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde_json::{Value, json};
use shared::about;
use shared::gateway::Gateway;
use shared::ids::{CartId, EnrollmentId, OrganisationId, TransactionId};
use shared::messages::{PaymentDue, PaymentStart};
use shared::money::{Amount, Money};
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};

use crate::error::{JobError, JobResult};
use crate::model::seller::Grant;
use crate::plumbing::audit::{self, Cause, Change, Entity};
use crate::sales::cart_items;

/// The state of a transaction; the table `allowed_moves` lists the moves between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type, strum::Display, strum::IntoStaticStr)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum State {
    Created,
    Processing,
    Succeeded,
    Failed,
    Cancelled,
    Superseded,
    Refunded,
}

/// A stored transaction.
pub struct Transaction {
    pub id: TransactionId,
    pub cart_id: CartId,
    pub organisation_id: OrganisationId,
    pub gateway: Gateway,
    /// The provider's id of the payment; None until the provider has answered.
    pub reference: Option<String>,
    pub state: State,
    pub total: Money,
    /// The tax in what the buyer was asked to pay, in minor units.
    pub tax: i64,
    /// Refunded so far, in minor units.
    pub refunded: i64,
    /// Taken by disputes so far, in minor units, of which open ones may give some back.
    pub lost: i64,
    pub request: Value,
    pub(super) start: Option<Json<PaymentStart>>,
    /// The provider says that the buyer can no longer pay it.
    pub is_closed: bool,
    /// The provider works on the payment, which must not be cancelled.
    pub is_pending: bool,
    /// Until when the buyer is to pay an organisation that takes payments itself.
    pub due_on: Option<NaiveDate>,
    /// Point at which access begins, if the order is on account.
    pub on_account: Option<Grant>,
    pub has_alert: bool,
    pub created_at: DateTime<Utc>,
}

/// Stripe's customer session, which lets a page offer the customer's saved means of payment, lasts 30 minutes.
const SESSION_LIFETIME: TimeDelta = TimeDelta::minutes(20);

impl Transaction {
    /// Returns whether the buyer was charged, whatever went back since.
    pub fn was_charged(&self) -> bool {
        matches!(self.state, State::Succeeded | State::Refunded)
    }

    /// Returns whether its buyer is not expected to pay it any more: it was closed, or another attempt has replaced it.
    pub fn is_over(&self) -> bool {
        self.is_closed || self.state == State::Superseded
    }

    /// Returns whether it is on account and was cancelled: a credit note cancels its invoice, and no payment is accepted any more.
    pub fn is_cancelled_invoice(&self) -> bool {
        self.on_account.is_some() && self.is_closed
    }

    /// Returns whether it is on account and its invoice is not paid yet.
    pub fn is_unpaid_invoice(&self) -> bool {
        self.on_account.is_some() && !self.is_closed && !self.was_charged()
    }

    /// Returns how it is to be paid; None unless it is a transfer.
    pub fn due(&self) -> Option<PaymentDue> {
        match self.start.as_deref()? {
            PaymentStart::Transfer { payment_reference, bank_lines, due_on } => Some(PaymentDue {
                due_on: *due_on,
                reference: payment_reference.clone(),
                bank_lines: bank_lines.clone(),
                open: None,
            }),
            PaymentStart::Intent { .. } | PaymentStart::Redirect { .. } | PaymentStart::Order { .. } => None,
        }
    }

    /// Returns what the buyer's page needs to start the payment, without a customer session that may have expired.
    pub fn start(&self, now: DateTime<Utc>) -> Option<PaymentStart> {
        let Json(mut start) = self.start.clone()?;
        if let PaymentStart::Intent { customer_session_client_secret, .. } = &mut start
            && self.created_at + SESSION_LIFETIME < now
        {
            *customer_session_client_secret = None;
        }
        Some(start)
    }
}

/// Selects stored transactions by the rest of a query, which can select more beside them. A macro, so that the columns are written once
/// and the compiler still checks each query.
macro_rules! select_transactions {
    (@ $query:ident, [$($of:ident)?], $more:literal, $rest:literal, $($value:expr),+ $(,)?) => {
        sqlx::$query!(
            $($of,)?
            r#"SELECT t.id, t.cart_id, t.organisation_id, t.gateway AS "gateway: Gateway", t.provider_reference AS reference,
                      t.state AS "state: State", (t.amount, t.currency) AS "total!: Money", t.tax, t.refunded_amount AS refunded,
                      t.lost_amount AS lost,
                      t.provider_request AS request, t.provider_answer AS "start: Json<PaymentStart>",
                      t.dead_at IS NOT NULL AS "is_closed!", t.provider_pending_since IS NOT NULL AS "is_pending!", t.due_on,
                      t.on_account AS "on_account: Grant", t.alert IS NOT NULL AS "has_alert!", t.created_at "#
                + $more + " FROM transactions t " + $rest,
            $($value),+
        )
    };
    ($rest:literal, $($value:expr),+ $(,)?) => {
        select_transactions!(@ query_as, [Transaction], "", $rest, $($value),+)
    };
}

pub(super) use select_transactions;

/// Reads a transaction without locking it.
pub async fn find(db: impl PgExecutor<'_>, id: TransactionId) -> JobResult<Option<Transaction>> {
    let found = select_transactions!("WHERE id = $1", id as _).fetch_optional(db).await?;
    Ok(found.inspect(|transaction| about::cart(transaction.cart_id)))
}

/// Reads a cart's transaction without locking it.
pub async fn of_cart(db: impl PgExecutor<'_>, cart_id: CartId) -> JobResult<Option<Transaction>> {
    about::cart(cart_id);
    Ok(select_transactions!("WHERE cart_id = $1", cart_id as _).fetch_optional(db).await?)
}

/// Reads a transaction and locks its row until the database transaction ends.
pub async fn lock(db: &mut PgConnection, id: TransactionId) -> JobResult<Transaction> {
    let transaction = select_transactions!("WHERE id = $1 FOR UPDATE", id as _).fetch_optional(db).await?;
    let transaction = transaction.ok_or_else(|| JobError::dead(format!("no transaction {id}")))?;
    about::cart(transaction.cart_id);
    Ok(transaction)
}

/// Reads a cart's transaction and locks its row until the database transaction ends.
pub async fn of_locked_cart(db: &mut PgConnection, cart_id: CartId) -> JobResult<Option<Transaction>> {
    Ok(select_transactions!("WHERE cart_id = $1 FOR UPDATE", cart_id as _).fetch_optional(db).await?)
}

/// Locks a cart's transaction. Call it before locking the cart: settlement takes the two locks in this order.
pub async fn lock_cart(db: &mut PgConnection, cart_id: CartId) -> JobResult<()> {
    sqlx::query!("SELECT id FROM transactions WHERE cart_id = $1 FOR UPDATE", cart_id as _)
        .fetch_optional(db)
        .await?;
    Ok(())
}

/// Sets the amount that the buyer was charged, and with it the cart's total, what each line was charged, and the tax. False if it
/// exceeds the price before discounts.
pub async fn set_charged(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    charged: Money,
    cause: Cause,
) -> JobResult<bool> {
    let id = transaction.id;
    let set = sqlx::query!(
        "UPDATE transactions SET amount = $2, updated_at = $3 WHERE id = $1 AND original_price + tax_on_top >= $2",
        id as _,
        charged.minor(),
        cause.now,
    );
    if set.execute(&mut *db).await?.rows_affected() == 0 {
        return Ok(false);
    }
    // A trigger has shared the amount over the lines.
    let tax: i64 = cart_items::charged(db, transaction.cart_id).await?.iter().map(|line| line.tax).sum();
    sqlx::query!("UPDATE transactions SET tax = $2 WHERE id = $1", id as _, tax).execute(&mut *db).await?;
    let state = transaction.state.into();
    let detail = json!({ "asked": Amount(transaction.total), "charged": Amount(charged) });
    let entry = Change { entity: Entity::Transaction, id: id.into(), from: Some(state), to: state, detail };
    audit::record(db, cause, entry).await?;
    (transaction.total, transaction.tax) = (charged, tax);
    Ok(true)
}

/// Locks the transactions of the carts that upgrade what a cart has granted.
pub async fn lock_upgrades_of(db: &mut PgConnection, cart_id: CartId) -> JobResult<()> {
    sqlx::query!(
        "SELECT t.id FROM transactions t WHERE t.cart_id IN (
             SELECT r.cart_id FROM enrollment_grants r JOIN enrollment_grants g ON r.rests_on = g.id WHERE g.cart_id = $1)
         ORDER BY t.id FOR UPDATE",
        cart_id as _,
    )
    .fetch_all(db)
    .await?;
    Ok(())
}

/// Moves a transaction from one state to another. A retryable error if it is no longer in `from`.
pub async fn move_to(
    db: &mut PgConnection,
    id: TransactionId,
    from: State,
    to: State,
    cause: Cause,
) -> JobResult<()> {
    let moving = sqlx::query!(
        "WITH moved AS (
             UPDATE transactions SET state = $3, updated_at = $4,
                 dead_at = CASE WHEN $3 = 'succeeded' THEN NULL ELSE dead_at END
             WHERE id = $1 AND state = $2 RETURNING id)
         INSERT INTO audit_log (at, entity, entity_id, actor, command_id, from_state, to_state, detail, trace)
         SELECT $4, $5, id, $6, $7, $2, $3, '{}', $8 FROM moved",
        id as _,
        from as State,
        to as State,
        cause.now,
        Entity::Transaction as Entity,
        cause.actor.to_string(),
        cause.command_id,
        audit::trace(),
    );
    if moving.execute(db).await?.rows_affected() == 0 {
        return Err(JobError::Retry(format!("transaction {id} is no longer {from}")));
    }
    Ok(())
}

/// Records that the buyer can no longer pay the transaction.
pub async fn set_closed(db: &mut PgConnection, id: TransactionId, now: DateTime<Utc>) -> JobResult<()> {
    // A payment that was never created at the provider has no status to ask for.
    sqlx::query!(
        "UPDATE transactions SET dead_at = coalesce(dead_at, $2),
             next_check_at = CASE WHEN provider_reference IS NULL THEN NULL ELSE next_check_at END WHERE id = $1",
        id as _,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Records whether the provider works on the payment. A payment that has succeeded waits for nothing.
pub async fn set_pending(
    db: &mut PgConnection,
    transaction: &Transaction,
    is_pending: bool,
    now: DateTime<Utc>,
) -> JobResult<()> {
    let is_pending = is_pending && !transaction.was_charged();
    if is_pending == transaction.is_pending {
        return Ok(());
    }
    sqlx::query!(
        "UPDATE transactions SET provider_pending_since = $2 WHERE id = $1",
        transaction.id as _,
        is_pending.then_some(now),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Sets what went back to the buyer, as refunded and as taken by disputes in minor units, and the state that follows.
pub(crate) async fn set_sums(
    db: &mut PgConnection,
    transaction: &Transaction,
    refunded: i64,
    lost: i64,
    to: State,
    cause: Cause,
) -> JobResult<()> {
    let id = transaction.id;
    sqlx::query!(
        "UPDATE transactions SET refunded_amount = $2, lost_amount = $3, state = $4, updated_at = $5 WHERE id = $1",
        id as _,
        refunded,
        lost,
        to as State,
        cause.now,
    )
    .execute(&mut *db)
    .await?;
    let detail = json!({ "refunded_minor": refunded, "lost_minor": lost });
    let from = Some(transaction.state.into());
    audit::record(
        db,
        cause,
        Change { entity: Entity::Transaction, id: id.into(), from, to: to.into(), detail },
    )
    .await
}

/// The succeeded transactions whose carts grant this enrollment, or have paid for the seat that does.
pub async fn of_enrollment(
    db: &mut PgConnection,
    enrollment_id: EnrollmentId,
) -> JobResult<Vec<TransactionId>> {
    Ok(sqlx::query_scalar!(
        "SELECT t.id FROM enrollment_grants g JOIN carts c ON c.id = g.cart_id LEFT JOIN vouchers v ON v.id = c.voucher_id
         JOIN transactions t ON t.cart_id IN (c.id, v.cart_id)
         WHERE g.enrollment_id = $1 AND g.ended_at IS NULL AND t.state = 'succeeded' ORDER BY t.id",
        enrollment_id as _,
    )
    .fetch_all(db)
    .await?)
}
