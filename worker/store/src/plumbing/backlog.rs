//! Waiting work, its amount and age: what the reconciler has to do and what the backlog metrics show.

use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::db::Db;

use crate::error::JobResult;

/// One kind of waiting work.
#[derive(Debug, Serialize)]
pub struct Waiting {
    pub what: String,
    pub count: i64,
    pub oldest: Option<DateTime<Utc>>,
}

/// Counts each kind of waiting work. A kind with nothing waiting is in the list with a count of 0. Payments at an uncancellable
/// gateway stay payable for good: those made before `given_up` no longer count.
pub async fn read(
    db: &Db,
    uncancellable_gateways: &[String],
    given_up: DateTime<Utc>,
) -> JobResult<Vec<Waiting>> {
    Ok(sqlx::query_as!(
        Waiting,
        r#"SELECT 'enrollments_unconfirmed' AS "what!", count(*) AS "count!", min(updated_at) AS oldest
           FROM enrollments WHERE platform_state = 'queued' AND learner_id IS NOT NULL
             AND NOT sync_held_back
           UNION ALL
           SELECT 'enrollments_refused', count(*), min(updated_at)
           FROM enrollments WHERE platform_state = 'refused' AND state = 'enrolled'
           UNION ALL
           SELECT 'enrollments_pending_registration', count(*), min(created_at)
           FROM enrollments WHERE state = 'pending_registration'
           UNION ALL SELECT 'carts_held', count(*), min(created_at) FROM carts WHERE state = 'held'
           UNION ALL
           SELECT 'payments_pending', count(*), min(created_at) FROM transactions
           WHERE state IN ('created', 'processing') AND dead_at IS NULL AND on_account IS NULL
             AND NOT (gateway = ANY ($1) AND created_at <= $2)
           UNION ALL SELECT 'refunds_asked', count(*), min(asked_at) FROM refunds WHERE state = 'asked'
           UNION ALL
           SELECT 'refunds_accepted', count(*), min(asked_at) FROM refunds
           WHERE state = 'accepted' AND next_check_at IS NOT NULL
           UNION ALL SELECT 'payments_alarmed', count(*), min(updated_at) FROM transactions WHERE alert IS NOT NULL
           UNION ALL SELECT 'accounts_refused', count(*), min(refused_at) FROM gateway_credentials WHERE refused_at IS NOT NULL
           UNION ALL SELECT 'carts_paid', count(*), min(since) FROM (
               SELECT paid_at AS since FROM carts WHERE state = 'paid'
               UNION ALL SELECT c.created_at FROM transactions t JOIN carts c ON c.id = t.cart_id
               WHERE t.on_account = 'now' AND t.state = 'processing'
                 AND c.state = 'pending_payment') ungranted
           UNION ALL
           SELECT 'events_unmatched', count(*), min(received_at) FROM inbox i
           WHERE processed_at IS NULL AND parked_reason IS NULL  -- and not those of another shop with the same account
             AND (transaction_hint IS NOT NULL OR EXISTS (
                 SELECT FROM transactions t WHERE t.gateway = i.gateway AND t.provider_reference = i.reference))
           UNION ALL
           SELECT 'events_parked', count(*), min(received_at) FROM inbox
           WHERE parked_reason IS NOT NULL AND processed_at IS NULL
           UNION ALL
           SELECT 'commands_unanswered', count(*), min(created_at)
           FROM commands WHERE answer IS NULL AND lease_until < now()
           UNION ALL
           SELECT 'webhooks_due', count(*), min(d.at) FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
           WHERE d.next_attempt_at <= now() AND w.disabled_at IS NULL
           UNION ALL
           SELECT 'webhooks_disabled', count(*), min(disabled_at) FROM webhook_endpoints WHERE disabled_at IS NOT NULL
           UNION ALL
           SELECT 'batch_rows', count(r.row), min(b.created_at)
           FROM batches b LEFT JOIN batch_rows r ON r.batch_id = b.id AND r.state = 'waiting' WHERE b.done_at IS NULL
           UNION ALL SELECT 'batch_syncs', count(*), min(created_at) FROM batch_syncs
           UNION ALL SELECT 'documents_missing', count(*), min(since) FROM documents_due
           UNION ALL
           SELECT w.what, count(i.id), min(i.declared_at) FROM (VALUES ('withdrawals_waiting'), ('withdrawals_undecided')) w (what)
           LEFT JOIN withdrawals i ON CASE w.what WHEN 'withdrawals_waiting' THEN i.waits_since IS NOT NULL ELSE i.judge_at IS NOT NULL END
           GROUP BY w.what
           UNION ALL SELECT 'outbox', count(*), min(created_at) FROM outbox"#,
        uncancellable_gateways,
        given_up,
    )
    .fetch_all(db)
    .await?)
}
