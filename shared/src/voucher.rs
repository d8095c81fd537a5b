//! The codes of vouchers, and why a voucher does not apply.

use chrono::TimeDelta;
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::typed::visible;

/// Time that an unpaid order holds the use of its voucher and its places; longer only while the provider works on its payment.
pub const HOLD: TimeDelta = TimeDelta::hours(1);

/// The letters and digits of a generated code, after Crockford: none that are mistaken for another.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The length of a generated code: 60 bits, too many to guess at the rate that the service allows.
const GENERATED: usize = 12;

/// A voucher's code: 3 to 40 of `[A-Z0-9_-]`. Read in any case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Code(String);

/// The text is not a voucher's code.
#[derive(Debug, thiserror::Error)]
#[error("must have 3 to 40 letters, digits, hyphens or underscores")]
pub struct InvalidCode;

impl Code {
    /// Brings a code that a person has typed into its one form. The form of what is no code is none either.
    pub fn folded(text: &str) -> String {
        let visible: String = visible(text).collect();
        visible.trim().to_ascii_uppercase()
    }

    /// Reads a code, in any case and with spaces around it.
    ///
    /// # Errors
    /// The text has another length, or other characters.
    pub fn parse(text: &str) -> Result<Self, InvalidCode> {
        let code = Self::folded(text);
        let is_allowed =
            |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
        if (3..=40).contains(&code.len()) && code.bytes().all(is_allowed) {
            Ok(Self(code))
        } else {
            Err(InvalidCode)
        }
    }

    /// A new code that cannot be guessed.
    pub fn generate() -> Self {
        let mut random = rand::rng();
        let mut letter =
            || ALPHABET.get(random.random_range(0..ALPHABET.len())).map(|byte| char::from(*byte));
        Self((0..GENERATED).filter_map(|_| letter()).collect())
    }

    /// The code in capitals.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Code {
    type Error = InvalidCode;

    fn try_from(text: String) -> Result<Self, InvalidCode> {
        Self::parse(&text)
    }
}

impl From<Code> for String {
    fn from(code: Code) -> Self {
        code.0
    }
}

/// Reason why a voucher does not apply to a basket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(as = VoucherRefusal, description = "Reason why a voucher does not apply to a basket. `exhausted`: no uses are left, or this learner has none left.")
)]
pub enum Inapplicable {
    /// The organisation has no voucher with this code.
    Unknown,
    /// Its `valid_from` is still to come.
    NotStarted,
    /// Its `valid_until` has passed.
    Expired,
    /// No uses are left, or this buyer has none left.
    Exhausted,
    /// It is for other courses or programs.
    NotForTheseItems,
    /// The basket has another currency.
    Currency,
}

impl Inapplicable {
    /// Returns the fault of the field `voucher`.
    pub fn message(self) -> &'static str {
        match self {
            Self::Unknown => "is not known",
            Self::NotStarted => "is not valid yet",
            Self::Expired => "is no longer valid",
            Self::Exhausted => "has no uses left",
            Self::NotForTheseItems => "is not for these items",
            Self::Currency => "is for another currency",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_in_any_case_and_with_spaces_around_it() {
        for (text, code) in [
            (" spring-26 ", Some("SPRING-26")),
            ("a_1", Some("A_1")),
            ("\u{200b}spring\u{2011}26\u{a0}", Some("SPRING-26")),
            ("ＳＰＲＩＮＧ－２６", Some("SPRING-26")),
            ("ab", None),
            ("a b c", None),
            ("äöü", None),
        ] {
            assert_eq!(Code::parse(text).ok().as_ref().map(Code::as_str), code, "{text:?}");
        }
        assert!(Code::parse(&"x".repeat(40)).is_ok());
        assert!(Code::parse(&"x".repeat(41)).is_err());
    }

    #[test]
    fn generated_codes_are_codes_and_differ() {
        let codes: std::collections::HashSet<String> = (0..1_000).map(|_| Code::generate().into()).collect();
        assert_eq!(codes.len(), 1_000);
        assert!(codes.iter().all(|code| code.len() == 12 && Code::parse(code).is_ok()));
    }
}
