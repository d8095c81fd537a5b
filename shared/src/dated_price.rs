//! Dated prices: which one holds, and the lowest one before a reduction. Pure arithmetic.

use chrono::{DateTime, TimeDelta, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::money::{Money, optional_decimal};
use crate::pricing::discounted;

/// A price that holds for a time instead of the full one, as the catalog file writes it and the database stores it. It has either a
/// `price` or a `percent_off`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(
        description = "A price that holds for a time instead of the full one: either a `price` or a `percent_off`."
    )
)]
pub struct DatedPrice {
    /// Name that buyers see. Those of one name do not overlap.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 64, example = "Early bird"))]
    pub name: String,
    /// The first instant at which it holds; None: it holds from the beginning of the sale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<DateTime<Utc>>,
    /// The first instant at which it holds no longer; None: it has no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<DateTime<Utc>>,
    /// In major units of the full price's currency, and below it.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, minimum = 0, example = 39.99))]
    #[serde(default, with = "optional_decimal", skip_serializing_if = "Option::is_none")]
    pub price: Option<Decimal>,
    /// The discount in percent, with at most two decimals.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>, exclusive_minimum = 0, maximum = 100))]
    #[serde(default, with = "optional_decimal", skip_serializing_if = "Option::is_none")]
    pub percent_off: Option<Decimal>,
}

/// Reason why dated prices cannot be those of a full price.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} {fault}")]
pub struct DatedPriceError {
    name: String,
    fault: String,
}

/// The price that holds at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresentPrice<'a> {
    /// Price at the instant, before any regional discount.
    pub price: Money,
    /// Price without dated prices.
    pub full: Money,
    /// The dated price that holds; None if the full one does.
    pub dated: Option<&'a DatedPrice>,
}

impl DatedPrice {
    /// The longest name.
    pub const LONGEST_NAME: usize = 64;

    fn holds(&self, now: DateTime<Utc>) -> bool {
        self.from.is_none_or(|from| from <= now) && self.until.is_none_or(|until| until > now)
    }

    /// The price instead of `full`, rounded half-up to the minor unit. None if the currency has no such amount.
    fn of(&self, full: Money) -> Option<Money> {
        match (self.price, self.percent_off) {
            (Some(price), None) => Money::from_major(price, full.currency()).ok(),
            (None, Some(percent)) => Some(discounted(full, percent)),
            _ => None,
        }
    }

    /// Checks the dated prices of one full price.
    ///
    /// # Errors
    /// The first price that is none, does not reduce the full one, ends before it begins, or overlaps with another of its name.
    pub fn check_all(prices: &[Self], full: Money) -> Result<(), DatedPriceError> {
        for (index, price) in prices.iter().enumerate() {
            let others = prices.iter().take(index);
            let fault = price.fault(full).or_else(|| {
                let overlaps = |other: &&Self| other.name == price.name && other.overlaps(price);
                others
                    .clone()
                    .any(|other| overlaps(&other))
                    .then(|| "overlaps with another of its name".to_owned())
            });
            if let Some(fault) = fault {
                return Err(DatedPriceError { name: price.name.clone(), fault });
            }
        }
        Ok(())
    }

    fn fault(&self, full: Money) -> Option<String> {
        let name = self.name.trim();
        if name.is_empty() || name.chars().count() > Self::LONGEST_NAME || name.contains(char::is_control) {
            return Some(format!("is not a name of 1 to {} characters", Self::LONGEST_NAME));
        }
        if let (Some(from), Some(until)) = (self.from, self.until)
            && until <= from
        {
            return Some("has an until that is not after its from".to_owned());
        }
        match (self.price, self.percent_off) {
            (Some(price), None) => match Money::from_major(price, full.currency()) {
                Err(error) => Some(format!("has a price that {error} ({})", full.currency())),
                Ok(price) if price.minor() >= full.minor() => Some(format!(
                    "has a price that is not below the full one of {}",
                    full.major().normalize()
                )),
                Ok(_) => None,
            },
            (None, Some(percent)) => {
                let fits = percent > Decimal::ZERO && percent <= Decimal::ONE_HUNDRED;
                (!fits || percent.normalize().scale() > 2).then(|| {
                    format!("has a percent_off of {percent}, not above 0, up to 100, with two decimals")
                })
            }
            _ => Some("needs either a price or a percent_off".to_owned()),
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let begins_before_end = |a: &Self, b: &Self| match (a.from, b.until) {
            (Some(from), Some(until)) => from < until,
            _ => true,
        };
        begins_before_end(self, other) && begins_before_end(other, self)
    }
}

impl<'a> PresentPrice<'a> {
    /// The lowest of a full price and the dated ones that hold. Of equally low ones, the one that holds longest names it.
    pub fn at(full: Money, dated: &'a [DatedPrice], now: DateTime<Utc>) -> Self {
        let holding = dated.iter().filter(|price| price.holds(now));
        let priced = holding.filter_map(|dated| Some((dated.of(full)?, dated)));
        let lower = priced.filter(|(price, _)| price.minor() < full.minor());
        let never = DateTime::<Utc>::MAX_UTC;
        let best = lower
            .min_by_key(|(price, dated)| (price.minor(), std::cmp::Reverse(dated.until.unwrap_or(never))));
        match best {
            Some((price, dated)) => Self { price, full, dated: Some(dated) },
            None => Self { price: full, full, dated: None },
        }
    }
}

/// The next instant after `now` at which a dated price begins or ends.
pub fn next_change(dated: &[DatedPrice], now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    dated.iter().flat_map(|price| [price.from, price.until]).flatten().filter(|at| *at > now).min()
}

/// Time before a reduction whose lowest price the buyer is told: Article 6a of Directive 98/6/EC, as Directive (EU) 2019/2161 added it.
const BEFORE_REDUCTION: TimeDelta = TimeDelta::days(30);

/// What something cost until a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerPrice {
    /// The full price.
    pub full: Money,
    /// Its dated prices.
    pub dated: Vec<DatedPrice>,
    /// When the change took its place.
    pub until: DateTime<Utc>,
}

