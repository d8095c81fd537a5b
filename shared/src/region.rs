//! A visitor's country as an ISO 3166 code. The api decides which source it trusts to name it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sqlx::Decode;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgValueRef, Postgres};

/// An ISO 3166-1 alpha-2 code in upper case. Unassigned codes are accepted; they match no policy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Country([u8; 2]);

/// The text is not two ASCII letters.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a two-letter country code")]
pub struct InvalidCountry;

impl FromStr for Country {
    type Err = InvalidCountry;

    fn from_str(text: &str) -> Result<Self, InvalidCountry> {
        match text.trim().as_bytes() {
            [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
                Ok(Self([a.to_ascii_uppercase(), b.to_ascii_uppercase()]))
            }
            _ => Err(InvalidCountry),
        }
    }
}

impl TryFrom<String> for Country {
    type Error = InvalidCountry;

    fn try_from(text: String) -> Result<Self, InvalidCountry> {
        text.parse()
    }
}

impl From<Country> for String {
    fn from(country: Country) -> Self {
        country.to_string()
    }
}

impl<'r> Decode<'r, Postgres> for Country {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(<&str as Decode<Postgres>>::decode(value)?.parse()?)
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
