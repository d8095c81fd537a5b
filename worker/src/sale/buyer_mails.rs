//! Mails about an order: invitations, receipts, and what says how it is to be paid; those that are sent again are on record.

use serde_json::json;
use shared::access_period::AccessPeriod;
use shared::email::Email;
use shared::messages::{LineTax, Mail, PaymentDue, Receipt};
use shared::money::Money;
use sqlx::PgConnection;
use store::access::enrollments::Granted;
use store::access::invitations;
use store::error::{JobError, JobResult};
use store::money::received;
use store::money::transactions::{self, Transaction};
use store::plumbing::audit::{self, Cause, Change, Entity};
use store::plumbing::locks::{self, Lock};
use store::plumbing::mails;
use store::sales::cart_items::{self, ChargedLine};
use store::sales::carts::Cart;

/// Sends an unknown address that was granted courses an invitation to register, if one is due.
pub async fn invite(
    db: &mut PgConnection,
    email: &Email,
    granted: &[Granted],
    cause: Cause,
) -> JobResult<()> {
    if granted.iter().any(|granted| granted.invite) {
        invitations::send(db, email, cause.now).await?;
    }
    Ok(())
}

/// Sends the addresses that wait for a registration with a cart's courses their invitation again, beside the other courses that they
/// wait for.
///
/// # Errors
/// `InvalidRequest` if none waits, or one got its invitations of the day.
pub async fn invite_again(db: &mut PgConnection, cart: &Cart, cause: Cause) -> JobResult<()> {
    let fault = |message| Err(JobError::invalid("cart_id", message));
    let waiting = invitations::waiting(db, cart.id).await?;
    if waiting.is_empty() {
        return fault("waits for no registration: its address has an account, or its courses are not open");
    }
    locks::take(db, &waiting.iter().map(Lock::Invitations).collect::<Vec<_>>()).await?;
    invitations::repeat(db, cart.id).await?;
    for email in &waiting {
        if !invitations::send(db, email, cause.now).await? {
            return fault("cannot be invited to again today: its address got three invitations within a day");
        }
    }
    record_again(db, cart, "registration_invitation", cause).await
}

async fn record_again(db: &mut PgConnection, cart: &Cart, mail: &str, cause: Cause) -> JobResult<()> {
    let detail = json!({ "mail": mail });
    let entry = Change { entity: Entity::Cart, id: cart.id.into(), from: None, to: "mail_again", detail };
    audit::record(db, cause, entry).await
}

/// Way in which an order is yet to be paid.
pub enum Due {
    /// On account: its invoice says so.
    Invoice(PaymentDue),
    /// By a transfer, which comes before the access and the invoice.
    Transfer(PaymentDue),
}

impl Due {
    /// Returns how the payment of a cart is awaited, as [`Self::of`].
    pub async fn of_cart(db: &mut PgConnection, cart: &Cart) -> JobResult<Option<Self>> {
        match transactions::of_cart(&mut *db, cart.id).await? {
            Some(transaction) => Self::of(db, &transaction).await,
            None => Ok(None),
        }
    }

    /// Returns how a payment is awaited; None if it is not, or a provider takes it.
    pub async fn of(db: &mut PgConnection, transaction: &Transaction) -> JobResult<Option<Self>> {
        let is_awaited = !transaction.is_over() && !transaction.was_charged();
        let due = transaction.due().filter(|_| is_awaited && !transaction.gateway.has_provider());
        let Some(mut due) = due else { return Ok(None) };
        let (total, received) = (transaction.total, received::sum(db, transaction.id).await?);
        due.open = Money::from_minor(total.minor().saturating_sub(received), total.currency()).ok();
        let is_invoice = transaction.is_unpaid_invoice();
        Ok(Some(if is_invoice { Self::Invoice(due) } else { Self::Transfer(due) }))
    }
}

/// Sends the receipt of a cart again to its present address, or what says how it is yet to be paid.
pub async fn send_again(db: &mut PgConnection, cart: &Cart, due: Option<Due>, cause: Cause) -> JobResult<()> {
    let mail = match due {
        None => "receipt",
        Some(Due::Invoice(_)) => "invoice",
        Some(Due::Transfer(_)) => "transfer_requested",
    };
    let lines = cart_items::charged_lines(&mut *db, cart.id, cart.total.currency()).await?;
    send(db, cart, &lines, due, cause).await?;
    record_again(db, cart, mail, cause).await
}

