//! Stores a batch of enrollments and removals, or of addresses to which seats are assigned, and begins to process its rows.

use serde_json::json;
use shared::ids::VoucherId;
use shared::messages::{AssignedSeats, FieldError, Refusal, RunBatch, SubmitBatch, SubmittedBatch};
use sqlx::PgConnection;
use store::access::batches::{self, Submitter};
use store::error::JobResult;
use store::plumbing::audit::{self, Cause, Change, Entity};
use store::plumbing::outbox;
use tracing::instrument;

use crate::enrollment::account_lookup;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::sale::seats;

#[instrument(name = "job.submit_batch", skip_all)]
pub async fn run(
    ctx: &Context,
    command: &SubmitBatch,
    command_ctx: &CommandContext,
) -> JobResult<SubmittedBatch> {
    account_lookup::require_platform(ctx)?;
    let (batch_id, now) = (command_ctx.id, ctx.clock.now());
    let mut tx = ctx.transaction().await?;
    if let Some(AssignedSeats { voucher_id, .. }) = command.seats {
        check_length(&mut tx, voucher_id, command.rows.len()).await?;
    }
    let submitter = match (command.seats, command.staff) {
        (Some(seats), _) => Submitter::Pool(seats.voucher_id),
        (None, Some(member)) => Submitter::Staff(member),
        (None, None) => Submitter::Partner,
    };
    batches::insert(&mut tx, batch_id, &command.rows, submitter, now).await?;
    if let Some(AssignedSeats { voucher_id, caller }) = command.seats {
        let cause = Cause { actor: seats::actor(caller), command_id: batch_id, now };
        let detail = json!({ "batch": batch_id, "addresses": command.rows.len() });
        let entry =
            Change { entity: Entity::Voucher, id: voucher_id.into(), from: None, to: "assigned", detail };
        audit::record(&mut tx, cause, entry).await?;
    }
    outbox::push(&mut tx, RunBatch { batch_id }, now).await?;
    let answer = SubmittedBatch { batch_id };
    command_ctx.finish(&mut *tx, &answer, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(answer)
}

/// Checks that a pool's batches stay within what its buyer can need: each address costs work, and is kept for 90 days.
async fn check_length(db: &mut PgConnection, pool: VoucherId, new: usize) -> JobResult<()> {
    let submitted = store::sales::seats::submitted(db, pool).await?;
    let left = (submitted.most - submitted.addresses).max(0);
    if i64::try_from(new).is_ok_and(|new| new <= left) {
        return Ok(());
    }
    let message = format!("are too many: the batches of this pool can have {left} more in these 90 days");
    Err(Refusal::InvalidRequest { errors: vec![FieldError::new("emails", message)] }.into())
}
