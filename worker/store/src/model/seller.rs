//! Organisations as sellers.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use shared::region::Country;

/// An organisation as its invoices name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seller {
    pub legal_name: String,
    pub line1: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line2: Option<String>,
    pub city: String,
    pub postal_code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    pub country: Country,
    #[serde(default)]
    pub tax_ids: Vec<TaxId>,
    /// Prefix of invoices' numbers.
    pub invoice_prefix: String,
    pub credit_note_prefix: String,
    /// The month, from 1 to 12, in which numbers begin at 1 again.
    #[serde(default = "january")]
    pub fiscal_year_starts: u32,
    /// An IANA name; decides the dates of documents and of rates.
    pub time_zone: String,
    #[serde(default = "yes")]
    pub prices_include_tax: bool,
    /// A text at the end of each document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub footer: Option<String>,
}

/// Where buyers pay an organisation that takes the money itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankTransfer {
    /// The account as the buyer reads it, such as its holder, IBAN and BIC: a line each.
    pub lines: Vec<String>,
    /// Days from the checkout until the payment is due.
    #[serde(default = "two_weeks")]
    pub due_days: u16,
}

fn two_weeks() -> u16 {
    14
}

/// A number under which a seller is registered, such as a VAT ID.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaxId {
    pub name: String,
    pub value: String,
}

impl Seller {
    /// The day of a moment in the seller's time zone. The catalog takes known zones alone.
    pub fn day(&self, at: DateTime<Utc>) -> NaiveDate {
        at.with_timezone(&self.time_zone.parse().unwrap_or(Tz::UTC)).date_naive()
    }
}

fn january() -> u32 {
    1
}

fn yes() -> bool {
    true
}
