//! Parts of countries that have no VAT of their country, known by their postal codes and their states.

use crate::region::Country;
use crate::subdivision;
use crate::typed::capitals;

/// Part of a country in which the country's VAT is not charged.
#[derive(Debug, PartialEq, Eq)]
pub struct Territory {
    country: &'static str,
    /// In English, as the EU names it.
    pub name: &'static str,
    /// The code by which ISO 3166-1 has it as a country. Rates are given under it.
    code: Option<&'static str>,
    postal_codes: &'static [&'static str],
    /// Codes of ISO 3166-2 without the country's.
    states: &'static [&'static str],
}

const fn part(
    country: &'static str,
    name: &'static str,
    code: Option<&'static str>,
    postal_codes: &'static [&'static str],
    states: &'static [&'static str],
) -> Territory {
    Territory { country, name, code, postal_codes, states }
}

/// Territories of Directive 2006/112/EC, article 6, as of 29 November 2026; those of France and Denmark that are not in the EU; and the
/// Channel Islands, which are not in the United Kingdom (VATA 1994, section 96). The postal codes are those of the countries' posts.
///
/// Åland and, of France, Guadeloupe, Martinique and Réunion are left out: their countries tax there (Finland's VAT act; code général des
/// impôts, article 296), so that what is right depends on the seller. French Guiana and Mayotte have no VAT (article 294).
const TERRITORIES: [Territory; 19] = [
    part("DE", "Büsingen", None, &["78266"], &[]),
    part("DE", "Heligoland", None, &["27498"], &[]),
    part("DK", "Faroe Islands", Some("FO"), &["FO"], &[]),
    part("DK", "Greenland", Some("GL"), &["39"], &[]),
    part("ES", "Canary Islands", None, &["35", "38"], &["CN", "GC", "TF"]),
    part("ES", "Ceuta", None, &["51"], &["CE"]),
    part("ES", "Melilla", None, &["52"], &["ML"]),
    part("FR", "Saint-Barthélemy", Some("BL"), &["97133", "977"], &["BL"]),
    part("FR", "Saint-Martin", Some("MF"), &["97150", "978"], &["MF"]),
    part("FR", "French Guiana", Some("GF"), &["973"], &["973"]),
    part("FR", "Saint-Pierre-et-Miquelon", Some("PM"), &["975"], &["PM"]),
    part("FR", "Mayotte", Some("YT"), &["976"], &["976"]),
    part("FR", "Wallis and Futuna", Some("WF"), &["986"], &["WF"]),
    part("FR", "French Polynesia", Some("PF"), &["987"], &["PF"]),
    part("FR", "New Caledonia", Some("NC"), &["988"], &["NC"]),
    part("GB", "Jersey", Some("JE"), &["JE"], &[]),
    part("GB", "Guernsey", Some("GG"), &["GY"], &[]),
    part("GR", "Mount Athos", None, &["63086"], &["69"]),
    // Livigno and Campione d'Italia, which have had postal codes that no other place shares since 2006 and 2020.
    part("IT", "Livigno and Campione d'Italia", None, &["23041", "22061"], &[]),
];

impl Territory {
    /// The territory of an address: by its postal code, else by its state.
    pub fn of(country: Country, state: Option<&str>, postal_code: Option<&str>) -> Option<&'static Self> {
        let country_code = country.to_string();
        let parts = || TERRITORIES.iter().filter(|part| part.country == country_code);
        let by_code = postal_code.and_then(|code| {
            parts()
                .filter_map(|part| Some((matched(part.postal_codes, code)?, part)))
                .max_by_key(|(length, _)| *length)
                .map(|(_, part)| part)
        });
        let by_state = || {
            let state = subdivision::code(country, state?)?;
            parts().find(|part| part.states.contains(&state))
        };
        by_code.or_else(by_state)
    }

    /// The country that ISO 3166-1 has it as.
    pub fn country(&self) -> Option<Country> {
        self.code?.parse().ok()
    }
}