/// Sends the invoice of a cart on account, or the account to which the buyer of another one transfers the money.
pub async fn ask_for_payment(db: &mut PgConnection, cart: &Cart, due: Due, cause: Cause) -> JobResult<()> {
    let lines = cart_items::charged_lines(&mut *db, cart.id, cart.total.currency()).await?;
    send(db, cart, &lines, Some(due), cause).await
}

/// Sends the credit note of a cart on account that was cancelled.
pub async fn send_cancellation(db: &mut PgConnection, cart: &Cart, cause: Cause) -> JobResult<()> {
    let cancelled = Mail::InvoiceCancelled { organisation_id: cart.organisation_id, cart_id: cart.id };
    mails::push(db, &cart.email, cancelled, Some(&cart.language), cause.now).await
}

/// Sends the receipt of a paid cart.
pub async fn send_receipt(db: &mut PgConnection, cart: &Cart, cause: Cause) -> JobResult<()> {
    let lines = cart_items::charged_lines(&mut *db, cart.id, cart.total.currency()).await?;
    send(db, cart, &lines, None, cause).await
}

/// Sends a receipt, or what says how the order is yet to be paid.
pub(super) async fn send(
    db: &mut PgConnection,
    cart: &Cart,
    lines: &[ChargedLine],
    due: Option<Due>,
    cause: Cause,
) -> JobResult<()> {
    let (due, is_transfer) = match due {
        None => (None, false),
        Some(Due::Invoice(due)) => (Some(due), false),
        Some(Due::Transfer(due)) => (Some(due), true),
    };
    let receipt = Receipt {
        organisation_id: cart.organisation_id,
        cart_id: cart.id,
        paid_at: cart.paid_at.unwrap_or(cause.now),
        total: cart.total,
        voucher: discount(cart, lines),
        tax: tax(cart, lines),
        consents: cart.consents.as_ref().map(|consents| consents.0.clone()),
        items: lines.iter().map(|line| (line.item.name.clone(), price(line))).collect(),
        seats: lines.iter().map(|line| line.item.seats).collect(),
        periods: periods(lines),
        due,
    };
    let receipt = Box::new(receipt);
    let mail = if is_transfer { Mail::TransferRequested(receipt) } else { Mail::Receipt(receipt) };
    mails::push(db, &cart.email, mail, Some(&cart.language), cause.now).await
}

/// The period of access of each line; none if no line has one.
fn periods(lines: &[ChargedLine]) -> Vec<AccessPeriod> {
    let periods: Vec<AccessPeriod> = lines.iter().map(|line| line.item.access).collect();
    let is_endless = periods.iter().all(|period| *period == AccessPeriod::default());
    if is_endless { Vec::new() } else { periods }
}

/// Returns what the buyer was charged for a line, without a tax that is charged on top.
fn price(ChargedLine { item, charged, .. }: &ChargedLine) -> Money {
    let on_top = item.tax.filter(|tax| !tax.is_included).map_or(0, |_| charged.tax);
    Money::from_minor(charged.total - on_top, item.price.currency()).unwrap_or(item.price)
}

/// The cart's voucher, and what it has taken off.
fn discount(cart: &Cart, lines: &[ChargedLine]) -> Option<(String, Money)> {
    let discounts = lines.iter().filter_map(|line| line.item.voucher_discount);
    let total = Money::from_minor(discounts.map(Money::minor).sum(), cart.total.currency()).ok()?;
    // A place on a waiting list takes nothing off.
    cart.voucher.clone().map(|code| (code, total)).filter(|_| total.minor() > 0)
}

/// The tax of all lines; None without any.
fn tax(cart: &Cart, lines: &[ChargedLine]) -> Option<LineTax> {
    let is_included = lines.first()?.item.tax?.is_included;
    let minor = lines.iter().map(|line| line.charged.tax).sum();
    let amount = Money::from_minor(minor, cart.total.currency()).ok().filter(|amount| amount.minor() > 0)?;
    Some(LineTax { amount, is_included })
}
