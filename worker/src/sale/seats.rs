//! Seats: assigns one of a pool to an address, takes some back, and reminds addresses.
//!
//! Why: `docs/decisions/seats.md`

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use shared::email::Email;
use shared::ids::CartId;
use shared::messages::{
    FieldError, GiftNote, Mail, Refusal, RemindedSeats, RevokedSeats, SeatAssigned, SeatsCaller,
};
use sqlx::PgConnection;
use store::access::bought_access;
use store::access::enrollments::{Granted, Holder};
use store::access::invitations;
use store::access::sync_queue::SyncAt;
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::model::line::NewContents;
use store::people::learners;
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::locks::{self, Lock};
use store::plumbing::mails;
use store::sales::carts::{Kind, NewCart, State};
use store::sales::gifts;
use store::sales::places::{self, Needed};
use store::sales::seats::{self, Outlook, Pool, WaitingSeat};
use texts::Language;

use super::basket;
use super::buyer::Buyer;
use super::free_carts::{self, Free};
use crate::enrollment::account_lookup::Address;
use crate::refund::booking;
use crate::runtime::context::Context;

/// Reason why an address gets no seat.
const HAS_ONE: &str = "has one of these seats";
const USED_UP: &str = "no seats left";
const SOLD_OUT: &str = "the course is sold out";
const EXHAUSTED: &str = "this pool has no assignments left";

/// Seats that one request can remind of.
const MOST_REMINDED: i64 = 100;

/// Returns the manager of a pool, as the audit log names them.
pub fn actor(caller: SeatsCaller) -> Actor {
    match caller {
        SeatsCaller::Key(id) => Actor::Key(id),
        SeatsCaller::Staff(member) => Actor::Staff(member.user_id),
        SeatsCaller::Learner(id) => Actor::Learner(id),
        SeatsCaller::Link => Actor::Guest,
    }
}

/// The assignment of a seat to an address.
pub struct Assignment<'a> {
    pub email: &'a Email,
    pub address: &'a Address,
    /// As the manager of the pool has chosen it. None: that of the person, if it is known, else the buyer's.
    pub language: Option<&'a Language>,
    pub sync_at: SyncAt,
    /// What the mail says if the seat is a gift.
    pub gift: Option<GiftNote>,
}

/// Assigns a seat of a pool to an address, as the address would take it with the code: in a free cart whose id is that of `cause`.
/// Mails the address. The caller commits, unless this fails. Returns what was granted.
///
/// # Errors
/// `Retry` while it is unknown whether the address has an account; otherwise why it gets no seat.
pub async fn assign(
    ctx: &Context,
    db: &mut PgConnection,
    pool: &Pool,
    assignment: &Assignment<'_>,
    cause: Cause,
) -> JobResult<Vec<Granted>> {
    let Assignment { email, address, language, sync_at, ref gift } = *assignment;
    let buyer = Buyer {
        email,
        learner: None,
        organisation_id: pool.organisation_id,
        country: None,
        billing_address: None,
        language: None,
    };
    let quoted = basket::quote(ctx, buyer, None, &[pool.item], Some(&pool.code)).await.map_err(in_words)?;
    let contents = quoted.quote.contents(None, None);
    locks::take(db, &buyer.locks(Some(&contents.basket_hash))).await?;
    let holder = match address.holder(db, email, cause.now).await? {
        Holder::Unresolved => {
            return Err(JobError::Retry("the course platform does not say who has the address".into()));
        }
        holder => holder,
    };
    // Once the holder is known, and with them their language.
    let own = learners::find(&mut *db, email).await?.and_then(|learner| learner.language);
    let language = language.or(own.as_ref()).or(pool.language.as_ref());
    let buyer = Buyer { language, ..buyer };
    let (cart_id, granted) = match seats::taken_back(db, pool.id, email).await? {
        Some((cart_id, learner)) => {
            if holder.learner() != Some(learner) {
                return Err(refused(HAS_ONE));
            }
            (cart_id, give_back(ctx, db, cart_id, &contents, cause).await?)
        }
        None => {
            let id = CartId(cause.command_id);
            let cart = buyer.cart(id, Kind::Discovery, holder.learner(), contents);
            (id, take(db, &cart, holder, sync_at, cause).await?)
        }
    };
    if !seats::count_assignment(db, pool.id).await? {
        return Err(refused(EXHAUSTED));
    }
    if gift.is_none() {
        gifts::end_of_pool(db, pool.id, cause.now).await?;
    }
    let is_registered = holder.learner().is_some();
    // An address that has no account gets no more of these mails than of other invitations, but for a gift, whose message is in the mail.
    let is_mailed = is_registered || invitations::take_cart(db, email, cart_id, cause.now).await?;
    if !is_mailed && gift.is_some() {
        invitations::invited(db, cart_id, cause.now).await?;
    }
    if is_mailed || gift.is_some() {
        seats::mailed(db, cart_id, cause.now).await?;
        let assigned = SeatAssigned { is_registered, gift: gift.clone(), ..assigned(pool) };
        mails::push(db, email, Mail::SeatAssigned(assigned), language, cause.now).await?;
    }
    Ok(granted)
}

/// Takes a free seat for the cart of an address.
async fn take(
    db: &mut PgConnection,
    cart: &NewCart<'_>,
    holder: Holder,
    sync_at: SyncAt,
    cause: Cause,
) -> JobResult<Vec<Granted>> {
    match free_carts::check_out(db, cart, holder, sync_at, cause).await {
        Ok(Free::Granted(granted)) => Ok(granted),
        Ok(Free::Joined(_)) => Err(refused(HAS_ONE)),
        // The only field that taking the use can refuse.
        Err(JobError::Reject { refusal: Refusal::InvalidRequest { .. }, .. }) => Err(refused(USED_UP)),
        Err(error) => Err(error),
    }
}

