//! Payments that need an operator's attention: noting why, listing them, and closing them after the operator has handled them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;
use shared::db::Db;
use shared::ids::{CartId, TransactionId};
use sqlx::PgConnection;
use uuid::Uuid;

use super::transactions::State;
use crate::alert::Alert;
use crate::error::JobResult;
use crate::plumbing::audit::{self, Cause, Change, Entity};

/// A transaction with an alert, or a parked notification.
#[derive(Debug, Serialize)]
pub struct Case {
    /// The transaction's id, or `event-` and a number.
    pub id: String,
    pub organisation: String,
    pub gateway: String,
    /// The provider's id of the payment.
    pub reference: Option<String>,
    pub cart_id: Option<Uuid>,
    /// The transaction's state, or the notification's type.
    pub state: String,
    pub reason: String,
    pub since: DateTime<Utc>,
}

/// Lists the open cases, oldest first, at most `limit`.
pub async fn list(db: &Db, limit: i64) -> JobResult<Vec<Case>> {
    Ok(sqlx::query_as!(
        Case,
        r#"(SELECT t.id::text AS "id!", o.short_name AS "organisation!", t.gateway AS "gateway!", t.provider_reference AS reference,
                  t.cart_id AS "cart_id?", t.state AS "state!", t.alert AS "reason!", t.updated_at AS "since!"
            FROM transactions t JOIN organisations o ON o.id = t.organisation_id WHERE t.alert IS NOT NULL
            ORDER BY t.updated_at LIMIT $1)
           UNION ALL
           (SELECT 'event-' || i.id, o.short_name, i.gateway, i.reference, t.cart_id, i.type, i.parked_reason, i.received_at
            FROM inbox i JOIN organisations o ON o.id = i.organisation_id LEFT JOIN transactions t ON t.id = i.transaction_id
            WHERE i.parked_reason IS NOT NULL AND i.processed_at IS NULL ORDER BY i.received_at LIMIT $1)
           ORDER BY 8 LIMIT $1"#,
        limit,
    )
    .fetch_all(db)
    .await?)
}

/// Clears a transaction's alert after an operator has handled it. False if there is none. `reason` goes into the audit log.
pub async fn close_alert(
    db: &mut PgConnection,
    id: TransactionId,
    reason: &str,
    cause: Cause,
) -> JobResult<bool> {
    let closed = sqlx::query!(
        r#"UPDATE transactions t SET alert = NULL FROM transactions before
           WHERE t.id = $1 AND before.id = t.id AND t.alert IS NOT NULL
           RETURNING before.alert, t.state AS "state: State""#,
        id as _,
    )
    .fetch_optional(&mut *db)
    .await?;
    let Some(closed) = closed else { return Ok(false) };
    let detail = json!({ "closed": closed.alert, "reason": reason });
    let state = closed.state.into();
    let entry = Change { entity: Entity::Transaction, id: id.into(), from: Some(state), to: state, detail };
    audit::record(db, cause, entry).await?;
    Ok(true)
}

/// Closes a parked notification without applying it. False if there is none with this id. `reason` goes into the audit log of its
/// transaction.
pub async fn close_notification(
    db: &mut PgConnection,
    id: i64,
    reason: &str,
    cause: Cause,
) -> JobResult<bool> {
    let closed = sqlx::query!(
        "UPDATE inbox SET processed_at = $2 WHERE id = $1 AND parked_reason IS NOT NULL AND processed_at IS NULL
         RETURNING transaction_id, parked_reason",
        id,
        cause.now,
    )
    .fetch_optional(&mut *db)
    .await?;
    let Some(closed) = closed else { return Ok(false) };
    if let Some(transaction) = closed.transaction_id {
        let detail = json!({ "event": id, "closed": closed.parked_reason, "reason": reason });
        let entry = Change {
            entity: Entity::Transaction,
            id: transaction.into(),
            from: None,
            to: "event_closed",
            detail,
        };
        audit::record(db, cause, entry).await?;
    }
    Ok(true)
}

/// Notes on a transaction why an operator has to look at it, and returns the alert to raise after the commit. None if
/// the reason was on it before.
pub async fn alert(
    db: &mut PgConnection,
    id: TransactionId,
    reason: &str,
    now: DateTime<Utc>,
) -> JobResult<Option<Alert>> {
    let added = sqlx::query!(
        "UPDATE transactions SET alert = concat_ws('; ', alert, $2::text), updated_at = $3
         WHERE id = $1 AND position($2 IN coalesce(alert, '')) = 0",
        id as _,
        reason,
        now,
    );
    let is_new = added.execute(db).await?.rows_affected() == 1;
    Ok(is_new.then(|| Alert::Payment { transaction: id, reason: reason.to_owned() }))
}

/// Takes a reason off a transaction's alert, because what it is about is over. Does nothing if it is not on it, as after an operator
/// has closed the alert. `because` goes into the audit log.
pub async fn end(
    db: &mut PgConnection,
    id: TransactionId,
    reason: &str,
    because: &str,
    cause: Cause,
) -> JobResult<()> {
    let ended = sqlx::query_scalar!(
        r#"UPDATE transactions SET updated_at = $3, alert = nullif(CASE
               WHEN alert = $2 THEN ''
               WHEN starts_with(alert, $2 || '; ') THEN substr(alert, length($2) + 3)
               ELSE replace(alert, '; ' || $2, '') END, '')
           WHERE id = $1 AND position('; ' || $2 || '; ' IN '; ' || alert || '; ') > 0 RETURNING state AS "state: State""#,
        id as _,
        reason,
        cause.now,
    );
    let Some(state) = ended.fetch_optional(&mut *db).await? else { return Ok(()) };
    let detail = json!({ "closed": reason, "reason": because });
    let state = state.into();
    let entry = Change { entity: Entity::Transaction, id: id.into(), from: Some(state), to: state, detail };
    audit::record(db, cause, entry).await
}

/// [`end`] for a cart's transaction, if the cart has one.
pub async fn end_of_cart(
    db: &mut PgConnection,
    cart_id: CartId,
    reason: &str,
    because: &str,
    cause: Cause,
) -> JobResult<()> {
    let id = sqlx::query_scalar!(
        r#"SELECT id AS "id: TransactionId" FROM transactions WHERE cart_id = $1"#,
        cart_id as _
    );
    match id.fetch_optional(&mut *db).await? {
        Some(id) => end(db, id, reason, because, cause).await,
        None => Ok(()),
    }
}

/// [`alert`] for what a provider reports at each query. None also if an operator has closed an alert with the same reason before.
pub async fn alert_once(
    db: &mut PgConnection,
    id: TransactionId,
    reason: &str,
    now: DateTime<Utc>,
) -> JobResult<Option<Alert>> {
    let closed = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM audit_log WHERE entity = $1 AND entity_id = $2
                              AND position($3 IN detail ->> 'closed') > 0) AS "closed!""#,
        Entity::Transaction as Entity,
        id as _,
        reason,
    );
    if closed.fetch_one(&mut *db).await? {
        return Ok(None);
    }
    alert(db, id, reason, now).await
}

/// [`alert`] for a cart's transaction, if the cart has one.
pub async fn alert_cart(
    db: &mut PgConnection,
    cart_id: CartId,
    reason: &str,
    now: DateTime<Utc>,
) -> JobResult<Option<Alert>> {
    let id = sqlx::query_scalar!("SELECT id FROM transactions WHERE cart_id = $1", cart_id as _);
    let Some(id) = id.fetch_optional(&mut *db).await? else { return Ok(None) };
    alert(db, id, reason, now).await
}
