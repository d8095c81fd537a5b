//! Orders that are paid by a transfer to the organisation. On account, a company gets its invoice at once, and access at once or once it
//! has paid; any other buyer gets a mail with the account, and access and invoice once the money is there. Nothing but a report of the
//! organisation settles an order on account, or ends it.
//!
//! Why: `docs/decisions/on-account.md`

use shared::ids::{CartId, TransactionId};
use shared::messages::FulfilCart;
use sqlx::PgConnection;
use store::access::bought_access::Ended;
use store::alert::Alert;
use store::error::JobResult;
use store::model::seller::Grant;
use store::money::{documents_due, transactions};
use store::plumbing::audit::Cause;
use store::plumbing::outbox;
use store::sales::cart_items;
use store::sales::carts::{self, State};
use store::sales::fulfilments;

use crate::refund::booking;
use crate::sale::buyer_mails::{self, Due};
use crate::sale::seats;

/// Begins an order whose payment was just stored: its buyer is told how to pay. On account, its invoice is due, and its access if it does
/// not wait for the payment.
pub async fn begin(db: &mut PgConnection, id: TransactionId, cause: Cause) -> JobResult<()> {
    let transaction = transactions::lock(db, id).await?;
    let Some(due) = Due::of(db, &transaction).await? else { return Ok(()) };
    let cart_id = transaction.cart_id;
    if transaction.on_account.is_some() {
        // Before the cart, as everything that books money locks them.
        documents_due::note(db, cart_id, cause.now).await?;
    }
    let cart = carts::lock(db, cart_id).await?;
    buyer_mails::ask_for_payment(db, &cart, due, cause).await?;
    match transaction.on_account {
        Some(Grant::Now) => {
            fulfilments::fulfilment_waits(&mut *db, cart_id, cause.now).await?;
            outbox::push(db, FulfilCart { cart_id }, cause.now).await.map(drop)
        }
        Some(Grant::Paid) | None => Ok(()),
    }
}

/// Ends the access of an order whose payment was cancelled, also that of its seats. A credit note cancels its invoice: the caller
/// notes that it is due, before it cancels the payment.
pub async fn end(db: &mut PgConnection, cart_id: CartId, cause: Cause) -> JobResult<Vec<Alert>> {
    let cart = carts::lock(db, cart_id).await?;
    buyer_mails::send_cancellation(db, &cart, cause).await?;
    let mut alerts = Vec::new();
    if cart.state == State::Fulfilled {
        let lines = cart_items::refundable(db, cart.id).await?;
        let positions: Vec<i32> = lines.iter().map(|line| line.position).collect();
        alerts = booking::end_lines(db, cart.id, &positions, Ended::Cancelled, cause).await?;
        // Before the seats: those of a cancelled cart are withdrawn as they become free.
        carts::move_to(db, cart.id, cart.state, State::Cancelled, cause).await?;
        alerts.extend(seats::revoke_all(db, cart.id, cause).await?);
    }
    Ok(alerts)
}
