//! Organisations as sellers.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use shared::email::Email;
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
    /// Where buyers write to. Mails name it and are answered there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Email>,
    /// A text at the end of each document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub footer: Option<String>,
}

/// Account to which buyers pay an organisation that takes the money itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankTransfer {
    /// The account as the buyer reads it, such as its holder, IBAN and BIC: a line each.
    pub lines: Vec<String>,
    /// Days from the checkout until the payment is due.
    #[serde(default = "two_weeks")]
    pub due_days: u16,
    /// None: nothing is sold on account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_account: Option<OnAccount>,
}

/// Terms of orders on account: a company gets its invoice at once, and pays it later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnAccount {
    /// Days from the checkout until the invoice is due.
    #[serde(default = "thirty")]
    pub due_days: u16,
    /// For companies that are not named. None: only those that are may buy on account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<Grant>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub companies: Vec<Company>,
}

/// A company with terms of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Company {
    /// As in its billing address; letter case, spaces and punctuation make no difference.
    pub tax_id: String,
    pub grant: Grant,
    /// None: as for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_days: Option<u16>,
}

/// Point at which the access of an order on account begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Grant {
    Now,
    /// Once the invoice is paid.
    Paid,
}

impl OnAccount {
    /// The terms of a company, by its tax ID: when access begins, and the days until the invoice is due. None if it cannot buy on
    /// account.
    pub fn terms(&self, tax_id: Option<&str>) -> Option<(Grant, u16)> {
        let plain = |text: &str| -> String {
            text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_uppercase).collect()
        };
        let tax_id = tax_id.map(plain).filter(|tax_id| !tax_id.is_empty());
        let named = self.companies.iter().find(|company| Some(plain(&company.tax_id)) == tax_id);
        match named {
            Some(company) => Some((company.grant, company.due_days.unwrap_or(self.due_days))),
            None => self.grant.map(|grant| (grant, self.due_days)),
        }
    }
}

fn thirty() -> u16 {
    30
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
