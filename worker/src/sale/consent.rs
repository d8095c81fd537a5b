//! Consents that a buyer must give, and whether the buyer has a right of withdrawal at all. Pure: callers load the terms.

use chrono::{DateTime, Utc};
use shared::messages::{BillingAddress, FieldError, Refusal};
use shared::region::Country;
use shared::withdrawal::{Agreed, Consent, Consents, Terms};

use super::basket::Quoted;
use super::buyer::Sale;

/// The terms of withdrawal for a quoted basket. None if its buyer has no such right: for what is free, for seats that are no gift, and
/// for companies.
pub fn terms<'a>(quoted: &'a Quoted<'_>, sale: Sale<'_>, is_gift: bool) -> Option<&'a Terms> {
    let is_consumers = !sale.billing_address.is_some_and(is_company);
    let is_own = is_gift || quoted.quote.lines.iter().any(|line| line.item.seats.is_none());
    let is_sold = quoted.quote.total.minor() > 0 && is_own && is_consumers;
    quoted
        .withdrawal
        .as_ref()
        .filter(|terms| is_sold && terms.apply_in(sale.buyer_country().map(Country::of_vat)))
}

/// Consents of a buyer.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    /// At the checkout, at this time.
    Now(Consents, DateTime<Utc>),
    /// At the time when the buyer filled the cart. It counts if the terms are still the same.
    Before(Option<&'a Agreed>),
}

impl Given<'_> {
    fn for_terms(self, terms: &Terms) -> Agreed {
        match self {
            Self::Now(given, at) => terms.agreed(given, at),
            Self::Before(None) => terms.agreed(Consents::default(), DateTime::UNIX_EPOCH),
            Self::Before(Some(agreed)) => terms.agreed(agreed.given_for(terms), agreed.at),
        }
    }
}

/// Freezes what a buyer agrees to. None if the buyer has no right of withdrawal.
///
/// # Errors
/// `InvalidRequest` with each required consent that is missing.
pub fn agreed(
    quoted: &Quoted<'_>,
    sale: Sale<'_>,
    is_gift: bool,
    given: Given<'_>,
) -> Result<Option<Agreed>, Refusal> {
    let Some(terms) = terms(quoted, sale, is_gift) else { return Ok(None) };
    let agreed = given.for_terms(terms);
    let missing = terms.required().into_iter().filter(|consent| !agreed.given().has(*consent));
    let errors: Vec<FieldError> = missing.map(fault).collect();
    if errors.is_empty() { Ok(Some(agreed)) } else { Err(Refusal::InvalidRequest { errors }) }
}

fn fault(consent: Consent) -> FieldError {
    FieldError::new(format!("consents.{}", <&str>::from(consent)), "must be true to buy this")
}

fn is_company(address: &BillingAddress) -> bool {
    address.company.is_some() || address.tax_id.as_ref().is_some_and(|id| !id.is_blank())
}
