//! Gifts: checks what a buyer asks for, and gives the seat of an order to its recipient.
//!
//! Why: `docs/decisions/gifts.md`

use chrono::Months;
use shared::ids::{CartId, OrganisationId};
use shared::messages::{BasketItem, Gift, GiftNote, GiveGift, PlannedGift, Refusal};
use sqlx::PgConnection;
use store::access::sync_queue::SyncAt;
use store::error::{JobError, JobResult};
use store::model::line::NewLine;
use store::money::{attention, transactions};
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::outbox;
use store::sales::gifts::{self, Day, DueGift};
use store::sales::seats as pools;
use uuid::Uuid;

use super::seats::{self, Assignment};
use crate::enrollment::account_lookup;
use crate::runtime::context::Context;

/// Checks that a quoted basket can be the gift that its buyer asks for.
///
/// # Errors
/// `InvalidRequest` unless it is one item of one seat, and the day today or later, within a year and before the access ends.
pub async fn check(
    ctx: &Context,
    organisation: OrganisationId,
    gift: &Gift,
    lines: &[NewLine],
) -> JobResult<()> {
    let [line @ NewLine { item: BasketItem { seats: Some(1), .. }, .. }] = lines else {
        return Err(JobError::invalid("gift", "is for a basket of one item with `seats` 1"));
    };
    let Some(on) = gift.on else { return Ok(()) };
    let Day { today, gives_at } = Day::at(&ctx.db, organisation, on, ctx.clock.now()).await?;
    let fault = match today.checked_add_months(Months::new(12)) {
        _ if on < today => format!("is before today, {today}"),
        Some(last) if on > last => "is more than a year away".to_owned(),
        _ if line.access.is_over(gives_at) => "is after the end of the access".to_owned(),
        _ => return Ok(()),
    };
    Err(JobError::invalid("gift.on", fault))
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

/// Assigns the seat of a cart to the recipient, once. A gift whose seat went back with the money waits until both are here again; one whose
/// seat another person has is over. A refusal ends the gift with an alert on the order. A free order has no alerts, so its task fails for
/// good.
///
/// # Errors
/// `Retry` while it is unknown whether the recipient has an account.
pub async fn give(ctx: &Context, cart_id: CartId, cause_id: Uuid) -> JobResult<()> {
    let Some(gift) = gifts::due(&ctx.db, cart_id).await? else { return Ok(()) };
    let outlook = pools::outlook(&ctx.db, gift.pool, &gift.recipient).await?;
    if outlook.is_withdrawn {
        return gifts::wait_for_seat(&ctx.db, cart_id).await;
    }
    // The buyer has given it out, or handed out the code.
    if outlook.has_one || outlook.is_used_up {
        return gifts::close(&mut *ctx.db.acquire().await?, cart_id, ctx.clock.now()).await.map(drop);
    }
    let given = match gift.recipient.is_placeholder() {
        true => Err(JobError::forbidden("the recipient was erased".to_owned())),
        false => assign(ctx, cart_id, &gift, cause_id).await,
    };
    match given {
        Err(JobError::Reject { refusal, reason }) if !matches!(refusal, Refusal::Internal) => {
            refuse(ctx, cart_id, refusal, reason).await
        }
        given => given,
    }
}

async fn refuse(ctx: &Context, cart_id: CartId, refusal: Refusal, reason: String) -> JobResult<()> {
    let (mut tx, now) = (ctx.transaction().await?, ctx.clock.now());
    // Before the gift, as an erasure does.
    transactions::lock_cart(&mut tx, cart_id).await?;
    let is_paid = transactions::of_locked_cart(&mut tx, cart_id).await?.is_some();
    if !gifts::close(&mut tx, cart_id, now).await? {
        return Ok(());
    }
    let why =
        format!("its gift was not given: {refusal}; assign the seat to another address, or refund the order");
    let alert = attention::alert_cart(&mut tx, cart_id, &why, now).await?;
    tx.alert(alert);
    tx.commit().await?;
    if is_paid { Ok(()) } else { Err(JobError::Reject { refusal, reason }) }
}

async fn assign(ctx: &Context, cart_id: CartId, gift: &DueGift, cause_id: Uuid) -> JobResult<()> {
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
    // The id of the seat's cart: another one if the gift is given again.
    let cause = Cause { actor: Actor::System, command_id: cause_id, now: ctx.clock.now() };
    let mut tx = ctx.transaction().await?;
    seats::assign(ctx, &mut tx, &pool, &assignment, cause).await?;
    match gifts::given(&mut tx, cart_id, cause.now).await? {
        true => tx.commit().await,
        false => Ok(()),
    }
}
