//! Checks that a basket's courses have places left.

use chrono::{DateTime, Utc};
use shared::messages::{FieldError, Refusal};
use sqlx::PgConnection;
use store::error::JobResult;
use store::model::line::NewContents;
use store::sales::places::{self, Needed};

/// Checks the places that a basket needs, in the transaction that stores its cart: no other checkout takes one of them until it
/// ends. `learner` is the learner who buys, who needs no second place in a course, and whose unpaid carts this basket replaces;
/// None for a guest, whose answer must not tell what the address has.
///
/// # Errors
/// `InvalidItems`, which names each item that is sold out.
pub async fn check(
    db: &mut PgConnection,
    contents: &NewContents<'_>,
    held_since: DateTime<Utc>,
    learner: Option<&str>,
) -> JobResult<()> {
    // The pool holds the place.
    if contents.voucher.is_some_and(|voucher| voucher.is_seat) {
        return Ok(());
    }
    let mut needed = Needed::by(contents);
    let held = contents.voucher.and_then(|voucher| voucher.place);
    needed.retain(|line| line.seats.is_some() || Some(line.subject) != held);
    let errors: Vec<FieldError> = places::sold_out(db, &needed, held_since, learner)
        .await?
        .into_iter()
        .filter_map(|index| Some((index, contents.lines.get(index)?)))
        .map(|(index, line)| {
            FieldError::new(format!("items[{index}].id"), format!("{} is sold out", line.name))
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Refusal::InvalidItems { errors }.into()) }
}
