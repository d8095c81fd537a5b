//! States, provinces and other subdivisions of countries (ISO 3166-2), read however people write them.

use std::collections::HashMap;
use std::sync::LazyLock;

use rust_iso3166::iso3166_2::SUBDIVISION_COUNTRY_MAP;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::region::Country;

/// Codes that newsletters of the standard have replaced, each with its country and the new one: people and programs keep them.
const FORMER: [(&str, &str, &str); 5] =
    [("IN", "CT", "CG"), ("IN", "OR", "OD"), ("IN", "TG", "TS"), ("IN", "UT", "UK"), ("MX", "DIF", "CMX")];

/// The codes of each country's subdivisions, by everything that names them, folded.
static CODES: LazyLock<HashMap<&str, HashMap<String, &str>>> = LazyLock::new(|| {
    let mut codes: HashMap<&str, HashMap<String, &str>> = HashMap::new();
    for (country, subdivisions) in SUBDIVISION_COUNTRY_MAP.entries() {
        let named = codes.entry(country).or_default();
        // Where a name is the code of another one, the code comes first.
        for subdivision in *subdivisions {
            named.insert(folded(subdivision.region_code), subdivision.region_code);
            named.insert(folded(subdivision.code), subdivision.region_code);
        }
        for subdivision in *subdivisions {
            named.entry(folded(subdivision.name)).or_insert(subdivision.region_code);
        }
    }
    for (country, former, code) in FORMER {
        let named = codes.entry(country).or_default();
        named.entry(folded(former)).or_insert(code);
        named.entry(folded(&format!("{country}{former}"))).or_insert(code);
    }
    codes
});

/// The code of a country's subdivision, without the country's: `QC` for `QC`, `CA-QC`, `Québec` and `quebec` in Canada. None if the
/// standard has none under this name.
pub fn code(country: Country, text: &str) -> Option<&'static str> {
    CODES.get(country.to_string().as_str())?.get(&folded(text)).copied()
}

/// The parts that tell the names of a country's subdivisions apart: the code, else the name without letter case, accents and punctuation.
pub fn key(country: Country, text: &str) -> String {
    code(country, text).map_or_else(|| folded(text), str::to_owned)
}

fn folded(text: &str) -> String {
    use GeneralCategoryGroup::{Letter, Mark, Number};
    let is_accent = |letter: &char| ('\u{300}'..='\u{36f}').contains(letter);
    let is_part = |letter: &char| matches!(letter.general_category_group(), Letter | Mark | Number);
    let text = text.replace('&', "and");
    text.nfkd().filter(|letter| is_part(letter) && !is_accent(letter)).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes of ISO 3166-2 of 2026-01-01, as Debian's iso-codes 4.20.1 has them.
    #[test]
    fn a_subdivision_is_known_by_its_codes_and_its_name() {
        for (country, text, expected) in [
            ("CA", "QC", Some("QC")),
            ("CA", "ca-qc", Some("QC")),
            ("CA", "Québec", Some("QC")),
            ("CA", "Que\u{301}bec", Some("QC")),
            ("CA", " quebec ", Some("QC")),
            ("CA", "Newfoundland & Labrador", Some("NL")),
            ("US", "New York", Some("NY")),
            ("US", "newyork", Some("NY")),
            ("IN", "Karnataka", Some("KA")),
            ("IN", "Karnātaka", Some("KA")),
            ("IN", "Tamilnadu", Some("TN")),
            ("IN", "OR", Some("OD")),
            ("IN", "IN-TG", Some("TS")),
            ("DE", "Baden-Württemberg", Some("BW")),
            ("MY", "Sabah", Some("12")),
            ("BR", "Sao Paulo", Some("SP")),
            ("CA", "US-NY", None),
            ("CA", "Bayern", None),
            ("US", "Calif.", None),
            ("US", "", None),
            ("US", "–", None),
        ] {
            assert_eq!(code(country.parse().unwrap(), text), expected, "{text:?} in {country}");
        }
    }

    #[test]
    fn what_the_standard_lacks_is_compared_folded() {
        let country = "DE".parse().unwrap();
        assert_eq!(key(country, "Zone  Ä"), key(country, "zone a\u{308}"));
        assert_ne!(key(country, "Zone A"), key(country, "Zone B"));
    }
}
