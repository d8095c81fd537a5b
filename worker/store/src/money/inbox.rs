//! Providers' notifications as received, each stored once: some wait for their transaction, some for an operator.

use chrono::{DateTime, Utc};
use serde_json::Value;
use shared::db::Db;
use shared::email::Email;
use shared::gateway::Gateway;
use shared::ids::{LearnerId, OrganisationId, TransactionId};
use shared::messages::PaymentStart;
use shared::money::Money;
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use texts::Language;

use super::transactions::{State, Transaction, select_transactions};
use crate::error::JobResult;
use crate::model::seller::Grant;
use crate::people::learners::Learner;

/// A notification as its provider has sent it.
pub struct Notification {
    pub gateway: Gateway,
    pub organisation_id: OrganisationId,
    /// The same for each delivery of one notification.
    pub notification_id: String,
    pub kind: String,
    pub body: Value,
    /// The provider's id of the payment.
    pub reference: Option<String>,
    /// Another id of it, under which a former shop may have known it. Not stored.
    pub charge: Option<String>,
    /// Our transaction id, as the provider repeats it.
    pub transaction_id: Option<TransactionId>,
}

/// A transaction that a notification means, with what can be known of its buyer before it is locked.
pub struct Meant {
    pub transaction: Transaction,
    /// Indicates whether the notification was processed or parked before.
    pub is_repeated: bool,
    /// The address of the cart.
    pub email: Email,
    pub learner_id: Option<LearnerId>,
    /// The learner who had the address when the platform was last asked.
    pub on_record: Option<Learner>,
}

/// Finds the transaction of a provider's notification: by our id if the provider repeats it, otherwise by the provider's id of the
/// payment, or of one of its refunds or disputes.
pub async fn meant(db: &Db, notification: &Notification) -> JobResult<Option<Meant>> {
    let row = select_transactions!(
        @ query, [],
        r#", c.email AS "email: Email", c.learner_id, l.id AS "recorded?: LearnerId", l.platform_user_id AS "platform_user_id?",
             l.username AS "username?", l.language AS "language?: Language",
             EXISTS (SELECT FROM inbox i WHERE (i.gateway, i.organisation_id, i.event_id) = ($2, $4, $5)
                     AND (i.processed_at IS NOT NULL OR i.parked_reason IS NOT NULL)) AS "is_repeated!""#,
        "JOIN carts c ON c.id = t.cart_id LEFT JOIN learners l ON l.email = c.email
         WHERE t.id = $1 OR t.gateway = $2 AND t.provider_reference = ANY (ARRAY[$3, $6])
            OR t.gateway = $2 AND t.id = ANY (ARRAY(
                SELECT transaction_id FROM refunds WHERE provider_reference = $3
                UNION ALL SELECT transaction_id FROM disputes WHERE provider_reference = $3))
         ORDER BY t.id = $1 DESC NULLS LAST, t.provider_reference = $3 DESC NULLS LAST LIMIT 1",
        notification.transaction_id as _,
        notification.gateway as Gateway,
        notification.reference,
        notification.organisation_id as _,
        notification.notification_id,
        notification.charge,
    )
    .fetch_optional(db)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let account = row.recorded.zip(row.platform_user_id).zip(row.username);
    let learner = |((id, platform_user_id), username)| Learner {
        id,
        platform_user_id,
        username,
        language: row.language,
    };
    Ok(Some(Meant {
        transaction: Transaction {
            id: row.id,
            cart_id: row.cart_id,
            organisation_id: row.organisation_id,
            gateway: row.gateway,
            reference: row.reference,
            state: row.state,
            total: row.total,
            tax: row.tax,
            refunded: row.refunded,
            lost: row.lost,
            request: row.request,
            start: row.start,
            is_closed: row.is_closed,
            is_pending: row.is_pending,
            due_on: row.due_on,
            on_account: row.on_account,
            has_alert: row.has_alert,
            created_at: row.created_at,
        },
        is_repeated: row.is_repeated,
        email: row.email,
        learner_id: row.learner_id,
        on_record: account.map(learner),
    }))
}

