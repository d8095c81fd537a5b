//! Records that the holder of an order's address objects to a declaration without proof, which then waits for a person.

use shared::messages::ObjectToWithdrawal;
use shared::queue::Envelope;
use store::error::JobResult;
use store::money::withdrawals;
use store::plumbing::audit::{Actor, Cause};
use tracing::instrument;

use crate::runtime::context::Context;

const BECAUSE: &str = "the holder of the order's address says that the declaration is not theirs";

#[instrument(name = "job.object_to_withdrawal", skip_all, fields(withdrawal = %message.withdrawal_id))]
pub async fn run(ctx: &Context, message: &ObjectToWithdrawal, envelope: &Envelope) -> JobResult<()> {
    let cause = Cause { actor: Actor::Guest, command_id: envelope.id, now: ctx.clock.now() };
    let mut tx = ctx.db.begin().await?;
    if !withdrawals::object(&mut tx, message.withdrawal_id, BECAUSE, cause).await? {
        tracing::info!("an objection to a withdrawal that is decided or proved changes nothing");
    }
    Ok(tx.commit().await?)
}
