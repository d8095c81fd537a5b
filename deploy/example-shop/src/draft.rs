//! What the visitor has typed into the form of the checkout. Each button of that form brings it along, and a sealed cookie keeps it
//! for a day, so that it survives a voucher, another language, a refusal, signing in and the way back.

use std::collections::{BTreeMap, HashMap};

use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Shop;
use crate::baskets::Line;
use crate::visitor::{Visitor, keep_sealed};

/// The fields of a billing address, with the names by which browsers fill them.
pub const ADDRESS: [(&str, &str); 8] = [
    ("name", "name"),
    ("company", "organization"),
    ("tax_id", "off"),
    ("line1", "address-line1"),
    ("postal_code", "postal-code"),
    ("city", "address-level2"),
    ("state", "address-level1"),
    ("country", "country"),
];

/// The fields of a gift, with the names that the API has for them.
pub const GIFT: [(&str, &str); 4] =
    [("gift_email", "email"), ("gift_giver", "giver"), ("gift_message", "message"), ("gift_on", "on")];

/// The name of the cookie, and what it is sealed for.
pub const COOKIE: &str = "draft";

/// Seconds in a day.
const KEPT: u32 = 86_400;

/// The most characters of a field that are kept: all of them together must fit into a cookie.
const MOST: usize = 200;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    pub email: String,
    /// The fields of the billing address, blank ones included: a country that was taken away is not the visitor's.
    #[serde(default)]
    pub address: BTreeMap<String, String>,
    #[serde(default)]
    pub gift: BTreeMap<String, String>,
}

impl Draft {
    /// Reads the form; None if it is another one, or that of a page without prices, which has no fields.
    pub fn read(form: &HashMap<String, String>) -> Option<Self> {
        // Browsers send a line end of a text area as two characters, and count it as one.
        let text = |text: &String| text.replace("\r\n", "\n").trim().chars().take(MOST).collect();
        let given = |name: &str| form.get(name).map(text);
        let field = |(name, _): &(&str, &str)| Some(((*name).to_owned(), given(name)?));
        form.get("once")?;
        Some(Self {
            email: given("email").unwrap_or_default(),
            address: ADDRESS.iter().filter_map(field).collect(),
            gift: GIFT.iter().filter_map(field).filter(|(_, text)| !text.is_empty()).collect(),
        })
    }

    /// What a field holds: for the country, at first that from which the visitor comes.
    pub fn field<'a>(&'a self, name: &str, visitor: &'a Visitor) -> &'a str {
        let typed = self.address.get(name).map(String::as_str);
        typed.or_else(|| visitor.country.as_deref().filter(|_| name == "country")).unwrap_or_default()
    }

    /// The billing address, as the API takes it: null if nothing is known but the country from which the visitor comes, which the
    /// API knows already. Some payment providers refuse a lone country.
    pub fn billing_address(&self, visitor: &Visitor) -> Value {
        let fields: BTreeMap<&str, &str> = ADDRESS
            .iter()
            .map(|(name, _)| (*name, self.field(name, visitor)))
            .filter(|(_, text)| !text.is_empty())
            .collect();
        let is_lone = fields.keys().all(|name| *name == "country");
        match is_lone && fields.get("country").copied() == visitor.country.as_deref() {
            true => Value::Null,
            false => json!(fields),
        }
    }

    /// The gift as the API takes it; null unless the basket is a single seat and the form names a recipient.
    pub fn gift(&self, items: &[Line]) -> Value {
        let given = |(field, name): &(&str, &str)| Some(((*name).to_owned(), json!(self.gift.get(*field)?)));
        match (items, self.gift.contains_key("gift_email")) {
            ([Line { seats: Some(1), .. }], true) => Value::Object(GIFT.iter().filter_map(given).collect()),
            _ => Value::Null,
        }
    }

    pub fn keep_with(&self, shop: &Shop, visitor: &Visitor, response: &mut Response) {
        keep_sealed(shop, visitor, response, (COOKIE, "/"), KEPT, self);
    }
}