/// The length of the longest of some prefixes with which a postal code begins, however it is written: `E-35001` begins with `35`, and
/// `9000-001` with `9000001`. None: with none of them.
pub fn matched<P: AsRef<str>>(prefixes: &[P], code: &str) -> Option<usize> {
    let code = plain(code);
    let digits = code.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let begins = |prefix: &String| {
        let code = if prefix.starts_with(|first: char| first.is_ascii_digit()) { digits } else { &code };
        code.starts_with(prefix.as_str())
    };
    prefixes.iter().map(|prefix| plain(prefix.as_ref())).filter(begins).map(|prefix| prefix.len()).max()
}

/// The letters and digits of a postal code, in capitals.
pub fn plain(code: &str) -> String {
    capitals(code).chars().filter(char::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn territory(country: &str, state: Option<&str>, postal_code: Option<&str>) -> Option<&'static str> {
        Territory::of(country.parse().unwrap(), state, postal_code).map(|territory| territory.name)
    }

    #[test]
    fn a_territory_is_known_by_its_postal_code_however_people_write_it() {
        for (country, code, name) in [
            ("ES", "35001", Some("Canary Islands")),
            ("ES", " E-38 001", Some("Canary Islands")),
            ("ES", "３８００１", Some("Canary Islands")),
            ("ES", "51001", Some("Ceuta")),
            ("ES", "52006", Some("Melilla")),
            ("ES", "28001", None),
            ("ES", "03501", None),
            ("DE", "D-27498", Some("Heligoland")),
            ("DE", "78266", Some("Büsingen")),
            ("DE", "78267", None),
            ("IT", "23041", Some("Livigno and Campione d'Italia")),
            ("IT", "I-22061", Some("Livigno and Campione d'Italia")),
            // Of many other places of the province of Como.
            ("IT", "22060", None),
            ("GR", "630 86", Some("Mount Athos")),
            ("FR", "97 300", Some("French Guiana")),
            ("FR", "97400", None),
            ("FR", "97133", Some("Saint-Barthélemy")),
            ("FR", "97150", Some("Saint-Martin")),
            ("FR", "97110", None),
            ("FR", "98000", None),
            ("FR", "75001", None),
            ("FI", "22100", None),
            ("DK", "FO-100", Some("Faroe Islands")),
            ("DK", "3900", Some("Greenland")),
            ("DK", "1390", None),
            ("GB", "je2 3ab", Some("Jersey")),
            ("GB", "GY1 1AA", Some("Guernsey")),
            ("GB", "GU1 1AA", None),
            // The same codes elsewhere.
            ("DE", "35037", None),
            ("US", "97401", None),
        ] {
            assert_eq!(territory(country, None, Some(code)), name, "{country} {code}");
        }
    }

    #[test]
    fn an_address_without_a_postal_code_is_in_the_territory_of_its_state() {
        for (country, state, name) in [
            ("ES", "Las Palmas", Some("Canary Islands")),
            ("ES", "Canarias", Some("Canary Islands")),
            ("ES", "ES-CE", Some("Ceuta")),
            ("GR", "Ágion Óros", Some("Mount Athos")),
            ("FR", "Mayotte", Some("Mayotte")),
            ("FR", "La Réunion", None),
            ("ES", "Madrid", None),
            ("DE", "Bayern", None),
        ] {
            assert_eq!(territory(country, Some(state), None), name, "{country} {state}");
        }
        // The postal code comes first.
        assert_eq!(territory("FR", Some("Mayotte"), Some("97300")), Some("French Guiana"));
    }

    #[test]
    fn each_code_of_a_table_is_one_of_its_standard() {
        for part in &TERRITORIES {
            let country: Country = part.country.parse().unwrap();
            assert!(
                part.states.iter().all(|state| subdivision::code(country, state) == Some(*state)),
                "{}",
                part.name
            );
            assert_eq!(part.country().is_some(), part.code.is_some(), "{}", part.name);
        }
    }
}
