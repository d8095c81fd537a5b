//! The records of a catalog file that decide prices: regional discounts, tax rates and exchange rates. And decimals as the file
//! writes them.

use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use shared::money::Currency;
use shared::region::Country;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PricingPolicy {
    pub organisation: String,
    pub enabled: bool,
    pub countries: Vec<PolicyCountry>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyCountry {
    pub country: Country,
    #[serde(with = "decimal")]
    pub percent_off: Decimal,
    pub display_currency: Option<Currency>,
}

/// The tax of an organisation's sales to one place, from a day on.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaxRate {
    pub organisation: String,
    pub country: Country,
    /// None: all states that have no rate of their own.
    pub state: Option<String>,
    /// In the seller's time zone.
    pub valid_from: NaiveDate,
    pub components: Vec<TaxComponent>,
    /// Note on the rate for invoices.
    pub note: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaxComponent {
    pub name: String,
    /// In percent.
    #[serde(with = "decimal")]
    pub rate: Decimal,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangeRate {
    pub base: Currency,
    pub quote: Currency,
    #[serde(with = "decimal")]
    pub rate: Decimal,
    pub as_of: Option<NaiveDate>,
}

/// Decimals as JSON numbers or strings, parsed from the text so that 49.99 does not become 49.9899….
pub(crate) mod decimal {
    use rust_decimal::Decimal;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
        shared::money::serialize_decimal(*value, serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        let text = match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::Number(number) => number.to_string(),
            serde_json::Value::String(text) => text,
            other => return Err(D::Error::custom(format!("{other} is not a decimal number"))),
        };
        text.parse().map_err(|_| D::Error::custom(format!("{text:?} is not a decimal number")))
    }
}

pub(super) mod optional_decimal {
    use rust_decimal::Decimal;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &Option<Decimal>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => super::decimal::serialize(value, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Decimal>, D::Error> {
        #[derive(Deserialize)]
        struct Present(#[serde(with = "super::decimal")] Decimal);
        Ok(Option::<Present>::deserialize(deserializer)?.map(|present| present.0))
    }
}
