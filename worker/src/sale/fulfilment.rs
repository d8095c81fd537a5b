//! Delivers carts: grants their courses, and sends the receipt of a paid one.
//!
//! Why: `docs/decisions/bought-twice.md`

use std::time::Duration;

use serde_json::json;
use shared::email::Email;
use shared::ids::{CartId, LearnerId};
use shared::messages::{FulfilCart, LineTax, Mail, PaymentDue, Receipt, Refusal};
use shared::money::Money;
use sqlx::{PgConnection, PgExecutor};
use store::access::enrollments::{self, Granted, Grants, Holder, Source};
use store::access::sync_queue::SyncAt;
use store::access::{invitations, upgrades};
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::money::inbox::Meant;
use store::money::transactions::{self, Transaction};
use store::money::{attention, on_account, over};
use store::plumbing::audit::{self, Actor, Cause, Change, Entity};
use store::plumbing::locks::{self, Lock};
use store::plumbing::{mails, outbox};
use store::sales::cart_items::{self, ChargedLine};
use store::sales::carts::{self, Cart, NewCart, State};
use store::sales::holdings::{self, PaidTwice};
use store::sales::{attempts, cart_rows};
use tokio::time::timeout;
use uuid::Uuid;

use super::pools::{self, SeatsBought};
use super::voucher_use;
use crate::enrollment::account_lookup::{self, Address};
use crate::runtime::context::Context;

/// The longest that a settlement waits for the platform's word on who has an address. It must not hang with the platform.
const PROMPT: Duration = Duration::from_millis(500);

/// The state of a free cart whose courses are granted: fulfilled, or held until its address registers.
fn free_state(cart: &NewCart<'_>, holder: Holder) -> State {
    // What the buyer holds already is not granted again, so such a cart waits for nothing.
    let is_known = holder.learner().is_some() || cart.contents.courses.is_empty();
    if is_known { State::Fulfilled } else { State::Held }
}

/// Outcome of a free cart.
pub enum Free {
    Granted(Vec<Granted>),
    /// The buyer has an earlier cart of the same basket, with this id.
    Joined(CartId),
}

/// Inserts a free cart, grants its courses and takes a use of its voucher, or joins the buyer's earlier cart of the same basket.
/// The caller invites an address that has no account.
///
/// # Errors
/// `InvalidRequest` if the voucher has no use left: the caller must not commit.
pub async fn check_out_free(
    db: &mut PgConnection,
    cart: &NewCart<'_>,
    holder: Holder,
    sync_at: SyncAt,
    cause: Cause,
) -> JobResult<Free> {
    let earlier = attempts::earlier(db, cart).await?;
    if let Some(attempt) = earlier.live {
        carts::join(db, cart.id.into(), attempt, cause.now).await?;
        return Ok(Free::Joined(attempt));
    }
    if earlier.has_held {
        carts::cancel_held(db, cart, cause).await?;
    }
    let state = free_state(cart, holder);
    cart_rows::insert(db, cart, state, cause).await?;
    let granted = grant_free(db, cart, holder, sync_at, cause).await?;
    voucher_use::take(db, cart, state, cause.now).await?;
    Ok(Free::Granted(granted))
}

/// Grants the courses of an open free cart, and moves it to its state after that.
pub async fn finish_free(
    db: &mut PgConnection,
    cart: &NewCart<'_>,
    holder: Holder,
    cause: Cause,
) -> JobResult<()> {
    let granted = grant_free(db, cart, holder, SyncAt::Now, cause).await?;
    invite(db, cart.email, &granted, cause).await?;
    carts::move_to(db, cart.id, State::Open, free_state(cart, holder), cause).await
}

/// Grants the courses of a free cart, and makes the pools of its seats.
async fn grant_free(
    db: &mut PgConnection,
    cart: &NewCart<'_>,
    holder: Holder,
    sync_at: SyncAt,
    cause: Cause,
) -> JobResult<Vec<Granted>> {
    let contents = &cart.contents;
    // A seat was paid for by its buyer.
    let is_seat = contents.voucher.is_some_and(|voucher| voucher.is_seat);
    let source = if is_seat { Source::PaidCart(cart.id) } else { Source::FreeCart(cart.id) };
    let grants = Grants {
        email: cart.email,
        holder,
        source,
        courses: &contents.granted(),
        language: cart.language,
        sync_at,
    };
    let granted = enrollments::grant(db, &grants, cause).await?;
    if contents.lines.iter().any(|line| line.item.seats.is_some()) {
        let bought = SeatsBought {
            cart_id: cart.id,
            organisation_id: cart.organisation_id,
            email: cart.email,
            buyer: &cart.buyer,
            language: cart.language,
            currency: contents.total.currency(),
        };
        pools::make(db, &bought, cause).await?;
    }
    Ok(granted)
}

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

