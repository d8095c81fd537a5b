//! Grants the courses of a paid cart and sends its receipt, once, however often the message arrives. Access that was
//! removed later is not granted again.

use shared::messages::{FulfilCart, Mail, Receipt, Refusal, SendEmail};
use uuid::Uuid;

use super::address::{self, Address};
use super::grants::{self, Recipient};
use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::store::audit::{Actor, Cause};
use crate::store::carts::{self, State};
use crate::store::enrollments::Source;
use crate::store::{cart_items, outbox, transactions};

pub async fn run(ctx: &Context, message: &FulfilCart, id: Uuid) -> JobResult<()> {
    let cart = carts::find(&ctx.db, message.cart_id).await?;
    let cart = cart.ok_or_else(|| JobError::dead(format!("no cart {}", message.cart_id)))?;
    if cart.state != State::Paid {
        return Ok(());
    }
    let address = match cart.learner_id {
        Some(learner) => Address::Known(learner),
        // The cart is paid: the job waits until an operator has configured the service account.
        None => address::look_up(ctx, &cart.email).await.map_err(|error| match error {
            JobError::Reject { refusal: Refusal::NotConfigured { detail }, .. } => JobError::Retry(detail),
            error => error,
        })?,
    };

    let mut tx = ctx.db.begin().await?;
    let now = ctx.clock.now();
    let cause = Cause { actor: Actor::System, command_id: id, now };
    transactions::lock_cart(&mut tx, cart.id).await?;
    let cart = carts::lock(&mut tx, cart.id).await?;
    if cart.state != State::Paid {
        return Ok(());
    }
    let recipient = Recipient {
        email: &cart.email,
        holder: address.holder(&mut tx, &cart.email, now).await?,
        organisation_id: cart.organisation_id,
    };
    grants::grant_cart(&mut tx, cart.id, &recipient, Source::PaidCart(cart.id), cause).await?;
    let lines = cart_items::lines(&mut tx, cart.id, cart.total.currency()).await?;
    let receipt = Receipt {
        organisation_id: cart.organisation_id,
        cart_id: cart.id,
        paid_at: cart.paid_at.unwrap_or(now),
        total: cart.total,
        items: lines.into_iter().map(|line| (line.name, line.price)).collect(),
    };
    outbox::push(&mut tx, SendEmail { to: cart.email.clone(), mail: Mail::Receipt(receipt) }, now).await?;
    carts::move_to(&mut tx, cart.id, State::Paid, State::Fulfilled, cause).await?;
    // Not while settling: two carts paid at the same moment might not see each other there. Here they do.
    if let Some(other) = carts::bought_before(&mut tx, &cart).await? {
        let reason = format!("bought twice: cart {other} was paid for the same, refund one of them");
        transactions::alarm_cart(&mut tx, cart.id, &reason, now).await?;
    }
    tx.commit().await?;
    ctx.outbox.notify_one();
    Ok(())
}
