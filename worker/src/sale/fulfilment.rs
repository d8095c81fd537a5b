//! Fulfils orders: grants their courses, makes the pools of their seats, and sends the receipt of what is paid.
//!
//! Why: `docs/decisions/bought-twice.md`

use std::time::Duration;

use shared::email::Email;
use shared::ids::{CartId, LearnerId};
use shared::messages::{FulfilCart, Refusal};
use sqlx::{PgConnection, PgExecutor};
use store::access::enrollments::{self, Grants, Holder, Source};
use store::access::sync_queue::SyncAt;
use store::access::upgrades;
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::money::inbox::Meant;
use store::money::{attention, on_account, over, transactions};
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::locks::{self, Lock};
use store::plumbing::outbox;
use store::sales::cart_items::{self, ChargedLine};
use store::sales::carts::{self, Cart, State};
use store::sales::holdings::{self, PaidTwice};
use tokio::time::timeout;
use uuid::Uuid;

use super::buyer_mails;
use super::pools::{self, SeatsBought};
use crate::enrollment::account_lookup::{self, Address};
use crate::runtime::context::Context;

/// The longest that a settlement waits for the platform's word on who has an address. It must not hang with the platform.
const PROMPT: Duration = Duration::from_millis(500);

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
    buyer_mails::invite(db, email, &granted, cause).await?;
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
        buyer_mails::send(db, cart, lines, None, cause).await?;
    }
    carts::move_to(db, cart.id, cart.state, State::Fulfilled, cause).await
}
