//! Invoices that wait for an exchange rate, at which they state the VAT in the currency of the seller's state.

use chrono::{DateTime, Utc};
use shared::ids::CartId;
use store::error::JobResult;
use store::money::documents_due::{self, Due};
use store::money::{attention, transactions};
use store::plumbing::audit::{Actor, Cause};
use uuid::Uuid;

use crate::runtime::context::Context;

/// The alert of an order whose invoice waits.
const AWAITED: &str = "the invoice waits for an exchange rate of its day, from the currency of the prices to the seller's: set one with `vat-exchange-rates set`";

/// Notes whether the invoice of a cart waits for a rate, and raises or ends the alert about it. `due` is what was noted before. In a
/// transaction of its own: settlement locks the payment before the note.
pub(super) async fn note(
    ctx: &Context,
    cart_id: CartId,
    due: &Due,
    waits: bool,
    now: DateTime<Utc>,
) -> JobResult<()> {
    if due.awaits_rate == waits {
        return Ok(());
    }
    let mut tx = ctx.transaction().await?;
    transactions::lock_cart(&mut tx, cart_id).await?;
    if !waits {
        let cause = Cause { actor: Actor::System, command_id: Uuid::now_v7(), now };
        attention::end_of_cart(&mut tx, cart_id, AWAITED, "the invoice waits for no rate any more", cause)
            .await?;
    } else if documents_due::await_rate(&mut tx, cart_id).await? {
        let alert = attention::alert_cart(&mut tx, cart_id, AWAITED, now).await?;
        tx.alert(alert);
    }
    tx.commit().await?;
    Ok(())
}
