//! Settlement: applies a provider's report on a payment to its transaction and cart. Webhooks, checkouts and the
//! reconciler all use it. A repeated or late report has no wrong effect.

use chrono::TimeDelta;
use shared::gateway::Gateway;
use shared::ids::{OrganisationId, TransactionId};
use shared::money::{Currency, Money};
use sqlx::PgConnection;
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::money::transactions::{self, State, Transaction};
use store::money::{attention, creation, ledger, over, received};
use store::plumbing::audit::Cause;
use store::sales::carts::{self, Cart};
use store::sales::{cart_rows, voucher_uses};

use super::disputes;
use crate::gateways::{Closure, PaymentSnapshot, Status, profile};
use crate::refund::booking;
use crate::sale::buyer_mails;
use crate::sale::fulfilment::{self, Recipient};

/// An alert for an order that its provider let the buyer pay twice. Only one payment is booked.
const PAID_TWICE: &str = "the provider holds two payments of this order, of which the first is booked; refund the second at its dashboard";

/// An alert for a payment that its provider does not find; it ends if the provider reports the payment after all.
pub const UNKNOWN: &str = "the provider does not know it any more, or refuses the account";

/// An alert for money that has arrived for a cancelled order on account.
pub const PAID_AFTER_CANCELLATION: &str =
    "money has arrived for an order on account that was cancelled; pay it back at the bank";

/// A provider's report, and the account that it came from.
pub struct Report<'a> {
    pub gateway: Gateway,
    pub organisation_id: OrganisationId,
    pub snapshot: &'a PaymentSnapshot,
    /// An operator has confirmed that the report is about the transaction, in spite of a contradiction.
    pub is_confirmed: bool,
    /// After this time, a cart no longer waits for its payment.
    pub cart_lifetime: TimeDelta,
    /// Recipient of the courses, if known by now: a payment is then fulfilled with its settlement.
    pub recipient: Option<&'a Recipient>,
}

/// The result of a settlement.
pub enum Settled {
    /// The report is applied; raise the alerts after the commit.
    Agreed(Vec<Alert>),
    /// The report does not match the transaction; nothing was changed.
    Contradiction(String),
}

/// Moves a transaction and its cart to the state that the provider reports, and locks both until the database
/// transaction of `db` ends.
pub async fn settle(
    db: &mut PgConnection,
    transaction_id: TransactionId,
    report: &Report<'_>,
    cause: Cause,
) -> JobResult<Settled> {
    let mut transaction = transactions::lock(db, transaction_id).await?;
    let snapshot = report.snapshot;
    if let Some(reason) = contradiction(&transaction, report)
        && (!report.is_confirmed || !confirm(db, &mut transaction, report, cause).await?)
    {
        return Ok(Settled::Contradiction(reason));
    }
    if transaction.has_alert {
        over::agreed(db, transaction.id, cause).await?;
    }
    if transaction.reference.is_none() {
        creation::set_reference(db, transaction.id, &snapshot.reference).await?;
        transaction.reference = Some(snapshot.reference.clone());
    }
    if transaction.state == State::Created {
        transition(db, &mut transaction, State::Processing, cause).await?;
    }
    let mut alerts = Vec::new();
    let was_over = transaction.is_over();
    if was_over {
        attention::end(db, transaction.id, UNKNOWN, "the provider reports it", cause).await?;
    }
    match snapshot.status {
        Status::Open | Status::Pending => {}
        Status::Failed => fail(db, &mut transaction, cause).await?,
        Status::Closed(closure) => {
            let closure = ended_by(closure, &transaction, report.cart_lifetime, cause);
            close(db, &mut transaction, closure, cause).await?;
        }
        Status::Paid if transaction.is_cancelled_invoice() => {
            alerts
                .extend(attention::alert_once(db, transaction.id, PAID_AFTER_CANCELLATION, cause.now).await?);
        }
        Status::Paid => {
            if let Some(raised) = pay(db, &mut transaction, report, cause).await? {
                alerts.extend(raised);
                alerts.extend(paid_late(db, &transaction, was_over, report.cart_lifetime, cause).await?);
            }
        }
    }
    transactions::set_pending(db, &transaction, snapshot.status == Status::Pending, cause.now).await?;
    if let Some(returned) = &snapshot.after_sale {
        if returned.is_paid_twice {
            alerts.extend(attention::alert_once(db, transaction.id, PAID_TWICE, cause.now).await?);
        }
        alerts.extend(booking::settle(db, &mut transaction, &returned.refunds, cause).await?);
        alerts.extend(disputes::settle(db, &mut transaction, &returned.disputes, cause).await?);
    }
    Ok(Settled::Agreed(alerts))
}