/// Gives a seat back to the learner from whom it was taken, if the courses have places left: it held none meanwhile.
async fn give_back(
    ctx: &Context,
    db: &mut PgConnection,
    cart_id: CartId,
    contents: &NewContents<'_>,
    cause: Cause,
) -> JobResult<Vec<Granted>> {
    if !places::sold_out(db, &Needed::by(contents), ctx.held_since(cause.now), None).await?.is_empty() {
        return Err(refused(SOLD_OUT));
    }
    bought_access::give_back(db, cart_id, cause).await
}

/// Checks whether a pool can assign an address a seat, before the course platform is asked about the address.
///
/// # Errors
/// Why it cannot.
pub async fn check(ctx: &Context, pool: &Pool, email: &Email) -> JobResult<()> {
    let outlook = seats::outlook(&ctx.db, pool.id, email).await?;
    match outlook {
        Outlook { has_one: true, .. } => Err(refused(HAS_ONE)),
        Outlook { is_used_up: true, .. } => Err(refused(USED_UP)),
        Outlook { is_exhausted: true, .. } => Err(refused(EXHAUSTED)),
        Outlook { .. } => Ok(()),
    }
}

/// What an address without an account is told of its seat.
fn assigned(pool: &Pool) -> SeatAssigned {
    SeatAssigned {
        organisation_id: pool.organisation_id,
        voucher_id: pool.id,
        item: pool.name.clone(),
        is_registered: false,
        is_reminder: false,
        gift: None,
    }
}

/// Refuses an address a seat, for this reason.
fn refused(reason: &str) -> JobError {
    Refusal::Forbidden { detail: reason.to_owned() }.into()
}

/// The first fault of a refused basket, which is the pool's and not the caller's, as the reason of a row.
fn in_words(error: JobError) -> JobError {
    match error {
        JobError::Reject {
            refusal: Refusal::InvalidRequest { errors } | Refusal::InvalidItems { errors },
            ..
        } => {
            let words = |error: &FieldError| match error.field.as_str() {
                "voucher" => format!("the pool {}", error.message),
                _ => error.message.clone(),
            };
            refused(&errors.first().map(words).unwrap_or_default())
        }
        error => error,
    }
}

/// Takes back the seats of addresses. Returns what became of each, and the alerts to raise after the commit.
pub async fn revoke(
    db: &mut PgConnection,
    pool: &Pool,
    emails: &[Email],
    cause: Cause,
) -> JobResult<(RevokedSeats, Vec<Alert>)> {
    let taken = seats::taken(db, &[pool.id], Some(emails)).await?;
    let alerts = booking::end_seats(db, &taken, cause).await?;
    let found: HashSet<&str> = taken.iter().map(|seat| seat.email.as_str()).collect();
    let not_found = emails.iter().filter(|email| !found.contains(email.as_str())).cloned().collect();
    let revoked = taken.iter().map(|seat| (seat.email.clone(), seat.state == State::Held)).collect();
    Ok((RevokedSeats { revoked, not_found }, alerts))
}

/// Takes back all seats that a cart has bought, from everybody. Returns the alerts to raise after the commit.
pub async fn revoke_all(db: &mut PgConnection, cart_id: CartId, cause: Cause) -> JobResult<Vec<Alert>> {
    let pools = seats::pools(db, cart_id).await?;
    let taken = seats::taken(db, &pools, None).await?;
    let mut alerts = booking::end_seats(db, &taken, cause).await?;
    seats::withdraw(db, cart_id).await?;
    // Those that were taken meanwhile. The pools are locked now, and have none left.
    let late = seats::taken(db, &pools, None).await?;
    alerts.extend(booking::end_seats(db, &late, cause).await?);
    Ok(alerts)
}

/// Mails addresses that have not registered for their seats; None: those of the pool that got no mail for longest.
pub async fn remind(
    db: &mut PgConnection,
    pool: &Pool,
    emails: Option<&[Email]>,
    now: DateTime<Utc>,
) -> JobResult<RemindedSeats> {
    let mut answer = RemindedSeats::default();
    let waiting = seats::waiting(db, pool.id, emails, MOST_REMINDED, now).await?;
    let mut due: Vec<&Email> = waiting.iter().filter(|seat| seat.is_due).map(|seat| &seat.email).collect();
    due.sort_unstable();
    locks::take(db, &due.into_iter().map(Lock::Invitations).collect::<Vec<_>>()).await?;
    for WaitingSeat { cart_id, email, language, is_due } in waiting {
        if is_due && invitations::count(db, &email, now).await? {
            seats::mailed(db, cart_id, now).await?;
            let gift = gifts::note(db, pool.id, &email).await?;
            let reminder = SeatAssigned { is_reminder: true, gift, ..assigned(pool) };
            mails::push(db, &email, Mail::SeatAssigned(reminder), Some(&language), now).await?;
            answer.reminded.push(email);
        } else {
            answer.too_recent.push(email.clone());
            answer.skipped.push(email);
        }
    }
    let known: HashSet<Email> = answer.reminded.iter().chain(&answer.skipped).cloned().collect();
    let others = emails.unwrap_or_default().iter().filter(|email| !known.contains(*email));
    answer.skipped.extend(others.cloned());
    Ok(answer)
}
