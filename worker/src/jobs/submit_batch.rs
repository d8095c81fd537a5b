//! Stores a list of enrollments and removals, and begins to do its rows.

use shared::messages::{RunBatch, SubmitBatch, SubmittedBatch};

use crate::command::CommandContext;
use crate::context::Context;
use crate::enrollment::account_lookup;
use crate::error::JobResult;
use crate::store::{batches, outbox};

pub async fn run(
    ctx: &Context,
    command: &SubmitBatch,
    command_ctx: &CommandContext,
) -> JobResult<SubmittedBatch> {
    account_lookup::require_platform(ctx)?;
    let (batch_id, now) = (command_ctx.id, ctx.clock.now());
    let mut tx = ctx.db.begin().await?;
    batches::insert(&mut tx, batch_id, &command.rows, now).await?;
    outbox::push(&mut tx, RunBatch { batch_id }, now).await?;
    let answer = SubmittedBatch { batch_id };
    command_ctx.finish(&mut tx, &answer, now).await?;
    tx.commit().await?;
    Ok(answer)
}
