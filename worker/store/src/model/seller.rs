//! Organisations as sellers.

use icu_time::TimeZone;
use icu_time::zone::iana::IanaParserExtended;
use serde::{Deserialize, Deserializer, Serialize};
use shared::email::Email;
use shared::money::Currency;
use shared::region::Country;
use shared::service_code::ServiceCode;
use shared::tax_id::{TaxId, VatId};
use sqlx::types::Json;

use super::tax::Place;

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
    pub tax_ids: Vec<Registration>,
    /// Prefix of invoices' numbers.
    pub invoice_prefix: String,
    pub credit_note_prefix: String,
    /// The month, from 1 to 12, in which numbers begin at 1 again.
    #[serde(default = "january")]
    pub fiscal_year_starts: u32,
    /// An IANA name; decides the dates of documents and of rates.
    #[serde(deserialize_with = "time_zone")]
    pub time_zone: String,
    #[serde(default = "yes")]
    pub prices_include_tax: bool,
    #[serde(default, skip_serializing_if = "Issuer::is_own")]
    pub documents: Issuer,
    /// The currency of its state, in which documents in another one state the VAT of that state, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vat_currency: Option<Currency>,
    /// What it sells, where a course or program says nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_code: Option<ServiceCode>,
    /// Person or department that buyers of an invoice ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// Indicates whether each document carries the digest of the one before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chained: bool,
    /// URL in the QR code of a document, with names in braces for what differs from document to document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qr_url: Option<String>,
    /// Where buyers write to. Mails name it and are answered there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Email>,
    /// A text at the end of each document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub footer: Option<String>,
}

/// Who issues a seller's invoices and credit notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Issuer {
    /// The storefront alone.
    #[default]
    Own,
    /// The storefront, under its own numbers, once an authority has cleared them.
    Cleared,
    /// Another program, under its own numbers.
    External,
}

impl Issuer {
    fn is_own(&self) -> bool {
        *self == Self::Own
    }
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

/// Facts that a payment request needs of an organisation: the name that buyers see, the URL they return to, the gateway, and the terms
/// of orders on account.
pub struct Organisation {
    pub name: String,
    pub return_url: String,
    pub gateway: Option<String>,
    /// None if it sells nothing on account, or issues no invoices.
    pub on_account: Option<Json<OnAccount>>,
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
    pub tax_id: TaxId,
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
    pub fn terms(&self, tax_id: Option<&TaxId>) -> Option<(Grant, u16)> {
        let tax_id = tax_id.filter(|tax_id| !tax_id.is_blank()).map(TaxId::plain);
        let named = self.companies.iter().find(|company| Some(company.tax_id.plain()) == tax_id);
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
pub struct Registration {
    pub name: String,
    pub value: TaxId,
}

impl Seller {
    /// The VAT ID of a seller in the EU, among the numbers under which it is registered.
    pub fn vat_id(&self) -> Option<VatId> {
        self.tax_ids.iter().filter_map(|id| id.value.vat_id(self.country)).find(VatId::is_of_eu)
    }

    /// The seller's own place, whose rates apply to buyers whose country is unknown.
    pub fn place(&self) -> Place<'_> {
        let country = self.country.of_vat();
        Place { country, state: self.state.as_deref(), postal_code: Some(&self.postal_code) }
    }
}

/// The part of a seller's record that mails show. Other parts, which a newer version may have added, are not read.
#[derive(Clone, Debug, Deserialize)]
pub struct Contact {
    pub legal_name: String,
    pub line1: String,
    pub line2: Option<String>,
    pub city: String,
    pub postal_code: String,
    pub state: Option<String>,
    pub country: Country,
    /// Where buyers write to.
    pub email: Option<Email>,
}

impl From<&Seller> for Contact {
    fn from(seller: &Seller) -> Self {
        let Seller { legal_name, line1, line2, city, postal_code, state, country, email, .. } =
            seller.clone();
        Self { legal_name, line1, line2, city, postal_code, state, country, email }
    }
}

impl Contact {
    /// The legal name and the postal address, a line each. `country`: its name in the reader's language.
    pub fn lines(self, country: String) -> Vec<String> {
        let place = format!("{} {}", self.postal_code, self.city);
        let country = self.state.into_iter().chain([country]).collect::<Vec<_>>().join(", ");
        [Some(self.legal_name), Some(self.line1), self.line2, Some(place), Some(country)]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// The present name of a zone. The names of the past are read as well, but not every server knows them, and PostgreSQL takes some,
/// such as CET, for abbreviations, which have no summer time. The database may know a name that is unknown here.
fn time_zone<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    let zone = IanaParserExtended::new().parse(&name);
    Ok(match zone.canonical {
        _ if zone.time_zone == TimeZone::UNKNOWN => name,
        "Etc/UTC" => "UTC".to_owned(),
        present => present.to_owned(),
    })
}

fn january() -> u32 {
    1
}

fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};

    use super::*;

    fn stored(name: &str) -> String {
        let deserializer: StrDeserializer<'_, Error> = name.into_deserializer();
        time_zone(deserializer).unwrap()
    }

    #[test]
    fn a_zone_has_its_present_name() {
        for (name, present) in [
            ("Asia/Calcutta", "Asia/Kolkata"),
            ("Asia/Katmandu", "Asia/Kathmandu"),
            ("Asia/Saigon", "Asia/Ho_Chi_Minh"),
            ("America/Buenos_Aires", "America/Argentina/Buenos_Aires"),
            ("Europe/Kiev", "Europe/Kyiv"),
            ("US/Eastern", "America/New_York"),
            ("GB", "Europe/London"),
            ("CET", "Europe/Brussels"),
            ("EST", "America/Panama"),
            ("Zulu", "UTC"),
            ("UTC", "UTC"),
            ("europe/berlin", "Europe/Berlin"),
            ("America/Vancouver", "America/Vancouver"),
            // Unknown here: the database decides.
            ("Mars/Olympus", "Mars/Olympus"),
        ] {
            assert_eq!(stored(name), present);
        }
    }
}
