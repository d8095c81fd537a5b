//! Checks that a basket's courses have places left.

use chrono::{DateTime, Utc};
use shared::messages::{FieldError, Refusal};
use sqlx::PgConnection;
use store::error::JobResult;
use store::model::line::NewContents;
use store::sales::places::{self, Needed};

/// Checks the places of the lines of a basket, in the transaction that stores its cart: no other checkout takes one of them
/// until it ends. `but_buyer` is a buyer whose own unpaid carts do not count.
///
/// # Errors
/// `InvalidItems`, which names each item that is sold out.
pub async fn check(
    db: &mut PgConnection,
    contents: &NewContents<'_>,
    held_since: DateTime<Utc>,
    but_buyer: Option<&str>,
) -> JobResult<()> {
    // The buyer of the seats has taken the place.
    if contents.voucher.is_some_and(|voucher| voucher.is_seat) {
        return Ok(());
    }
    let lines = contents.lines.iter().enumerate().filter(|(_, line)| line.upgrade_from.is_none());
    let needed: Vec<Needed> = lines
        .map(|(index, line)| Needed {
            line: index,
            subject: line.item.id,
            places: line.item.seats.unwrap_or(1),
        })
        .collect();
    let errors: Vec<FieldError> = places::sold_out(db, &needed, held_since, but_buyer)
        .await?
        .into_iter()
        .filter_map(|index| Some((index, contents.lines.get(index)?)))
        .map(|(index, line)| {
            FieldError::new(format!("items[{index}].id"), format!("{} is sold out", line.name))
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Refusal::InvalidItems { errors }.into()) }
}
