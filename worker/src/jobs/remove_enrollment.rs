//! Removes an address's access to a course, at a trusted partner's request.

use shared::messages::{EnrollmentAnswer, Refusal, RemoveEnrollment};
use store::access::removals;
use store::access::sync_queue::SyncAt;
use store::error::JobResult;
use store::plumbing::audit::{Actor, Cause};
use store::sales::offers;
use tracing::instrument;

use crate::enrollment::account_lookup;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;

#[instrument(name = "job.remove_enrollment", skip_all)]
pub async fn run(
    ctx: &Context,
    command: &RemoveEnrollment,
    command_ctx: &CommandContext,
) -> JobResult<EnrollmentAnswer> {
    account_lookup::require_platform(ctx)?;
    if !offers::course_exists(&ctx.db, command.course_id).await? {
        return Err(Refusal::CourseNotFound.into());
    }
    let mut tx = ctx.transaction().await?;
    let cause = Cause { actor: Actor::Client, command_id: command_ctx.id, now: ctx.clock.now() };
    let enrollment_state =
        removals::remove(&mut tx, &command.email, command.course_id, SyncAt::Now, cause).await?;
    let answer = EnrollmentAnswer { enrollment_state, platform_refusal: None, is_unresolved: false };
    command_ctx.finish(&mut *tx, &answer, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(answer)
}
