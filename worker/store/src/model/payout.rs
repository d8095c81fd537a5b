//! Payouts of a provider and the movements in each, as the provider states them, and how the two are compared. Pure.

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use shared::money::Currency;
pub use shared::words::{PayoutMovementKind as Kind, PayoutStatus as State};

/// A payout as the provider lists it.
#[derive(Clone, Debug)]
pub struct Payout {
    pub reference: String,
    pub state: State,
    /// In minor units.
    pub minor: i64,
    pub currency: Currency,
    pub made_at: DateTime<Utc>,
    /// The day on which the bank has it.
    pub bank_day: Option<NaiveDate>,
    pub bank_reference: Option<String>,
    /// Indicates whether the provider says which movements are in it.
    pub is_itemised: bool,
}

/// A movement in a payout, or several that the provider has added up.
#[derive(Clone, Debug, PartialEq)]
pub struct Movement {
    /// Unique in the payout.
    pub reference: String,
    pub kind: Kind,
    /// The provider's own word.
    pub provider_kind: String,
    /// A balance that the payout is not made from; None: the one that it is made from.
    pub balance: Option<String>,
    /// The number of movements that it adds up.
    pub items: i64,
    /// Without the fee, in minor units, with all decimals of the provider.
    pub gross: Decimal,
    /// What the provider keeps, tax included.
    pub fee: Decimal,
    /// The tax in the fee.
    pub fee_tax: Decimal,
    pub currency: Currency,
    pub moved_at: Option<DateTime<Utc>>,
    pub about: About,
}

/// What a movement is about, by the provider's ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    pub payment: Option<String>,
    pub refund: Option<String>,
    pub dispute: Option<String>,
}

/// Result of comparing a payout with the sum of its movements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// They agree, but for this part of a minor unit.
    Agrees { rounding: Decimal },
    /// They differ by this many minor units.
    Differs(Decimal),
}

/// Compares a payout with the exact sum of its movements, which is rounded once. Half a minor unit may have been rounded either way.
pub fn compare(minor: i64, sum: Decimal) -> Comparison {
    let difference = (Decimal::from(minor) - sum).normalize();
    if difference.abs() * Decimal::TWO <= Decimal::ONE {
        Comparison::Agrees { rounding: difference }
    } else {
        Comparison::Differs(difference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_rounded_once_and_anything_more_is_a_difference() {
        // The example of Mollie's client adds up to 39.754 and pays 39.75.
        for (minor, sum, expected) in [
            (3_975, "3975.4", Ok("-0.4")),
            (3_975, "3974.5", Ok("0.5")),
            (3_975, "3975.50", Ok("-0.5")),
            (3_975, "3975", Ok("0")),
            (3_975, "3975.51", Err("-0.51")),
            (3_975, "3970", Err("5")),
            (-200, "-200", Ok("0")),
        ] {
            let expected = match expected {
                Ok(rounding) => Comparison::Agrees { rounding: rounding.parse().unwrap() },
                Err(difference) => Comparison::Differs(difference.parse().unwrap()),
            };
            assert_eq!(compare(minor, sum.parse().unwrap()), expected, "{minor} {sum}");
        }
    }
}
