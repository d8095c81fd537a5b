//! Asks the provider for a stored refund, and books the answer. Safe to repeat: the provider sees one id for all repeats.

use shared::ids::{RefundId, TransactionId};
use shared::messages::Refusal;
use shared::money::Money;
use store::error::{JobError, JobResult};
use store::money::refunds::State;
use store::money::{attention, refunds as rows, transactions};
use store::plumbing::audit::Cause;

use super::booking;
use crate::gateways::{GatewayError, RefundFacts, RefundRequest, profile};
use crate::provider_calls::ProviderCalls;
use crate::runtime::context::Context;

/// Asks the provider, if it has not answered yet and no other job is asking. `first` says that the request cannot have
/// been sent before, and that the caller holds the call lease. A provider that does not answer is no error: the refund
/// stays `asked`, and the reconciler continues.
///
/// # Errors
/// `GatewayError` if the provider refuses; the refund has failed then, and nothing else has changed.
pub async fn send(
    ctx: &Context,
    calls: &ProviderCalls<'_>,
    refund_id: RefundId,
    first: bool,
    cause: Cause,
) -> JobResult<()> {
    let mut db = ctx.db.acquire().await?;
    let refund = rows::get(&mut db, refund_id).await?;
    drop(db);
    if refund.state != State::Asked || !first && !rows::lease_call(&ctx.db, refund_id, cause.now).await? {
        return Ok(());
    }
    let transaction = transactions::find(&ctx.db, refund.transaction_id).await?;
    let transaction = transaction.ok_or_else(|| JobError::dead("a refund without its transaction"))?;
    let payment = transaction.reference.clone();
    // Mollie repeats a refusal for a day under the same key.
    let key = match refund.put_off {
        0 => refund.id.to_string(),
        times => format!("{}-{times}", refund.id),
    };
    let request = RefundRequest {
        id: refund.id,
        key: &key,
        payment: payment.as_deref().ok_or_else(|| JobError::dead("a charged payment without a reference"))?,
        subunits: subunits(&transaction, refund.amount)?,
        currency: refund.amount.currency().code(),
        is_repeated: !first,
    };
    match calls.refund(&transaction, &request).await? {
        Ok(facts) => book(ctx, transaction.id, &facts, cause).await,
        // A refused key says nothing about an earlier call, which may have made the refund.
        Err(error @ GatewayError::Refused { .. }) if first || !error.refuses_key() => {
            fail(ctx, transaction.id, refund_id, first, cause).await?;
            Err(refused(&error.to_string()))
        }
        Err(GatewayError::Duplicate) => {
            tracing::info!(refund = %refund_id, "equal to a refund of the last hour; asked again after it");
            rows::put_off(&ctx.db, refund_id, cause.now).await
        }
        Err(error) => {
            tracing::warn!(refund = %refund_id, %error, "refund not answered; asked again later");
            rows::release_call(&ctx.db, refund_id).await
        }
    }
}

/// The refusal of a caller whose refund the provider refused. `reason` is for the operator.
pub fn refused(reason: &str) -> JobError {
    let refusal = Refusal::GatewayError { detail: "the payment provider refused the refund".to_owned() };
    JobError::Reject { refusal, reason: reason.to_owned() }
}

fn subunits(transaction: &transactions::Transaction, amount: Money) -> JobResult<i64> {
    let exact = profile(transaction.gateway).amounts.exact(amount);
    exact.map_err(|error| JobError::dead(format!("a refund {error}")))
}

async fn book(
    ctx: &Context,
    transaction_id: TransactionId,
    facts: &RefundFacts,
    cause: Cause,
) -> JobResult<()> {
    let mut tx = ctx.transaction().await?;
    let mut transaction = transactions::lock(&mut tx, transaction_id).await?;
    let alerts = booking::settle_one(&mut tx, &mut transaction, facts, cause).await?;
    tx.alert(alerts);
    tx.commit().await?;
    Ok(())
}

/// Records that the provider refused the refund. Its caller learns that from the answer to the first call; after that, an
/// alert tells an operator.
async fn fail(
    ctx: &Context,
    transaction_id: TransactionId,
    refund_id: RefundId,
    first: bool,
    cause: Cause,
) -> JobResult<()> {
    let mut tx = ctx.transaction().await?;
    let transaction = transactions::lock(&mut tx, transaction_id).await?;
    let refund = rows::get(&mut tx, refund_id).await?;
    let mut alert = None;
    // The provider's own report may have settled it meanwhile.
    if refund.state == State::Asked {
        rows::move_to(&mut tx, &refund, State::Failed, None, cause).await?;
        booking::settle_seats(&mut tx, &transaction, false).await?;
        if !first {
            let reason = format!("the provider refused refund {refund_id} of {}", refund.amount);
            alert = attention::alert(&mut tx, transaction_id, &reason, cause.now).await?;
        }
    }
    tx.alert(alert);
    tx.commit().await?;
    Ok(())
}
