//! The country of a visitor, a buyer or a seller. The api decides which source it trusts to name a visitor's.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sqlx::Decode;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgValueRef, Postgres};

/// The code of a country, in upper case. One that was parsed is in ISO 3166-1, or Kosovo's `XK`, which the standard leaves to its
/// users and the EU, CLDR and Stripe use. One that was stored may have left the standard
/// since: history keeps it, and [`Self::check`] refuses it for anything new.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Country([u8; 2]);

/// Reason why a text is not the code of a country.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCountry {
    /// The text is not two ASCII letters.
    #[error("is not a two-letter country code")]
    Form,
    /// ISO 3166-1 does not have the code.
    #[error("is not a country of ISO 3166-1")]
    Unknown,
    /// ISO 3166-1 has the country under another code.
    #[error("is not a country of ISO 3166-1; {0}")]
    Misnamed(&'static str),
}

impl Country {
    /// Checks that there is such a country.
    ///
    /// # Errors
    /// ISO 3166-1 does not have it, or has it under another code.
    pub fn check(self) -> Result<(), InvalidCountry> {
        match &self.0 {
            _ if self.is_of_iso() => Ok(()),
            b"XK" => Ok(()),
            b"UK" => Err(InvalidCountry::Misnamed("the United Kingdom is GB")),
            b"EL" => Err(InvalidCountry::Misnamed("Greece is GR")),
            _ => Err(InvalidCountry::Unknown),
        }
    }

    /// Returns whether the standard has the code, which Kosovo's is not in.
    pub fn is_of_iso(self) -> bool {
        self.to_string().parse::<iso_country::Country>().is_ok()
    }

    /// The country whose VAT is charged here. Monaco's is the French one (directive 2006/112/EC, article 7).
    pub fn of_vat(self) -> Self {
        match &self.0 {
            b"MC" => Self(*b"FR"),
            _ => self,
        }
    }

    /// Two letters, whether or not they are the code of a country.
    fn of_letters(text: &str) -> Result<Self, InvalidCountry> {
        match text.trim().as_bytes() {
            [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
                Ok(Self([a.to_ascii_uppercase(), b.to_ascii_uppercase()]))
            }
            _ => Err(InvalidCountry::Form),
        }
    }
}

impl FromStr for Country {
    type Err = InvalidCountry;

    fn from_str(text: &str) -> Result<Self, InvalidCountry> {
        let country = Self::of_letters(text)?;
        country.check().map(|()| country)
    }
}

impl TryFrom<String> for Country {
    type Error = InvalidCountry;

    fn try_from(text: String) -> Result<Self, InvalidCountry> {
        Self::of_letters(&text)
    }
}

impl From<Country> for String {
    fn from(country: Country) -> Self {
        country.to_string()
    }
}

impl<'r> Decode<'r, Postgres> for Country {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Self::of_letters(<&str as Decode<Postgres>>::decode(value)?)?)
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.0;
        write!(f, "{}{}", char::from(a), char::from(b))
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_codes_of_the_standard_are_parsed() {
        for code in ["DE", " gb", "gr", "CW", "SS", "BQ", "AX", "XK"] {
            assert_eq!(code.parse::<Country>().unwrap().to_string(), code.trim().to_uppercase());
        }
        for (code, reason) in [
            ("XX", "is not a country of ISO 3166-1"),
            ("ZZ", "is not a country of ISO 3166-1"),
            ("EU", "is not a country of ISO 3166-1"),
            ("AP", "is not a country of ISO 3166-1"),
            ("AN", "is not a country of ISO 3166-1"),
            ("uk", "is not a country of ISO 3166-1; the United Kingdom is GB"),
            ("EL", "is not a country of ISO 3166-1; Greece is GR"),
            ("T1", "is not a two-letter country code"),
            ("", "is not a two-letter country code"),
            ("DEU", "is not a two-letter country code"),
        ] {
            assert_eq!(code.parse::<Country>().unwrap_err().to_string(), reason, "{code}");
        }
    }

    #[test]
    fn a_stored_code_that_has_left_the_standard_stays_readable() {
        let stored: Country = serde_json::from_str("\"ZZ\"").unwrap();
        assert_eq!((stored.to_string().as_str(), stored.check()), ("ZZ", Err(InvalidCountry::Unknown)));
        assert!(serde_json::from_str::<Country>("\"T1\"").is_err());
    }
}
