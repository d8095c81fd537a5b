//! Issues the invoice of an order anew for another buyer.

use shared::messages::CorrectInvoice;
use store::error::JobResult;
use tracing::instrument;

use crate::documents;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;

#[instrument(name = "job.correct_invoice", skip_all, fields(cart = %command.cart_id))]
pub async fn run(ctx: &Context, command: &CorrectInvoice, command_ctx: &CommandContext) -> JobResult<()> {
    documents::correct(ctx, command, command_ctx.id).await?;
    command_ctx.finish(&ctx.db, &(), ctx.clock.now()).await
}
