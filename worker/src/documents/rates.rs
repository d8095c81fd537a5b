//! Invoices that wait for an exchange rate, at which they state the VAT in the currency of the seller's state.

use chrono::{DateTime, Utc};
use shared::ids::CartId;
use sqlx::PgConnection;
use store::alert::Alert;
use store::error::JobResult;
use store::money::attention;
use store::money::documents_due::{self, Due};
use store::plumbing::audit::{Actor, Cause};
use uuid::Uuid;

/// The alert of an order whose invoice waits.
const AWAITED: &str = "the invoice waits for an exchange rate of its day, from the currency of the prices to the seller's: set one with `vat-exchange-rates set`";

/// Notes whether the invoice of a cart waits for a rate, and returns the alert to raise after the commit. `due` is what was noted before.
pub(super) async fn note(
    db: &mut PgConnection,
    cart_id: CartId,
    due: &Due,
    waits: bool,
    now: DateTime<Utc>,
) -> JobResult<Option<Alert>> {
    match (due.awaits_rate, waits) {
        (false, true) => {
            documents_due::await_rate(db, cart_id).await?;
            attention::alert_cart(db, cart_id, AWAITED, now).await
        }
        (true, false) => {
            let cause = Cause { actor: Actor::System, command_id: Uuid::now_v7(), now };
            attention::end_of_cart(db, cart_id, AWAITED, "the invoice waits for no rate any more", cause)
                .await?;
            Ok(None)
        }
        (true, true) | (false, false) => Ok(None),
    }
}
