//! The creation of payments: a transaction is stored before its provider is called, under a lease, and then what the provider answered.
//!
//! Why: `docs/decisions/one-payment-per-cart.md`

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Value, json};
use shared::db::Db;
use shared::gateway::Gateway;
use shared::ids::{CartId, OrganisationId, TransactionId};
use shared::messages::PaymentStart;
use shared::money::{Amount, Money};
use shared::region::Country;
use sqlx::PgConnection;

use super::transactions::{State, Transaction};
use crate::error::{JobError, JobResult};
use crate::model::seller::Grant;
use crate::plumbing::audit::{self, Cause, Entity};
use crate::plumbing::commands::NewAnswer;

/// The lease of a job that creates a payment at its provider: longer than all provider calls of one job may take.
const LEASE: TimeDelta = TimeDelta::seconds(12);

/// The reconciler first asks the provider this long after the transaction was made, then at growing intervals.
const FIRST_CHECK: TimeDelta = TimeDelta::seconds(30);

/// A transaction to insert.
pub struct NewTransaction {
    pub id: TransactionId,
    pub cart_id: CartId,
    pub organisation_id: OrganisationId,
    pub gateway: Gateway,
    pub total: Money,
    pub region: Option<Country>,
    pub discount_pct: Decimal,
    pub original: Money,
    /// The part of the total that is tax, in minor units.
    pub tax: i64,
    /// The part of the total that was charged on top of the prices as tax, in minor units.
    pub tax_on_top: i64,
    /// Point at which access begins, if the order is on account.
    pub on_account: Option<Grant>,
    /// The exact request to the provider.
    pub request: Value,
}

impl NewTransaction {
    /// Returns the transaction as [`insert`] stores it.
    pub fn stored(&self, created_at: DateTime<Utc>) -> Transaction {
        Transaction {
            id: self.id,
            cart_id: self.cart_id,
            organisation_id: self.organisation_id,
            gateway: self.gateway,
            reference: None,
            state: State::Created,
            total: self.total,
            tax: self.tax,
            refunded: 0,
            lost: 0,
            request: self.request.clone(),
            start: None,
            is_closed: false,
            is_pending: false,
            due_on: None,
            on_account: self.on_account,
            has_alert: false,
            created_at,
        }
    }
}

/// The row of a new transaction: its fields have the names of the columns.
#[derive(Serialize)]
struct Row<'a> {
    id: TransactionId,
    cart_id: CartId,
    organisation_id: OrganisationId,
    gateway: Gateway,
    state: &'static str,
    amount: i64,
    currency: &'static str,
    region: Option<Country>,
    discount_pct: Decimal,
    original_price: i64,
    tax: i64,
    tax_on_top: i64,
    on_account: Option<Grant>,
    provider_request: &'a Value,
    call_lease_until: DateTime<Utc>,
    next_check_at: DateTime<Utc>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl<'a> Row<'a> {
    fn new(new: &'a NewTransaction, now: DateTime<Utc>) -> Self {
        // PostgreSQL would round what it reads as text; bound times are cut.
        let now = now.trunc_subsecs(6);
        Self {
            id: new.id,
            cart_id: new.cart_id,
            organisation_id: new.organisation_id,
            gateway: new.gateway,
            state: State::Created.into(),
            amount: new.total.minor(),
            currency: new.total.currency().code(),
            region: new.region,
            discount_pct: new.discount_pct,
            original_price: new.original.minor(),
            tax: new.tax,
            tax_on_top: new.tax_on_top,
            on_account: new.on_account,
            provider_request: &new.request,
            call_lease_until: now + LEASE,
            next_check_at: now + FIRST_CHECK,
            created_at: now,
            updated_at: now,
        }
    }
}

/// Writes a row $1. A macro, so that the columns are written once and the compiler still checks the query.
macro_rules! insert_transaction {
    ($columns:literal, $($value:expr),+ $(,)?) => {
        sqlx::query!(
            "WITH made AS (
                 INSERT INTO transactions (" + $columns + ")
                 SELECT " + $columns + " FROM jsonb_populate_record(NULL::transactions, $1)
                 RETURNING id, state, created_at)
             INSERT INTO audit_log (at, entity, entity_id, actor, command_id, to_state, detail, trace)
             SELECT created_at, 'transaction', id, $2, $3, state, $4, $5 FROM made",
            $($value),+
        )
    };
}

