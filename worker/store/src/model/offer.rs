//! The modes in which a course is sold, and the price by which lists know it.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::Deserialize;
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::dated_price::{self, DatedPrice, PresentPrice};
use shared::money::Money;

/// A mode of a course, with its price.
#[derive(Clone, Debug, Deserialize)]
pub struct ModeOffer {
    pub mode: CourseMode,
    /// The full price.
    pub price: Money,
    pub dated_prices: Vec<DatedPrice>,
    #[serde(flatten)]
    pub access: AccessPeriod,
    pub visible: bool,
    pub expires_at: Option<DateTime<Utc>>,
}

/// The cheapest mode of a course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cheapest {
    pub mode: CourseMode,
    /// The full price.
    pub price: Money,
    /// The present price in major units.
    pub order: Decimal,
}

impl ModeOffer {
    /// Returns whether it is still sold, alone or in a program, which has a period of access of its own.
    pub fn is_unexpired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_none_or(|end| end > now)
    }

    fn is_sold_alone(&self, now: DateTime<Utc>) -> bool {
        self.visible && self.is_unexpired(now) && !self.access.is_over(now)
    }

    /// The price at an instant.
    pub fn price_at(&self, now: DateTime<Utc>) -> PresentPrice<'_> {
        PresentPrice::at(self.price, &self.dated_prices, now)
    }
}

/// The cheapest of the modes that are sold; None if there is none. Prices are compared as displayed, equal ones by their mode.
pub fn cheapest(modes: &[ModeOffer], now: DateTime<Utc>) -> Option<Cheapest> {
    let sold = modes.iter().filter(|offer| offer.is_sold_alone(now));
    let priced = sold.map(|offer| Cheapest {
        mode: offer.mode,
        price: offer.price,
        order: offer.price_at(now).price.major(),
    });
    priced.min_by_key(|cheapest| (cheapest.order, cheapest.mode.slug()))
}

/// The next instant after `now` at which the cheapest mode may be another: one expires, or a dated price begins or ends.
pub fn next_change(modes: &[ModeOffer], now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let sold = modes.iter().filter(|offer| offer.is_sold_alone(now));
    sold.flat_map(|offer| {
        [offer.expires_at, offer.access.until, dated_price::next_change(&offer.dated_prices, now)]
    })
    .flatten()
    .min()
}