/// Recipient of a cart's courses, found out before the transaction that grants them.
pub struct Recipient {
    address: Address,
    email: Email,
    learner_id: Option<LearnerId>,
}

impl Recipient {
    /// Finds the recipient for a cart.
    ///
    /// # Errors
    /// `Retry` while the course platform is not configured.
    async fn of(ctx: &Context, cart: &Cart) -> JobResult<Self> {
        let address = match cart.learner_id {
            Some(learner) => Address::Known(learner),
            // The cart is paid: the job waits until an operator has configured the service account.
            None => account_lookup::look_up(ctx, &cart.email).await.map_err(|error| match error {
                JobError::Reject { refusal: Refusal::NotConfigured { detail }, .. } => {
                    JobError::Retry(detail)
                }
                error => error,
            })?,
        };
        Ok(Self { address, email: cart.email.clone(), learner_id: cart.learner_id })
    }

    /// Finds the recipient for a cart whose payment a notification is about to settle; None if that cannot be done now.
    pub async fn of_paid(ctx: &Context, meant: Meant) -> Option<Self> {
        let Meant { email, learner_id, on_record, .. } = meant;
        let address = match learner_id {
            Some(learner) => Address::Known(learner),
            None => match timeout(PROMPT, account_lookup::look_up_beside(ctx, &email, on_record)).await {
                Ok(Ok(address)) => address,
                Ok(Err(refusal)) => {
                    tracing::info!(%refusal, "who gets the courses is found out after the settlement");
                    return None;
                }
                Err(_) => return None,
            },
        };
        Some(Self { address, email, learner_id })
    }
}

/// Fulfils a cart that is paid, or on account with access at once; does nothing for any other. `cause_id` names the message in the audit log. False
/// if an operator has to decide first, because what the cart is an upgrade of has ended, or because its buyer was erased.
///
/// # Errors
/// `Retry` while the course platform is not configured.
pub async fn fulfil(ctx: &Context, cart_id: CartId, cause_id: Uuid) -> JobResult<bool> {
    let cart = carts::find(&ctx.db, cart_id).await?;
    let cart = cart.ok_or_else(|| JobError::dead(format!("no cart {}", cart_id)))?;
    if !is_due(&ctx.db, &cart).await? {
        return Ok(!cart.is_blocked());
    }
    let recipient = Recipient::of(ctx, &cart).await?;
    let mut tx = ctx.transaction().await?;
    let cause = Cause { actor: Actor::System, command_id: cause_id, now: ctx.clock.now() };
    transactions::lock_cart(&mut tx, cart.id).await?;
    let cart = carts::lock(&mut tx, cart.id).await?;
    if !is_due(&mut *tx, &cart).await? {
        return Ok(!cart.is_blocked());
    }
    let (is_fulfilled, alert) = fulfil_locked(&mut tx, &cart, &recipient, cause).await?;
    tx.alert(alert);
    tx.commit().await?;
    Ok(is_fulfilled)
}

/// Fulfils a cart in the transaction that has settled its payment; without a recipient, a job of its own does it.
///
/// # Errors
/// Something stands against the fulfilment with this recipient: the caller settles the payment without one.
pub async fn fulfil_or_queue(
    db: &mut PgConnection,
    cart: &Cart,
    recipient: Option<&Recipient>,
    cause: Cause,
) -> JobResult<Option<Alert>> {
    if cart.is_blocked() {
        return Ok(None);
    }
    match recipient {
        Some(recipient) => Ok(fulfil_locked(db, cart, recipient, cause).await?.1),
        None => {
            outbox::push(db, FulfilCart { cart_id: cart.id }, cause.now).await?;
            Ok(None)
        }
    }
}

/// Fulfils a locked cart. False if an operator has to decide first.
async fn fulfil_locked(
    db: &mut PgConnection,
    cart: &Cart,
    recipient: &Recipient,
    cause: Cause,
) -> JobResult<(bool, Option<Alert>)> {
    // The support desk may have corrected it since: the account of the old address must not get the order.
    if (&cart.email, cart.learner_id) != (&recipient.email, recipient.learner_id) {
        return Err(JobError::Retry("the order's address has changed".to_owned()));
    }
    let holder = recipient.address.holder(db, &cart.email, cause.now).await?;
    let mut lines = cart_items::charged_lines(&mut *db, cart.id, cart.total.currency()).await?;
    let upgrades = lines.iter().any(|line| line.item.upgrade_from.is_some());
    let still_rests = !upgrades || upgrades::still_rest(db, cart).await?;
    let reason = match (cart.email.is_placeholder(), still_rests) {
        (true, _) => Some("its buyer was erased before the payment came; refund it"),
        (false, false) if cart.paid_at.is_none() => {
            Some("what it is an upgrade of has ended; cancel the order")
        }
        (false, false) => {
            Some("what it is an upgrade of has ended; refund it, or grant it with payments restore")
        }
        (false, true) => None,
    };
    if let Some(reason) = reason {
        return Ok((false, upgrades::block(db, cart.id, reason, cause).await?));
    }
    if upgrades {
        // They may rest on other grants now.
        lines = cart_items::charged_lines(&mut *db, cart.id, cart.total.currency()).await?;
    }
    deliver(db, cart, &lines, holder, cause).await?;
    // An operator may have closed the alert of an order that is fulfilled again.
    let alert = if cart.fulfilled_at.is_none() { paid_twice(db, cart, cause).await? } else { None };
    Ok((true, alert))
}

