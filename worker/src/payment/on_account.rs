//! Orders on account: a company gets its invoice at once, and access at once or once it has paid. Nothing but a report of the
//! organisation settles or ends one.
//!
//! Why: `docs/decisions/on-account.md`

use shared::ids::CartId;
use shared::messages::{FulfilCart, PaymentDue};
use sqlx::PgConnection;
use store::access::bought_access::Ended;
use store::alert::Alert;
use store::error::JobResult;
use store::model::seller::Grant;
use store::money::documents;
use store::money::transactions::Transaction;
use store::plumbing::audit::Cause;
use store::plumbing::outbox;
use store::sales::carts::{self, State};
use store::sales::{cart_items, seats};

use crate::refund::booking;
use crate::sale::fulfilment;

/// Begins an order whose payment was just stored: its invoice is due, and its access if it does not wait for the payment.
pub async fn begin(
    db: &mut PgConnection,
    cart_id: CartId,
    grant: Grant,
    due: PaymentDue,
    cause: Cause,
) -> JobResult<()> {
    // Before the cart, as everything that books money locks them.
    documents::make_due(db, cart_id, cause.now).await?;
    let cart = carts::lock(db, cart_id).await?;
    fulfilment::send_invoice(db, &cart, due, cause).await?;
    match grant {
        Grant::Now => outbox::push(db, FulfilCart { cart_id }, cause.now).await.map(drop),
        Grant::Paid => Ok(()),
    }
}

/// Ends the access of an order whose payment was cancelled. A credit note takes its invoice back: the caller notes that it is due,
/// before it cancels the payment.
pub async fn end(db: &mut PgConnection, transaction: &Transaction, cause: Cause) -> JobResult<Vec<Alert>> {
    let cart = carts::lock(db, transaction.cart_id).await?;
    let mut alerts = Vec::new();
    if cart.state == State::Fulfilled {
        let lines = cart_items::refundable(db, cart.id).await?;
        let positions: Vec<i32> = lines.iter().map(|line| line.position).collect();
        alerts = booking::end_lines(db, cart.id, &positions, Ended::Cancelled, cause).await?;
        seats::withdraw(db, cart.id).await?;
        carts::move_to(db, cart.id, cart.state, State::Cancelled, cause).await?;
    }
    Ok(alerts)
}
