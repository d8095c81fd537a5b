//! The place of supply as India's goods and services tax (GST) names it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::region::Country;
use crate::subdivision;

/// The states and union territories: code of ISO 3166-2, code in GST, name. The codes are those of the first two digits of a GSTIN.
const STATES: [(&str, &str, &str); 36] = [
    ("JK", "01", "Jammu and Kashmir"),
    ("HP", "02", "Himachal Pradesh"),
    ("PB", "03", "Punjab"),
    ("CH", "04", "Chandigarh"),
    ("UK", "05", "Uttarakhand"),
    ("HR", "06", "Haryana"),
    ("DL", "07", "Delhi"),
    ("RJ", "08", "Rajasthan"),
    ("UP", "09", "Uttar Pradesh"),
    ("BR", "10", "Bihar"),
    ("SK", "11", "Sikkim"),
    ("AR", "12", "Arunachal Pradesh"),
    ("NL", "13", "Nagaland"),
    ("MN", "14", "Manipur"),
    ("MZ", "15", "Mizoram"),
    ("TR", "16", "Tripura"),
    ("ML", "17", "Meghalaya"),
    ("AS", "18", "Assam"),
    ("WB", "19", "West Bengal"),
    ("JH", "20", "Jharkhand"),
    ("OD", "21", "Odisha"),
    ("CG", "22", "Chhattisgarh"),
    ("MP", "23", "Madhya Pradesh"),
    ("GJ", "24", "Gujarat"),
    ("DH", "26", "Dadra and Nagar Haveli and Daman and Diu"),
    ("MH", "27", "Maharashtra"),
    ("KA", "29", "Karnataka"),
    ("GA", "30", "Goa"),
    ("LD", "31", "Lakshadweep"),
    ("KL", "32", "Kerala"),
    ("TN", "33", "Tamil Nadu"),
    ("PY", "34", "Puducherry"),
    ("AN", "35", "Andaman and Nicobar Islands"),
    ("TS", "36", "Telangana"),
    ("AP", "37", "Andhra Pradesh"),
    ("LA", "38", "Ladakh"),
];

/// The place of supply: a country, and in India the state, if it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PlaceOfSupply {
    /// The country, a code of ISO 3166-1.
    #[cfg_attr(feature = "openapi", schema(value_type = String, pattern = "^[A-Z]{2}$", example = "IN"))]
    pub country: Country,
    /// Left out outside India, and where no state was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub state: Option<State>,
}

/// A state or union territory of India.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = GstState))]
pub struct State {
    /// Its code in GST.
    #[cfg_attr(feature = "openapi", schema(pattern = "^[0-9]{2}$", example = "29"))]
    pub code: String,
    /// Its name.
    #[cfg_attr(feature = "openapi", schema(example = "Karnataka"))]
    pub name: String,
}

impl PlaceOfSupply {
    /// The place with this country and state, however the state is written. None if the seller is not in India, whose law alone
    /// asks for it (CGST Rules 2017, rule 46(n)).
    pub fn of(seller: Country, country: Country, state: Option<&str>) -> Option<Self> {
        let is_india = |country: Country| country.to_string() == "IN";
        let state = state.filter(|_| is_india(country)).and_then(|state| State::of(country, state));
        is_india(seller).then_some(Self { country, state })
    }
}

impl State {
    fn of(india: Country, state: &str) -> Option<Self> {
        let iso = subdivision::code(india, state)?;
        let (_, code, name) = STATES.iter().find(|(code, ..)| *code == iso)?;
        Some(Self { code: (*code).to_owned(), name: (*name).to_owned() })
    }
}

/// The name with the code, as documents print it.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_is_known_by_its_name_and_its_code_of_iso() {
        let india: Country = "IN".parse().unwrap();
        for (iso, code, name) in STATES {
            for written in [iso.to_owned(), format!("IN-{iso}"), name.to_owned()] {
                let state = State::of(india, &written).map(|state| state.to_string());
                assert_eq!(state, Some(format!("{name} ({code})")), "{written}");
            }
        }
        assert_eq!(State::of(india, "Bayern"), None);
    }

    #[test]
    fn only_a_seller_in_india_names_the_place_of_supply() {
        let country = |code: &str| code.parse::<Country>().unwrap();
        let of = |seller, buyer, state| PlaceOfSupply::of(country(seller), country(buyer), state);
        assert_eq!(of("SE", "IN", Some("Karnataka")), None);
        let abroad = of("IN", "DE", Some("Bayern")).unwrap();
        assert_eq!((abroad.country, abroad.state), (country("DE"), None));
        assert_eq!(of("IN", "IN", Some("karnātaka")).unwrap().state.unwrap().code, "29");
        assert_eq!(of("IN", "IN", None).unwrap().state, None);
    }
}
