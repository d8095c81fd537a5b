//! The records of a catalog file that decide prices: regional discounts, tax rates and exchange rates.

use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use shared::money::Currency;
use shared::region::Country;
use store::model::decimal;

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
    /// None: all places that have no rate of their own.
    pub state: Option<String>,
    /// Prefixes of the postal codes that are of the state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub postal_codes: Vec<String>,
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
