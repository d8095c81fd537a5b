//! JSON of the price fields that courses and programs share, as one visitor sees them.

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde::{Serialize, Serializer};
use shared::ids::OrganisationId;
use shared::money::{Amount, Money, serialize_decimal};
use shared::pricing::RegionalPrice;
use shared::region::Country;
use utoipa::ToSchema;

use crate::queries::pricing::PriceBook;

/// The lowest visible price, after the regional discount of the organisation that owns the item.
#[derive(Debug, Serialize, ToSchema)]
pub struct PriceFields {
    /// In major units, with at most the currency's digits; null if nothing can be bought.
    #[schema(value_type = Option<f64>, minimum = 0, example = 49.99)]
    pub(super) price: Option<Amount>,
    /// ISO 4217; null without a price.
    #[schema(value_type = Option<String>, pattern = "^[A-Z]{3}$", example = "USD")]
    pub(super) currency: Option<&'static str>,
    /// The price before the regional discount.
    #[serde(rename = "originalPrice")]
    #[schema(value_type = Option<f64>, minimum = 0, example = 49.99)]
    pub(super) original_price: Option<Amount>,
    /// The regional discount in percent; 0 without one.
    #[serde(rename = "discountPct", serialize_with = "number")]
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 0)]
    pub(super) discount_pct: Decimal,
    /// The currency of `nativeAmount`. Left out without an exchange rate of the last 7 days.
    #[serde(rename = "nativeCurrency", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false, pattern = "^[A-Z]{3}$", example = "INR")]
    pub(super) native_currency: Option<&'static str>,
    /// The price in the visitor's currency, as a hint: the buyer does not pay this amount. Left out together with
    /// `nativeCurrency`.
    #[serde(rename = "nativeAmount", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, nullable = false, minimum = 0)]
    pub(super) native_amount: Option<Amount>,
}

pub(super) fn number<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    serialize_decimal(*value, serializer)
}

/// Everything that a price depends on besides the item.
#[derive(Clone, Copy)]
pub struct Pricing<'a> {
    book: &'a PriceBook,
    country: Option<Country>,
    today: NaiveDate,
}

impl<'a> Pricing<'a> {
    pub fn new(book: &'a PriceBook, country: Option<Country>, now: DateTime<Utc>) -> Self {
        Self { book, country, today: now.date_naive() }
    }

    /// A price after the discount of the organisation that owns the item.
    pub fn of(&self, organisation: OrganisationId, original: Money) -> RegionalPrice {
        let none = shared::pricing::Policy::default();
        self.book.policies.get(&organisation).unwrap_or(&none).apply(original, self.country)
    }

    pub fn fields(&self, organisation: OrganisationId, original: Option<Money>) -> PriceFields {
        let Some(original) = original else {
            return PriceFields {
                price: None,
                currency: None,
                original_price: None,
                discount_pct: Decimal::ZERO,
                native_currency: None,
                native_amount: None,
            };
        };
        let shown = self.of(organisation, original);
        let policy = self.book.policies.get(&organisation);
        let native = policy.and_then(|p| p.native(shown.price, self.country, &self.book.rates, self.today));
        PriceFields {
            price: Some(Amount(shown.price)),
            currency: Some(original.currency().code()),
            original_price: Some(Amount(shown.original)),
            discount_pct: shown.discount_pct,
            native_currency: native.map(|money| money.currency().code()),
            native_amount: native.map(Amount),
        }
    }
}
