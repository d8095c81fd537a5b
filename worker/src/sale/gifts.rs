//! Gifts: checks what a buyer asks for, and gives the seat of an order to its recipient.
//!
//! Why: `docs/decisions/gifts.md`

use chrono::Months;
use shared::ids::{CartId, OrganisationId};
use shared::messages::{BasketItem, FieldError, Gift, GiftNote, GiveGift, PlannedGift, Refusal};
use sqlx::PgConnection;
use store::access::sync_queue::SyncAt;
use store::error::{JobError, JobResult};
use store::money::attention;
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::outbox;
use store::sales::gifts::{self, DueGift};
use store::sales::seats::{self as pools, Outlook};
use uuid::Uuid;

use super::seats::{self, Assignment};
use crate::enrollment::account_lookup;
use crate::runtime::context::Context;

/// Checks that a basket can be the gift that its buyer asks for.
///
/// # Errors
/// `InvalidRequest` unless the basket is one item of one seat, and the day today or later, within a year.
pub async fn check(
    ctx: &Context,
    organisation: OrganisationId,
    gift: &Gift,
    items: &[BasketItem],
) -> JobResult<()> {
    let mut errors = Vec::new();
    if !matches!(items, [BasketItem { seats: Some(1), .. }]) {
        errors.push(FieldError::new("gift", "is for a basket of one item with `seats` 1"));
    }
    if let Some(on) = gift.on {
        let today = gifts::today(&ctx.db, organisation, ctx.clock.now()).await?;
        if on < today {
            errors.push(FieldError::new("gift.on", format!("is before today, {today}")));
        } else if today.checked_add_months(Months::new(12)).is_some_and(|last| on > last) {
            errors.push(FieldError::new("gift.on", "is more than a year away"));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Refusal::InvalidRequest { errors }.into()) }
}

/// Has the gift of a cart given on its day, once the cart has its seat. Returns what the buyer is told; None if the cart is no gift.
pub async fn schedule(
    db: &mut PgConnection,
    cart_id: CartId,
    cause: Cause,
) -> JobResult<Option<PlannedGift>> {
    let Some((planned, is_due)) = gifts::schedule(db, cart_id, cause.now).await? else { return Ok(None) };
    if is_due {
        outbox::push(db, GiveGift { cart_id }, cause.now).await?;
    }
    Ok(Some(planned))
}

/// Assigns the seat of a cart to the recipient, once. A seat that the buyer has assigned, or been refunded, is not given any more; for any
/// other reason against it, an alert asks an operator.
///
/// # Errors
/// `Retry` while it is unknown whether the recipient has an account.
pub async fn give(ctx: &Context, cart_id: CartId) -> JobResult<()> {
    let Some(gift) = gifts::due(&ctx.db, cart_id).await? else { return Ok(()) };
    let outlook = pools::outlook(&ctx.db, gift.pool, &gift.recipient).await?;
    let reason = match outlook {
        Outlook { has_one: true, .. } | Outlook { is_used_up: true, .. } => None,
        Outlook { .. } => match assign(ctx, cart_id, &gift).await {
            Err(JobError::Reject { refusal, .. }) if !matches!(refusal, Refusal::Internal) => Some(refusal),
            given => return given,
        },
    };
    let mut tx = ctx.transaction().await?;
    if gifts::close(&mut tx, cart_id, None).await? {
        if let Some(refusal) = reason {
            let reason =
                format!("its gift was not given: {refusal}; assign the seat to somebody, or refund it");
            let alert = attention::alert_cart(&mut tx, cart_id, &reason, ctx.clock.now()).await?;
            tx.alert(alert);
        }
        tx.commit().await?;
    }
    Ok(())
}

async fn assign(ctx: &Context, cart_id: CartId, gift: &DueGift) -> JobResult<()> {
    let pool = pools::get(&ctx.db, gift.pool).await?;
    let address = account_lookup::look_up(ctx, &gift.recipient).await.map_err(|error| match error {
        JobError::Reject { refusal: Refusal::NotConfigured { detail }, .. } => JobError::Retry(detail),
        error => error,
    })?;
    let note = GiftNote { giver: gift.giver.clone(), message: gift.message.clone() };
    let assignment = Assignment {
        email: &gift.recipient,
        address: &address,
        language: gift.language.as_ref(),
        sync_at: SyncAt::Now,
        gift: Some(note),
    };
    // The id of the seat's cart: the same each time.
    let command_id = Uuid::new_v5(&cart_id.into(), b"gift");
    let cause = Cause { actor: Actor::System, command_id, now: ctx.clock.now() };
    let mut tx = ctx.transaction().await?;
    seats::assign(ctx, &mut tx, &pool, &assignment, cause).await?;
    if gifts::close(&mut tx, cart_id, Some(cause.now)).await? {
        tx.commit().await?;
    }
    Ok(())
}
