//! VAT IDs of the EU, and the sales for which VIES is asked about one: those whose tax the buyer may have to declare. Pure:
//! callers ask VIES.
//!
//! The rule: a business is taxed on services in its own member state, and declares that tax itself if the seller is established in
//! another one (articles 44 and 196 of Directive 2006/112/EC).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::messages::{BillingAddress, ReverseCharge, ReverseChargeStatus};
use shared::region::Country;

use super::seller::Seller;

/// The member states as VIES names them: Greece, GR in ISO 3166-1, is EL. Northern Ireland (XI) counts for goods only.
pub const MEMBER_STATES: [&str; 27] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "EL", "ES", "FI", "FR", "HR", "HU", "IE", "IT", "LT",
    "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
];

/// A number under which a business of the EU is registered for VAT. Its form is known, not whether it is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VatId {
    /// One of [`MEMBER_STATES`].
    pub member_state: &'static str,
    pub number: String,
}

/// Seller and buyer of a sale whose tax the buyer may have to declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VatIds {
    pub seller: VatId,
    pub buyer: VatId,
}

/// Answer of VIES about the VAT ID of a buyer, and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VatCheck {
    pub status: ReverseChargeStatus,
    /// As VIES was asked.
    pub vat_id: String,
    /// Proves that VIES said it; there is one whenever `status` is `applied`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consultation_number: Option<String>,
    pub checked_at: DateTime<Utc>,
}

impl VatId {
    /// Reads a number with the prefix of this country, as people write it: with spaces, dots or hyphens in any place.
    fn of(country: Country, text: &str) -> Option<Self> {
        let country = country.of_vat().to_string();
        let prefix = if country == "GR" { "EL" } else { &country };
        let member_state = MEMBER_STATES.into_iter().find(|state| *state == prefix)?;
        let text: String = text.chars().filter(|letter| !" .-".contains(*letter)).collect();
        let text = text.to_ascii_uppercase();
        let number = text.strip_prefix(member_state).or_else(|| text.strip_prefix(&country))?;
        let is_plain = number.chars().all(|letter| letter.is_ascii_alphanumeric() || "+*".contains(letter));
        (is_plain && !number.is_empty()).then(|| Self { member_state, number: number.to_owned() })
    }
}

impl VatId {
    /// The VAT ID of a seller in the EU, among the numbers under which it is registered.
    pub fn of_seller(seller: &Seller) -> Option<Self> {
        seller.tax_ids.iter().find_map(|id| Self::of(seller.country, &id.value))
    }
}

impl std::fmt::Display for VatId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.member_state, self.number)
    }
}

impl VatIds {
    /// The VAT IDs if seller and buyer are businesses of two member states.
    pub fn of(seller: &Seller, buyer: &BillingAddress) -> Option<Self> {
        let country = buyer.country.filter(|country| country.of_vat() != seller.country.of_vat())?;
        buyer.company.as_ref().filter(|company| !company.trim().is_empty())?;
        Some(Self { seller: VatId::of_seller(seller)?, buyer: VatId::of(country, buyer.tax_id.as_deref()?)? })
    }
}

impl From<&VatCheck> for ReverseCharge {
    fn from(check: &VatCheck) -> Self {
        Self { status: check.status, consultation_number: check.consultation_number.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vat_ids_are_read_as_people_write_them() {
        let read = |country: &str, text: &str| {
            VatId::of(country.parse().unwrap(), text).map(|id| (id.member_state, id.number))
        };
        for (country, text, expected) in [
            ("DE", "DE123456789", Some(("DE", "123456789"))),
            ("NL", " nl 8040.85.209-b01 ", Some(("NL", "804085209B01"))),
            ("GR", "EL094259216", Some(("EL", "094259216"))),
            ("GR", "GR 094259216", Some(("EL", "094259216"))),
            ("IE", "IE1+23456A", Some(("IE", "1+23456A"))),
            // Companies of Monaco have French numbers.
            ("MC", "FR 41 000 123 456", Some(("FR", "41000123456"))),
            ("MC", "MC41000123456", None),
            // Of another state, without a prefix, and none at all.
            ("DE", "FR123456789", None),
            ("DE", "123456789", None),
            ("DE", "DE", None),
            ("DE", "DE123/456", None),
            // Not of the EU.
            ("GB", "GB123456789", None),
            ("GB", "XI123456789", None),
            ("CH", "CHE-123.456.789", None),
        ] {
            let expected = expected.map(|(state, number)| (state, number.to_owned()));
            assert_eq!(read(country, text), expected, "{text} in {country}");
        }
    }
}
