//! Deletes data on people that has served its purpose, a batch at a time. Nothing here touches what was paid.
//!
//! A batch is an array, here and in the other statements that take one: PostgreSQL looks each of its ids up. Where it plans without
//! the value of the limit, it takes `id IN (…)` for a tenth of the table, and reads all of it.
//!
//! Why: `docs/decisions/pruned-not-partitioned.md`

use chrono::{DateTime, Utc};
use shared::db::Db;

use super::erasure::blank_carts;
use crate::error::JobResult;

/// Forgets carts made before a time that were never paid: deletes those whose checkout never began, and takes the buyer off
/// the others. Not while the provider is still asked about the payment; orders of Razorpay and Curlec stay open longer than
/// that. Returns how many.
pub async fn forget_carts(db: &Db, before: DateTime<Utc>, limit: i64) -> JobResult<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM carts WHERE id = ANY (ARRAY(
             SELECT c.id FROM carts c
             WHERE c.state IN ('cancelled', 'expired') AND c.created_at < $1 AND c.email NOT LIKE '%@erased.invalid'
               AND NOT EXISTS (SELECT FROM enrollment_grants g WHERE g.cart_id = c.id)
               AND NOT EXISTS (SELECT FROM transactions t WHERE t.cart_id = c.id)
             ORDER BY c.created_at LIMIT $2 FOR UPDATE SKIP LOCKED))",
        before,
        limit,
    );
    let deleted = deleted.execute(db).await?.rows_affected();
    let blanked = blank_carts!(
        "email = 'erased-' || id || '@erased.invalid', buyer = 'erased-' || id, learner_id = NULL
         WHERE id = ANY (ARRAY(
             SELECT c.id FROM carts c
             WHERE c.state IN ('cancelled', 'expired', 'pending_payment') AND c.created_at < $1
               AND c.email NOT LIKE '%@erased.invalid'
               AND NOT EXISTS (
                   SELECT FROM transactions t
                   WHERE t.cart_id = c.id AND (t.next_check_at IS NOT NULL OR t.alert IS NOT NULL))
             ORDER BY c.created_at LIMIT $2 FOR UPDATE SKIP LOCKED))",
        before,
        limit,
    );
    Ok(deleted + blanked.execute(db).await?.rows_affected())
}

/// Blanks the requests to providers, with the buyer's name and address, and their answers, of payments that changed last
/// before a time and that no request can be repeated for: they are over, or their cart has no buyer any more. Returns how
/// many.
pub async fn blank_provider_requests(db: &Db, before: DateTime<Utc>, limit: i64) -> JobResult<u64> {
    let blanked = sqlx::query!(
        "UPDATE transactions SET provider_request = '{}', provider_answer = NULL WHERE id = ANY (ARRAY(
             SELECT id FROM transactions
             WHERE provider_request <> '{}' AND updated_at < $1
               AND (dead_at IS NOT NULL OR state IN ('succeeded', 'refunded', 'cancelled')
                    OR next_check_at IS NULL
                        AND (SELECT c.email LIKE '%@erased.invalid' FROM carts c WHERE c.id = cart_id))
             ORDER BY updated_at LIMIT $2 FOR UPDATE SKIP LOCKED))",
        before,
        limit,
    );
    Ok(blanked.execute(db).await?.rows_affected())
}

/// Blanks the bodies of webhooks that were processed before a time. Their ids stay, so that a repeat has no effect. Returns how
/// many.
pub async fn blank_events(db: &Db, before: DateTime<Utc>, limit: i64) -> JobResult<u64> {
    let blanked = sqlx::query!(
        "UPDATE inbox SET body = '{}' WHERE id = ANY (ARRAY(
             SELECT id FROM inbox WHERE processed_at IS NOT NULL AND body <> '{}' AND processed_at < $1
             ORDER BY processed_at LIMIT $2 FOR UPDATE SKIP LOCKED))",
        before,
        limit,
    );
    Ok(blanked.execute(db).await?.rows_affected())
}

/// Deletes declarations of withdrawal before a time that name an unknown order. Returns how many.
pub async fn forget_unmatched(db: &Db, before: DateTime<Utc>, limit: i64) -> JobResult<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM withdrawals WHERE id = ANY (ARRAY(
             SELECT id FROM withdrawals WHERE organisation_id IS NULL AND declared_at < $1
             ORDER BY declared_at LIMIT $2 FOR UPDATE SKIP LOCKED))",
        before,
        limit,
    );
    Ok(deleted.execute(db).await?.rows_affected())
}
