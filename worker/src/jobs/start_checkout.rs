//! Turns a guest's or a learner's basket into a cart. The job grants a free cart at once, or holds it until its address
//! registers. It creates the payment of any other cart at the provider before it replies.

use futures_util::FutureExt;
use shared::ids::CartId;
use shared::messages::{CartItem, CheckoutAnswer, PayableCart, PaymentStart, ReverseCharge, StartCheckout};
use sqlx::PgConnection;
use store::access::enrollments::Holder;
use store::access::sync_queue::SyncAt;
use store::error::{JobError, JobResult};
use store::money::transactions::{self, Transaction};
use store::plumbing::audit::Cause;
use store::sales::carts::{self, Kind, NewCart, State};
use store::sales::{attempts, cart_items, cart_rows};
use tracing::instrument;

use crate::enrollment::account_lookup;
use crate::payment::attempts::{Attempts, Begun, Outcome, Step};
use crate::payment::checkout::{Basket, Checkout};
use crate::payment::request::PaymentRequest;
use crate::provider_calls::ProviderCalls;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::sale::buyer::Buyer;
use crate::sale::buyer_mails;
use crate::sale::consent::Given;
use crate::sale::free_carts::{self, Free};
use crate::sale::voucher_use;

#[instrument(name = "job.start_checkout", skip_all)]
pub async fn run(
    ctx: &Context,
    command: &StartCheckout,
    command_ctx: &CommandContext,
) -> JobResult<CheckoutAnswer> {
    account_lookup::require_platform(ctx)?;
    let buyer = Buyer {
        email: &command.email,
        learner: command.learner.as_ref(),
        organisation_id: command.organisation_id,
        country: command.country,
        billing_address: command.billing_address.as_ref(),
        language: command.language.as_ref(),
    };
    let cause = Cause { actor: buyer.actor(), command_id: command_ctx.id, now: ctx.clock.now() };
    let attempts = Attempts { ctx, cause, calls: ProviderCalls::for_caller(ctx) };
    let own = command_ctx.own_cart(ctx).await?;
    // A paid attempt is itself the answer if its basket cannot be quoted again with what the buyer then holds: a guest's quote
    // ignores it, seats are never held, and the attempt may have the last use of the voucher.
    let can_be_quoted_again =
        command.voucher.is_none() && command.items.iter().all(|item| item.seats.is_none());
    let fulfil_paid = command.learner.is_some() && can_be_quoted_again;
    let begin = || begin(&attempts, command, buyer, command_ctx).boxed();
    match attempts.run_steps(own, fulfil_paid, begin).await? {
        Outcome::Answer(answer) => Ok(answer),
        Outcome::Created(begun, created) => {
            let Begun { transaction, items, reverse_charge, .. } = *begun;
            let answer = payable(&transaction, items, reverse_charge, created.start.clone());
            attempts.finish(command_ctx, &transaction, created, &answer).await?;
            Ok(answer)
        }
        Outcome::Payable(cart_id, start) => answer(ctx, command, command_ctx, cart_id, Some(start)).await,
        Outcome::Paid(cart_id) => answer(ctx, command, command_ctx, cart_id, None).await,
    }
}

async fn begin(
    attempts: &Attempts<'_>,
    command: &StartCheckout,
    buyer: Buyer<'_>,
    command_ctx: &CommandContext,
) -> JobResult<Step<CheckoutAnswer>> {
    let Attempts { ctx, cause, calls } = attempts;
    let cause = *cause;
    let basket = Basket {
        items: &command.items,
        voucher: command.voucher.as_deref(),
        visitor: command.visitor_id.as_deref(),
        consents: Given::Now(command.consents, cause.now),
        gift: command.gift.as_ref(),
        labels: &command.labels,
        pay_by: command.pay_by,
        expected_total: command.expected_total,
    };
    let checkout = Checkout::prepare(ctx, calls, CartId(command_ctx.id), buyer, basket).await?;
    let mut tx = ctx.transaction().await?;
    checkout.lock(&mut tx).await?;
    let holder = checkout.holder(&mut tx, cause.now).await?;
    let cart = buyer.cart(CartId(command_ctx.id), Kind::Discovery, holder.learner(), checkout.contents());
    let step = match &checkout.payment {
        Some(payment) => pay(&mut tx, &checkout, &cart, payment, cause).await?,
        None => {
            if attempts::earlier(&mut tx, &cart).await?.live.is_none() {
                checkout.check_places(&mut tx).await?;
            }
            let answer = CheckoutAnswer::Free { cart_id: free(&mut tx, &cart, holder, cause).await? };
            command_ctx.finish(&mut *tx, &answer, ctx.clock.now()).await?;
            Step::Answer(answer)
        }
    };
    command_ctx.committing();
    tx.commit().await?;
    Ok(step)
}