/// Inserts a transaction before the provider is called. The inserting job holds the call lease and makes the first
/// call.
pub async fn insert(db: &mut PgConnection, new: &NewTransaction, cause: Cause) -> JobResult<()> {
    let detail =
        json!({ "gateway": new.gateway, "amount": Amount(new.total), "currency": new.total.currency() });
    insert_transaction!(
        "id, cart_id, organisation_id, gateway, state, amount, currency, region, discount_pct, original_price, tax, tax_on_top,
         on_account, provider_request, call_lease_until, next_check_at, created_at, updated_at",
        serde_json::to_value(Row::new(new, cause.now))?,
        cause.actor.to_string(),
        cause.command_id,
        detail,
        audit::trace(),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes the lease to create the payment at its provider. False if another job holds it or the payment exists
/// already.
pub async fn lease(db: &Db, id: TransactionId, now: DateTime<Utc>) -> JobResult<bool> {
    let taken = sqlx::query!(
        "UPDATE transactions SET call_lease_until = $2
         WHERE id = $1 AND state = 'created' AND (call_lease_until IS NULL OR call_lease_until <= $3)",
        id as _,
        now + LEASE,
        now,
    )
    .execute(db)
    .await?;
    Ok(taken.rows_affected() == 1)
}

/// Ends the call lease early.
pub async fn release_lease(db: &Db, id: TransactionId) -> JobResult<()> {
    sqlx::query!("UPDATE transactions SET call_lease_until = NULL WHERE id = $1", id as _)
        .execute(db)
        .await?;
    Ok(())
}

/// Stores what the buyer's page needs to start the payment, and ends the call lease.
pub async fn set_start(db: &mut PgConnection, id: TransactionId, start: &PaymentStart) -> JobResult<()> {
    let due_on = match start {
        PaymentStart::Transfer { due_on, .. } => Some(*due_on),
        PaymentStart::Intent { .. } | PaymentStart::Redirect { .. } | PaymentStart::Order { .. } => None,
    };
    sqlx::query!(
        "UPDATE transactions SET provider_answer = $2, due_on = $3, call_lease_until = NULL WHERE id = $1",
        id as _,
        serde_json::to_value(start)?,
        due_on,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Stores a payment that its provider has just created, as [`set_reference`], [`super::transactions::move_to`] and [`set_start`] do, with
/// the answer of the checkout that has begun it. False, without an effect, if something has happened to it since it was inserted.
///
/// # Errors
/// `Superseded` if another delivery of the checkout has stored its answer; the payment is stored.
pub async fn set_created(
    db: &Db,
    id: TransactionId,
    reference: &str,
    start: &PaymentStart,
    answer: &NewAnswer<'_>,
    cause: Cause,
) -> JobResult<bool> {
    let stored = sqlx::query!(
        r#"WITH created AS (
               UPDATE transactions SET state = $3, updated_at = $4, provider_reference = $5, provider_answer = $6,
                   call_lease_until = NULL
               WHERE id = $1 AND state = $2 AND provider_reference IS NULL AND dead_at IS NULL AND alert IS NULL
               RETURNING id),
           recorded AS (
               INSERT INTO audit_log (at, entity, entity_id, actor, command_id, from_state, to_state, detail, trace)
               SELECT $4, $7, id, $8, $9, $2, $3, '{}', $10 FROM created),
           -- As `commands::insert_answer` stores it.
           claimed AS (
               UPDATE commands SET answer = $11, lease_until = NULL
               WHERE $12 AND id = $13 AND answer IS NULL AND EXISTS (SELECT FROM created) RETURNING id),
           inserted AS (
               INSERT INTO commands (id, type, answer, created_at) SELECT $13, $14, $11, $4 FROM created WHERE NOT $12
               ON CONFLICT DO NOTHING RETURNING id)
           SELECT EXISTS (SELECT FROM created) AS "is_created!",
                  EXISTS (SELECT FROM claimed UNION ALL SELECT FROM inserted) AS "is_answered!""#,
        id as _,
        State::Created as State,
        State::Processing as State,
        cause.now,
        reference,
        serde_json::to_value(start)?,
        Entity::Transaction as Entity,
        cause.actor.to_string(),
        cause.command_id,
        audit::trace(),
        answer.answer,
        answer.is_claimed,
        answer.id,
        answer.kind,
    )
    .fetch_one(db)
    .await?;
    if stored.is_created && !stored.is_answered {
        return Err(JobError::Superseded);
    }
    Ok(stored.is_created)
}

/// Stores the provider's id of the payment.
pub async fn set_reference(db: &mut PgConnection, id: TransactionId, reference: &str) -> JobResult<()> {
    sqlx::query!("UPDATE transactions SET provider_reference = $2 WHERE id = $1", id as _, reference)
        .execute(db)
        .await?;
    Ok(())
}
