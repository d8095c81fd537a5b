//! Takes back seats that addresses were assigned, or have taken with the code.

use serde_json::json;
use shared::messages::{RevokeSeats, RevokedSeats};
use store::error::JobResult;
use store::plumbing::audit::{self, Cause, Change, Entity};
use tracing::instrument;

use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::sale::seats;

#[instrument(name = "job.revoke_seats", skip_all, fields(voucher = %command.voucher_id))]
pub async fn run(
    ctx: &Context,
    command: &RevokeSeats,
    command_ctx: &CommandContext,
) -> JobResult<RevokedSeats> {
    let pool = store::sales::seats::get(&ctx.db, command.voucher_id).await?;
    let now = ctx.clock.now();
    let cause = Cause { actor: seats::actor(command.caller), command_id: command_ctx.id, now };
    let mut tx = ctx.transaction().await?;
    let (answer, alerts) = seats::revoke(&mut tx, &pool, &command.emails, cause).await?;
    let detail = json!({ "addresses": answer.revoked.len() });
    let entry = Change { entity: Entity::Voucher, id: pool.id.into(), from: None, to: "revoked", detail };
    audit::record(&mut tx, cause, entry).await?;
    command_ctx.finish(&mut *tx, &answer, ctx.clock.now()).await?;
    tx.alert(alerts);
    tx.commit().await?;
    Ok(answer)
}
