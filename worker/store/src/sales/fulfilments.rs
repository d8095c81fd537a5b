//! Time of the last message to fulfil a paid cart, so that the reconciler does not multiply it.

use chrono::{DateTime, Utc};
use shared::ids::CartId;
use sqlx::{PgConnection, PgExecutor};

use crate::error::JobResult;

/// Records that the message to fulfil a cart comes at this time. An order on account needs that from its first message on: the
/// reconciler finds it by this time.
pub async fn fulfilment_waits(db: impl PgExecutor<'_>, id: CartId, at: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE carts SET fulfil_requested_at = $2 WHERE id = $1 AND state IN ('paid', 'pending_payment')",
        id as _,
        at
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes carts that are paid, or on account with access at once, for which no message to fulfil them was sent or came back since
/// `before`, and records the time of this attempt.
pub async fn take_unfulfilled(
    db: &mut PgConnection,
    before: DateTime<Utc>,
    now: DateTime<Utc>,
    limit: i64,
) -> JobResult<Vec<CartId>> {
    let mut taken = sqlx::query_scalar!(
        "UPDATE carts SET fulfil_requested_at = $2 WHERE id = ANY (ARRAY(
             SELECT id FROM carts WHERE state = 'paid' AND grant_blocked_at IS NULL AND greatest(fulfil_requested_at, paid_at) <= $1
             ORDER BY paid_at LIMIT $3 FOR UPDATE SKIP LOCKED))
         RETURNING id",
        before,
        now,
        limit,
    )
    .fetch_all(&mut *db)
    .await?;
    let on_account = sqlx::query_scalar!(
        r#"UPDATE carts SET fulfil_requested_at = $2 WHERE id = ANY (ARRAY(
               SELECT c.id FROM carts c WHERE c.state = 'pending_payment' AND c.fulfil_requested_at <= $1 AND c.grant_blocked_at IS NULL
                 AND EXISTS (SELECT FROM transactions t WHERE t.cart_id = c.id AND t.on_account = 'now' AND t.state = 'processing' OFFSET 0)
               ORDER BY c.fulfil_requested_at LIMIT $3 FOR UPDATE OF c SKIP LOCKED))
           RETURNING id AS "id: CartId""#,
        before,
        now,
        limit,
    );
    taken.extend(on_account.fetch_all(db).await?);
    Ok(taken)
}
