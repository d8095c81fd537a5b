//! Forgets data on people after the times that the settings allow, in bounded batches. The reconciler runs it.

use chrono::TimeDelta;
use shared::event;
use store::access::batches;
use store::error::JobResult;
use store::events::feed;
use store::people::retention;

use crate::runtime::context::Context;

/// Rows of each kind in one round; the next round continues.
const BATCH: i64 = 1000;

/// Time that lists of enrollments are kept; the api shows them as long.
const BATCHES_KEPT: TimeDelta = TimeDelta::days(90);

/// Runs one round. Returns how many rows were deleted or blanked.
pub async fn forget(ctx: &Context) -> JobResult<u64> {
    let settings = &ctx.retention;
    let mut forgotten = feed::forget_old(&ctx.db, ctx.clock.now() - event::KEPT, BATCH).await?;
    forgotten += batches::forget(&ctx.db, ctx.clock.now() - BATCHES_KEPT).await?;
    if let Some(before) = ctx.time_before(settings.retain_carts) {
        forgotten += retention::forget_carts(&ctx.db, before, BATCH).await?;
    }
    if let Some(before) = ctx.time_before(settings.retain_provider_requests) {
        forgotten += retention::blank_provider_requests(&ctx.db, before, BATCH).await?;
    }
    if let Some(before) = ctx.time_before(settings.retain_inbox_bodies) {
        forgotten += retention::blank_events(&ctx.db, before, BATCH).await?;
    }
    Ok(forgotten)
}
