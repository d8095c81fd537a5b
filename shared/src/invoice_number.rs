//! The numbers of invoices and credit notes. Each is its organisation's own: two organisations may both have `INV26-000001`, so that a
//! number is looked up together with the organisation, or with the buyer.

use crate::typed::capitals;

/// A number as people type and copy it, in the form in which the storefront's own documents have it: capitals (the prefixes of the
/// catalog have no others), digits, hyphens and slashes. A text that is no number is none either in this form. Other programs have
/// numbers with any characters, which are found as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvoiceNumber(String);

impl InvoiceNumber {
    /// Reads a number in any case, with any spaces and dashes.
    pub fn read(text: &str) -> Self {
        Self(capitals(text))
    }

    /// The number as documents have it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of a document's file: a slash would end a folder's name, and other programs have numbers with any characters.
pub fn file_name(number: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "-._".contains(*letter);
    let plain = number.chars().map(|letter| if is_plain(&letter) { letter } else { '-' });
    format!("{}.pdf", plain.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_it_is_typed_and_copied() {
        for text in [
            "RE/26-000041",
            " re/26-000041 ",
            "RE/26\u{2011}000041",
            "RE/26\u{2013}000 041",
            "RE/26\u{2212}000041",
            "RE/26-\u{200b}000041\u{a0}",
            "ＲＥ／２６－００００４１",
        ] {
            assert_eq!(InvoiceNumber::read(text).as_str(), "RE/26-000041", "{text:?}");
        }
        assert_eq!(InvoiceNumber::read("my order").as_str(), "MYORDER");
        assert_eq!(file_name("RE/26-000041"), "RE-26-000041.pdf");
    }
}
