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
use store::catalog::organisations;
use store::error::{JobError, JobResult};
use store::money::received::{self, NewReceived};
use store::money::refunds::{self, State};
use store::money::transactions::{self, Transaction};
use store::money::{attention, documents_due};
use store::people::staff;
use store::plumbing::audit::Cause;
use store::plumbing::locks::{self, Lock};
use store::sales::carts;
use tracing::instrument;

use crate::gateways::{Asked, Closure, PaymentSnapshot, RefundFacts, RefundStatus, Status};
use crate::payment::on_account;
use crate::payment::settlement::{self, Report, Settled};
use crate::refund::booking;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;

/// Time by which the clock of a bank may be ahead.
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
    if let PaymentReport::Received { reference, .. } = &command.report {
        locks::take(&mut tx, &[Lock::BankReference(transaction.organisation_id, reference)]).await?;
    }
    let mut transaction = transactions::lock(&mut tx, transaction.id).await?;
    let alerts = match &command.report {
        PaymentReport::Received { amount, received_at, reference } => {
            let idempotency = command.idempotency.as_ref();
            let idempotency = idempotency.ok_or_else(|| JobError::dead("a payment without a key"))?;
            let amount = Money::from_major(*amount, transaction.total.currency())
                .map_err(|error| JobError::invalid("amount", error.to_string()))?;
            let new = NewReceived { amount, received_at: *received_at, reference, idempotency };
            receive(ctx, &mut tx, &transaction, &new, cause).await?
        }
        PaymentReport::Returned { reference } => {
            give_back(ctx, &mut tx, &transaction, reference, cause).await?
        }
        PaymentReport::Cancelled => cancel(ctx, &mut tx, &transaction, cause).await?,
        PaymentReport::Refund { refund_id, has_arrived } => {
            end_refund(&mut tx, &mut transaction, *refund_id, *has_arrived, cause).await?
        }
    };
    let transaction = transactions::lock(&mut tx, transaction.id).await?;
    let received = received::sum(&mut *tx, transaction.id).await?;
    tx.alert(alerts);
    tx.commit().await?;
    ctx.outbox.notify_one();
    if transaction.is_cancelled_invoice() {
        crate::documents::issue_if_possible(ctx, transaction.cart_id).await?;
    }
    let money = |minor: i64| {
        let money = Money::from_minor(minor.max(0), transaction.total.currency());
        money.map_err(|error| JobError::dead(format!("what has arrived {error}")))
    };
    let total = transaction.total;
    let is_open = !transaction.was_charged() && !transaction.is_cancelled_invoice();
    let open = if is_open { total.minor() - received } else { 0 };
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
    cart.check_sold_here()?;
    match transactions::of_cart(&ctx.db, cart.id).await? {
        Some(transaction) if transaction.gateway == Gateway::External => match transaction.due_on {
            Some(_) => Ok(transaction),
            None => Err(JobError::Retry("the order is still being placed".into())),
        },
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
    new: &NewReceived<'_>,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    if new.received_at > cause.now + AHEAD {
        return Err(JobError::invalid("received_at", "is in the future"));
    }
    let key = received::request_key(new.idempotency);
    if let Some(known) = received::find(db, transaction.id, &key, new.reference).await? {
        let is_repeat = known.request_key == key;
        if is_repeat && known.request_hash != new.idempotency.request_hash {
            return Err(Refusal::IdempotencyMismatch.into());
        }
        // The bank's day and the caller's time of it can differ.
        if !is_repeat && (known.amount != new.amount.minor() || known.is_returned) {
            let message = "was reported with another amount, or was paid back; give each payment its own";
            return Err(JobError::invalid("reference", message));
        }
        return Ok(Vec::new());
    }
    let other = received::other_order(db, transaction, new.reference).await?;
    received::insert(db, transaction, new, cause).await?;
    let sum = received::sum(&mut *db, transaction.id).await?;
    if transaction.is_cancelled_invoice() {
        let alert =
            attention::alert(db, transaction.id, settlement::PAID_AFTER_CANCELLATION, cause.now).await?;
        return Ok(alert.into_iter().collect());
    }
    let snapshot = snapshot(db, transaction, sum, cause).await?;
    let mut alerts = settle(ctx, db, transaction, snapshot, cause).await?;
    let mut reasons = Vec::new();
    if let Some(other) = other {
        reasons.push(format!("money with the same bank reference was booked for order {other}: one transfer for two orders, or a mistake"));
    }
    if sum > transaction.total.minor() {
        let more = Money::from_minor(sum - transaction.total.minor(), transaction.total.currency());
        reasons.extend(
            more.ok().map(|more| format!("{more} more than its total has arrived; pay it back at the bank")),
        );
    } else if transaction.is_over() && sum < transaction.total.minor() {
        let reason = "a part of its total has arrived after it had ended; pay it back, or wait for the rest";
        reasons.push(reason.to_owned());
    }
    for reason in reasons {
        alerts.extend(attention::alert(db, transaction.id, &reason, cause.now).await?);
    }
    Ok(alerts)
}