/// What becomes of a notification.
pub enum Fate {
    /// It waits for its transaction, or for another attempt to settle it.
    Waits,
    /// It is done with, with an effect on this transaction or without any.
    Processed(Option<TransactionId>),
    /// It contradicts this transaction, for a reason: it has no effect until an operator decides.
    Parked(TransactionId, String),
}

/// Stores a notification with its fate, in the transaction that settles it. Returns its id; None, without an effect, if it was
/// processed or parked before.
pub async fn store(
    db: impl PgExecutor<'_>,
    notification: &Notification,
    fate: &Fate,
    now: DateTime<Utc>,
) -> JobResult<Option<i64>> {
    let (transaction_id, parked_reason, processed_at) = match fate {
        Fate::Waits => (None, None, None),
        Fate::Processed(transaction) => (*transaction, None, Some(now)),
        Fate::Parked(transaction, reason) => (Some(*transaction), Some(reason), None),
    };
    Ok(sqlx::query_scalar!(
        "INSERT INTO inbox AS i (gateway, organisation_id, event_id, type, body, reference, transaction_hint, received_at,
                                 transaction_id, parked_reason, processed_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT ON CONSTRAINT inbox_event_key DO UPDATE
         SET transaction_id = excluded.transaction_id, parked_reason = excluded.parked_reason, processed_at = excluded.processed_at
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
        transaction_id as _,
        parked_reason,
        processed_at,
    )
    .fetch_optional(db)
    .await?)
}

/// Marks a parked notification as processed, after an operator's decision.
pub async fn processed(
    db: &mut PgConnection,
    id: i64,
    transaction_id: TransactionId,
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

/// Selects stored notifications, with `more` beside them, by the rest of a query. A macro, so that the columns are written once and
/// the compiler still checks each query.
macro_rules! select_notifications {
    ($more:literal, $rest:literal, $($value:expr),+ $(,)?) => {
        sqlx::query!(
            r#"SELECT i.gateway AS "gateway: Gateway", i.organisation_id, i.event_id, i.type AS kind, i.body, i.reference,
                      i.transaction_hint AS "transaction_id: TransactionId""# + $more + " FROM inbox i " + $rest,
            $($value),+
        )
        .map(|row| {
            let notification = Notification {
                gateway: row.gateway,
                organisation_id: row.organisation_id,
                notification_id: row.event_id,
                kind: row.kind,
                body: row.body,
                reference: row.reference,
                charge: None,
                transaction_id: row.transaction_id,
            };
            (notification, row.more)
        })
    };
}

/// A parked notification that no operator has handled, and why it was parked.
pub async fn parked(db: &Db, id: i64) -> JobResult<Option<(Notification, String)>> {
    let parked = select_notifications!(
        r#", i.parked_reason AS "more!""#,
        "WHERE i.id = $1 AND i.parked_reason IS NOT NULL AND i.processed_at IS NULL",
        id,
    );
    Ok(parked.fetch_optional(db).await?)
}

/// A notification that was neither processed nor parked.
pub async fn open(db: &Db, id: i64) -> JobResult<Option<Notification>> {
    let open = select_notifications!(
        ", i.id AS more",
        "WHERE i.id = $1 AND i.processed_at IS NULL AND i.parked_reason IS NULL",
        id,
    );
    Ok(open.fetch_optional(db).await?.map(|(notification, _)| notification))
}

/// Unprocessed notifications whose transaction now exists, with their ids: they came before it, or the worker failed to process them.
/// Not those of an account whose key the provider refuses: the worker may have to ask about them.
pub async fn matchable(db: &Db, before: DateTime<Utc>, limit: i64) -> JobResult<Vec<(Notification, i64)>> {
    let matchable = select_notifications!(
        ", i.id AS more",
        "WHERE i.processed_at IS NULL AND i.parked_reason IS NULL AND i.received_at <= $1 AND EXISTS (
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
         ORDER BY i.tried_at NULLS FIRST, i.received_at LIMIT $2",
        before,
        limit,
    );
    Ok(matchable.fetch_all(db).await?)
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
