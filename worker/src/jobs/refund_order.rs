//! Refunds a part or all of a paid cart: stores the request, asks the provider, and books its answer.

use shared::messages::{RefundAnswer, RefundOrder, RefundStatus, RefundedLine};
use shared::money::Money;
use uuid::Uuid;

use crate::alert;
use crate::checkout::provider_calls::ProviderCalls;
use crate::checkout::{refund_call, refund_plan, refund_request};
use crate::command::CommandContext;
use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::store::audit::Cause;
use crate::store::refunds::{self, State};
use crate::store::{cart_items, transactions};

pub async fn run(
    ctx: &Context,
    command: &RefundOrder,
    command_ctx: &CommandContext,
) -> JobResult<RefundAnswer> {
    let actor = refund_request::actor(&command.caller);
    let cause = Cause { actor, command_id: command_ctx.id, now: ctx.clock.now() };
    let stored = refund_request::store(ctx, command, command_ctx.id, cause).await?;
    alert::raise(stored.alerts);
    ctx.outbox.notify_one();
    let sent = refund_call::send(ctx, &ProviderCalls::for_caller(ctx), stored.id, stored.is_new, cause).await;
    sent.map_err(after_commit)?;
    answer(ctx, stored.id).await.map_err(after_commit)
}

/// The request is stored, and the reconciler goes on with it: the caller must not hear that nothing was started.
fn after_commit(error: JobError) -> JobError {
    match error {
        JobError::Retry(reason) => JobError::Unknown(reason),
        error => error,
    }
}

async fn answer(ctx: &Context, refund_id: Uuid) -> JobResult<RefundAnswer> {
    let mut db = ctx.db.acquire().await?;
    let refund = refunds::get(&mut db, refund_id).await?;
    if refund.state == State::Failed && refund.accepted_at.is_none() {
        return Err(refund_call::refused("the provider refused this refund before"));
    }
    let transaction = transactions::find(&ctx.db, refund.transaction_id).await?;
    let transaction = transaction.ok_or_else(|| JobError::dead("a refund without its transaction"))?;
    let money = |minor: i64| {
        Money::from_minor(minor.max(0), refund.amount.currency())
            .map_err(|error| JobError::dead(format!("a refund's amount {error}")))
    };
    let lines = cart_items::refundable(&mut db, transaction.cart_id).await?;
    let is_ended = |position| lines.iter().any(|line| line.position == position && line.is_ended);
    let items = refunds::lines(&mut db, refund_id).await?.into_iter().map(|line| {
        Ok(RefundedLine {
            position: u32::try_from(line.position).map_err(|_| JobError::dead("a negative position"))?,
            amount: money(line.amount)?,
            access_ended: refund.accepted_at.is_some() && is_ended(line.position),
        })
    });
    Ok(RefundAnswer {
        refund_id,
        cart_id: transaction.cart_id,
        status: match refund.state {
            State::Asked => RefundStatus::Asked,
            State::Accepted => RefundStatus::Accepted,
            State::Succeeded => RefundStatus::Succeeded,
            State::Failed => RefundStatus::Failed,
        },
        amount: refund.amount,
        items: items.collect::<JobResult<_>>()?,
        refunded: money(transaction.refunded)?,
        remaining: money(refund_plan::left(&transaction, &lines))?,
    })
}
