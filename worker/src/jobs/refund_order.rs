//! Refunds a part or all of a paid cart: stores the request, asks the provider, and books its answer.

use std::time::Duration;

use shared::ids::RefundId;
use shared::messages::{RefundAnswer, RefundOrder, RefundedLine};
use shared::money::Money;
use store::access::bought_access::{self, RemainingAccess};
use store::error::{JobError, JobResult};
use store::money::refunds::{self, State};
use store::money::transactions;
use store::plumbing::audit::Cause;
use store::sales::cart_items;
use tokio::time::Instant;
use tracing::instrument;

use crate::provider_calls::ProviderCalls;
use crate::refund::request::{self, Request};
use crate::refund::{call, plan};
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;

/// Time limit for reading certificates: the caller waits, and the money is on its way.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Time after which no certificate is read for the answer: the api gives a command up after ten seconds.
const ANSWERED_BY: Duration = Duration::from_secs(9);

#[instrument(name = "job.refund_order", skip_all, fields(cart = %command.cart_id))]
pub async fn run(
    ctx: &Context,
    command: &RefundOrder,
    command_ctx: &CommandContext,
) -> JobResult<RefundAnswer> {
    refund(ctx, &command.into(), RefundId(command_ctx.id)).await
}

/// Refunds what is asked for, under this id.
///
/// # Errors
/// As [`request::store`]; `GatewayError` if the provider refuses.
pub async fn refund(ctx: &Context, request: &Request<'_>, id: RefundId) -> JobResult<RefundAnswer> {
    let read_until = Instant::now() + ANSWERED_BY;
    let cause = Cause { actor: request.requester.actor(), command_id: id.into(), now: ctx.clock.now() };
    let stored = request::store(ctx, request, id, cause).await?;
    let sent = call::send(ctx, &ProviderCalls::for_caller(ctx), stored.id, stored.is_new, cause).await;
    sent.map_err(after_commit)?;
    answer(ctx, stored.id, read_until).await.map_err(after_commit)
}

/// The request is stored, and the reconciler continues it: the caller must not hear that nothing was started.
fn after_commit(error: JobError) -> JobError {
    match error {
        JobError::Retry(reason) => JobError::Unknown(reason),
        error => error,
    }
}

async fn answer(ctx: &Context, refund_id: RefundId, read_until: Instant) -> JobResult<RefundAnswer> {
    let mut db = ctx.db.acquire().await?;
    let refund = refunds::get(&mut db, refund_id).await?;
    if refund.state == State::Failed && refund.accepted_at.is_none() {
        return Err(call::refused("the provider refused this refund before"));
    }
    let transaction = transactions::find(&mut *db, refund.transaction_id).await?;
    let transaction = transaction.ok_or_else(|| JobError::dead("a refund without its transaction"))?;
    let money = |minor: i64| {
        Money::from_minor(minor.max(0), refund.amount.currency())
            .map_err(|error| JobError::dead(format!("a refund's amount {error}")))
    };
    let lines = cart_items::refundable(&mut db, transaction.cart_id).await?;
    let refunded = refunds::lines(&mut db, refund_id).await?;
    let remaining = bought_access::remaining(&mut db, transaction.cart_id).await?;
    drop(db);
    let kept = if refund.accepted_at.is_some() { kept(ctx, remaining, read_until).await } else { Vec::new() };
    let ended = lines.iter().filter(|line| line.is_ended && !kept.contains(&line.position));
    let ended: Vec<i32> = ended.map(|line| line.position).collect();
    let items = refunded.into_iter().map(|line| {
        Ok(RefundedLine {
            position: u32::try_from(line.position).map_err(|_| JobError::dead("a negative position"))?,
            amount: money(line.amount)?,
            access_ended: refund.accepted_at.is_some() && ended.contains(&line.position),
        })
    });
    Ok(RefundAnswer {
        refund_id,
        cart_id: transaction.cart_id,
        status: refund.state,
        amount: refund.amount,
        items: items.collect::<JobResult<_>>()?,
        refunded: money(transaction.refunded)?,
        remaining: money(plan::left(&transaction, &lines))?,
    })
}

/// The lines whose access is not known to end: the platform keeps it, a certificate will keep it, or the platform does not say
/// in time.
async fn kept(ctx: &Context, remaining: Vec<RemainingAccess>, read_until: Instant) -> Vec<i32> {
    let until = read_until.min(Instant::now() + TIMEOUT);
    let mut kept = Vec::new();
    for access in remaining {
        let is_ending = async {
            let certificate = ctx.platform.certificate(&access.username, &access.course_key);
            match tokio::time::timeout_at(until, certificate).await {
                Ok(Ok(certificate)) => certificate.earned().is_none(),
                Ok(Err(error)) => {
                    tracing::warn!(%error, "certificate not read; the answer says that the access has not ended");
                    false
                }
                Err(_) => false,
            }
        };
        if access.is_kept || !is_ending.await {
            kept.push(access.position);
        }
    }
    kept
}
