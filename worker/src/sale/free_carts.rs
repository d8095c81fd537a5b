//! Free carts: their courses are granted at once. A cart whose address has no account is held until it registers.

use shared::ids::CartId;
use sqlx::PgConnection;
use store::access::enrollments::{self, Granted, Grants, Holder, Source};
use store::access::sync_queue::SyncAt;
use store::error::JobResult;
use store::plumbing::audit::Cause;
use store::sales::carts::{self, NewCart, State};
use store::sales::{attempts, cart_rows};

use super::buyer_mails;
use super::pools::{self, SeatsBought};
use super::voucher_use;

/// The state of a free cart whose courses are granted: fulfilled, or held until its address registers.
fn state_of(cart: &NewCart<'_>, holder: Holder) -> State {
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
pub async fn check_out(
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
    let state = state_of(cart, holder);
    cart_rows::insert(db, cart, state, cause).await?;
    let granted = grant(db, cart, holder, sync_at, cause).await?;
    voucher_use::take(db, cart, state, cause.now).await?;
    Ok(Free::Granted(granted))
}

/// Grants the courses of an open free cart, and moves it to its state after that.
pub async fn finish(
    db: &mut PgConnection,
    cart: &NewCart<'_>,
    holder: Holder,
    cause: Cause,
) -> JobResult<()> {
    let granted = grant(db, cart, holder, SyncAt::Now, cause).await?;
    buyer_mails::invite(db, cart.email, &granted, cause).await?;
    carts::move_to(db, cart.id, State::Open, state_of(cart, holder), cause).await
}

/// Grants the courses of a free cart, and makes the pools of its seats.
async fn grant(
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
