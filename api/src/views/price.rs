//! JSON of the price fields that courses and programs share, as one visitor sees them at present.

use std::cell::Cell;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Serialize, Serializer};
use shared::dated_price::{self, DatedPrice, PresentPrice};
use shared::ids::OrganisationId;
use shared::money::{Amount, Money, serialize_decimal};
use shared::pricing::{Policy, RegionalPrice};
use shared::region::Country;
use utoipa::ToSchema;

use crate::queries::courses::{Course, Mode, Price};
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
    /// The full price: before the regional discount and without a dated price.
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
    /// The dated price that holds. Left out if the full one does.
    #[serde(rename = "datedPrice", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) dated_price: Option<HoldingPrice>,
}

/// A dated price that holds.
#[derive(Debug, Serialize, ToSchema)]
pub struct HoldingPrice {
    #[schema(example = "Early bird")]
    name: String,
    /// The instant from which on it holds no longer; null if it has no end.
    until: Option<DateTime<Utc>>,
    /// The lowest price of the 30 days before the reduction, which sellers in the EU must state beside it (Directive 98/6/EC, Article 6a),
    /// in the same way as `price`. Left out for other sellers, and if it was never sold at a full price before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, nullable = false, minimum = 0, example = 49.99)]
    lowest_before: Option<Amount>,
}

/// The price of an item for the visitor.
pub struct Shown<'p> {
    pub price: RegionalPrice,
    /// The dated price that holds.
    pub dated: Option<&'p DatedPrice>,
    /// The lowest price before it, for the visitor.
    pub lowest_before: Option<Money>,
}

impl Shown<'_> {
    /// The dated price that holds; `written` is how the answer writes a price.
    pub fn holding(&self, written: impl Fn(Money) -> Amount) -> Option<HoldingPrice> {
        self.dated.map(|dated| HoldingPrice {
            name: dated.name.clone(),
            until: dated.until,
            lowest_before: self.lowest_before.map(written),
        })
    }
}

pub(super) fn number<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    serialize_decimal(*value, serializer)
}

/// Everything that a price depends on besides the item.
#[derive(Clone, Copy)]
pub struct Pricing<'a> {
    book: &'a PriceBook,
    country: Option<Country>,
    now: DateTime<Utc>,
    until: &'a Until,
}

/// The next instant at which one of the prices that were shown is another.
#[derive(Debug, Default)]
pub struct Until(Cell<Option<DateTime<Utc>>>);

impl Until {
    fn at_most(&self, at: Option<DateTime<Utc>>) {
        self.0.set(self.0.get().into_iter().chain(at).min());
    }

    pub fn get(&self) -> Option<DateTime<Utc>> {
        self.0.get()
    }
}

impl<'a> Pricing<'a> {
    /// `until` is told when the prices that are shown change.
    pub fn new(book: &'a PriceBook, country: Option<Country>, now: DateTime<Utc>, until: &'a Until) -> Self {
        Self { book, country, now, until }
    }

    /// The price that holds at present, before the regional discount.
    fn at_present<'p>(&self, price: &'p Price) -> PresentPrice<'p> {
        self.until.at_most(dated_price::next_change(&price.dated, self.now));
        PresentPrice::at(price.full, &price.dated, self.now)
    }

    /// A present price after the discount of the organisation that owns the item.
    pub fn of<'p>(&self, organisation: OrganisationId, stored: &'p Price) -> Shown<'p> {
        let PresentPrice { price, full, dated } = self.at_present(stored);
        let none = Policy::default();
        let policy = self.book.policies.get(&organisation).unwrap_or(&none);
        let former = stored.former.as_ref().filter(|_| dated.is_some());
        let lowest =
            former.and_then(|former| dated_price::lowest_before(full, &stored.dated, former, self.now));
        Shown {
            price: RegionalPrice { original: full, ..policy.apply(price, self.country) },
            dated,
            lowest_before: lowest.map(|lowest| policy.apply(lowest, self.country).price),
        }
    }

    /// Sorts modes by their present price, equal ones by name.
    pub fn cheapest_first(&self, modes: &mut [Mode]) {
        if modes.iter().any(|mode| !mode.price.dated.is_empty()) {
            modes.sort_by_cached_key(|mode| (self.at_present(&mode.price).price.major(), mode.slug.clone()));
        }
    }

    /// The course with its modes in the order of their present prices, and with the price of the first.
    pub fn course(&self, mut course: Course) -> Course {
        if course.row.has_dated_prices {
            self.cheapest_first(&mut course.modes);
            let cheapest = course.modes.first();
            course.row.course_mode = cheapest.map(|mode| mode.slug.clone());
            course.price = cheapest.map(|mode| mode.price.clone());
        }
        course
    }

    pub fn fields(&self, organisation: OrganisationId, price: Option<&Price>) -> PriceFields {
        let Some(price) = price else {
            return PriceFields {
                price: None,
                currency: None,
                original_price: None,
                discount_pct: Decimal::ZERO,
                native_currency: None,
                native_amount: None,
                dated_price: None,
            };
        };
        let of_visitor = self.of(organisation, price);
        let shown = of_visitor.price;
        let policy = self.book.policies.get(&organisation);
        let native =
            policy.and_then(|p| p.native(shown.price, self.country, &self.book.rates, self.now.date_naive()));
        PriceFields {
            price: Some(Amount(shown.price)),
            currency: Some(price.full.currency().code()),
            original_price: Some(Amount(shown.original)),
            discount_pct: shown.discount_pct,
            native_currency: native.map(|money| money.currency().code()),
            native_amount: native.map(Amount),
            dated_price: of_visitor.holding(Amount),
        }
    }
}
