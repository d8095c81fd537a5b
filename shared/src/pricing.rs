//! Regional prices. Pure arithmetic: callers load the policy and the rates; no I/O here.

use std::collections::HashMap;

use chrono::{NaiveDate, TimeDelta};
use rust_decimal::prelude::ToPrimitive;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Serialize};

use crate::money::{Currency, Money};
use crate::region::Country;

/// Older exchange rates are not used.
const RATE_MAX_AGE: TimeDelta = TimeDelta::days(7);

/// One organisation's discounts and display currencies, by the visitor's country.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Policy {
    /// Indicates whether the policy applies at all.
    pub enabled: bool,
    /// The terms by country; other countries get no discount and see no other currency.
    pub countries: HashMap<Country, RegionalTerms>,
}

/// Terms that a policy grants to the visitors of one country.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegionalTerms {
    /// The discount in percent: 0 to 100, two decimals.
    pub percent_off: Decimal,
    /// Currency in which prices are also shown; None for no second price.
    pub display_currency: Option<Currency>,
}

/// One unit of `base` is `rate` units of `quote`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExchangeRate {
    /// The currency to convert from.
    pub base: Currency,
    /// The currency to convert to.
    pub quote: Currency,
    /// Units of `quote` for one unit of `base`.
    pub rate: Decimal,
    /// The day of the rate; it is used for seven days.
    pub as_of: NaiveDate,
}

/// The price that one visitor sees and pays, with the price before the discount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionalPrice {
    /// Price for the visitor.
    pub price: Money,
    /// The price before the discount.
    pub original: Money,
    /// The discount in percent: 0 to 100, without trailing zeros.
    pub discount_pct: Decimal,
}

impl Policy {
    fn terms(&self, country: Option<Country>) -> Option<&RegionalTerms> {
        if self.enabled { self.countries.get(&country?) } else { None }
    }

    /// Applies the country's discount: `original × (100 − percent) / 100`, rounded half-up to the minor unit.
    pub fn apply(&self, original: Money, country: Option<Country>) -> RegionalPrice {
        let percent = self.terms(country).map_or(Decimal::ZERO, |t| t.percent_off);
        let percent = percent.clamp(Decimal::ZERO, Decimal::ONE_HUNDRED);
        RegionalPrice { price: discounted(original, percent), original, discount_pct: percent.normalize() }
    }

    /// The price in the country's display currency, for display only: the buyer is never charged this amount.
    /// None if the country has no display currency, or `rates` has no rate of the last seven days.
    pub fn native(
        &self,
        price: Money,
        country: Option<Country>,
        rates: &[ExchangeRate],
        today: NaiveDate,
    ) -> Option<Money> {
        let display = self.terms(country)?.display_currency?;
        if display == price.currency() {
            return Some(price);
        }
        let fresh = |rate: &&ExchangeRate| {
            rate.base == price.currency() && rate.quote == display && today - rate.as_of <= RATE_MAX_AGE
        };
        let rate = rates.iter().find(fresh)?;
        Money::rounded(price.major().checked_mul(rate.rate)?, display).ok()
    }
}

/// A price less a discount of 0 to 100 percent, rounded half-up to the minor unit.
pub(crate) fn discounted(price: Money, percent: Decimal) -> Money {
    let left = price.major() * (Decimal::ONE_HUNDRED - percent) / Decimal::ONE_HUNDRED;
    // A share of a valid amount is a valid amount, so rounding cannot fail; the fallback is the full price.
    Money::rounded(left, price.currency()).unwrap_or(price)
}

/// The tax of a price at a rate in percent, in minor units and rounded half-up: contained in the price, or on top of it.
pub fn tax_of(price: i64, rate: Decimal, is_included: bool) -> i64 {
    let base = if is_included { Decimal::ONE_HUNDRED + rate } else { Decimal::ONE_HUNDRED };
    let tax = (Decimal::from(price) * rate / base)
        .round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero);
    tax.to_i64().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn policy(percent: Decimal, display: Option<&str>) -> Policy {
        let terms =
            RegionalTerms { percent_off: percent, display_currency: display.map(|c| c.parse().unwrap()) };
        Policy { enabled: true, countries: HashMap::from([("IN".parse().unwrap(), terms)]) }
    }

    fn india() -> Option<Country> {
        Some("IN".parse().unwrap())
    }

    fn usd(minor: i64) -> Money {
        Money::from_minor(minor, "USD".parse().unwrap()).unwrap()
    }

    proptest! {
        #[test]
        fn a_discount_is_never_negative_and_never_raises_a_price(
            minor in 0_i64..1_000_000_000_000, hundredths in 0_i64..=10_000,
            code in prop::sample::select(vec!["USD", "JPY", "KWD", "INR"]),
        ) {
            let original = Money::from_minor(minor, code.parse().unwrap()).unwrap();
            let policy = policy(Decimal::new(hundredths, 2), None);
            let shown = policy.apply(original, india());
            prop_assert!(shown.price.minor() >= 0 && shown.price.minor() <= original.minor());
            // Half-up on integers, without decimals: an independent computation of the same number.
            let exact = (i128::from(minor) * i128::from(10_000 - hundredths) + 5_000) / 10_000;
            prop_assert_eq!(i128::from(shown.price.minor()), exact);
            prop_assert_eq!(shown, policy.apply(original, india()));
        }
    }

    #[test]
    fn only_the_named_country_of_an_enabled_policy_gets_a_discount() {
        let mut policy = policy(Decimal::new(3333, 2), None);
        assert_eq!(policy.apply(usd(4999), india()).price, usd(3333));
        assert_eq!(policy.apply(usd(4999), Some("SE".parse().unwrap())).discount_pct, Decimal::ZERO);
        assert_eq!(policy.apply(usd(4999), None).price, usd(4999));
        policy.enabled = false;
        assert_eq!(policy.apply(usd(4999), india()).price, usd(4999));
    }

    #[test]
    fn a_native_amount_needs_a_rate_of_the_last_seven_days() {
        let today = NaiveDate::from_ymd_opt(2026, 3, 10).unwrap();
        let rate = |as_of| ExchangeRate {
            base: "USD".parse().unwrap(),
            quote: "JPY".parse().unwrap(),
            rate: "150.5".parse().unwrap(),
            as_of,
        };
        let policy = policy(Decimal::ZERO, Some("JPY"));
        let native = |days| policy.native(usd(1000), india(), &[rate(today - TimeDelta::days(days))], today);
        assert_eq!(native(7).unwrap().minor(), 1505);
        assert_eq!(native(8), None);
        assert_eq!(policy.native(usd(1000), india(), &[], today), None);
    }
}
