//! The platform's event bus has named a course: wants it to be synchronised, once the platform has settled.

use chrono::TimeDelta;
use shared::messages::CourseChanged;

use crate::context::Context;
use crate::error::JobResult;
use crate::store::catalog_sync;

/// The platform renews outlines and block trees half a minute after it has told of a change. Events that come until then
/// are about the same publication.
const SETTLED: TimeDelta = TimeDelta::minutes(1);

pub async fn run(ctx: &Context, message: &CourseChanged) -> JobResult<()> {
    catalog_sync::request(&ctx.db, message.course.as_str(), ctx.clock.now() + SETTLED).await
}