/// The lowest price of the 30 days before the reduction that holds now; of several reductions that follow each other without a break,
/// before the first. `former` is ordered by time. None if nothing is known to have been sold at a full price before, or nothing is
/// reduced now.
pub fn lowest_before(
    full: Money,
    dated: &[DatedPrice],
    former: &[FormerPrice],
    now: DateTime<Utc>,
) -> Option<Money> {
    let former = former.iter().filter(|former| former.full.currency() == full.currency());
    let at = |at: DateTime<Utc>| match former.clone().find(|former| former.until > at) {
        Some(former) => PresentPrice::at(former.full, &former.dated, at),
        None => PresentPrice::at(full, dated, at),
    };
    let of_versions = former.clone().flat_map(|former| &former.dated).chain(dated);
    let begin_or_end = of_versions.flat_map(|price| [price.from, price.until]).flatten();
    let mut changes: Vec<DateTime<Utc>> =
        begin_or_end.chain(former.clone().map(|former| former.until)).filter(|at| *at <= now).collect();
    changes.sort_unstable();
    let reduced = changes.iter().rev().take_while(|change| at(**change).dated.is_some());
    let began = *reduced.last()?;
    let just_before = at(began - TimeDelta::microseconds(1));
    let window = changes.iter().copied().filter(|change| (began - BEFORE_REDUCTION..began).contains(change));
    let prices = window.chain([began - BEFORE_REDUCTION]).map(|change| at(change).price);
    prices.min_by_key(|price| price.minor()).filter(|_| just_before.dated.is_none())
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;

    fn usd(minor: i64) -> Money {
        Money::from_minor(minor, "USD".parse().unwrap()).unwrap()
    }

    fn day(day: u32) -> DateTime<Utc> {
        NaiveDate::from_ymd_opt(2026, 3, day).unwrap().and_hms_opt(0, 0, 0).unwrap().and_utc()
    }

    fn dated(name: &str, from: Option<u32>, until: Option<u32>, price: &str) -> DatedPrice {
        let (from, until) = (from.map(day), until.map(day));
        let (price, percent_off) = match price.strip_suffix('%') {
            Some(percent) => (None, Some(percent.parse().unwrap())),
            None => (Some(price.parse().unwrap()), None),
        };
        DatedPrice { name: name.to_owned(), from, until, price, percent_off }
    }

    #[test]
    fn the_lowest_price_holds_from_its_beginning_to_before_its_end() {
        let prices = [
            dated("early", None, Some(10), "20%"),
            dated("spring", Some(5), Some(8), "30"),
            dated("late", Some(8), Some(20), "39.99"),
            dated("also late", Some(8), Some(10), "39.99"),
            // Above the full price, as after a manager has lowered that: it does not raise the price.
            dated("high", None, None, "60"),
        ];
        let at = |at| {
            let present = PresentPrice::at(usd(4999), &prices, at);
            assert_eq!(present.full, usd(4999));
            (present.price.minor(), present.dated.map_or("", |dated| dated.name.as_str()))
        };
        let tick = TimeDelta::microseconds(1);
        assert_eq!(at(day(1)), (3999, "early"));
        assert_eq!(at(day(5) - tick), (3999, "early"));
        assert_eq!(at(day(5)), (3000, "spring"));
        assert_eq!(at(day(8) - tick), (3000, "spring"));
        assert_eq!(at(day(8)), (3999, "late"), "of three equal ones, the one that holds longest");
        assert_eq!(at(day(20)), (4999, ""));
        assert_eq!(next_change(&prices, day(1)), Some(day(5)));
        assert_eq!(next_change(&prices, day(5)), Some(day(8)));
        assert_eq!(next_change(&prices, day(10)), Some(day(20)));
        assert_eq!(next_change(&prices, day(20)), None);
    }

    #[test]
    fn the_lowest_price_of_the_30_days_before_a_reduction_is_known() {
        let lowest = |dated: &[DatedPrice], former: &[FormerPrice], now| {
            lowest_before(usd(5000), dated, former, now).map(|price| price.minor())
        };
        let until = |at, full, dated: &[DatedPrice]| FormerPrice {
            full: usd(full),
            dated: dated.to_vec(),
            until: at,
        };
        let sale = [dated("sale", Some(20), None, "20")];
        assert_eq!(lowest(&sale, &[], day(21)), Some(5000), "the full price, which nothing has changed");
        assert_eq!(lowest(&sale, &[], day(19)), None, "nothing is reduced yet");
        assert_eq!(
            lowest(&[dated("sale", None, None, "20")], &[], day(21)),
            None,
            "it was never sold at a full price"
        );
        // 40.00 until the 10th, then 50.00: the reduction of the 20th is one of 40.00.
        assert_eq!(lowest(&sale, &[until(day(10), 4000, &[])], day(21)), Some(4000));
        // 30 days and an instant before: no more.
        let long_ago = day(20) - TimeDelta::days(30);
        assert_eq!(lowest(&sale, &[until(long_ago, 4000, &[])], day(21)), Some(5000));
        assert_eq!(
            lowest(&sale, &[until(long_ago + TimeDelta::microseconds(1), 4000, &[])], day(21)),
            Some(4000)
        );
        // An earlier sale counts, one that leads into this one does not.
        let earlier = [dated("flash", Some(12), Some(13), "10"), sale[0].clone()];
        assert_eq!(lowest(&earlier, &[], day(21)), Some(1000));
        let stepwise = [dated("first", Some(18), Some(20), "30"), sale[0].clone()];
        assert_eq!(lowest(&stepwise, &[], day(21)), Some(5000));
        // A sale that an operator took out of the catalog meanwhile, and one in another currency.
        assert_eq!(
            lowest(&sale, &[until(day(15), 5000, &[dated("gone", Some(11), None, "15")])], day(21)),
            Some(1500)
        );
        let euros = FormerPrice {
            full: Money::from_minor(100, "EUR".parse().unwrap()).unwrap(),
            dated: Vec::new(),
            until: day(15),
        };
        assert_eq!(lowest(&sale, &[euros], day(21)), Some(5000));
    }

    #[test]
    fn a_dated_price_that_cannot_be_is_named() {
        let cases = [
            (
                vec![dated("x", None, None, "49.989")],
                r#""x" has a price that has more digits than its currency (USD)"#,
            ),
            (
                vec![dated("x", None, None, "49.99")],
                r#""x" has a price that is not below the full one of 49.99"#,
            ),
            (
                vec![dated("x", None, None, "0%")],
                r#""x" has a percent_off of 0, not above 0, up to 100, with two decimals"#,
            ),
            (
                vec![dated("x", None, None, "100.01%")],
                r#""x" has a percent_off of 100.01, not above 0, up to 100, with two decimals"#,
            ),
            (vec![dated("x", Some(5), Some(5), "1")], r#""x" has an until that is not after its from"#),
            (vec![dated(" ", None, None, "1")], r#"" " is not a name of 1 to 64 characters"#),
            (
                vec![dated("x", None, Some(5), "1"), dated("x", Some(4), None, "2")],
                r#""x" overlaps with another of its name"#,
            ),
        ];
        for (prices, fault) in cases {
            assert_eq!(DatedPrice::check_all(&prices, usd(4999)).unwrap_err().to_string(), fault);
        }
        let neither = DatedPrice { price: None, ..dated("x", None, None, "1") };
        let fault = DatedPrice::check_all(&[neither], usd(4999)).unwrap_err().to_string();
        assert_eq!(fault, r#""x" needs either a price or a percent_off"#);
        let fine =
            [dated("x", None, Some(5), "1"), dated("x", Some(5), None, "2"), dated("y", None, None, "100%")];
        DatedPrice::check_all(&fine, usd(4999)).unwrap();
    }
}
