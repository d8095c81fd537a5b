//! Restores the access of a paid cart at an operator's word: after a refund that failed, where an upgrade ended with what
//! it upgraded, or where it was never granted for that reason.

use serde_json::json;
use shared::messages::{FieldError, FulfilCart, Refusal};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;
use crate::store::audit::{self, Cause, Change, Entity};
use crate::store::bought_access::{self, Ended};
use crate::store::carts::{self, Cart, State};
use crate::store::{outbox, transactions, upgrades};

/// Restores the access of the lines that are paid. `reason` goes into the audit log.
///
/// # Errors
/// `InvalidRequest` if the cart's money is not here, or no access of it has ended.
pub async fn restore(db: &mut PgConnection, cart_id: Uuid, reason: &str, cause: Cause) -> JobResult<()> {
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
    match cart.state {
        State::Refunded => reopen(db, &cart, cause).await?,
        // A line that was refunded before the cart was fulfilled was never granted.
        State::Fulfilled if restored == 0 && reopened.others > 0 => fulfil_again(db, &cart, cause).await?,
        _ if restored == 0 && reopened.with_pool == 0 => {
            return Err(refused("has no ended access to restore").into());
        }
        _ => {}
    }
    let state = cart.state.into();
    let entry = Change {
        entity: Entity::Cart,
        id: cart_id,
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
    fulfil_again(db, cart, cause).await
}

async fn fulfil_again(db: &mut PgConnection, cart: &Cart, cause: Cause) -> JobResult<()> {
    carts::move_to(db, cart.id, cart.state, State::Paid, cause).await?;
    outbox::push(db, FulfilCart { cart_id: cart.id }, cause.now).await.map(drop)
}