/// Returns whether a report says no more than that the payment can be paid.
pub fn only_opens(transaction: &Transaction, report: &Report<'_>) -> bool {
    let PaymentSnapshot { status, after_sale, .. } = report.snapshot;
    *status == Status::Open && after_sale.is_none() && contradiction(transaction, report).is_none()
}

/// Reason why a report cannot be about this transaction: wrong account, payment, amount or currency.
fn contradiction(transaction: &Transaction, report: &Report<'_>) -> Option<String> {
    let snapshot = report.snapshot;
    if let Some(reason) = foreign(transaction, report.gateway, report.organisation_id) {
        return Some(reason);
    }
    let named = snapshot.transaction_id.is_some_and(|id| id == transaction.id);
    let is_ours = match &transaction.reference {
        Some(reference) => *reference == snapshot.reference && (named || snapshot.transaction_id.is_none()),
        None => named,
    };
    if !is_ours {
        return Some(format!("{} is not the payment of this transaction", snapshot.reference));
    }
    // A failed attempt may name what was asked, after an offer has changed what was paid. It changes nothing any more.
    let is_over = transaction.was_charged() && snapshot.status != Status::Paid;
    if !is_over && !is_of_amount(transaction, snapshot) {
        return Some(format!("its amount is {} {}, in subunits", snapshot.subunits, snapshot.currency));
    }
    None
}

/// Reason why a report of this account cannot be about the transaction: it is another organisation's or gateway's.
pub fn foreign(transaction: &Transaction, gateway: Gateway, organisation: OrganisationId) -> Option<String> {
    let is_own = (transaction.gateway, transaction.organisation_id) == (gateway, organisation);
    (!is_own).then(|| format!("it comes from another organisation or gateway ({gateway})"))
}

/// Returns whether the snapshot has the amount and the currency of the transaction, which is what the buyer paid, where
/// an offer of the provider took a part.
pub fn is_of_amount(transaction: &Transaction, snapshot: &PaymentSnapshot) -> bool {
    let charged = profile(transaction.gateway).amounts.exact(transaction.total).ok();
    let same_currency = Currency::read(&snapshot.currency) == Ok(transaction.total.currency());
    (charged == Some(snapshot.subunits) || charged.is_some() && charged == snapshot.paid_less)
        && same_currency
}

/// Makes a transaction fit a report that an operator has confirmed: its amount and the provider's id of the payment become
/// the reported ones, so that later reports agree. False if nothing can make it fit: another account or currency, more than
/// the price, or a payment that has been charged.
async fn confirm(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    report: &Report<'_>,
    cause: Cause,
) -> JobResult<bool> {
    let snapshot = report.snapshot;
    let same_account =
        (transaction.gateway, transaction.organisation_id) == (report.gateway, report.organisation_id);
    let same_currency = Currency::read(&snapshot.currency) == Ok(transaction.total.currency());
    if !same_account || !same_currency || transaction.was_charged() {
        return Ok(false);
    }
    if !charge(db, transaction, snapshot.subunits, cause).await? {
        return Ok(false);
    }
    creation::set_reference(db, transaction.id, &snapshot.reference).await?;
    transaction.reference = Some(snapshot.reference.clone());
    Ok(true)
}

/// Sets the amount that the buyer was charged, in the provider's subunits. False if it exceeds the price.
async fn charge(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    subunits: i64,
    cause: Cause,
) -> JobResult<bool> {
    let currency = transaction.total.currency();
    let minor = profile(transaction.gateway).amounts.minor(subunits, currency);
    let Ok(charged) = Money::from_minor(minor, currency) else { return Ok(false) };
    if charged == transaction.total {
        return Ok(true);
    }
    Ok(minor > 0 && transactions::set_charged(db, transaction, charged, cause).await?)
}

async fn transition(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    to: State,
    cause: Cause,
) -> JobResult<()> {
    transactions::move_to(db, transaction.id, transaction.state, to, cause).await?;
    transaction.state = to;
    Ok(())
}

/// The buyer can try again, so the cart keeps waiting for payment.
async fn fail(db: &mut PgConnection, transaction: &mut Transaction, cause: Cause) -> JobResult<()> {
    if transaction.state == State::Processing {
        transition(db, transaction, State::Failed, cause).await?;
    }
    Ok(())
}

/// Returns how a payment has ended. A provider's cancellation after the cart's lifetime counts as abandoned: the worker cancels such
/// payments, and the provider's report of it looks like any other.
fn ended_by(closure: Closure, transaction: &Transaction, lifetime: TimeDelta, cause: Cause) -> Closure {
    let is_abandoned = transaction.gateway.has_provider() && cause.now - transaction.created_at >= lifetime;
    if closure == Closure::Cancelled && is_abandoned { Closure::Abandoned } else { closure }
}

