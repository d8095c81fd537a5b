//! Requests a sync of a course that the platform's event bus reported as changed, once the platform has settled.

use chrono::TimeDelta;
use shared::messages::CourseChanged;
use store::catalog::sync_state;
use store::error::JobResult;

use crate::runtime::context::Context;

/// The platform rebuilds outlines and block trees 30 s after it sends the event. Events that arrive before the sync
/// belong to the same publication.
const SETTLED: TimeDelta = TimeDelta::minutes(1);

pub async fn run(ctx: &Context, message: &CourseChanged) -> JobResult<()> {
    sync_state::request(&ctx.db, message.course.as_str(), ctx.clock.now() + SETTLED).await
}
