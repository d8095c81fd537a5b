//! Waiting work, its amount and age: what the reconciler has to do and what the backlog metrics show.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::PgPool;

use crate::error::JobResult;

/// One kind of waiting work.
#[derive(Debug, Serialize)]
pub struct Waiting {
    pub what: String,
    pub count: i64,
    pub oldest: Option<DateTime<Utc>>,
}

/// Counts each kind of waiting work. A kind with nothing waiting is in the list with a count of 0.
pub async fn read(db: &PgPool) -> JobResult<Vec<Waiting>> {
    Ok(sqlx::query_as!(
        Waiting,
        r#"SELECT 'enrollments_unconfirmed' AS "what!", count(*) AS "count!", min(updated_at) AS oldest
           FROM enrollments WHERE platform_state = 'queued' AND learner_id IS NOT NULL
           UNION ALL
           SELECT 'enrollments_refused', count(*), min(updated_at)
           FROM enrollments WHERE platform_state = 'refused' AND state = 'enrolled'
           UNION ALL
           SELECT 'enrollments_pending_registration', count(*), min(created_at)
           FROM enrollments WHERE state = 'pending_registration'
           UNION ALL
           SELECT 'carts_held', count(*), min(created_at) FROM carts WHERE state = 'held'
           UNION ALL
           SELECT 'payments_pending', count(*), min(created_at) FROM transactions
           WHERE state IN ('created', 'processing') AND dead_at IS NULL
           UNION ALL
           SELECT 'refunds_asked', count(*), min(asked_at) FROM refunds WHERE state = 'asked'
           UNION ALL
           SELECT 'refunds_accepted', count(*), min(asked_at) FROM refunds
           WHERE state = 'accepted' AND next_check_at IS NOT NULL
           UNION ALL
           SELECT 'payments_alarmed', count(*), min(updated_at) FROM transactions WHERE alarm IS NOT NULL
           UNION ALL
           SELECT 'carts_paid', count(*), min(paid_at) FROM carts WHERE state = 'paid'
           UNION ALL
           SELECT 'events_unmatched', count(*), min(received_at) FROM inbox
           WHERE processed_at IS NULL AND parked_reason IS NULL
           UNION ALL
           SELECT 'events_parked', count(*), min(received_at) FROM inbox
           WHERE parked_reason IS NOT NULL AND processed_at IS NULL
           UNION ALL
           SELECT 'commands_unanswered', count(*), min(created_at)
           FROM commands WHERE answer IS NULL AND lease_until < now()
           UNION ALL
           SELECT 'outbox', count(*), min(created_at) FROM outbox"#
    )
    .fetch_all(db)
    .await?)
}
