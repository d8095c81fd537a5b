//! Language tags of BCP 47: parsed and canonical, so that two equal languages are equal texts.

use std::fmt;
use std::str::FromStr;

use icu_locale::{LanguageIdentifier, Locale, LocaleCanonicalizer, LocaleDirectionality, LocaleExpander};
use serde::{Deserialize, Serialize};

/// A language that CLDR knows, with its script, region and variants if they were given: `pt-BR`, `zh-Hant`.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Language(LanguageIdentifier);

/// Reason why a text is not a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LanguageError {
    /// BCP 47 has no such tag, or it is longer than a language needs.
    #[error("is not a language tag of BCP 47, such as pt-BR")]
    Malformed,
    /// No language has this code.
    #[error("is not a known language")]
    Unknown,
}

/// The longest tag: a language, a script, a region, and two variants.
const LONGEST: usize = 35;

impl Language {
    /// English, in which every message exists.
    pub fn english() -> Self {
        Self(icu_locale::langid!("en"))
    }

    /// The languages of a list of tags, without those that this version does not know.
    pub fn known(tags: &[String]) -> Vec<Self> {
        tags.iter().filter_map(|tag| tag.parse().ok()).collect()
    }

    /// `rtl` if the language is written from right to left, else `ltr`: the value of HTML's attribute `dir`.
    pub fn direction(&self) -> &'static str {
        let directions = LocaleDirectionality::new_extended();
        if directions.is_right_to_left(&self.0) { "rtl" } else { "ltr" }
    }

    /// The tags under which texts for its readers may be found, the best first: the tag itself and the language alone, both
    /// without what is likely anyway, so that `pt` finds `pt-BR`.
    pub(crate) fn candidates(&self) -> Vec<Self> {
        let alone = Self(LanguageIdentifier { language: self.0.language, ..LanguageIdentifier::UNKNOWN });
        let mut candidates = vec![self.shortest(), alone.shortest()];
        candidates.dedup();
        candidates
    }

    /// The tag without the script and region that are likely anyway.
    pub(crate) fn shortest(&self) -> Self {
        let mut tag = self.0.clone();
        LocaleExpander::new_extended().minimize(&mut tag);
        Self(tag)
    }

    pub(crate) fn tag(&self) -> &LanguageIdentifier {
        &self.0
    }
}

impl FromStr for Language {
    type Err = LanguageError;

    fn from_str(text: &str) -> Result<Self, LanguageError> {
        if text.len() > LONGEST {
            return Err(LanguageError::Malformed);
        }
        let tag = LanguageIdentifier::try_from_str(text).map_err(|_| LanguageError::Malformed)?;
        let mut locale = Locale::from(tag);
        LocaleCanonicalizer::new_extended().canonicalize(&mut locale);
        let mut alone = LanguageIdentifier { language: locale.id.language, ..LanguageIdentifier::UNKNOWN };
        // A language is known if CLDR knows in which script, or where, it is written.
        LocaleExpander::new_extended().maximize(&mut alone);
        match locale.id.language.is_unknown() || alone.script.is_none() {
            true => Err(LanguageError::Unknown),
            false => Ok(Self(locale.id)),
        }
    }
}

impl TryFrom<String> for Language {
    type Error = LanguageError;

    fn try_from(text: String) -> Result<Self, LanguageError> {
        text.parse()
    }
}

impl From<Language> for String {
    fn from(language: Language) -> Self {
        language.to_string()
    }
}

#[cfg(feature = "sqlx")]
impl<'r> sqlx::Decode<'r, sqlx::Postgres> for Language {
    fn decode(value: sqlx::postgres::PgValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
        Ok(<&str as sqlx::Decode<sqlx::Postgres>>::decode(value)?.parse()?)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_kept_as_bcp_47_writes_it() {
        for (given, kept) in [
            ("sv", "sv"),
            ("PT-br", "pt-BR"),
            ("zh-hant-tw", "zh-Hant-TW"),
            ("iw", "he"),
            ("de-DE-1996", "de-DE-1996"),
            ("fil", "fil"),
        ] {
            assert_eq!(given.parse::<Language>().unwrap().to_string(), kept);
        }
    }

    #[test]
    fn what_names_no_language_is_refused() {
        for (given, error) in [
            ("", LanguageError::Malformed),
            ("english", LanguageError::Malformed),
            ("e", LanguageError::Malformed),
            ("en-u-nu-thai", LanguageError::Malformed),
            ("en--US", LanguageError::Malformed),
            ("*", LanguageError::Malformed),
            ("xx", LanguageError::Unknown),
            ("und", LanguageError::Unknown),
            ("qaa-Latn", LanguageError::Unknown),
            (&"de-".repeat(20), LanguageError::Malformed),
        ] {
            assert_eq!(given.parse::<Language>(), Err(error), "{given}");
        }
    }

    #[test]
    fn only_some_languages_are_written_from_right_to_left() {
        for (tag, direction) in
            [("ar", "rtl"), ("ur-IN", "rtl"), ("hi", "ltr"), ("az-Arab", "rtl"), ("az", "ltr")]
        {
            assert_eq!(tag.parse::<Language>().unwrap().direction(), direction, "{tag}");
        }
    }
}
