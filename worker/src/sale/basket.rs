//! Prices a basket for its buyer, from the current offers, the courses that the buyer already holds, and a voucher.

use shared::messages::{BasketItem, BillingAddress, FieldError, ItemKind, Refusal};
use shared::region::Country;
use shared::withdrawal;
use sqlx::PgConnection;
use store::error::{JobError, JobResult};
use store::model::seller::Organisation;
use store::model::tax::{self, Place, TaxRate};
use store::model::vat::VatIds;
use store::sales::holdings::{self, Holdings, Owner};
use store::sales::offers::{self, Offers};
use uuid::Uuid;

use super::buyer::{Buyer, Sale};
use super::offer::Terms;
use super::quote::Quote;
use super::voucher_use;
use crate::enrollment::account_lookup::Address;
use crate::runtime::context::Context;

/// A quote, and what it depends on of what the buyer holds.
pub struct Quoted<'a> {
    pub quote: Quote,
    /// The organisation that sells.
    pub organisation: Organisation,
    /// The right of withdrawal that the organisation offers.
    pub withdrawal: Option<withdrawal::Terms>,
    owner: Option<Owner<'a>>,
    courses: Vec<Uuid>,
    programs: Vec<Uuid>,
    held: Holdings,
}

impl Quoted<'_> {
    /// Checks, in the transaction that uses the quote, that the buyer still holds the same.
    ///
    /// # Errors
    /// `Retry` if that has changed, and with it the price.
    pub async fn still_holds(&self, db: &mut PgConnection) -> JobResult<()> {
        let Some(owner) = self.owner else { return Ok(()) };
        match self.held == holdings::read(db, owner, &self.courses, &self.programs).await? {
            true => Ok(()),
            false => Err(JobError::Retry("what the buyer holds has changed since the quote".into())),
        }
    }
}

/// Prices a buyer's basket with a voucher. `address` is what is known of a learner's address.
///
/// # Errors
/// Those of [`prices`]; `InvalidRequest` if the voucher does not apply.
pub async fn quote<'a>(
    ctx: &Context,
    buyer: Buyer<'a>,
    address: Option<&Address>,
    items: &[BasketItem],
    voucher: Option<&str>,
) -> JobResult<Quoted<'a>> {
    let owner = buyer.owner(address);
    let Some(code) = voucher else { return prices(ctx, buyer.sale(), owner, items, false).await };
    let voucher = voucher_use::find(ctx, buyer.organisation_id, code, None).await?;
    let voucher = voucher.and_then(|voucher| voucher.for_buyer(buyer.email));
    let is_prepaid = voucher.as_ref().is_ok_and(|voucher| voucher.is_seat_for(items));
    let mut quoted = prices(ctx, buyer.sale(), owner, items, is_prepaid).await?;
    // Whether uses are left is asked once the checkout knows that it joins no attempt, which may have the last one.
    voucher
        .and_then(|voucher| quoted.quote.apply(&voucher, ctx.clock.now()))
        .map_err(voucher_use::refused)?;
    Ok(quoted)
}

/// Checks that the country of a billing address is one. The api has checked it, but a message can be of another
/// sender.
///
/// # Errors
/// `InvalidRequest` if it is not.
pub fn check_country(address: Option<&BillingAddress>) -> Result<(), Refusal> {
    let country = address.and_then(|address| address.country);
    country.map_or(Ok(()), Country::check).map_err(|error| {
        let errors = vec![FieldError::new("billing_address.country", error.to_string())];
        Refusal::InvalidRequest { errors }
    })
}

/// Checks that the state of a billing address is one, if the seller's tax depends on it.
///
/// # Errors
/// `InvalidRequest` if it is not.
pub fn check_state(place: Option<Place<'_>>, rates: &[TaxRate]) -> Result<(), Refusal> {
    let Some(Place { country, .. }) = place.filter(|place| tax::is_unknown_state(rates, *place)) else {
        return Ok(());
    };
    let message = format!(
        "is not a state of {country} by ISO 3166-2, on which the tax depends; write its name, or its code such as US-CA"
    );
    Err(Refusal::InvalidRequest { errors: vec![FieldError::new("billing_address.state", message)] })
}

/// Prices a basket without a voucher. What the owner holds reduces the price, unless a seat pays for it (`is_prepaid`). Asks VIES
/// about a buyer who may have to declare the tax.
///
/// # Errors
/// `OrganisationNotFound`, `InvalidItems` with each item that cannot be bought, or those of [`check_country`] and [`check_state`].
pub async fn prices<'a>(
    ctx: &Context,
    sale: Sale<'_>,
    owner: Option<Owner<'a>>,
    items: &[BasketItem],
    is_prepaid: bool,
) -> JobResult<Quoted<'a>> {
    check_country(sale.billing_address)?;
    let owner = owner.filter(|_| !is_prepaid);
    let program_ids = ids(items, ItemKind::Program);
    let (organisation_id, now) = (sale.organisation_id, ctx.clock.now());
    let (course_ids, place) = (ids(items, ItemKind::Course), sale.place());
    let country = place.map(|place| place.country);
    let offers = offers::read(&ctx.db, organisation_id, &course_ids, &program_ids, country, now).await?;
    let Offers { organisation, policy, courses, programs, seller, today, tax_rates, withdrawal } =
        offers.ok_or(Refusal::OrganisationNotFound)?;
    if seller.is_some() {
        check_state(place, &tax_rates)?;
    }
    let course_ids: Vec<Uuid> = courses.keys().copied().collect();
    let held = match owner {
        Some(owner) => {
            holdings::read(&mut *ctx.db.acquire().await?, owner, &course_ids, &program_ids).await?
        }
        None => Holdings::default(),
    };
    let mut terms = Terms {
        organisation_id,
        policy: &policy,
        country: sale.country,
        tax: seller.as_ref().map(|seller| sale.tax_terms(seller, tax_rates, today)),
        untaxed: None,
        courses: &courses,
        programs: &programs,
        held: &held,
        is_prepaid,
        now,
    };
    let new = |terms: &Terms<'_>| Quote::new(items, terms).map_err(|errors| Refusal::InvalidItems { errors });
    let mut quote = new(&terms)?;
    let vat_ids = seller.zip(sale.billing_address).and_then(|(seller, buyer)| VatIds::of(&seller, buyer));
    if let Some(vat_ids) = vat_ids.filter(|_| !is_prepaid && quote.is_taxed())
        && let Some(charged) = terms.tax.take()
    {
        let checked = charged.clone().checked(ctx.vies.check(&vat_ids, now).await);
        terms.untaxed = checked.reverse_charge().map(|_| charged);
        terms.tax = Some(checked);
        quote = new(&terms)?;
    }
    let (courses, programs) = (course_ids, program_ids);
    Ok(Quoted { quote, organisation, withdrawal, owner, courses, programs, held })
}

fn ids(items: &[BasketItem], kind: ItemKind) -> Vec<Uuid> {
    items.iter().filter(|item| item.kind == kind).map(|item| item.id).collect()
}
