//! Reads the state of a payment from its provider, in the background. If the provider is unavailable, the next
//! scheduled check is the retry.

use shared::ids::TransactionId;
use shared::messages::{CheckPayment, Refusal};
use shared::queue::Envelope;
use store::error::{JobError, JobResult};
use store::money::transactions::{self, State};
use store::plumbing::audit::{Actor, Cause};
use store::sales::carts;
use tracing::instrument;
use uuid::Uuid;

use crate::gateways::{Closure, Status};
use crate::payment::attempts::{AttemptStatus, Attempts};
use crate::provider_calls::ProviderCalls;
use crate::runtime::context::Context;
use crate::sale::voucher_use;

#[instrument(name = "job.check_payment", skip_all, fields(transaction = %message.transaction_id))]
pub async fn run(ctx: &Context, message: &CheckPayment, envelope: &Envelope) -> JobResult<()> {
    match check(ctx, message, envelope.id).await {
        Err(JobError::Reject {
            refusal: Refusal::GatewayError { .. } | Refusal::NotConfigured { .. },
            reason,
        }) => {
            tracing::warn!(transaction = %message.transaction_id, reason, "payment check failed; checked again later");
            Ok(())
        }
        outcome => outcome,
    }
}

/// Reads the payment and settles what the provider says.
///
/// # Errors
/// `GatewayError` if the provider does not answer, `NotConfigured` without usable credentials.
pub async fn check(ctx: &Context, message: &CheckPayment, id: Uuid) -> JobResult<()> {
    let cause = Cause { actor: Actor::System, command_id: id, now: ctx.clock.now() };
    let attempts = Attempts { ctx, cause, calls: ProviderCalls::in_background(ctx) };
    match settle(&attempts, message.transaction_id).await {
        // Without a usable account, nobody can pay, and nothing can be asked.
        Err(error @ JobError::Reject { refusal: Refusal::NotConfigured { .. }, .. }) => {
            if let Some(transaction) = transactions::find(&ctx.db, message.transaction_id).await? {
                voucher_use::end(ctx, transaction.cart_id, cause.now).await?;
            }
            Err(error)
        }
        outcome => outcome,
    }
}

async fn settle(attempts: &Attempts<'_>, id: TransactionId) -> JobResult<()> {
    let Some(mut transaction) = transactions::find(&attempts.ctx.db, id).await? else { return Ok(()) };
    if transaction.state == State::Created {
        // The provider may or may not have created the payment: the same request finds it, or creates it now.
        match attempts.advance(transaction.cart_id).await? {
            AttemptStatus::Payable(_) | AttemptStatus::Unread(_) | AttemptStatus::Pending(_) => {}
            AttemptStatus::Paid | AttemptStatus::Closed => return Ok(()),
        }
        let Some(now_known) = transactions::find(&attempts.ctx.db, id).await? else { return Ok(()) };
        transaction = now_known;
    }
    // The provider refused to create the payment.
    if transaction.reference.is_none() {
        return Ok(());
    }
    let is_abandoned = attempts.cause.now - transaction.created_at >= attempts.ctx.cart_lifetime;
    let Some(snapshot) = attempts.calls.read(&transaction).await? else {
        // If the provider refuses, a checkout or a notification will settle the payment, until no caller waits for it
        // any more.
        let cart = carts::find(&attempts.ctx.db, transaction.cart_id).await?;
        return match cart.map(|cart| cart.state) {
            Some(carts::State::PendingPayment) if is_abandoned => {
                attempts.abandon_unknown(&transaction, Closure::Abandoned).await
            }
            _ => voucher_use::end(attempts.ctx, transaction.cart_id, attempts.cause.now).await,
        };
    };
    attempts.settle(&transaction, &snapshot).await?;
    // A payment that the provider works on expires when the provider says so.
    let is_open = matches!(snapshot.status, Status::Open | Status::Failed);
    let cart = carts::find(&attempts.ctx.db, transaction.cart_id).await?;
    let is_over = match cart.map(|cart| cart.state) {
        Some(carts::State::PendingPayment) => is_abandoned,
        // Replaced while the provider worked on it, and now the buyer could pay it again.
        Some(carts::State::Cancelled | carts::State::Expired) => true,
        _ => false,
    };
    if is_open && is_over {
        attempts.expire(&transaction).await?;
    } else if is_open {
        voucher_use::end(attempts.ctx, transaction.cart_id, attempts.cause.now).await?;
    }
    Ok(())
}

impl Attempts<'_> {
    /// Cancels a payment that has waited too long for its buyer, or was replaced. If the provider cannot cancel it, it is
    /// checked again, and its voucher is free for others.
    async fn expire(&self, transaction: &transactions::Transaction) -> JobResult<()> {
        let Some(snapshot) = self.calls.cancel(transaction).await? else { return Ok(()) };
        self.settle(transaction, &snapshot).await?;
        if matches!(snapshot.status, Status::Open | Status::Failed) {
            voucher_use::release(self.ctx, transaction.cart_id).await?;
        }
        Ok(())
    }
}
