//! The characters of what people type and copy. The types of numbers and codes read their text through this, so that all of them
//! take what a document, a mail or a keyboard makes of it.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// The minus sign, which is not punctuation to Unicode.
const MINUS: char = '\u{2212}';

/// The characters that a reader sees: compatibility forms (full width, spaces that do not break) as their plain ones, each dash as a
/// hyphen, and none that cannot be seen.
pub fn visible(text: &str) -> impl Iterator<Item = char> {
    text.nfkc().filter_map(|letter| match letter.general_category() {
        GeneralCategory::Format => None,
        GeneralCategory::DashPunctuation => Some('-'),
        _ if letter == MINUS => Some('-'),
        _ => Some(letter),
    })
}

/// The same without blanks, in capitals: how numbers and codes are compared.
pub fn capitals(text: &str) -> String {
    visible(text).filter(|letter| !letter.is_whitespace()).map(|letter| letter.to_ascii_uppercase()).collect()
}

/// A text without the spaces around it; None if it is blank. Forms send fields that were left empty, and payment providers refuse
/// empty texts.
pub fn given(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}
