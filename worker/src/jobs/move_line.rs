//! Moves the access of an order's line to another course or another person.

use shared::messages::{MoveAnswer, MoveLine};
use store::error::JobResult;
use tracing::instrument;

use crate::moves;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;

#[instrument(name = "job.move_line", skip_all, fields(cart = %command.cart_id))]
pub async fn run(ctx: &Context, command: &MoveLine, command_ctx: &CommandContext) -> JobResult<MoveAnswer> {
    moves::move_line(ctx, command, command_ctx).await
}
