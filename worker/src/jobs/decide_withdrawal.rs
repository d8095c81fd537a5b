//! Decides a withdrawal as a person of its organisation says: accepts it, pays back a part, or refuses it with a reason.

use shared::messages::{DecideWithdrawal, DeskCaller, Refusal, WithdrawalDecision};
use shared::staff::Role;
use store::error::{JobError, JobResult};
use store::money::withdrawals::{self, Withdrawal};
use store::people::staff;
use store::plumbing::audit::Cause;
use tracing::instrument;

use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::withdrawal::refund::{self, Acceptance};
use crate::withdrawal::refusal;

#[instrument(name = "job.decide_withdrawal", skip_all, fields(withdrawal = %command.withdrawal_id))]
pub async fn run(ctx: &Context, command: &DecideWithdrawal, command_ctx: &CommandContext) -> JobResult<()> {
    let DecideWithdrawal { caller, .. } = command;
    if let DeskCaller::Staff(member) = caller {
        staff::check(&ctx.db, member, Role::Finance).await?;
    }
    let withdrawal = withdrawals::find(&ctx.db, command.withdrawal_id).await?;
    let withdrawal = withdrawal.filter(|it| it.organisation_id == Some(caller.organisation_id()));
    let withdrawal = withdrawal.ok_or_else(|| Refusal::Forbidden {
        detail: "The organisation has no such withdrawal.".to_owned(),
    })?;
    if !withdrawal.state.is_open() {
        return Err(JobError::invalid(
            "decision",
            format!("is too late: the withdrawal is {}", withdrawal.state),
        ));
    }
    let cause = Cause { actor: caller.into(), command_id: command_ctx.id, now: ctx.clock.now() };
    match command.decision {
        WithdrawalDecision::Refuse => refuse(ctx, command, &withdrawal, command_ctx, cause).await,
        WithdrawalDecision::Accept { amount } => {
            let reason = command.reason.as_deref();
            let acceptance = Acceptance { withdrawal: &withdrawal, actor: cause.actor, amount, reason };
            refund::accept(ctx, &acceptance, cause).await?;
            command_ctx.finish(&ctx.db, &(), ctx.clock.now()).await
        }
    }
}

async fn refuse(
    ctx: &Context,
    command: &DecideWithdrawal,
    withdrawal: &Withdrawal,
    command_ctx: &CommandContext,
    cause: Cause,
) -> JobResult<()> {
    let Some(reason) = command.reason.as_deref() else {
        return Err(JobError::invalid("reason", "is required: the buyer must learn why".to_owned()));
    };
    let mut tx = ctx.transaction().await?;
    refusal::refuse(&mut tx, withdrawal, reason, cause).await?;
    command_ctx.finish(&mut *tx, &(), ctx.clock.now()).await?;
    command_ctx.committing();
    tx.commit().await?;
    ctx.outbox.notify_one();
    Ok(())
}
