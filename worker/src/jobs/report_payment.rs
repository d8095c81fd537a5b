//! Books what an organisation that takes payments itself has seen at its bank: money that has arrived, and refunds that have
//! reached their buyers.

use chrono::TimeDelta;
use shared::gateway::Gateway;
use shared::ids::RefundId;
use shared::messages::{DeskCaller, PaymentReport, Refusal, ReportPayment, ReportedPayment};
use shared::money::Money;
use shared::staff::Role;
use sqlx::PgConnection;
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::money::attention;
use store::money::received::{self, NewReceived};
use store::money::refunds::{self, State};
use store::money::transactions::{self, Transaction};
use store::people::staff;
use store::plumbing::audit::Cause;
use store::sales::carts;
use tracing::instrument;

use crate::gateways::{Asked, RefundFacts, RefundStatus};
use crate::payment::settlement::{self, Report, Settled};
use crate::refund::booking;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;

/// How far the clock of a bank may be ahead.
const AHEAD: TimeDelta = TimeDelta::days(1);

#[instrument(name = "job.report_payment", skip_all, fields(cart = %command.cart_id))]
pub async fn run(
    ctx: &Context,
    command: &ReportPayment,
    command_ctx: &CommandContext,
) -> JobResult<ReportedPayment> {
    let transaction = transaction(ctx, command).await?;
    let cause = Cause { actor: (&command.caller).into(), command_id: command_ctx.id, now: ctx.clock.now() };
    let mut tx = ctx.transaction().await?;
    let mut transaction = transactions::lock(&mut tx, transaction.id).await?;
    let alerts = match &command.report {
        PaymentReport::Received { .. } => receive(ctx, &mut tx, &transaction, command, cause).await?,
        PaymentReport::Refund { refund_id, has_arrived } => {
            end_refund(&mut tx, &mut transaction, *refund_id, *has_arrived, cause).await?
        }
    };
    let received = received::sum_of(&mut tx, transaction.id).await?;
    tx.alert(alerts);
    tx.commit().await?;
    ctx.outbox.notify_one();
    let money = |minor: i64| {
        let money = Money::from_minor(minor.max(0), transaction.total.currency());
        money.map_err(|error| JobError::dead(format!("what has arrived {error}")))
    };
    let total = transaction.total;
    let open = if transaction.was_charged() { 0 } else { total.minor() - received };
    Ok(ReportedPayment { cart_id: command.cart_id, total, received: money(received)?, open: money(open)? })
}

/// The payment of the order that a caller reports about.
async fn transaction(ctx: &Context, command: &ReportPayment) -> JobResult<Transaction> {
    if let DeskCaller::Staff(member) = &command.caller {
        staff::check(&ctx.db, member, Role::Finance).await?;
    }
    let cart = carts::find(&ctx.db, command.cart_id).await?;
    let cart = cart.filter(|cart| cart.organisation_id == command.caller.organisation_id());
    let cart = cart.ok_or(Refusal::CartNotFound)?;
    match transactions::of_cart(&ctx.db, cart.id).await? {
        Some(transaction) if transaction.gateway == Gateway::External => Ok(transaction),
        Some(transaction) => {
            let message = format!("is paid by {}, which reports its payments itself", transaction.gateway);
            Err(JobError::invalid("cart_id", message))
        }
        None => Err(JobError::invalid("cart_id", "has nothing to pay")),
    }
}

/// Records money that has arrived, unless it is known already, and settles the payment.
async fn receive(
    ctx: &Context,
    db: &mut PgConnection,
    transaction: &Transaction,
    command: &ReportPayment,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let PaymentReport::Received { amount, received_at, reference } = &command.report else {
        return Ok(Vec::new());
    };
    let amount = Money::from_major(*amount, transaction.total.currency())
        .map_err(|error| JobError::invalid("amount", error.to_string()))?;
    if *received_at > cause.now + AHEAD {
        return Err(JobError::invalid("received_at", "is in the future"));
    }
    let key = received::request_key(&command.idempotency);
    if let Some(known) = received::find(db, transaction.id, &key, reference).await? {
        if known.request_key == key && known.request_hash != command.idempotency.request_hash {
            return Err(Refusal::IdempotencyMismatch.into());
        }
        if (known.amount, known.received_at) != (amount.minor(), *received_at) {
            return Err(JobError::invalid("reference", "was reported with another amount or time"));
        }
        return Ok(Vec::new());
    }
    let new = NewReceived { amount, received_at: *received_at, reference, idempotency: &command.idempotency };
    received::insert(db, transaction, &new, cause).await?;
    let sum = received::sum_of(db, transaction.id).await?;
    let mut alerts = settle(ctx, db, transaction, sum, cause).await?;
    let reason = if sum > transaction.total.minor() {
        let more = Money::from_minor(sum - transaction.total.minor(), transaction.total.currency());
        more.ok().map(|more| format!("{more} more than its total has arrived; pay it back at the bank"))
    } else if transaction.is_closed && sum < transaction.total.minor() {
        Some(
            "a part of its total has arrived after it was closed; pay it back, or wait for the rest"
                .to_owned(),
        )
    } else {
        None
    };
    if let Some(reason) = reason {
        alerts.extend(attention::alert(db, transaction.id, &reason, cause.now).await?);
    }
    Ok(alerts)
}

/// Settles a locked payment by what has arrived in all.
async fn settle(
    ctx: &Context,
    db: &mut PgConnection,
    transaction: &Transaction,
    received: i64,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let snapshot = Asked::from(transaction).snapshot(received, cause.now.date_naive());
    let report = Report {
        gateway: transaction.gateway,
        organisation_id: transaction.organisation_id,
        snapshot: &snapshot,
        is_confirmed: false,
        cart_lifetime: ctx.cart_lifetime,
    };
    match settlement::settle(db, transaction.id, &report, cause).await? {
        Settled::Agreed(alerts) => Ok(alerts),
        Settled::Contradiction(reason) => Err(JobError::dead(reason)),
    }
}

/// Records whether a refund, which the organisation pays back itself, has reached the buyer.
async fn end_refund(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    refund_id: RefundId,
    has_arrived: bool,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let refund = refunds::find(db, refund_id).await?;
    let refund = refund.filter(|refund| refund.transaction_id == transaction.id);
    let refund = refund.ok_or_else(|| JobError::invalid("refund_id", "is not a refund of this order"))?;
    let status = if has_arrived { RefundStatus::Succeeded } else { RefundStatus::Failed };
    match (refund.state, has_arrived) {
        (State::Succeeded, true) | (State::Failed, false) => return Ok(Vec::new()),
        (State::Accepted, _) | (State::Succeeded, false) => {}
        (State::Asked, _) => return Err(JobError::Retry("the refund is not accepted yet".into())),
        (State::Failed, true) => {
            return Err(JobError::invalid("refund_id", "has failed; ask for another refund"));
        }
    }
    let facts = RefundFacts {
        reference: refund_id.to_string(),
        refund_id: Some(refund_id),
        subunits: refund.amount.minor(),
        status,
    };
    booking::settle_one(db, transaction, &facts, cause).await
}
