//! The refund of an order's tax, once the buyer declares it: stored with the correction of the invoice, and asked from the
//! provider after that. It ends no access.

use shared::ids::{CartId, RefundId};
use shared::messages::{CheckRefund, Refusal};
use shared::money::Money;
use sqlx::PgConnection;
use store::error::{JobError, JobResult};
use store::model::document::Sale;
use store::money::disputes;
use store::money::refunds::{self, NewRefund, Origin, RefundLine, State};
use store::money::transactions::{self, Transaction};
use store::plumbing::audit::Cause;
use store::plumbing::outbox;

use crate::gateways::profile;
use crate::provider_calls::ProviderCalls;
use crate::runtime::context::Context;

/// Checks that the account of an order's payment can be used: without it the refund would be made at an unknown later time.
///
/// # Errors
/// `NotConfigured`, or the order was not paid.
pub async fn check_account(ctx: &Context, cart_id: CartId) -> JobResult<()> {
    let transaction = transactions::of_cart(&ctx.db, cart_id).await?.ok_or_else(unpaid)?;
    ProviderCalls::for_caller(ctx).check_account(&transaction).await
}

/// Locks the payment of an order whose tax is to be refunded.
///
/// # Errors
/// `InvalidRequest` for one that was not paid or is disputed; `InProgress` while the provider has not answered another refund.
pub async fn lock(db: &mut PgConnection, cart_id: CartId) -> JobResult<Transaction> {
    let transaction = transactions::of_locked_cart(db, cart_id).await?.ok_or_else(unpaid)?;
    if !transaction.was_charged() {
        return Err(unpaid());
    }
    if transaction.lost > 0 || disputes::held(db, transaction.id).await?.is_some() {
        return Err(JobError::invalid("cart_id", "has a dispute, so its tax cannot be refunded"));
    }
    if refunds::asked(db, transaction.id).await?.is_some() {
        return Err(Refusal::InProgress.into());
    }
    Ok(transaction)
}

/// Stores the refund of all tax of a sale, whose payment is locked.
///
/// # Errors
/// `InvalidRequest` if the provider cannot pay the amount.
pub async fn store(
    db: &mut PgConnection,
    transaction: &Transaction,
    sale: &Sale,
    cause: Cause,
) -> JobResult<()> {
    let taxed = sale.lines.iter().filter(|line| line.tax > 0);
    let of_line = |position, amount| RefundLine { position, amount, ends_access: false };
    let lines: Vec<RefundLine> = taxed.map(|line| of_line(line.position, line.tax)).collect();
    let tax = lines.iter().map(|line| line.amount).sum();
    let amount = Money::from_minor(tax, transaction.total.currency())
        .map_err(|error| JobError::dead(format!("a refund {error}")))?;
    let payable = profile(transaction.gateway).amounts.exact(amount);
    payable.map_err(|error| {
        JobError::invalid("billing_address", format!("moves the tax to the buyer: {error}"))
    })?;
    let id = RefundId::generate();
    let new = NewRefund {
        id,
        transaction_id: transaction.id,
        origin: Origin::Api,
        actor: cause.actor.to_string(),
        request: None,
        reason: Some("reverse charge"),
        amount,
        state: State::Asked,
        reference: None,
        lines: &lines,
    };
    refunds::insert(db, &new, cause).await?;
    refunds::leave_call(db, id).await?;
    outbox::push(db, CheckRefund { refund_id: id }, cause.now).await.map(drop)
}

fn unpaid() -> JobError {
    JobError::invalid("cart_id", "was not paid: there is no tax to refund")
}
