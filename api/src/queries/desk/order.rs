//! An order as the support desk sees it, beside what its buyer sees: payment, disputes, enrollments, mails and history.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;
use shared::db::Db;
use shared::ids::{CartId, EnrollmentId};
use shared::messages::MailFate;
use shared::money::Money;
use sqlx::types::Json;
use uuid::Uuid;

use crate::error::ApiResult;

/// The payment of an order.
pub struct PaymentRow {
    pub gateway: String,
    pub reference: Option<String>,
    pub state: String,
    pub amount: Money,
    /// Why an operator has to look at it.
    pub alert: Option<String>,
    pub waiting_since: Option<DateTime<Utc>>,
    pub disputed_at: Option<DateTime<Utc>>,
}

pub async fn payment(db: &Db, cart_id: CartId) -> ApiResult<Option<PaymentRow>> {
    Ok(sqlx::query_as!(
        PaymentRow,
        r#"SELECT gateway AS "gateway!", provider_reference AS reference, state, (amount, currency) AS "amount!: Money", alert,
                  provider_pending_since AS waiting_since, disputed_at
           FROM transactions WHERE cart_id = $1"#,
        cart_id as _,
    )
    .fetch_optional(db)
    .await?)
}

/// Request of the support to finance about an order.
#[derive(Deserialize)]
pub struct InvoiceRequestRow {
    pub billing_address: Value,
    pub asked_at: DateTime<Utc>,
}

/// The invoice that finance is asked for; None if it is asked for none.
pub async fn invoice_request(db: &Db, cart_id: CartId) -> ApiResult<Option<InvoiceRequestRow>> {
    let asked = sqlx::query_scalar!(
        r#"SELECT asked_invoice AS "asked: Json<InvoiceRequestRow>" FROM carts WHERE id = $1"#,
        cart_id as _,
    );
    Ok(asked.fetch_optional(db).await?.flatten().map(|asked| asked.0))
}

