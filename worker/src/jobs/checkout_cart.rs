//! Checks out a learner's own cart, at today's prices and for the country that the cart was created with.

use chrono::TimeDelta;
use futures_util::FutureExt;
use shared::ids::CartId;
use shared::link::{self, Purpose};
use shared::messages::{CartItem, CheckoutCart, CheckoutCartAnswer, PaymentStart, Refusal, ReverseCharge};
use shared::money::Money;
use sqlx::{Connection, PgConnection};
use store::error::{JobError, JobResult};
use store::money::transactions::{self, Transaction};
use store::plumbing::audit::Cause;
use store::sales::carts::{self, Cart, Kind, State};
use store::sales::{cart_items, cart_rows, links};
use tracing::instrument;
use uuid::Uuid;

use crate::enrollment::account_lookup;
use crate::payment::attempts::{Attempts, Begun, Outcome, Step};
use crate::payment::checkout::{Basket, Checkout};
use crate::provider_calls::ProviderCalls;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::sale::buyer::Buyer;
use crate::sale::consent::Given;
use crate::sale::{free_carts, voucher_use};

/// Lifetime of the token in the link to the hosted payment page. The signed-in learner does not need it.
const LINK_LIFETIME: TimeDelta = TimeDelta::minutes(30);

#[instrument(name = "job.checkout_cart", skip_all)]
pub async fn run(
    ctx: &Context,
    command: &CheckoutCart,
    command_ctx: &CommandContext,
) -> JobResult<CheckoutCartAnswer> {
    account_lookup::require_platform(ctx)?;
    let buyer = Buyer {
        email: &command.email,
        learner: Some(&command.learner),
        organisation_id: command.organisation_id,
        country: None,
        billing_address: None,
        language: None,
    };
    let cause = Cause { actor: buyer.actor(), command_id: command_ctx.id, now: ctx.clock.now() };
    let attempts = Attempts { ctx, cause, calls: ProviderCalls::for_caller(ctx) };
    let own = command_ctx.own_cart(ctx).await?;
    let begin = || begin(&attempts, buyer, command_ctx).boxed();
    match attempts.run_steps(own, false, begin).await? {
        Outcome::Answer(answer) => Ok(answer),
        Outcome::Created(begun, created) => {
            let Begun { transaction, reverse_charge, .. } = *begun;
            let answer = payable(ctx, &transaction, reverse_charge, Some(&created.start)).await?;
            attempts.finish(command_ctx, &transaction, created, &answer).await?;
            Ok(answer)
        }
        Outcome::Payable(cart_id, start) => answer(ctx, command_ctx, cart_id, Some(&start)).await,
        Outcome::Paid(cart_id) => answer(ctx, command_ctx, cart_id, None).await,
    }
}

async fn begin(
    attempts: &Attempts<'_>,
    buyer: Buyer<'_>,
    command_ctx: &CommandContext,
) -> JobResult<Step<CheckoutCartAnswer>> {
    let Attempts { ctx, cause, calls } = attempts;
    let cause = *cause;
    let (name, organisation) = (buyer.name(), buyer.organisation_id);
    let mut db = ctx.db.acquire().await?;
    let stored = carts::of_learner(&mut db, &name, organisation).await?.ok_or(Refusal::EmptyCart)?;
    if stored.state == State::PendingPayment {
        join(&mut db, stored.id, command_ctx.id, cause).await?;
        return Ok(Step::Pay(stored.id));
    }
    let lines = cart_items::lines(&mut *db, stored.id, stored.total.currency()).await?;
    drop(db);
    let billing_address = stored.billing_address.as_deref();
    let country = stored.country.filter(|it| it.check().is_ok());
    let buyer = Buyer { country, billing_address, language: Some(&stored.language), ..buyer };
    let items = cart_items::basket(&lines);
    let basket = Basket {
        items: &items,
        voucher: stored.voucher.as_deref(),
        visitor: None,
        consents: Given::Before(stored.consents.as_deref()),
        gift: None,
        labels: &stored.labels,
        pay_by: None,
        expected_total: None,
    };
    let checkout = Checkout::prepare(ctx, calls, stored.id, buyer, basket).await?;

    let mut tx = ctx.transaction().await?;
    checkout.lock(&mut tx).await?;
    if !is_unchanged(&mut tx, &stored, &lines).await? {
        return Ok(Step::Again);
    }
    let holder = checkout.holder(&mut tx, cause.now).await?;
    let others = if checkout.payment.is_some() { checkout.others(&mut tx).await? } else { Vec::new() };
    if !others.is_empty() {
        return Ok(Step::Replace(others));
    }
    checkout.check_places(&mut tx).await?;
    let cart = buyer.cart(stored.id, Kind::Learner, holder.learner(), checkout.contents());
    cart_rows::rewrite(&mut tx, &cart, cause.now).await?;
    carts::join(&mut tx, command_ctx.id, stored.id, cause.now).await?;
    let step = match &checkout.payment {
        Some(payment) => {
            payment.begin(&mut tx, cause).await?;
            voucher_use::take(&mut tx, &cart, State::PendingPayment, cause.now).await?;
            Step::Begin(Box::new(checkout.begun(payment, cause)))
        }
        None => {
            free_carts::finish(&mut tx, &cart, holder, cause).await?;
            voucher_use::take(&mut tx, &cart, State::Fulfilled, cause.now).await?;
            let answer = free_answer(ctx, stored.id, checkout.quoted.quote.total);
            command_ctx.finish(&mut *tx, &answer, ctx.clock.now()).await?;
            Step::Answer(answer)
        }
    };
    command_ctx.committing();
    tx.commit().await?;
    Ok(step)
}

