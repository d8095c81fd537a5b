//! The tax numbers of buyers and sellers: read in one place, however people write them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::region::Country;
use crate::typed::visible;

/// The member states as VIES names them: Greece, GR in ISO 3166-1, is EL. Northern Ireland (XI) counts for goods only.
pub const MEMBER_STATES: [&str; 27] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "EL", "ES", "FI", "FR", "HR", "HU", "IE", "IT", "LT",
    "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
];

/// Returns whether a country is a member state, by its code of ISO 3166-1. Monaco is one for VAT.
pub fn is_member_state(country: Country) -> bool {
    let code = country.of_vat().to_string();
    code == "GR" || MEMBER_STATES.contains(&&*code)
}

/// A tax number as documents print it: as it was written, with plain spaces and hyphens, and without characters that cannot be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String")]
pub struct TaxId(String);

/// A tax number that begins with the prefix of its country. Its form is known, not whether it is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VatId {
    /// The code of the country; EL for Greece.
    pub prefix: String,
    /// The part after the prefix.
    pub number: String,
}

impl TaxId {
    /// The number as documents print it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The parts that tell numbers apart: letters in upper case, digits, and the signs that VAT IDs can have.
    pub fn plain(&self) -> String {
        let is_part = |letter: &char| letter.is_alphanumeric() || "+*".contains(*letter);
        self.0.chars().filter(is_part).flat_map(char::to_uppercase).collect()
    }

    /// Returns whether it tells nothing: it has no letter and no digit.
    pub fn is_blank(&self) -> bool {
        !self.0.chars().any(char::is_alphanumeric)
    }

    /// Reads it as a VAT ID of a country. None if it does not begin with the country's prefix.
    pub fn vat_id(&self, country: Country) -> Option<VatId> {
        let country = country.of_vat().to_string();
        let prefix = if country == "GR" { "EL" } else { &country };
        let plain = self.plain();
        let number = plain.strip_prefix(prefix).or_else(|| plain.strip_prefix(&country))?;
        (!number.is_empty() && number.is_ascii())
            .then(|| VatId { prefix: prefix.to_owned(), number: number.to_owned() })
    }
}

impl VatId {
    /// Returns whether VIES knows numbers with this prefix.
    pub fn is_of_eu(&self) -> bool {
        MEMBER_STATES.contains(&&*self.prefix)
    }
}

impl From<String> for TaxId {
    fn from(text: String) -> Self {
        Self(visible(&text).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

impl fmt::Display for TaxId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for VatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.prefix, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The separators are those that `clean` of python-stdnum 2.2 removes; the forms of numbers are those of VIES.
    #[test]
    fn vat_ids_are_read_as_people_write_them() {
        for (country, text, expected) in [
            ("DE", "DE123456789", Some("DE123456789")),
            ("NL", " nl 8040.85.209-b01 ", Some("NL804085209B01")),
            ("GR", "EL094259216", Some("EL094259216")),
            ("GR", "GR 094259216", Some("EL094259216")),
            ("IE", "IE1+23456A", Some("IE1+23456A")),
            // A space that does not break, a narrow one, a thin one, one of no width, and a joiner.
            ("DE", "DE\u{a0}136\u{a0}695\u{a0}976", Some("DE136695976")),
            ("DE", "DE\u{202f}136\u{2009}695\u{200b}976", Some("DE136695976")),
            ("DE", "\u{feff}DE\u{2060}136695976\u{200e}", Some("DE136695976")),
            // A hyphen, one that does not break, dashes, a minus sign, a soft hyphen.
            ("DE", "DE\u{2010}136\u{2011}695\u{2013}976", Some("DE136695976")),
            ("DE", "DE\u{2014}136\u{2212}695\u{ad}976", Some("DE136695976")),
            // Full width, as Japanese keyboards write it.
            ("DE", "ＤＥ１３６６９５９７６", Some("DE136695976")),
            ("DE", "DE136/695/976", Some("DE136695976")),
            ("CH", "CHE-123.456.789 MWST", Some("CHE123456789MWST")),
            ("GB", "GB 123 4567 89", Some("GB123456789")),
            // Companies of Monaco have French numbers.
            ("MC", "FR 41 000 123 456", Some("FR41000123456")),
            ("MC", "MC41000123456", None),
            // Of another state, without a prefix, none at all, and in letters that VIES does not have.
            ("DE", "FR123456789", None),
            ("DE", "123456789", None),
            ("DE", "DE", None),
            ("DE", "DE-", None),
            ("DE", "DEÄ12345678", None),
            ("GB", "XI123456789", None),
        ] {
            let read = TaxId::from(text.to_owned()).vat_id(country.parse().unwrap());
            assert_eq!(read.map(|id| id.to_string()).as_deref(), expected, "{text:?} in {country}");
        }
        let swiss = TaxId::from("CHE123456789".to_owned()).vat_id("CH".parse().unwrap()).unwrap();
        let greek = TaxId::from("GR094259216".to_owned()).vat_id("GR".parse().unwrap()).unwrap();
        assert_eq!((swiss.is_of_eu(), greek.is_of_eu()), (false, true));
    }

    #[test]
    fn a_number_is_printed_as_it_was_written_without_what_cannot_be_seen() {
        for (written, printed) in [
            ("DE\u{a0}136\u{202f}695\u{200b}976", "DE 136 695976"),
            ("  556677\u{2011}8899 ", "556677-8899"),
            ("s10-1808-31000123", "s10-1808-31000123"),
            ("\u{200b}\u{a0}", ""),
        ] {
            let id: TaxId = serde_json::from_value(written.into()).unwrap();
            assert_eq!(id.as_str(), printed, "{written:?}");
            assert_eq!(serde_json::to_value(&id).unwrap(), printed);
        }
        assert!(TaxId::from(" - ".to_owned()).is_blank());
    }
}
