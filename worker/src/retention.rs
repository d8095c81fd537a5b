//! Forgets data on people after the times that the settings allow, in bounded batches. The reconciler runs it.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use shared::event;
use store::access::batches;
use store::error::JobResult;
use store::events::feed;
use store::people::retention;

use crate::context::Context;

/// Rows of each kind in one round; the next round continues.
const BATCH: i64 = 1000;

/// Time that lists of enrollments are kept; the api shows them as long.
const BATCHES_KEPT: TimeDelta = TimeDelta::days(90);

/// Runs one round. Returns how many rows were deleted or blanked.
pub async fn forget(ctx: &Context) -> JobResult<u64> {
    let settings = &ctx.retention;
    let mut forgotten = feed::forget_old(&ctx.db, ctx.clock.now() - event::KEPT, BATCH).await?;
    forgotten += batches::forget(&ctx.db, ctx.clock.now() - BATCHES_KEPT).await?;
    if let Some(before) = before(ctx, settings.retain_carts) {
        forgotten += retention::forget_carts(&ctx.db, before, BATCH).await?;
    }
    if let Some(before) = before(ctx, settings.retain_provider_requests) {
        forgotten += retention::blank_provider_requests(&ctx.db, before, BATCH).await?;
    }
    if let Some(before) = before(ctx, settings.retain_inbox_bodies) {
        forgotten += retention::blank_events(&ctx.db, before, BATCH).await?;
    }
    Ok(forgotten)
}

/// Since when idempotency keys and their answers are kept.
pub fn answers_since(ctx: &Context) -> DateTime<Utc> {
    before(ctx, ctx.retention.retain_answers).unwrap_or(DateTime::UNIX_EPOCH)
}

/// The time before which data goes; None if it is kept for good.
pub fn before(ctx: &Context, kept: Duration) -> Option<DateTime<Utc>> {
    let kept = TimeDelta::from_std(kept).ok().filter(|kept| !kept.is_zero())?;
    ctx.clock.now().checked_sub_signed(kept)
}
