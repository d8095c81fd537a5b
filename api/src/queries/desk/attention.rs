//! Matters that need a person: everything of an organisation that no timer will settle by itself.

use chrono::{DateTime, TimeDelta, Utc};
use shared::db::Db;
use shared::ids::OrganisationId;
use uuid::Uuid;

use crate::error::ApiResult;
use crate::words::AttentionKind;

/// The most entries of each kind.
const MOST: i64 = 100;

/// Time after which a paid order without access, or a refund that the provider has not answered, needs a person.
const NEEDS_PERSON_AFTER: TimeDelta = TimeDelta::minutes(15);

/// Time after which a document that another system has not issued needs a person.
const LATE_DOCUMENT: TimeDelta = TimeDelta::days(1);

/// Something that needs a person.
pub struct AttentionRow {
    pub kind: AttentionKind,
    pub reason: Option<String>,
    pub since: DateTime<Utc>,
    pub cart_id: Option<Uuid>,
    pub email: Option<String>,
    /// Subject besides the order: a course's key, an endpoint's URL, the name of a mail, the reference of a transfer or a VAT ID.
    pub subject: Option<String>,
    /// The mail or the enrollment, to send or to try again; the withdrawal or the dead letter, to decide; the refund, to report; the endpoint, to enable.
    pub id: Option<Uuid>,
}

/// Reader of the list, who sees what the reader may act on.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    pub organisation_id: OrganisationId,
    /// Sees withdrawals, refunds that the organisation pays itself, money that is overdue, invoices that the support asks for, and
    /// documents that another system has not issued.
    pub is_finance: bool,
    /// Sees dead letters.
    pub is_manager: bool,
}

/// Lists what needs a person, oldest first, at most 100 of each kind.
pub async fn list(db: &Db, reader: Reader, now: DateTime<Utc>) -> ApiResult<Vec<AttentionRow>> {
    let mut rows = of_everyone(db, reader, now).await?;
    if reader.is_finance {
        rows.extend(of_finance(db, reader.organisation_id, now).await?);
        rows.sort_by_key(|row| row.since);
    }
    Ok(rows)
}

async fn of_everyone(db: &Db, reader: Reader, now: DateTime<Utc>) -> ApiResult<Vec<AttentionRow>> {
    Ok(sqlx::query_as!(
        AttentionRow,
        r#"(SELECT 'payment' AS "kind!: AttentionKind", t.alert AS reason, t.updated_at AS "since!", t.cart_id AS "cart_id?",
                   c.email AS "email?", NULL::text AS subject,
                   NULL::uuid AS "id?"
            FROM transactions t JOIN carts c ON c.id = t.cart_id
            WHERE t.alert IS NOT NULL AND t.organisation_id = $1 ORDER BY t.updated_at LIMIT $3)
           UNION ALL (SELECT 'notification', i.parked_reason, i.received_at, t.cart_id, c.email, concat_ws(' ', i.gateway, i.type), NULL
            FROM inbox i LEFT JOIN transactions t ON t.id = i.transaction_id LEFT JOIN carts c ON c.id = t.cart_id
            WHERE i.parked_reason IS NOT NULL AND i.processed_at IS NULL AND i.organisation_id = $1
            ORDER BY i.received_at LIMIT $3)
           UNION ALL (SELECT 'access', NULL, paid_at, id, email, NULL, NULL FROM carts
            WHERE state = 'paid' AND organisation_id = $1 AND paid_at < $2 ORDER BY paid_at LIMIT $3)
           UNION ALL (SELECT 'access', NULL, c.created_at, c.id, c.email, NULL, NULL FROM carts c
            WHERE c.state = 'pending_payment' AND c.fulfil_requested_at IS NOT NULL AND c.organisation_id = $1 AND c.created_at < $2
              AND EXISTS (SELECT FROM transactions t WHERE t.cart_id = c.id AND t.on_account = 'now' AND t.state = 'processing' OFFSET 0)
            ORDER BY c.created_at LIMIT $3)
           UNION ALL (SELECT 'enrollment', e.platform_reason, e.updated_at, g.cart_id, e.email, k.openedx_course_id, e.id
            FROM enrollments e JOIN courses k ON k.id = e.course_id
            LEFT JOIN LATERAL (SELECT g.cart_id FROM enrollment_grants g JOIN carts c ON c.id = g.cart_id
                               WHERE g.enrollment_id = e.id AND g.ended_at IS NULL AND c.organisation_id = $1
                               ORDER BY g.granted_at DESC LIMIT 1) g ON true
            WHERE e.platform_state = 'refused' AND e.state = 'enrolled' AND k.organisation_id = $1
            ORDER BY e.updated_at LIMIT $3)
           UNION ALL (SELECT 'refund', r.reason, r.asked_at, t.cart_id, c.email, NULL, NULL
            FROM refunds r JOIN transactions t ON t.id = r.transaction_id JOIN carts c ON c.id = t.cart_id
            WHERE r.state = 'asked' AND r.asked_at < $2 AND t.organisation_id = $1 ORDER BY r.asked_at LIMIT $3)
           UNION ALL (SELECT 'mail', failed_reason, failed_at, cart_id, recipient, template, id FROM mails
            WHERE failed_at IS NOT NULL AND fate IS DISTINCT FROM 'complained' AND organisation_id = $1 ORDER BY failed_at LIMIT $3)
           UNION ALL (SELECT 'endpoint', disabled_reason, disabled_at, NULL, NULL, url, id FROM webhook_endpoints
            WHERE disabled_at IS NOT NULL AND organisation_id = $1 ORDER BY disabled_at LIMIT $3)
           UNION ALL (SELECT 'dead_letter', reason, died_at, cart_id, NULL, kind, id FROM dead_letters
            WHERE $4 AND organisation_id = $1 ORDER BY died_at LIMIT $3)
           ORDER BY 3"#,
        reader.organisation_id as _,
        now - NEEDS_PERSON_AFTER,
        MOST,
        reader.is_manager,
    )
    .fetch_all(db)
    .await?)
}