/// A dispute of a payment.
pub struct DisputeRow {
    pub reference: String,
    pub state: String,
    pub amount: Money,
    pub lost: Money,
    pub opened_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

pub async fn disputes(db: &Db, cart_id: CartId) -> ApiResult<Vec<DisputeRow>> {
    Ok(sqlx::query_as!(
        DisputeRow,
        r#"SELECT d.provider_reference AS reference, d.state, (d.amount, t.currency) AS "amount!: Money",
                  (d.lost, t.currency) AS "lost!: Money", d.opened_at, d.updated_at
           FROM disputes d JOIN transactions t ON t.id = d.transaction_id WHERE t.cart_id = $1 ORDER BY d.opened_at, d.id"#,
        cart_id as _,
    )
    .fetch_all(db)
    .await?)
}

/// The access to one course that an order has given.
pub struct AccessRow {
    pub enrollment_id: EnrollmentId,
    pub course: String,
    pub openedx_course_id: String,
    pub email: String,
    pub state: String,
    pub mode: String,
    pub platform_state: String,
    /// The course platform's reason for a refusal.
    pub platform_reason: Option<String>,
    pub granted_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    pub ended_reason: Option<String>,
}

pub async fn access(db: &Db, cart_id: CartId) -> ApiResult<Vec<AccessRow>> {
    Ok(sqlx::query_as!(
        AccessRow,
        "SELECT e.id AS enrollment_id, c.display_name AS course, c.openedx_course_id, e.email, e.state, g.mode, e.platform_state,
                e.platform_reason, g.granted_at, g.ended_at, g.ended_reason
         FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id JOIN courses c ON c.id = e.course_id
         WHERE g.cart_id = $1 ORDER BY g.granted_at, g.id",
        cart_id as _,
    )
    .fetch_all(db)
    .await?)
}

/// A mail of an order.
pub struct MailRow {
    pub id: Uuid,
    pub template: Option<String>,
    pub recipient: String,
    pub created_at: DateTime<Utc>,
    pub failed_at: Option<DateTime<Utc>>,
    pub failed_reason: Option<String>,
    pub sent_at: Option<DateTime<Utc>>,
    pub fate: Option<MailFate>,
}

/// The mails of an order that wait, have failed, or of which reports are taken. Others that were sent are in its history.
pub async fn mails(db: &Db, cart_id: CartId) -> ApiResult<Vec<MailRow>> {
    Ok(sqlx::query_as!(
        MailRow,
        r#"SELECT id, template, recipient, created_at, failed_at, failed_reason, sent_at, fate AS "fate: MailFate"
           FROM mails WHERE cart_id = $1 ORDER BY created_at, id"#,
        cart_id as _,
    )
    .fetch_all(db)
    .await?)
}

/// One thing that happened to an order.
pub struct MomentRow {
    pub at: DateTime<Utc>,
    /// `cart`, `transaction`, `refund`, `withdrawal`, `enrollment`, `notification` or `dispute`.
    pub entity: String,
    pub from: Option<String>,
    pub to: String,
    pub actor: String,
    pub detail: Value,
    /// Of the order.
    pub currency: String,
    /// The name of a member of staff.
    pub name: Option<String>,
    /// The course of an enrollment.
    pub course: Option<String>,
}

/// The most moments of a history.
const MOST: i64 = 500;

/// The history of an order, oldest first.
pub async fn history(db: &Db, cart_id: CartId) -> ApiResult<Vec<MomentRow>> {
    Ok(sqlx::query_as!(
        MomentRow,
        r#"WITH t AS (SELECT id FROM transactions WHERE cart_id = $1),
                about (entity, id, course) AS (
                    SELECT 'cart', $1::uuid, NULL
                    UNION ALL SELECT 'transaction', id, NULL FROM t
                    UNION ALL SELECT 'refund', id, NULL FROM refunds WHERE transaction_id IN (SELECT id FROM t)
                    UNION ALL SELECT 'withdrawal', id, NULL FROM withdrawals WHERE cart_id = $1
                    UNION ALL SELECT 'enrollment', e.id, c.display_name FROM enrollments e JOIN courses c ON c.id = e.course_id
                              WHERE e.id IN (SELECT enrollment_id FROM enrollment_grants WHERE cart_id = $1)
                                AND c.organisation_id = (SELECT organisation_id FROM carts WHERE id = $1)),
                happened (at, entity, "from", "to", actor, detail, course) AS (
                    SELECT a.at, a.entity, a.from_state, a.to_state, a.actor, a.detail, b.course
                    FROM about b JOIN audit_log a ON a.entity = b.entity AND a.entity_id = b.id
                    UNION ALL
                    SELECT received_at, 'notification', NULL, type, gateway,
                           jsonb_strip_nulls(jsonb_build_object('parked', parked_reason)), NULL
                    FROM inbox WHERE transaction_id IN (SELECT id FROM t)
                    UNION ALL
                    SELECT e.platform_synced_at, 'enrollment', NULL, 'synced', 'system', '{}', b.course
                    FROM about b JOIN enrollments e ON b.entity = 'enrollment' AND e.id = b.id
                    WHERE e.platform_synced_at IS NOT NULL AND e.platform_state = 'synced'
                    UNION ALL
                    SELECT opened_at, 'dispute', NULL, state, 'provider', jsonb_build_object('reference', provider_reference), NULL
                    FROM disputes WHERE transaction_id IN (SELECT id FROM t)
                    UNION ALL
                    SELECT created_at, 'cart', NULL, 'placed', 'shop:' || former_shop, '{}', NULL FROM carts
                    WHERE id = $1 AND former_shop IS NOT NULL
                    UNION ALL
                    -- What a former shop has booked has no entries of its own.
                    SELECT l.at, 'transaction', CASE l.kind WHEN 'refunded' THEN 'succeeded' END, CASE WHEN sum(l.amount) OVER so_far = 0 THEN 'refunded' ELSE 'succeeded' END,
                           'shop:' || k.former_shop, CASE l.kind WHEN 'captured' THEN '{}' ELSE jsonb_build_object(
                               'refunded_minor', -sum(l.amount) FILTER (WHERE l.kind = 'refunded') OVER so_far, 'lost_minor', 0) END, NULL
                    FROM carts k JOIN ledger l ON l.cart_id = k.id
                    WHERE k.id = $1 AND k.former_shop IS NOT NULL AND (l.kind = 'captured' OR l.kind = 'refunded' AND NOT EXISTS (
                        SELECT FROM audit_log a WHERE a.entity = 'refund' AND a.entity_id = l.refund_id))
                    WINDOW so_far AS (ORDER BY l.at, l.seq))
           SELECT h.at AS "at!", h.entity AS "entity!", h.from AS "from?", h.to AS "to!", h.actor AS "actor!", h.detail AS "detail!",
                  (SELECT currency FROM carts WHERE id = $1) AS "currency!", s.name AS "name?", h.course AS "course?"
           FROM happened h
           LEFT JOIN LATERAL (
               SELECT s.name FROM learners l JOIN staff s ON s.learner_id = l.id
               WHERE h.actor LIKE 'staff:%' AND l.platform_user_id::text = substr(h.actor, 7)
                 AND s.organisation_id = (SELECT organisation_id FROM carts WHERE id = $1) LIMIT 1) s ON true
           ORDER BY h.at LIMIT $2"#,
        cart_id as _,
        MOST,
    )
    .fetch_all(db)
    .await?)
}
