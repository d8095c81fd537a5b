//! Creates, changes or empties a learner's own cart, at today's prices. The checkout prices the cart again.

use std::sync::OnceLock;

use futures_util::FutureExt;
use shared::ids::CartId;
use shared::messages::{LearnerCart, Refusal, SetCart};
use sqlx::PgConnection;
use store::error::{JobError, JobResult};
use store::plumbing::audit::Cause;
use store::plumbing::locks;
use store::sales::carts::{self, Cart, Kind, NewCart, State};
use store::sales::{cart_items, cart_rows};
use tracing::instrument;

use crate::enrollment::account_lookup;
use crate::payment::attempts::{Attempts, Outcome, Step};
use crate::provider_calls::ProviderCalls;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::sale::basket::{self, Quoted};
use crate::sale::buyer::Buyer;
use crate::sale::{consent, places, voucher_use};

#[instrument(name = "job.set_cart", skip_all)]
pub async fn run(ctx: &Context, command: &SetCart, command_ctx: &CommandContext) -> JobResult<LearnerCart> {
    account_lookup::require_platform(ctx)?;
    let buyer = Buyer {
        email: &command.email,
        learner: Some(&command.learner),
        organisation_id: command.organisation_id,
        country: command.country,
        billing_address: command.billing_address.as_ref(),
        language: command.language.as_ref(),
    };
    let cause = Cause { actor: buyer.actor(), command_id: command_ctx.id, now: ctx.clock.now() };
    let attempts = Attempts { ctx, cause, calls: ProviderCalls::for_caller(ctx) };
    let permit = OnceLock::new();
    let begin = || {
        let step = async {
            let step = set(ctx, command, buyer, command_ctx, cause).await?;
            if let Step::Replace(_) = step
                && permit.get().is_none()
            {
                let free = ctx.replacements.try_acquire().map_err(|_| Refusal::Unavailable)?;
                // Held until the command is answered.
                let _ = permit.set(free);
            }
            Ok(step)
        };
        step.boxed()
    };
    match attempts.run_steps(None, true, begin).await? {
        Outcome::Answer(cart) => Ok(cart),
        Outcome::Payable(..) | Outcome::Created(..) | Outcome::Paid(_) => {
            Err(JobError::dead("a set cart has no payment to return"))
        }
    }
}

async fn set(
    ctx: &Context,
    command: &SetCart,
    buyer: Buyer<'_>,
    command_ctx: &CommandContext,
    cause: Cause,
) -> JobResult<Step<LearnerCart>> {
    let address = account_lookup::proved(ctx, &command.learner, buyer.email).await?;
    let quoted = match command.items.is_empty() {
        true => None,
        false => {
            let voucher = command.voucher.as_deref();
            Some(basket::quote(ctx, buyer, Some(&address), &command.items, voucher).await?)
        }
    };
    let billing_address = buyer.billing_address;
    let mut tx = ctx.transaction().await?;
    locks::take(&mut tx, &buyer.locks(None)).await?;
    let cart = carts::of_learner(&mut tx, &buyer.name(), buyer.organisation_id).await?;
    voucher_use::check_left(&mut tx, quoted.as_ref().map(|quoted| &quoted.quote), buyer).await?;
    if let Some(quoted) = &quoted {
        let contents = quoted.quote.contents(buyer.country, billing_address);
        places::check(&mut tx, &contents, ctx.held_since(cause.now), Some(&buyer.name())).await?;
    }
    let cart = match (quoted, cart) {
        (quoted, Some(cart)) if cart.state == State::PendingPayment => {
            let hash = quoted.map(|quoted| quoted.quote.basket_hash(buyer.country, billing_address));
            if hash != Some(carts::basket_hash(&mut tx, cart.id).await?) {
                return Ok(Step::Replace(vec![cart.id]));
            }
            Some((cart.id, cart.total, cart.voucher, true))
        }
        (None, cart) => {
            empty(&mut tx, cart, cause).await?;
            None
        }
        (Some(quoted), cart) => {
            let learner_id = address.holder(&mut tx, buyer.email, cause.now).await?.learner();
            let id = cart.as_ref().map_or(CartId(command_ctx.id), |cart| cart.id);
            let terms = consent::terms(&quoted, buyer.sale(), false);
            let agreed = terms.map(|terms| terms.agreed(command.consents, cause.now));
            let mut contents = quoted.quote.contents(buyer.country, billing_address);
            contents.consents = agreed.as_ref();
            contents.labels = Some(&command.labels);
            let cart = buyer.cart(id, Kind::Learner, learner_id, contents);
            fill(&mut tx, &cart, &quoted, cart.id.0 == command_ctx.id, cause).await?;
            let voucher = quoted.quote.voucher.as_ref().map(|voucher| voucher.code.clone());
            Some((cart.id, quoted.quote.total, voucher, false))
        }
    };
    let answer = match cart {
        None => {
            LearnerCart { cart_id: None, is_pending: false, voucher: None, total: None, items: Vec::new() }
        }
        Some((id, total, voucher, is_pending)) => LearnerCart {
            cart_id: Some(id),
            is_pending,
            voucher,
            total: Some(total),
            items: cart_items::lines(&mut *tx, id, total.currency()).await?,
        },
    };
    command_ctx.finish(&mut *tx, &answer, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(Step::Answer(answer))
}

async fn empty(db: &mut PgConnection, cart: Option<Cart>, cause: Cause) -> JobResult<()> {
    match cart {
        Some(cart) => carts::move_to(db, cart.id, State::Open, State::Cancelled, cause).await,
        None => Ok(()),
    }
}

async fn fill(
    db: &mut PgConnection,
    cart: &NewCart<'_>,
    quoted: &Quoted<'_>,
    is_new: bool,
    cause: Cause,
) -> JobResult<()> {
    quoted.still_holds(db).await?;
    if is_new {
        cart_rows::insert(db, cart, State::Open, cause).await
    } else {
        cart_rows::rewrite(db, cart, cause.now).await
    }
}
