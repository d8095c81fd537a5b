//! The use of a voucher by a cart: found, taken with the cart, and freed when the hold of an unpaid order ends, after which the buyer
//! can still pay.

use chrono::{DateTime, Utc};
use shared::ids::{CartId, OrganisationId};
use shared::messages::{FieldError, Refusal};
use shared::voucher::{Code, Inapplicable};
use sqlx::PgConnection;
use store::error::JobResult;
use store::model::voucher::Voucher;
use store::money::{checks, transactions};
use store::sales::carts::{self, NewCart, State};
use store::sales::voucher_uses::{self, User};

use super::buyer::Buyer;
use super::quote::Quote;
use crate::runtime::context::Context;

/// The voucher with a code, for a user if one is known.
///
/// # Errors
/// The inner one says that there is none.
pub async fn find(
    ctx: &Context,
    organisation_id: OrganisationId,
    code: &str,
    user: Option<User<'_>>,
) -> JobResult<Result<Voucher, Inapplicable>> {
    let Ok(code) = Code::parse(code) else { return Ok(Err(Inapplicable::Unknown)) };
    let voucher =
        voucher_uses::find(&mut *ctx.db.acquire().await?, organisation_id, code.as_str(), user).await?;
    let voucher = voucher.ok_or(Inapplicable::Unknown);
    Ok(match user {
        Some(user) => voucher.and_then(|voucher| voucher.for_buyer(user.email)),
        None => voucher,
    })
}

/// Checks that a use of the quote's voucher, if it has one, is left for a learner, before the learner's other attempts are ended
/// for it.
///
/// # Errors
/// `InvalidRequest` if none is left.
pub async fn check_left(db: &mut PgConnection, quote: Option<&Quote>, buyer: Buyer<'_>) -> JobResult<()> {
    let Some(applied) = quote.and_then(|quote| quote.voucher.as_ref()) else { return Ok(()) };
    let key = buyer.name();
    let user = User { email: buyer.email, learner: Some(&key) };
    match voucher_uses::find(db, buyer.organisation_id, &applied.code, Some(user)).await? {
        Some(voucher) if voucher.has_uses_for(applied.cart.discount) => Ok(()),
        Some(_) | None => Err(refused(Inapplicable::Exhausted).into()),
    }
}

/// Takes a use of the cart's voucher, if it has one. The last step before the answer is stored: others who want a use wait
/// until the transaction ends.
///
/// # Errors
/// `InvalidRequest` if no use is left: the caller's transaction must not commit.
pub async fn take(
    db: &mut PgConnection,
    cart: &NewCart<'_>,
    state: State,
    now: DateTime<Utc>,
) -> JobResult<()> {
    let Some(voucher) = cart.contents.voucher else { return Ok(()) };
    match voucher_uses::take(db, cart, voucher, state, now).await? {
        true => Ok(()),
        false => Err(refused(Inapplicable::Exhausted).into()),
    }
}

/// Takes a use again for a cart that a checkout joins, if its use was released because it was not paid in time.
///
/// # Errors
/// `InvalidRequest` if no use is left: the caller's transaction must not commit.
pub async fn take_again(db: &mut PgConnection, cart_id: CartId, now: DateTime<Utc>) -> JobResult<()> {
    if !voucher_uses::is_released(db, cart_id).await? {
        return Ok(());
    }
    transactions::lock_cart(db, cart_id).await?;
    // A payment that has come meanwhile has taken the use itself, or is late.
    if carts::lock(db, cart_id).await?.state != State::PendingPayment {
        return Ok(());
    }
    match voucher_uses::take_again(db, cart_id, now).await? {
        true => Ok(()),
        false => Err(refused(Inapplicable::Exhausted).into()),
    }
}

/// The refusal of a voucher that does not apply.
pub fn refused(reason: Inapplicable) -> Refusal {
    Refusal::InvalidRequest { errors: vec![FieldError::new("voucher", reason.message())] }
}

/// Frees the use of a cart's voucher if its hold has ended.
pub async fn end(ctx: &Context, cart_id: CartId, now: DateTime<Utc>) -> JobResult<()> {
    match voucher_uses::is_held_since(&ctx.db, cart_id, ctx.held_since(now)).await? {
        true => release(ctx, cart_id).await,
        false => Ok(()),
    }
}

/// Frees the uses whose hold has ended where the provider refuses the organisation's account, and is not asked about its
/// payments. Returns how many carts that concerns.
pub async fn end_refused(ctx: &Context, limit: i64) -> JobResult<u64> {
    let since = ctx.held_since(ctx.clock.now());
    let carts = checks::holds_at_refused_accounts(&ctx.db, since, limit).await?;
    for cart_id in &carts {
        release(ctx, *cart_id).await?;
    }
    Ok(carts.len() as u64)
}

/// Frees the use of a cart's voucher, unless the cart was paid meanwhile, or the provider has begun to work on its payment.
pub async fn release(ctx: &Context, cart_id: CartId) -> JobResult<()> {
    let mut tx = ctx.transaction().await?;
    let transaction = transactions::of_locked_cart(&mut tx, cart_id).await?;
    let is_waiting = carts::lock(&mut tx, cart_id).await?.state == State::PendingPayment;
    if is_waiting && transaction.is_some_and(|transaction| !transaction.is_pending) {
        voucher_uses::release(&mut tx, cart_id).await?;
    }
    tx.commit().await?;
    Ok(())
}