/// Marks money as paid back without a refund. What is left must still pay for an order that is paid.
async fn give_back(
    ctx: &Context,
    db: &mut PgConnection,
    transaction: &Transaction,
    reference: &str,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let known = received::find(db, transaction.id, "", reference).await?;
    let known =
        known.ok_or_else(|| JobError::invalid("reference", "is not that of a payment of this order"))?;
    if known.is_returned {
        return Ok(Vec::new());
    }
    let left = received::sum(&mut *db, transaction.id).await? - known.amount;
    if transaction.was_charged() && left < transaction.total.minor() {
        return Err(JobError::invalid(
            "reference",
            "is needed to pay for the order; refund the order instead",
        ));
    }
    let amount = Money::from_minor(known.amount, transaction.total.currency())
        .map_err(|error| JobError::dead(format!("what has arrived {error}")))?;
    received::set_returned(db, transaction, known.id, amount, cause).await?;
    if transaction.is_cancelled_invoice() {
        return Ok(Vec::new());
    }
    let snapshot = snapshot(db, transaction, left, cause).await?;
    settle(ctx, db, transaction, snapshot, cause).await
}

/// Ends an order that is not waited for any more. A late transfer is accepted, unless the order was on account: a credit note
/// cancels its invoice.
async fn cancel(
    ctx: &Context,
    db: &mut PgConnection,
    transaction: &Transaction,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    if transaction.was_charged() {
        return Err(JobError::invalid("cart_id", "is paid; refund it instead"));
    }
    if transaction.is_cancelled_invoice() {
        return Ok(Vec::new());
    }
    if received::sum(&mut *db, transaction.id).await? > 0 {
        return Err(JobError::invalid("cart_id", "has received a part of its total; pay that back first"));
    }
    let snapshot = snapshot(db, transaction, 0, cause).await?;
    let snapshot = PaymentSnapshot { status: Status::Closed(Closure::Cancelled), ..snapshot };
    if transaction.on_account.is_none() {
        return settle(ctx, db, transaction, snapshot, cause).await;
    }
    documents_due::note(db, transaction.cart_id, cause.now).await?;
    let mut alerts = settle(ctx, db, transaction, snapshot, cause).await?;
    alerts.extend(on_account::end(db, transaction.cart_id, cause).await?);
    crate::documents::end_void(db, transaction.cart_id, cause).await?;
    Ok(alerts)
}

/// The state of the payment once this much has arrived, in minor units, by the day at the organisation.
async fn snapshot(
    db: &mut PgConnection,
    transaction: &Transaction,
    received: i64,
    cause: Cause,
) -> JobResult<PaymentSnapshot> {
    let now = organisations::local(&mut *db, transaction.organisation_id, cause.now).await?;
    Ok(Asked::from(transaction).snapshot(received, now.date_naive()))
}

/// Settles a locked payment.
async fn settle(
    ctx: &Context,
    db: &mut PgConnection,
    transaction: &Transaction,
    snapshot: PaymentSnapshot,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let report = Report {
        gateway: transaction.gateway,
        organisation_id: transaction.organisation_id,
        snapshot: &snapshot,
        is_confirmed: false,
        cart_lifetime: ctx.cart_lifetime,
        recipient: None,
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