async fn pay(
    db: &mut PgConnection,
    checkout: &Checkout<'_>,
    cart: &NewCart<'_>,
    payment: &PaymentRequest,
    cause: Cause,
) -> JobResult<Step<CheckoutAnswer>> {
    if let Some(cart_id) = attempts::earlier(db, cart).await?.live {
        voucher_use::take_again(db, cart_id, cause.now).await?;
        carts::join(db, cart.id.into(), cart_id, cause.now).await?;
        return Ok(Step::Pay(cart_id));
    }
    let others = checkout.others(db).await?;
    if !others.is_empty() {
        return Ok(Step::Replace(others));
    }
    checkout.check_places(db).await?;
    cart_rows::insert(db, cart, State::PendingPayment, cause).await?;
    payment.insert(db, cause).await?;
    voucher_use::take(db, cart, State::PendingPayment, cause.now).await?;
    Ok(Step::Begin(Box::new(checkout.begun(payment, cause))))
}

async fn free(db: &mut PgConnection, cart: &NewCart<'_>, holder: Holder, cause: Cause) -> JobResult<CartId> {
    match free_carts::check_out(db, cart, holder, SyncAt::Now, cause).await? {
        Free::Joined(attempt) => Ok(attempt),
        Free::Granted(granted) => {
            buyer_mails::invite(db, cart.email, &granted, cause).await?;
            Ok(cart.id)
        }
    }
}

/// Replies with the cart's payment. It is settled by now: a caller that misses the reply finds it by sending the same
/// basket again, or at the status route.
async fn answer(
    ctx: &Context,
    command: &StartCheckout,
    command_ctx: &CommandContext,
    cart_id: CartId,
    start: Option<PaymentStart>,
) -> JobResult<CheckoutAnswer> {
    let transaction = transactions::of_cart(&ctx.db, cart_id).await?;
    let transaction = transaction.ok_or_else(|| JobError::dead(format!("cart {cart_id} has no payment")))?;
    let start = start
        .or_else(|| transaction.start(ctx.clock.now()))
        .ok_or_else(|| JobError::dead("a payment without a start"))?;
    let items = cart_items::lines(&ctx.db, cart_id, transaction.total.currency()).await?;
    // An attempt has the billing address of its checkout. Without a tax ID, VIES was not asked.
    let has_tax_id = command.billing_address.as_ref().is_some_and(|address| address.tax_id.is_some());
    let terms = if has_tax_id { carts::tax_terms(&ctx.db, cart_id).await? } else { None };
    let vat_check = terms.and_then(|terms| terms.vat_check);
    let reverse_charge = vat_check.as_ref().map(ReverseCharge::from);
    let answer = payable(&transaction, items, reverse_charge, start);
    command_ctx.finish(&ctx.db, &answer, ctx.clock.now()).await?;
    Ok(answer)
}

fn payable(
    transaction: &Transaction,
    items: Vec<CartItem>,
    reverse_charge: Option<ReverseCharge>,
    start: PaymentStart,
) -> CheckoutAnswer {
    let Transaction { cart_id, gateway, total, .. } = *transaction;
    CheckoutAnswer::Success(Box::new(PayableCart { cart_id, gateway, total, items, reverse_charge, start }))
}
