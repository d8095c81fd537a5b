//! Follows a refund up: repeats one that the provider has not answered, and asks for the status of an accepted one. If the
//! provider is unavailable, the next scheduled check is the retry.

use chrono::TimeDelta;
use shared::ids::RefundId;
use shared::messages::{CheckRefund, Refusal};
use shared::queue::Envelope;
use store::error::{JobError, JobResult};
use store::money::refunds::{self, Refund, State};
use store::money::{attention, checks, transactions};
use store::plumbing::audit::{Actor, Cause};
use tracing::instrument;

use crate::payment::attempts::Attempts;
use crate::provider_calls::ProviderCalls;
use crate::refund::call;
use crate::runtime::context::Context;

/// After this time an accepted refund that has not arrived is an operator's matter. No provider takes longer.
const EXPECTED_WITHIN: TimeDelta = TimeDelta::days(30);

/// After this time a refund that the provider has not answered raises an alert; the checks continue. The time that the provider
/// makes it wait is not counted, up to a day.
const UNANSWERED: TimeDelta = TimeDelta::hours(1);
const MOST_PUT_OFF: TimeDelta = TimeDelta::days(1);

#[instrument(name = "job.check_refund", skip_all, fields(refund = %message.refund_id))]
pub async fn run(ctx: &Context, message: &CheckRefund, envelope: &Envelope) -> JobResult<()> {
    let cause = Cause { actor: Actor::System, command_id: envelope.id, now: ctx.clock.now() };
    match check(ctx, message.refund_id, cause).await {
        Err(JobError::Reject {
            refusal: Refusal::GatewayError { .. } | Refusal::NotConfigured { .. },
            reason,
        }) => {
            tracing::warn!(refund = %message.refund_id, reason, "refund check failed; checked again later");
            Ok(())
        }
        outcome => outcome,
    }
}

async fn check(ctx: &Context, refund_id: RefundId, cause: Cause) -> JobResult<()> {
    let mut db = ctx.db.acquire().await?;
    let Some(refund) = refunds::find(&mut db, refund_id).await? else { return Ok(()) };
    drop(db);
    match refund.state {
        State::Asked => {
            let sent = call::send(ctx, &ProviderCalls::in_background(ctx), refund_id, false, cause).await;
            alert_if_late(ctx, refund_id, cause).await?;
            sent
        }
        State::Accepted => {
            let read = read(ctx, &refund, cause).await;
            alert_if_late(ctx, refund_id, cause).await?;
            read
        }
        State::Succeeded | State::Failed => Ok(()),
    }
}

async fn read(ctx: &Context, refund: &Refund, cause: Cause) -> JobResult<()> {
    let attempts = Attempts { ctx, cause, calls: ProviderCalls::in_background(ctx) };
    let Some(transaction) = transactions::find(&ctx.db, refund.transaction_id).await? else { return Ok(()) };
    let Some(snapshot) = attempts.calls.read(&transaction).await? else { return Ok(()) };
    attempts.settle(&transaction, &snapshot).await
}

/// Raises one alert for a refund that takes too long.
async fn alert_if_late(ctx: &Context, refund_id: RefundId, cause: Cause) -> JobResult<()> {
    let mut db = ctx.transaction().await?;
    let refund = refunds::get(&mut db, refund_id).await?;
    let age = cause.now - refund.asked_at;
    let put_off = (refunds::PUT_OFF * refund.put_off).min(MOST_PUT_OFF);
    match refund.state {
        State::Asked if age >= UNANSWERED + put_off => {}
        State::Accepted if age >= EXPECTED_WITHIN => checks::stop_refund(&mut db, refund_id).await?,
        State::Asked | State::Accepted | State::Succeeded | State::Failed => return Ok(()),
    }
    let Some(reason) = refunds::overdue(refund_id, refund.state) else { return Ok(()) };
    let alert = attention::alert(&mut db, refund.transaction_id, &reason, cause.now).await?;
    db.alert(alert);
    db.commit().await?;
    Ok(())
}
