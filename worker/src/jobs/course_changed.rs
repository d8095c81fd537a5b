//! Requests a sync of a course that the platform's event bus reported as changed, once the platform has settled.

use chrono::TimeDelta;
use shared::messages::CourseChanged;
use shared::queue::Envelope;
use store::catalog::sync_state;
use store::error::JobResult;
use tracing::instrument;

use crate::runtime::context::Context;

/// The platform rebuilds outlines and block trees 30 s after it sends the event. Events that arrive before the sync
/// belong to the same publication.
const SETTLED: TimeDelta = TimeDelta::minutes(1);

#[instrument(name = "job.course_changed", skip_all, fields(course = %message.course))]
pub async fn run(ctx: &Context, message: &CourseChanged, _: &Envelope) -> JobResult<()> {
    sync_state::request(&ctx.db, message.course.as_str(), ctx.clock.now() + SETTLED).await
}
