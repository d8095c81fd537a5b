//! Restores the access of a paid cart at an operator's word: after a refund that failed, where an upgrade ended with what
//! it upgraded, or where it was never granted for that reason.

use serde_json::json;
use shared::ids::CartId;
use shared::messages::{FieldError, FulfilCart, Refusal};
use sqlx::PgConnection;
use store::access::bought_access::{self, Ended, Reopened};
use store::access::upgrades;
use store::error::JobResult;
use store::money::transactions;
use store::plumbing::audit::{self, Cause, Change, Entity};
use store::plumbing::outbox;
use store::sales::carts::{self, Cart, State};
use store::sales::{cart_items, seats};

/// Restores the access of the lines that are paid. `reason` goes into the audit log.
///
/// # Errors
/// `InvalidRequest` if the cart's money is not here, or no access of it has ended.
pub async fn restore(db: &mut PgConnection, cart_id: CartId, reason: &str, cause: Cause) -> JobResult<()> {
    let refused = |message: &str| Refusal::InvalidRequest { errors: vec![FieldError::new("cart", message)] };
    let transaction = transactions::of_locked_cart(db, cart_id).await?;
    let transaction = transaction.ok_or_else(|| refused("does not exist, or has no payment"))?;
    if transaction.state != transactions::State::Succeeded {
        return Err(refused(&format!("is not paid: its payment is {}", transaction.state)).into());
    }
    let cart = carts::lock(db, cart_id).await?;
    if upgrades::restore(db, cart_id, reason, cause).await? {
        return Ok(());
    }
    transactions::lock_upgrades_of(db, cart_id).await?;
    let reopened = bought_access::reopen_lines(db, cart_id, true).await?;
    let mut restored = 0;
    let ended = [
        Ended::Refunded,
        Ended::ChargedBack,
        Ended::BaseRefunded,
        Ended::BaseChargedBack,
        Ended::BaseRevoked,
    ];
    for reason in ended {
        restored += bought_access::restore(db, cart_id, reason, cause).await?;
    }
    reopen(db, &cart, cause).await?;
    let is_delivered = deliver_rest(db, &cart, &reopened, cause).await?;
    if cart.state != State::Refunded && restored == 0 && reopened.with_pool == 0 && !is_delivered {
        return Err(refused("has no ended access to restore").into());
    }
    let state = cart.state.into();
    let entry = Change {
        entity: Entity::Cart,
        id: cart_id.into(),
        from: Some(state),
        to: "restored",
        detail: json!({ "reason": reason }),
    };
    audit::record(db, cause, entry).await
}

/// A refunded cart whose money is here again counts as fulfilled, or as paid if it never was fulfilled.
pub async fn reopen(db: &mut PgConnection, cart: &Cart, cause: Cause) -> JobResult<()> {
    if cart.state != State::Refunded {
        return Ok(());
    }
    if cart.fulfilled_at.is_some() {
        return carts::move_to(db, cart.id, cart.state, State::Fulfilled, cause).await;
    }
    fulfil_again(db, cart, cart.state, cause).await
}

/// Has the reopened lines delivered that never were: they were refunded before the cart was fulfilled. False if there are none.
async fn deliver_rest(
    db: &mut PgConnection,
    cart: &Cart,
    reopened: &Reopened,
    cause: Cause,
) -> JobResult<bool> {
    // Nothing can be delivered to a buyer who was erased, and a former shop has delivered what it sold.
    if cart.email.is_placeholder() || cart.former_shop.is_some() || reopened.others == 0 {
        return Ok(false);
    }
    if cart_items::courses(db, cart.id).await?.is_empty() && seats::lines(db, cart.id).await?.is_empty() {
        return Ok(false);
    }
    // The fulfilment of a paid cart is under way, and that of one that was refunded before it has just been asked for.
    if cart.state != State::Paid && cart.fulfilled_at.is_some() {
        fulfil_again(db, cart, State::Fulfilled, cause).await?;
    }
    Ok(true)
}

async fn fulfil_again(db: &mut PgConnection, cart: &Cart, from: State, cause: Cause) -> JobResult<()> {
    carts::move_to(db, cart.id, from, State::Paid, cause).await?;
    outbox::push(db, FulfilCart { cart_id: cart.id }, cause.now).await.map(drop)
}
