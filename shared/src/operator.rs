//! The name under which an operator's commands are on record.

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayString;
use serde::{Deserialize, Serialize};

/// Name of the operator at the command line: 1 to 64 bytes without control characters, and without spaces at either end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OperatorName(ArrayString<64>);

/// The text is not usable as a name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a name of 1 to 64 bytes without control characters")]
pub struct InvalidOperatorName;

impl FromStr for OperatorName {
    type Err = InvalidOperatorName;

    fn from_str(text: &str) -> Result<Self, InvalidOperatorName> {
        let name = text.trim();
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(InvalidOperatorName);
        }
        ArrayString::from(name).map(Self).map_err(|_| InvalidOperatorName)
    }
}

impl TryFrom<String> for OperatorName {
    type Error = InvalidOperatorName;

    fn try_from(text: String) -> Result<Self, InvalidOperatorName> {
        text.parse()
    }
}

impl From<OperatorName> for String {
    fn from(name: OperatorName) -> Self {
        name.to_string()
    }
}

impl fmt::Display for OperatorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_and_printable() {
        assert_eq!(" Mira Ö. ".parse::<OperatorName>().unwrap().to_string(), "Mira Ö.");
        for bad in ["", "  ", "Mi\nra", "Mi\u{1b}[31mra", &"x".repeat(65)] {
            assert_eq!(bad.parse::<OperatorName>(), Err(InvalidOperatorName), "{bad:?}");
        }
    }
}
