//! Makes the pools of the seats that a cart has bought.

use shared::email::Email;
use shared::ids::{CartId, OrganisationId, VoucherId};
use shared::messages::{Mail, SeatsReady, VoucherTerms};
use shared::money::Currency;
use shared::voucher::Code;
use sqlx::PgConnection;
use store::error::{JobError, JobResult};
use store::money::transactions;
use store::plumbing::audit::Cause;
use store::plumbing::mails;
use store::sales::seats::{self, SeatLine};
use store::sales::vouchers::{self, Amounts, NewVouchers, Owner};
use texts::Language;

use super::gifts;

/// The buyer of seats, and the cart that pays for them.
pub struct SeatsBought<'a> {
    pub cart_id: CartId,
    pub organisation_id: OrganisationId,
    pub email: &'a Email,
    /// As in `carts.buyer`.
    pub buyer: &'a str,
    /// As the buyer has chosen it.
    pub language: Option<&'a Language>,
    pub currency: Currency,
}

/// Makes a pool of the seats of each line of a cart, and mails its code to the buyer. A line that has a pool keeps it.
///
/// # Errors
/// `Conflict` if a generated code exists already: the job runs again.
pub async fn make(db: &mut PgConnection, bought: &SeatsBought<'_>, cause: Cause) -> JobResult<()> {
    for line in seats::lines(db, bought.cart_id).await? {
        let SeatLine { position, item, name, seats, access_until } = line;
        let terms = VoucherTerms { valid_until: access_until, ..VoucherTerms::seats(item, seats) };
        let amounts = Amounts { currency: bought.currency, amount: None, budget: None };
        let owner =
            Owner { email: bought.email, buyer: bought.buyer, line: Some((bought.cart_id, position)) };
        let (id, code) = (VoucherId::generate(), Code::generate());
        let pool = NewVouchers {
            organisation_id: bought.organisation_id,
            codes: &[(id, code.clone())],
            terms: &terms,
            amounts: &amounts,
            owner: Some(&owner),
        };
        if vouchers::insert(db, &pool, cause).await? == 0 {
            return Err(JobError::Conflict("a generated code exists already".into()));
        }
        let gift = gifts::schedule(db, bought.cart_id, cause).await?;
        let ready = SeatsReady {
            organisation_id: bought.organisation_id,
            voucher_id: id,
            code: code.into(),
            item: name,
            seats,
            gift,
        };
        mails::push(db, bought.email, Mail::SeatsReady(ready), bought.language, cause.now).await?;
    }
    Ok(())
}

/// Withdraws the seats of a refund that was asked for before the cart had its pools.
pub async fn withdraw_asked(db: &mut PgConnection, cart_id: CartId) -> JobResult<()> {
    let Some(transaction) = transactions::of_locked_cart(db, cart_id).await? else { return Ok(()) };
    match store::money::refunds::asked(db, transaction.id).await? {
        Some(refund) => seats::withdraw_for(db, refund.id).await,
        None => Ok(()),
    }
}