/// Joins a command to a payment that has begun. Its voucher's use, if it was given back meanwhile, is taken again.
async fn join(db: &mut PgConnection, cart_id: CartId, command_id: Uuid, cause: Cause) -> JobResult<()> {
    let mut tx = db.begin().await?;
    voucher_use::take_again(&mut tx, cart_id, cause.now).await?;
    carts::join(&mut tx, command_id, cart_id, cause.now).await?;
    Ok(tx.commit().await?)
}

/// Returns whether the cart is still the one that was quoted.
async fn is_unchanged(db: &mut PgConnection, stored: &Cart, lines: &[CartItem]) -> JobResult<bool> {
    let now = carts::lock(db, stored.id).await?;
    let terms = |cart: &Cart| {
        let Cart { state, country, voucher, billing_address, consents, labels, .. } = cart;
        (*state, *country, voucher.clone(), billing_address.clone(), consents.clone(), labels.clone())
    };
    let same = terms(&now) == terms(stored);
    Ok(same && cart_items::lines(&mut *db, stored.id, now.total.currency()).await? == lines)
}

fn free_answer(ctx: &Context, cart_id: CartId, total: Money) -> CheckoutCartAnswer {
    let redirect_url = format!("{}/storeapi/payment/status/{cart_id}/", ctx.links.public_base_url);
    CheckoutCartAnswer::EnrollmentPending { cart_id, total, redirect_url }
}

async fn answer(
    ctx: &Context,
    command_ctx: &CommandContext,
    cart_id: CartId,
    start: Option<&PaymentStart>,
) -> JobResult<CheckoutCartAnswer> {
    let transaction = transactions::of_cart(&ctx.db, cart_id).await?;
    let transaction = transaction.ok_or_else(|| JobError::dead(format!("cart {cart_id} has no payment")))?;
    let vat_check = carts::tax_terms(&ctx.db, cart_id).await?.and_then(|terms| terms.vat_check);
    let answer = payable(ctx, &transaction, vat_check.as_ref().map(ReverseCharge::from), start).await?;
    command_ctx.finish(&ctx.db, &answer, ctx.clock.now()).await?;
    Ok(answer)
}

/// Redirects to the provider's payment page if it has one, else to the hosted payment page, which also shows a paid
/// cart.
async fn payable(
    ctx: &Context,
    transaction: &Transaction,
    reverse_charge: Option<ReverseCharge>,
    start: Option<&PaymentStart>,
) -> JobResult<CheckoutCartAnswer> {
    let Transaction { cart_id, gateway, total, .. } = *transaction;
    let redirect_url = match start {
        Some(PaymentStart::Redirect { redirect_url, .. }) => redirect_url.clone(),
        Some(PaymentStart::Intent { .. } | PaymentStart::Order { .. } | PaymentStart::Transfer { .. })
        | None => {
            let until = ctx.clock.now() + LINK_LIFETIME;
            let subject = links::subject(&ctx.db, cart_id).await?;
            let token = link::sign(&ctx.links.link_secret, Purpose::Payment, subject, until);
            format!("{}/storeapi/payment/pay/{cart_id}/?token={token}", ctx.links.public_base_url)
        }
    };
    Ok(CheckoutCartAnswer::PaymentRequired { cart_id, gateway, total, reverse_charge, redirect_url })
}
