//! Reminds addresses that have not registered for the seats that they were assigned.

use shared::messages::{RemindSeats, RemindedSeats};
use store::error::JobResult;
use tracing::instrument;

use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::sale::seats;

#[instrument(name = "job.remind_seats", skip_all, fields(voucher = %command.voucher_id))]
pub async fn run(
    ctx: &Context,
    command: &RemindSeats,
    command_ctx: &CommandContext,
) -> JobResult<RemindedSeats> {
    let pool = store::sales::seats::get(&ctx.db, command.voucher_id).await?;
    let now = ctx.clock.now();
    let mut tx = ctx.transaction().await?;
    let answer = seats::remind(&mut tx, &pool, command.emails.as_deref(), now).await?;
    command_ctx.finish(&mut *tx, &answer, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(answer)
}