/// The kinds that only finance may act on.
async fn of_finance(
    db: &Db,
    organisation_id: OrganisationId,
    now: DateTime<Utc>,
) -> ApiResult<Vec<AttentionRow>> {
    Ok(sqlx::query_as!(
        AttentionRow,
        r#"(SELECT 'refund_to_pay' AS "kind!: AttentionKind", r.reason, r.asked_at AS "since!", t.cart_id AS "cart_id?",
                   c.email AS "email?", NULL::text AS subject, r.id AS "id?"
            FROM refunds r JOIN transactions t ON t.id = r.transaction_id JOIN carts c ON c.id = t.cart_id
            WHERE r.state = 'accepted' AND t.gateway = 'external' AND t.organisation_id = $1
            ORDER BY r.asked_at LIMIT $2)
           -- A transfer of which nothing has arrived ends by itself.
           UNION ALL (SELECT 'overdue', c.reference, day_begins(t.due_on + 1, day_zone(o.seller)), t.cart_id, c.email,
                   t.provider_reference, NULL
            FROM transactions t JOIN carts c ON c.id = t.cart_id JOIN organisations o ON o.id = t.organisation_id
            WHERE t.gateway = 'external' AND t.state = 'processing' AND t.dead_at IS NULL AND t.organisation_id = $1
              AND t.due_on < ($3::timestamptz AT TIME ZONE day_zone(o.seller))::date
              AND (t.on_account IS NOT NULL OR EXISTS (
                  SELECT FROM received_payments r WHERE r.transaction_id = t.id AND r.returned_at IS NULL))
            ORDER BY t.due_on LIMIT $2)
           UNION ALL (SELECT 'invoice', NULL, (asked_invoice ->> 'asked_at')::timestamptz, id, email,
                   asked_invoice -> 'billing_address' ->> 'tax_id', NULL
            FROM carts WHERE asked_invoice IS NOT NULL AND organisation_id = $1 ORDER BY id LIMIT $2)
           -- What was refused has an alert.
           UNION ALL (SELECT 'document', NULL, d.issued_at, d.cart_id, c.email, d.number, NULL
            FROM documents d JOIN carts c ON c.id = d.cart_id
            WHERE d.state = 'requested' AND d.issued_at < $4 AND d.organisation_id = $1 ORDER BY d.issued_at LIMIT $2)
           -- Under other addresses than an order's, anybody can declare anything: all of that is one case, after the others.
           UNION ALL (SELECT 'withdrawal', concat(waits_because, CASE WHEN others > 0 THEN format('; %s more like it', others) END),
                   waits_since, cart_id, email, named_order, id
            FROM (SELECT DISTINCT ON (matter) id, cart_id, email, named_order, state, waits_since, waits_because,
                         count(*) OVER (PARTITION BY matter) - 1 AS others
                  FROM withdrawals, LATERAL (SELECT coalesce(CASE state WHEN 'unmatched' THEN cart_id END, id) AS matter) m
                  WHERE waits_since IS NOT NULL AND organisation_id = $1
                  ORDER BY matter, waits_since, id) one_of_each
            ORDER BY state = 'unmatched', waits_since LIMIT $2)
           ORDER BY 3"#,
        organisation_id as _,
        MOST,
        now,
        now - LATE_DOCUMENT,
    )
    .fetch_all(db)
    .await?)
}
