//! Email addresses: parsed once at the edge into one form, in which all code compares them: trimmed, lower-cased, with
//! composed letters (NFC, as RFC 6532 recommends), and with an international domain in punycode. DNS and SMTP use that form
//! of a domain, so emails go to the address that is compared.

use std::fmt;

use serde::{Deserialize, Serialize};
use sqlx::Decode;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgValueRef, Postgres};
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// A deliverable address in the form that this module describes. `Debug` hides it, to keep addresses out of logs.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Email(String);

/// The text is not an address that mail can be sent to.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not an email address")]
pub struct InvalidEmail;

impl Email {
    /// Parses an address and brings it into its one form.
    ///
    /// # Errors
    /// The text is not a dot-atom (RFC 5322) at a domain of two labels or more, or exceeds the lengths of RFC 5321.
    pub fn parse(text: &str) -> Result<Self, InvalidEmail> {
        let address: String = text.trim().to_lowercase().nfc().collect();
        let (local, domain) = address.rsplit_once('@').ok_or(InvalidEmail)?;
        let domain = ascii_domain(domain).ok_or(InvalidEmail)?;
        // 254 and 64 octets: the limits of RFC 5321 for a path and a local part.
        let fits = local.len() + 1 + domain.len() <= 254 && (1..=64).contains(&local.len());
        if fits && is_local_part(local) && is_domain(&domain) {
            Ok(Self(format!("{local}@{domain}")))
        } else {
            Err(InvalidEmail)
        }
    }

    /// The address in its one form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether no mail can be delivered to it: `.invalid` is reserved (RFC 2606), and stands where an address
    /// was erased, or has moved to another account.
    pub fn is_placeholder(&self) -> bool {
        self.0.ends_with(".invalid")
    }

    /// Returns whether every mail server can deliver to it. A local part beyond ASCII needs SMTPUTF8.
    pub fn is_ascii(&self) -> bool {
        self.0.is_ascii()
    }

    /// The same address with its domain in Unicode instead of punycode, as people write it and other systems may
    /// store it.
    pub fn in_letters(&self) -> String {
        match self.0.rsplit_once('@') {
            Some((local, domain)) if has_punycode(domain) => {
                format!("{local}@{}", idna::domain_to_unicode(domain).0)
            }
            _ => self.0.clone(),
        }
    }
}

/// A domain in the form that DNS uses; None if it is not a valid domain. Plain ASCII stays unchanged.
pub fn ascii_domain(domain: &str) -> Option<String> {
    if domain.is_ascii() && !has_punycode(domain) {
        return Some(domain.to_owned());
    }
    idna::domain_to_ascii_strict(domain).ok()
}

fn has_punycode(domain: &str) -> bool {
    domain.split('.').any(|label| label.starts_with("xn--"))
}

/// A dot-atom (RFC 5322) with letters of any script and their marks, which SMTPUTF8 allows (RFC 6531). The quoted form is
/// refused: real mailboxes do not use it.
fn is_local_part(local: &str) -> bool {
    let is_mark = |c: char| c.general_category_group() == GeneralCategoryGroup::Mark;
    let is_part = |c: char| c.is_alphanumeric() || is_mark(c) || "!#$%&'*+-/=?^_`{|}~".contains(c);
    // A mark belongs to a letter before it.
    local.split('.').all(|atom| !atom.is_empty() && !atom.starts_with(is_mark) && atom.chars().all(is_part))
}

fn is_domain(domain: &str) -> bool {
    let labels: Vec<&str> = domain.split('.').collect();
    labels.len() >= 2
        && labels.iter().all(|label| {
            (1..=63).contains(&label.len())
                && label.chars().all(|c| c.is_alphanumeric() || c == '-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        })
}

impl TryFrom<String> for Email {
    type Error = InvalidEmail;

    fn try_from(text: String) -> Result<Self, InvalidEmail> {
        Self::parse(&text)
    }
}

impl<'r> Decode<'r, Postgres> for Email {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        Ok(Self::parse(<&str as Decode<Postgres>>::decode(value)?)?)
    }
}

impl fmt::Debug for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Email(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_compared_trimmed_and_lower_cased() {
        assert_eq!(Email::parse("  Ada+Store@Example.COM ").unwrap().as_str(), "ada+store@example.com");
    }

    #[test]
    fn what_cannot_be_mailed_to_is_refused() {
        for bad in [
            "",
            "ada",
            "@example.com",
            "ada@",
            "ada@host",
            "a b@example.com",
            "ada@-x.com",
            "a..b@x.com",
            "ada@example.com\nBcc: x@y.z",
            "a\u{0}b@example.com",
            "<ada@example.com>",
            "ada@ex_ample.com",
            "\u{301}jose@example.com",
            "a.\u{94d}b@example.com",
            "a\u{200b}da@example.com",
            "a\u{202e}da@example.com",
        ] {
            assert_eq!(Email::parse(bad), Err(InvalidEmail), "{bad:?}");
        }
        assert!(Email::parse(&format!("{}@example.com", "x".repeat(65))).is_err());
    }

    #[test]
    fn an_international_domain_is_the_same_in_letters_and_in_punycode() {
        let ascii = "ada@xn--mnchen-3ya.example";
        for text in ["ada@münchen.example", "Ada@MÜNCHEN.example", "ada@mu\u{308}nchen.example", ascii] {
            let email = Email::parse(text).unwrap();
            assert_eq!((email.as_str(), email.is_ascii()), (ascii, true), "{text}");
            assert_eq!(email.in_letters(), "ada@münchen.example");
        }
        let local = Email::parse("josé@example.com").unwrap();
        assert_eq!((local.in_letters().as_str(), local.is_ascii()), ("josé@example.com", false));
        for bad in
            ["ada@xn--.example", "ada@xn--a.example", "ada@mün chen.example", "ada@münchen_.example", "ada@ü"]
        {
            assert_eq!(Email::parse(bad), Err(InvalidEmail), "{bad}");
        }
    }

    /// Marks as RFC 6531 allows them, in the form of RFC 6532: composed.
    #[test]
    fn an_address_of_any_script_has_one_form() {
        for (text, form) in [
            ("प्रिया@example.com", "प्रिया@example.com"),
            ("jose\u{301}@example.com", "josé@example.com"),
            ("JOSE\u{301}@Example.com", "josé@example.com"),
            ("JOSÉ@example.com", "josé@example.com"),
            ("İsmail@example.com", "i\u{307}smail@example.com"),
            ("สมชาย.ใจดี@example.com", "สมชาย.ใจดี@example.com"),
            ("νίκος@example.com", "νίκος@example.com"),
            ("ΝΊΚΟΣ@example.com", "νίκος@example.com"),
        ] {
            let email = Email::parse(text).unwrap();
            assert_eq!(email.as_str(), form, "{text}");
            assert_eq!(Email::parse(form).as_ref(), Ok(&email), "{text}");
        }
    }

    #[test]
    fn debug_does_not_show_the_address() {
        assert_eq!(format!("{:?}", Email::parse("ada@example.com").unwrap()), "Email(…)");
    }
}
