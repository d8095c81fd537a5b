//! Codes by which public classifications know a service, as invoices name them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Code of a service in a public classification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ServiceCode {
    /// The classification.
    pub scheme: Scheme,
    /// The code in it.
    #[cfg_attr(feature = "openapi", schema(max_length = 10, example = "999293"))]
    pub code: String,
}

/// A public classification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "UPPERCASE")]
#[strum(serialize_all = "UPPERCASE")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ServiceCodeScheme))]
pub enum Scheme {
    /// Services accounting codes: chapter 99 of the codes of India's GST.
    Sac,
    /// Harmonised system of nomenclature, by which India's GST knows goods.
    Hsn,
    /// Common procurement vocabulary of the EU (Regulation (EC) No 213/2008).
    Cpv,
    /// United Nations standard products and services code.
    Unspsc,
}

impl Scheme {
    /// The scheme's code in UNTDID 7143 (BT-158): `GN`, national product group code, for SAC, which no international list has.
    pub fn untdid(self) -> &'static str {
        match self {
            Self::Sac => "GN",
            Self::Hsn => "HS",
            Self::Cpv => "STI",
            Self::Unspsc => "TST",
        }
    }

    /// The form of its codes.
    fn form(self) -> &'static str {
        match self {
            Self::Sac => "4 to 8 digits that begin with 99",
            Self::Hsn => "4 to 8 digits",
            Self::Cpv => "8 digits, with or without a dash and a check digit",
            Self::Unspsc => "8 digits",
        }
    }
}

impl ServiceCode {
    /// Checks that the code has the form of its scheme's.
    ///
    /// # Errors
    /// The form that its scheme asks for.
    pub fn check(&self) -> Result<(), String> {
        let is_number = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
        let fits = match self.scheme {
            Scheme::Sac => (4..=8).contains(&self.code.len()) && self.code.starts_with("99"),
            Scheme::Hsn => (4..=8).contains(&self.code.len()),
            Scheme::Cpv | Scheme::Unspsc => self.digits().len() == 8,
        };
        match fits && is_number(self.digits()) {
            true => Ok(()),
            false => Err(format!("code {:?} of {} is not {}", self.code, self.scheme, self.scheme.form())),
        }
    }

    /// The code without the check digit of a CPV code.
    fn digits(&self) -> &str {
        let split = self.code.split_once('-').filter(|_| self.scheme == Scheme::Cpv);
        match split {
            Some((digits, check))
                if check.len() == 1 && check.bytes().all(|digit| digit.is_ascii_digit()) =>
            {
                digits
            }
            _ => &self.code,
        }
    }
}

impl fmt::Display for ServiceCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.scheme, self.code)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_code_has_the_form_of_its_scheme() {
        for (scheme, code, fits) in [
            ("SAC", "9992", true),
            ("SAC", "999293", true),
            ("SAC", "99", false),
            ("SAC", "490110", false),
            ("HSN", "49011010", true),
            ("HSN", "490110100", false),
            ("CPV", "80420000", true),
            ("CPV", "80420000-4", true),
            ("CPV", "80420000-", false),
            ("CPV", "80420000-44", false),
            ("UNSPSC", "86101700", true),
            ("UNSPSC", "86101700-1", false),
            ("UNSPSC", "8610170x", false),
        ] {
            let read: ServiceCode =
                serde_json::from_value(json!({ "scheme": scheme, "code": code })).unwrap();
            assert_eq!(read.check().is_ok(), fits, "{scheme} {code}");
            assert_eq!(read.to_string(), format!("{scheme} {code}"));
        }
    }
}
