//! Ends the holds of vouchers by unpaid orders: their uses are free for others, and the buyer can still pay.

use chrono::{DateTime, Utc};
use store::error::JobResult;
use store::money::{checks, transactions};
use store::sales::{carts, vouchers};
use uuid::Uuid;

use crate::runtime::context::Context;

/// Frees the use of a cart's voucher if its hold has ended.
pub async fn end(ctx: &Context, cart_id: Uuid, now: DateTime<Utc>) -> JobResult<()> {
    match vouchers::is_held_since(&ctx.db, cart_id, ctx.held_since(now)).await? {
        true => release(ctx, cart_id).await,
        false => Ok(()),
    }
}

/// Frees the uses whose hold has ended where the provider refuses the organisation's account, and is not asked about its
/// payments. Returns how many carts that concerns.
pub async fn end_refused(ctx: &Context, limit: i64) -> JobResult<u64> {
    let since = ctx.held_since(ctx.clock.now());
    let carts = checks::holds_at_refused_accounts(&ctx.db, since, limit).await?;
    for cart_id in &carts {
        release(ctx, *cart_id).await?;
    }
    Ok(carts.len() as u64)
}

/// Frees the use of a cart's voucher, unless the cart was paid meanwhile, or the provider has begun to work on its payment.
pub async fn release(ctx: &Context, cart_id: Uuid) -> JobResult<()> {
    let mut tx = ctx.transaction().await?;
    let transaction = transactions::of_locked_cart(&mut tx, cart_id).await?;
    let is_waiting = carts::lock(&mut tx, cart_id).await?.state == carts::State::PendingPayment;
    if is_waiting && transaction.is_some_and(|transaction| !transaction.is_pending) {
        vouchers::release(&mut tx, cart_id).await?;
    }
    tx.commit().await?;
    Ok(())
}
