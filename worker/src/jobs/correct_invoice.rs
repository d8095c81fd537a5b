//! Issues the invoice of an order anew for another buyer.

use shared::messages::CorrectInvoice;
use store::error::JobResult;

use crate::command::CommandContext;
use crate::context::Context;
use crate::documents;

pub async fn run(ctx: &Context, command: &CorrectInvoice, command_ctx: &CommandContext) -> JobResult<()> {
    documents::correct(ctx, command, command_ctx.id).await?;
    let mut db = ctx.db.acquire().await?;
    command_ctx.finish(&mut db, &(), ctx.clock.now()).await
}
