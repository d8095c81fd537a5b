//! Does what an organisation's staff or tools ask for at its support desk.

use shared::messages::{ActAtDesk, DeskAction};
use store::error::JobResult;
use store::plumbing::audit::Cause;
use tracing::instrument;

use crate::desk;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;

#[instrument(name = "job.act_at_desk", skip_all)]
pub async fn run(ctx: &Context, command: &ActAtDesk, command_ctx: &CommandContext) -> JobResult<()> {
    let ActAtDesk { caller, action, .. } = command;
    desk::check_role(ctx, caller, action.role()).await?;
    let now = ctx.clock.now();
    let cause = Cause { actor: caller.into(), command_id: command_ctx.id, now };
    let mut tx = ctx.transaction().await?;
    desk::act(ctx, &mut tx, caller.organisation_id(), action, cause).await?;
    // A letter that the broker has replayed or dropped stays so: its record must be committed.
    let ended = if matches!(action, DeskAction::DecideDeadLetter { .. }) { now } else { ctx.clock.now() };
    command_ctx.finish(&mut *tx, &(), ended).await?;
    tx.commit().await?;
    Ok(())
}