/// Records that the buyer can no longer pay, and ends a cart that waits for the payment.
async fn close(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    closure: Closure,
    cause: Cause,
) -> JobResult<()> {
    if matches!(transaction.state, State::Succeeded | State::Refunded) {
        return Ok(());
    }
    // A part has arrived since the payment was read.
    if !transaction.gateway.has_provider() && received::sum(&mut *db, transaction.id).await? > 0 {
        return Ok(());
    }
    transactions::set_closed(db, transaction.id, cause.now).await?;
    if transaction.state == State::Processing {
        let to = if closure == Closure::Failed { State::Failed } else { State::Cancelled };
        transition(db, transaction, to, cause).await?;
    }
    let cart = carts::lock(db, transaction.cart_id).await?;
    end_cart(db, &cart, closure, cause).await
}

/// Ends a locked cart if it waits for its payment. A learner's cart reopens, unless nobody waits for it any more.
pub async fn end_cart(db: &mut PgConnection, cart: &Cart, closure: Closure, cause: Cause) -> JobResult<()> {
    if cart.state != carts::State::PendingPayment {
        return Ok(());
    }
    let to = match closure {
        Closure::Expired | Closure::Abandoned => carts::State::Expired,
        Closure::Failed | Closure::Cancelled => carts::State::Cancelled,
    };
    carts::move_to(db, cart.id, cart.state, to, cause).await?;
    if closure == Closure::Abandoned { Ok(()) } else { cart_rows::reopen(db, cart.id, cause).await }
}

/// A late payment counts too, even for a transaction that was failed or cancelled. Returns the alerts to raise after the
/// commit; None if it was paid before.
async fn pay(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    report: &Report<'_>,
    cause: Cause,
) -> JobResult<Option<Vec<Alert>>> {
    if transaction.was_charged() {
        return Ok(None);
    }
    if let Some(paid) = report.snapshot.paid_less {
        charge(db, transaction, paid, cause).await?;
    }
    ledger::capture(db, transaction, cause).await?;
    transaction.state = State::Succeeded;
    let mut alerts = Vec::new();
    let cart = carts::lock(db, transaction.cart_id).await?;
    let has_voucher = cart.voucher.is_some();
    if cart.state == carts::State::Fulfilled {
        // It was on account.
        carts::set_paid(db, cart.id, cause).await?;
        let cart = carts::lock(db, cart.id).await?;
        buyer_mails::send_receipt(db, &cart, cause).await?;
    } else {
        carts::move_to(db, cart.id, cart.state, carts::State::Paid, cause).await?;
        let cart = cart.paid(cause.now);
        alerts.extend(fulfilment::fulfil_or_queue(db, &cart, report.recipient, cause).await?);
    }
    if has_voucher {
        alerts.extend(discounted_late(db, transaction, cause).await?);
    }
    Ok(Some(alerts))
}

/// An alert for an order that was paid after the time in which its cart waits for the payment: the buyer may have given it up
/// long ago. Other gateways cancel such a payment.
async fn paid_late(
    db: &mut PgConnection,
    transaction: &Transaction,
    was_over: bool,
    cart_lifetime: TimeDelta,
    cause: Cause,
) -> JobResult<Option<Alert>> {
    let age = cause.now - transaction.created_at;
    let is_late = match transaction.gateway.has_provider() {
        true => !profile(transaction.gateway).can_cancel && age >= cart_lifetime,
        // No bank stops a transfer because its order has ended.
        false => was_over,
    };
    if !is_late {
        return Ok(None);
    }
    let reason = format!("the order was paid {} hours after the checkout", age.num_hours());
    attention::alert(db, transaction.id, &reason, cause.now).await
}

/// An alert for an order that was paid after its use of a voucher was released: others may have used it since, and no limit of
/// the voucher counts the discount.
async fn discounted_late(
    db: &mut PgConnection,
    transaction: &Transaction,
    cause: Cause,
) -> JobResult<Option<Alert>> {
    let Some((code, discount)) = voucher_uses::late(db, transaction.cart_id).await? else { return Ok(None) };
    let discount = Money::from_minor(discount, transaction.total.currency())
        .map_err(|error| JobError::dead(format!("a voucher's discount {error}")))?;
    let reason = format!(
        "the order was paid after its use of voucher {code} was released: its discount of {discount} is honoured, but not \
         counted in the voucher's limits; refund the order, or accept it"
    );
    attention::alert(db, transaction.id, &reason, cause.now).await
}
