//! All that happened to a cart and its payment, in the order of time, for an operator.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use shared::creditor_reference;
use shared::db::Db;
use shared::email::Email;
use shared::gateway::Gateway;
use shared::ids::{CartId, TransactionId};
use uuid::Uuid;

use crate::error::JobResult;

/// A cart and its payment, now.
#[derive(Debug, Serialize)]
pub struct Summary {
    pub cart_id: CartId,
    pub email: String,
    pub organisation: String,
    pub state: String,
    /// In minor units, like the other sums.
    pub total: i64,
    pub currency: String,
    pub transaction_id: Option<TransactionId>,
    pub gateway: Option<String>,
    /// The provider's id of the payment.
    pub reference: Option<String>,
    pub payment_state: Option<String>,
    pub refunded: Option<i64>,
    pub lost: Option<i64>,
    /// Since when the provider works on the payment.
    pub provider_pending_since: Option<DateTime<Utc>>,
    pub next_check_at: Option<DateTime<Utc>>,
    pub alert: Option<String>,
}

/// One thing that happened.
#[derive(Debug, Serialize)]
pub struct Moment {
    pub at: DateTime<Utc>,
    /// `cart`, `payment`, `refund`, `dispute`, `event`, `ledger` or `grant`.
    pub what: String,
    pub change: String,
    pub by: String,
    pub detail: Value,
    /// Id of the trace that caused it; its log lines and spans have it, too.
    pub trace_id: Option<String>,
}

/// The carts that a text means: an id of a cart, checkout, transaction or refund, an email address, the reference of a transfer or
/// of a provider. The newest, at most `limit`, in the order of their creation.
pub async fn find(db: &Db, text: &str, limit: i64) -> JobResult<Vec<CartId>> {
    let text = text.trim();
    let id = text.parse::<Uuid>().ok();
    let gateways: Vec<String> = Gateway::ALL.iter().map(|gateway| gateway.name().to_owned()).collect();
    Ok(sqlx::query_scalar!(
        // A branch for each key: with OR over two tables, both are read.
        r#"WITH found (cart_id) AS (
               SELECT $1::uuid
               UNION ALL SELECT cart_id FROM joined_checkouts WHERE id = $1
               UNION ALL SELECT cart_id FROM transactions WHERE id = $1
               UNION ALL SELECT cart_id FROM transactions
                         WHERE gateway = ANY ($5) AND provider_reference = ANY (ARRAY[$2, $4])
               UNION ALL SELECT t.cart_id FROM transactions t WHERE t.id = ANY (ARRAY(
                         SELECT transaction_id FROM refunds WHERE id = $1
                         UNION ALL SELECT transaction_id FROM refunds WHERE provider_reference = $2
                         UNION ALL SELECT transaction_id FROM disputes WHERE provider_reference = $2))
               UNION ALL (SELECT id FROM carts WHERE email = $3 ORDER BY created_at DESC, id DESC LIMIT $6))
           SELECT id AS "id: CartId" FROM (
               SELECT id, created_at FROM carts WHERE id = ANY (ARRAY(SELECT cart_id FROM found))
               ORDER BY created_at DESC, id DESC LIMIT $6) newest
           ORDER BY created_at, id"#,
        id,
        text,
        Email::parse(text).ok().map(|email| email.as_str().to_owned()),
        creditor_reference::read(text),
        &gateways,
        limit,
    )
    .fetch_all(db)
    .await?)
}

/// Returns the status of a cart.
pub async fn summary(db: &Db, cart_id: CartId) -> JobResult<Summary> {
    Ok(sqlx::query_as!(
        Summary,
        r#"SELECT c.id AS cart_id, c.email, o.short_name AS organisation, c.state, c.total, c.currency,
                  t.id AS "transaction_id?", t.gateway AS "gateway?", t.provider_reference AS reference,
                  t.state AS "payment_state?", t.refunded_amount AS "refunded?", t.lost_amount AS "lost?",
                  t.provider_pending_since, t.next_check_at, t.alert AS alert
           FROM carts c JOIN organisations o ON o.id = c.organisation_id LEFT JOIN transactions t ON t.cart_id = c.id
           WHERE c.id = $1"#,
        cart_id as _,
    )
    .fetch_one(db)
    .await?)
}

/// The history of a cart.
pub async fn of_cart(db: &Db, cart_id: CartId) -> JobResult<Vec<Moment>> {
    Ok(sqlx::query_as!(
        Moment,
        r#"WITH t AS (SELECT id FROM transactions WHERE cart_id = $1),
                r AS (SELECT id FROM refunds WHERE transaction_id IN (SELECT id FROM t))
           SELECT a.at AS "at!", of.what AS "what!", concat_ws(' → ', a.from_state, a.to_state) AS "change!", a.actor AS "by!",
                  a.detail AS "detail!", split_part(a.trace, '-', 2) AS trace_id
           FROM (SELECT 'cart' AS what, 'cart' AS entity, $1 AS id
                 UNION ALL SELECT 'payment', 'transaction', id FROM t
                 UNION ALL SELECT 'refund', 'refund', id FROM r) of
           -- OFFSET leaves the planner only the way by the key: it would read the whole log.
           CROSS JOIN LATERAL (SELECT * FROM audit_log WHERE entity = of.entity AND entity_id = of.id OFFSET 0) a
           UNION ALL
           SELECT i.received_at, 'event', i.type, i.gateway, jsonb_strip_nulls(jsonb_build_object(
                      'id', i.id, 'processed_at', i.processed_at, 'parked', i.parked_reason)), NULL
           FROM t CROSS JOIN LATERAL (
               SELECT * FROM inbox WHERE transaction_id = t.id
               UNION ALL
               SELECT * FROM inbox WHERE transaction_hint = t.id AND transaction_id IS DISTINCT FROM transaction_hint OFFSET 0) i
           UNION ALL
           SELECT at, 'ledger', kind, gateway, jsonb_strip_nulls(jsonb_build_object(
                      'minor', amount, 'currency', currency, 'reference', provider_reference, 'refund', refund_id)), NULL
           FROM ledger WHERE cart_id = $1
           UNION ALL
           SELECT opened_at, 'dispute', state, 'provider', jsonb_build_object(
                      'reference', provider_reference, 'minor', amount, 'lost_minor', lost, 'changed_at', updated_at), NULL
           FROM disputes WHERE transaction_id IN (SELECT id FROM t)
           UNION ALL
           SELECT g.granted_at, 'grant', c.openedx_course_id, 'system', jsonb_strip_nulls(jsonb_build_object(
                      'mode', g.mode, 'ended_at', g.ended_at, 'ended_reason', g.ended_reason,
                      'enrollment', e.state, 'platform', e.platform_state, 'platform_reason', e.platform_reason)), NULL
           FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id JOIN courses c ON c.id = e.course_id
           WHERE g.cart_id = $1
           ORDER BY 1"#,
        cart_id as _,
    )
    .fetch_all(db)
    .await?)
}
