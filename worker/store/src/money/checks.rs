//! Times when the providers are asked about payments and refunds: at growing intervals, and not for good.

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::ids::{CartId, RefundId, TransactionId};
use sqlx::PgConnection;

use crate::error::JobResult;

/// Ends of what waits for a payment.
pub struct Ends {
    /// A use of a voucher that was taken before this time is free again.
    pub held_since: DateTime<Utc>,
    /// A cart whose payment began before this time expires.
    pub open_since: DateTime<Utc>,
    /// Days after the due date for which a transfer is waited for.
    pub transfer_days: i32,
}

/// Takes the payments whose status is due to be asked from the provider, and sets their next check. The interval is
/// the payment's age: at most a day while the buyer can pay or the provider works on it, at most thirty days once the
/// payment is a week old and waits for its buyer. A payment in a final state is checked for half a year, in case the webhook
/// of a refund was lost, and so is a payment at an uncancellable gateway, which stays payable. Whatever ends at a time of its own
/// is checked then. An account whose key the provider refuses is left out.
pub async fn due_payments(
    db: &mut PgConnection,
    now: DateTime<Utc>,
    uncancellable_gateways: &[String],
    ends: &Ends,
    limit: i64,
) -> JobResult<Vec<TransactionId>> {
    Ok(sqlx::query_scalar!(
        "UPDATE transactions t SET next_check_at = least(CASE
             -- Nothing but a report of the organisation can change it any more.
             WHEN t.gateway = 'external' AND (t.dead_at IS NOT NULL OR t.state IN ('succeeded', 'refunded')
                                              OR t.on_account IS NOT NULL AND t.state <> 'created') THEN NULL
             WHEN t.gateway = ANY ($3) AND t.created_at < $1 - interval '180 days' THEN NULL
             WHEN t.provider_pending_since IS NOT NULL THEN $1 + least($1 - t.created_at, interval '1 day')
             WHEN t.state IN ('created', 'processing', 'superseded') OR t.state = 'failed' AND t.dead_at IS NULL
                 THEN $1 + least($1 - t.created_at,
                     CASE WHEN t.created_at > $1 - interval '7 days' THEN interval '1 day' ELSE interval '30 days' END)
             WHEN t.created_at < $1 - interval '180 days' THEN NULL
             ELSE $1 + least($1 - t.created_at, interval '30 days') END,
             (SELECT u.at + ($1 - $4) FROM voucher_uses u
              WHERE u.cart_id = t.cart_id AND u.state = 'held' AND u.at > $4),
             CASE WHEN t.created_at > $5 AND t.dead_at IS NULL AND t.on_account IS NULL
                       AND t.state IN ('created', 'processing', 'failed')
                 THEN t.created_at + ($1 - $5) END,
             -- The day after the last one begins somewhere on Earth at 10:00 UTC of the last one, elsewhere 26 hours later.
             CASE WHEN t.gateway = 'external' AND t.dead_at IS NULL AND t.on_account IS NULL AND t.state = 'processing'
                       AND $1 < (t.due_on + $6::int + 2)::timestamp AT TIME ZONE 'UTC'
                 THEN greatest($1 + interval '1 hour', (t.due_on + $6::int)::timestamp AT TIME ZONE 'UTC' + interval '10 hours') END)
         WHERE t.id = ANY (ARRAY(
             SELECT d.id FROM transactions d WHERE d.next_check_at <= $1 AND NOT EXISTS (
                 SELECT FROM gateway_credentials g WHERE g.organisation_id = d.organisation_id
                     AND g.gateway = d.gateway AND g.refused_at IS NOT NULL)
             ORDER BY d.next_check_at LIMIT $2 FOR UPDATE SKIP LOCKED))
         RETURNING t.id",
        now,
        limit,
        uncancellable_gateways,
        ends.held_since,
        ends.open_since,
        ends.transfer_days,
    )
    .fetch_all(db)
    .await?)
}

/// Carts that have held a voucher's use since this time or before, at an account whose key the provider refuses, and whose payment
/// the provider was not known to work on.
pub async fn holds_at_refused_accounts(db: &Db, since: DateTime<Utc>, limit: i64) -> JobResult<Vec<CartId>> {
    Ok(sqlx::query_scalar!(
        "SELECT u.cart_id FROM voucher_uses u JOIN carts c ON c.id = u.cart_id JOIN transactions t ON t.cart_id = u.cart_id
         JOIN gateway_credentials g ON g.organisation_id = t.organisation_id AND g.gateway = t.gateway
         WHERE u.state = 'held' AND u.at <= $1 AND c.state = 'pending_payment' AND g.refused_at IS NOT NULL
           AND t.provider_pending_since IS NULL
         ORDER BY u.at LIMIT $2",
        since,
        limit,
    )
    .fetch_all(db)
    .await?)
}

/// Takes the refunds whose provider is to be asked, and sets their next check: an unanswered one within the hour, an
/// accepted one within a day, but not where the organisation pays it itself. An account whose key the provider refuses is left out. The check itself ends after thirty days.
pub async fn due_refunds(db: &mut PgConnection, now: DateTime<Utc>, limit: i64) -> JobResult<Vec<RefundId>> {
    Ok(sqlx::query_scalar!(
        "UPDATE refunds SET next_check_at = $1 + least($1 - asked_at + interval '5 seconds',
             CASE WHEN state = 'asked' THEN interval '1 hour' ELSE interval '1 day' END)
         WHERE id = ANY (ARRAY(
             SELECT d.id FROM refunds d JOIN transactions t ON t.id = d.transaction_id
             WHERE d.next_check_at <= $1 AND (t.gateway <> 'external' OR d.state = 'asked') AND NOT EXISTS (
                 SELECT FROM gateway_credentials g WHERE g.organisation_id = t.organisation_id
                     AND g.gateway = t.gateway AND g.refused_at IS NOT NULL)
             ORDER BY d.next_check_at LIMIT $2 FOR UPDATE OF d SKIP LOCKED))
         RETURNING id",
        now,
        limit,
    )
    .fetch_all(db)
    .await?)
}

/// Ends the checks of a refund.
pub async fn stop_refund(db: &mut PgConnection, id: RefundId) -> JobResult<()> {
    sqlx::query!("UPDATE refunds SET next_check_at = NULL WHERE id = $1", id as _).execute(db).await?;
    Ok(())
}
