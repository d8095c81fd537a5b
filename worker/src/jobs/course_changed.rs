//! Requests a sync of a course that the platform's event bus reported as changed, once the platform has settled.

use chrono::TimeDelta;
use shared::messages::CourseChanged;

use crate::context::Context;
use crate::error::JobResult;
use crate::store::catalog_sync;

/// The platform rebuilds outlines and block trees 30 s after it sends the event. Events that arrive before the sync
/// belong to the same publication.
const SETTLED: TimeDelta = TimeDelta::minutes(1);

pub async fn run(ctx: &Context, message: &CourseChanged) -> JobResult<()> {
    catalog_sync::request(&ctx.db, message.course.as_str(), ctx.clock.now() + SETTLED).await
}