async fn is_due(db: impl PgExecutor<'_>, cart: &Cart) -> JobResult<bool> {
    match cart.state {
        State::Paid => Ok(!cart.is_blocked()),
        State::PendingPayment => on_account::grants_now(db, cart.id).await,
        _ => Ok(false),
    }
}

/// An alert for a fulfilled order that has got another address, if its buyer has paid another one, too.
pub async fn bought_twice(db: &mut PgConnection, cart_id: CartId, cause: Cause) -> JobResult<Option<Alert>> {
    let cart = carts::lock(db, cart_id).await?;
    // A paid one is compared when it is fulfilled.
    if cart.state == State::Fulfilled && cart.paid_at.is_some() {
        return paid_twice(db, &cart, cause).await;
    }
    Ok(None)
}

/// An alert for a cart whose buyer has paid another one, where one of them may be a mistake. After its grants, which lock the address:
/// of two that are fulfilled at the same moment, the later one sees the other.
async fn paid_twice(db: &mut PgConnection, cart: &Cart, cause: Cause) -> JobResult<Option<Alert>> {
    if cart.learner_id.is_some() {
        // A learner may have paid them under two addresses.
        locks::take(db, &[Lock::Paid(&cart.buyer)]).await?;
    }
    let PaidTwice { bought_before, paid_beside } = holdings::paid_twice(db, cart).await?;
    let reason = match (bought_before, paid_beside) {
        (Some(other), _) => over::bought_twice(other),
        (None, Some(other)) => over::two_attempts(other),
        (None, None) => return Ok(None),
    };
    attention::alert_cart(db, cart.id, &reason, cause.now).await
}

/// Grants what a cart has not granted yet, makes the pools of its seats, and sends the receipt of a paid one, once.
async fn deliver(
    db: &mut PgConnection,
    cart: &Cart,
    lines: &[ChargedLine],
    holder: Holder,
    cause: Cause,
) -> JobResult<()> {
    let (email, source) = (&cart.email, Source::PaidCart(cart.id));
    let mut courses: Vec<_> = lines.iter().flat_map(|line| &line.courses).copied().collect();
    courses.sort_unstable_by_key(|course| course.course_id);
    let grants = Grants {
        email,
        holder,
        source,
        courses: &courses,
        language: Some(&cart.language),
        sync_at: SyncAt::Now,
    };
    let granted = enrollments::grant(db, &grants, cause).await?;
    invite(db, email, &granted, cause).await?;
    if lines.iter().any(|line| line.item.seats.is_some()) {
        let bought = SeatsBought {
            cart_id: cart.id,
            organisation_id: cart.organisation_id,
            email,
            buyer: &cart.buyer,
            language: Some(&cart.language),
            currency: cart.total.currency(),
        };
        pools::make(db, &bought, cause).await?;
        pools::withdraw_asked(db, cart.id).await?;
    }
    if cart.fulfilled_at.is_none() && cart.paid_at.is_some() {
        send(db, cart, lines, None, cause).await?;
    }
    carts::move_to(db, cart.id, cart.state, State::Fulfilled, cause).await
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
    /// Returns how a payment is awaited; None if it is not, or a provider takes it.
    pub fn of(transaction: &Transaction) -> Option<Self> {
        let is_awaited = !transaction.is_over() && !transaction.was_charged();
        let due = transaction.due().filter(|_| is_awaited && !transaction.gateway.has_provider())?;
        Some(if transaction.is_unpaid_invoice() { Self::Invoice(due) } else { Self::Transfer(due) })
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

async fn send(
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
        due,
    };
    let receipt = Box::new(receipt);
    let mail = if is_transfer { Mail::TransferRequested(receipt) } else { Mail::Receipt(receipt) };
    mails::push(db, &cart.email, mail, Some(&cart.language), cause.now).await
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
    cart.voucher.clone().map(|code| (code, total))
}

/// The tax of all lines; None without any.
fn tax(cart: &Cart, lines: &[ChargedLine]) -> Option<LineTax> {
    let is_included = lines.first()?.item.tax?.is_included;
    let minor = lines.iter().map(|line| line.charged.tax).sum();
    let amount = Money::from_minor(minor, cart.total.currency()).ok().filter(|amount| amount.minor() > 0)?;
    Some(LineTax { amount, is_included })
}
