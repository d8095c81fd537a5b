//! Reads what the hosted payment page of a cart shows. Writes nothing, and does not call the provider.

use shared::messages::{Refusal, ShowPayment, ShownPayment};
use shared::money::Money;
use store::catalog::organisations;
use store::error::{JobError, JobResult};
use store::money::received;
use store::money::transactions::{self, Transaction};
use store::sales::cart_items;
use store::sales::carts::{self, State};
use tracing::instrument;

use crate::payment::request;
use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;

#[instrument(name = "job.show_payment", skip_all, fields(cart = %message.cart_id))]
pub async fn run(ctx: &Context, message: &ShowPayment, _: &CommandContext) -> JobResult<ShownPayment> {
    let cart = carts::find(&ctx.db, message.cart_id).await?.ok_or(Refusal::CartNotFound)?;
    let seller = organisations::find(&ctx.db, cart.organisation_id).await?;
    let seller = seller.ok_or(Refusal::OrganisationNotFound)?;
    let transaction = transactions::of_cart(&ctx.db, cart.id).await?;
    let mut db = ctx.db.acquire().await?;
    let items = cart_items::lines(&mut *db, cart.id, cart.total.currency()).await?;
    // A payment that the provider works on must not be started anew. A transfer is shown until all of it has arrived.
    let waits_for_bank = transaction
        .as_ref()
        .is_some_and(|transaction| transaction.is_pending && transaction.gateway.has_provider());
    // An order on account can have access before it is paid.
    let has_access = cart.state == State::Fulfilled;
    let is_unpaid = has_access && transaction.as_ref().is_some_and(Transaction::is_unpaid_invoice);
    let is_payable = (cart.state == State::PendingPayment || is_unpaid) && !waits_for_bank;
    let received = match &transaction {
        Some(transaction) if !transaction.gateway.has_provider() => {
            received::sum(&mut *db, transaction.id).await?
        }
        _ => 0,
    };
    Ok(ShownPayment {
        return_url: request::return_url(&seller, cart.id)?,
        organisation: seller.name,
        email: cart.email.as_str().to_owned(),
        billing_address: cart.billing_address.map(|address| address.0),
        gateway: transaction.as_ref().map(|transaction| transaction.gateway),
        received: Money::from_minor(received, cart.total.currency())
            .map_err(|error| JobError::dead(format!("what has arrived {error}")))?,
        total: cart.total,
        has_access,
        items,
        start: transaction.and_then(|transaction| transaction.start(ctx.clock.now())).filter(|_| is_payable),
    })
}
