//! The VAT of a document in the currency of the seller's state (directive 2006/112/EC, articles 91 and 230).

use chrono::NaiveDate;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Serialize};
use shared::money::Currency;

use super::decimal;

/// Conversion of the VAT that an invoice needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Conversion {
    NotNeeded,
    /// No rate of the day, or of the days shortly before it, is on record.
    Missing,
    At(DayRate),
}

/// Exchange rate of a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DayRate {
    /// The currency of the seller's state.
    pub currency: Currency,
    /// Units of it for one of the document's currency.
    #[serde(with = "decimal")]
    pub rate: Decimal,
    pub day: NaiveDate,
    /// Publisher of the rate, such as a central bank.
    pub source: String,
}

impl DayRate {
    /// A VAT in the other currency, in major units, rounded half-up to its minor unit.
    pub fn convert(&self, vat: Decimal) -> Decimal {
        let converted = vat.checked_mul(self.rate).unwrap_or_default();
        converted.round_dp_with_strategy(self.currency.digits(), RoundingStrategy::MidpointAwayFromZero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vat_has_the_digits_of_the_other_currency() {
        for (currency, rate, vat, converted) in [
            ("SEK", "11.0235", "31.77", "350.22"),
            ("SEK", "0.5", "0.01", "0.01"),
            ("ISK", "149.5", "1", "150"),
            ("KWD", "0.335", "1.01", "0.338"),
        ] {
            let rate = DayRate {
                currency: currency.parse().unwrap(),
                rate: rate.parse().unwrap(),
                day: NaiveDate::MIN,
                source: "ECB".into(),
            };
            assert_eq!(rate.convert(vat.parse().unwrap()).to_string(), converted, "{currency}");
        }
    }
}
