//! Forgets data on people after the times that the settings allow, in bounded batches. The reconciler runs it.

use chrono::TimeDelta;
use shared::event;
use store::access::batches;
use store::error::JobResult;
use store::events::feed;
use store::people::retention;
use store::plumbing::dead_letters;

use crate::runtime::context::Context;

/// Rows of each kind in one round; the next round continues.
const BATCH: i64 = 1000;

/// Time for which batches are kept; the api shows them as long.
const BATCHES_KEPT: TimeDelta = TimeDelta::days(90);

/// Time for which the broker keeps dead letters, and with it their place on the lists of organisations.
fn dead_letters_kept(ctx: &Context) -> TimeDelta {
    TimeDelta::from_std(ctx.broker.queue.dead_letters_kept).unwrap_or(TimeDelta::days(366))
}

/// Runs one round. Returns how many rows were deleted or blanked.
pub async fn forget(ctx: &Context) -> JobResult<u64> {
    let settings = &ctx.retention;
    let mut forgotten = feed::forget_old(&ctx.db, ctx.clock.now() - event::KEPT, BATCH).await?;
    forgotten += batches::forget(&ctx.db, ctx.clock.now() - BATCHES_KEPT).await?;
    forgotten += dead_letters::forget(&ctx.db, ctx.clock.now() - dead_letters_kept(ctx)).await?;
    if let Some(before) = ctx.time_before(settings.retain_carts) {
        forgotten += retention::forget_carts(&ctx.db, before, BATCH).await?;
        forgotten += retention::forget_unmatched(&ctx.db, before, BATCH).await?;
    }
    if let Some(before) = ctx.time_before(settings.retain_provider_requests) {
        forgotten += retention::blank_provider_requests(&ctx.db, before, BATCH).await?;
    }
    if let Some(before) = ctx.time_before(settings.retain_inbox_bodies) {
        forgotten += retention::blank_events(&ctx.db, before, BATCH).await?;
    }
    Ok(forgotten)
}
