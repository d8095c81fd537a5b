//! Orders on account: companies get their invoice at once, and pay it later.

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::ids::CartId;
use sqlx::PgExecutor;

use crate::error::JobResult;

/// Returns whether a cart is on account, and its access waits neither for the payment nor for an operator.
pub async fn grants_now(db: impl PgExecutor<'_>, cart_id: CartId) -> JobResult<bool> {
    let grants = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM transactions WHERE cart_id = $1 AND on_account = 'now' AND dead_at IS NULL
              AND NOT EXISTS (SELECT FROM carts WHERE id = $1 AND grant_blocked_at IS NOT NULL)) AS "grants!""#,
        cart_id as _,
    );
    Ok(grants.fetch_one(db).await?)
}

/// Marks orders on account as overdue whose invoices were due before this day, where the organisation is.
pub async fn mark_overdue(db: &Db, now: DateTime<Utc>, limit: i64) -> JobResult<u64> {
    let marked = sqlx::query!(
        "UPDATE transactions SET overdue_at = $1 WHERE id = ANY (ARRAY(
             SELECT t.id FROM transactions t JOIN organisations o ON o.id = t.organisation_id
             WHERE t.on_account IS NOT NULL AND t.overdue_at IS NULL AND t.state = 'processing'
               -- No zone is further ahead: only these are worth a look at theirs.
               AND t.due_on < ($1 AT TIME ZONE 'UTC' + interval '14 hours')::date
               AND t.due_on < ($1 AT TIME ZONE day_zone(o.seller))::date
             ORDER BY t.due_on LIMIT $2 FOR UPDATE OF t SKIP LOCKED))",
        now,
        limit,
    );
    Ok(marked.execute(db).await?.rows_affected())
}
