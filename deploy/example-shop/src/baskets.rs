//! What the visitor has chosen to buy: a basket for each organisation, since the API sells items of one organisation at a time.
//! In a cookie, with ids and no prices.

use axum::response::Response;
use serde::{Deserialize, Serialize};

use crate::Shop;
use crate::visitor::{encoded, set};

/// Browsers keep cookies of 4,096 bytes, with their name and attributes.
const LONGEST_COOKIE: usize = 3_900;

/// Basket of one organisation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Basket {
    pub organisation_id: String,
    pub items: Vec<Line>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voucher: Option<String>,
    /// The boxes that the visitor has ticked for these very items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ticked: Vec<String>,
    /// The cart that its checkout has begun: once that is paid, the basket is emptied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cart: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub r#type: String,
    pub id: String,
    pub mode: String,
    /// Seats for others; None for a place of the visitor's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<u32>,
}

impl Basket {
    /// Replaces the line of the same course or program.
    pub fn add(&mut self, line: Line) {
        self.remove(&line.id);
        self.items.push(line);
    }

    pub fn remove(&mut self, id: &str) {
        self.items.retain(|item| item.id != id);
        // A consent is to what was bought, so another basket needs one of its own.
        self.ticked.clear();
    }
}

/// The baskets, that which the visitor has changed last first.
#[derive(Clone, Debug, Default)]
pub struct Baskets(Vec<Basket>);

/// What the cookie holds; a shop of before had one basket.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kept {
    Each(Vec<Basket>),
    One(Basket),
}

impl Baskets {
    pub fn read(cookie: &str) -> Self {
        let baskets = match serde_json::from_str(cookie) {
            Ok(Kept::Each(baskets)) => baskets,
            Ok(Kept::One(basket)) => vec![basket],
            Err(_) => Vec::new(),
        };
        Self(baskets.into_iter().filter(|basket| !basket.items.is_empty()).collect())
    }

    /// The basket of this organisation, else the one that was changed last.
    pub fn of_or_last(&self, organisation: Option<&str>) -> Option<&Basket> {
        organisation.and_then(|id| self.of(id)).or_else(|| self.0.first())
    }

    pub fn of(&self, organisation: &str) -> Option<&Basket> {
        self.0.iter().find(|basket| basket.organisation_id == organisation)
    }

    /// Those of other organisations.
    pub fn others(&self, shown: Option<&Basket>) -> impl Iterator<Item = &Basket> {
        self.0
            .iter()
            .filter(move |basket| Some(&basket.organisation_id) != shown.map(|one| &one.organisation_id))
    }

    /// Number of items in all of them.
    pub fn count(&self) -> usize {
        self.0.iter().map(|basket| basket.items.len()).sum()
    }

    /// Puts a changed basket first; an empty one is forgotten.
    pub fn put(&mut self, basket: Basket) {
        self.0.retain(|other| other.organisation_id != basket.organisation_id);
        if !basket.items.is_empty() {
            self.0.insert(0, basket);
        }
    }

    /// Empties the basket whose checkout has begun this cart. Returns whether there was one.
    pub fn take(&mut self, cart: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|basket| basket.cart.as_deref() != Some(cart));
        self.0.len() < before
    }

    /// False if browsers would not keep them.
    pub fn fit(&self) -> bool {
        encoded(&self.text()).len() <= LONGEST_COOKIE
    }

    pub fn keep_with(&self, shop: &Shop, response: &mut Response) {
        set(shop, response, "basket", &self.text());
    }

    fn text(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn basket(organisation: &str, course: &str) -> Basket {
        let line = Line { r#type: "course".into(), id: course.into(), mode: "verified".into(), seats: None };
        Basket { organisation_id: organisation.into(), items: vec![line], ..Basket::default() }
    }

    #[test]
    fn each_organisation_has_a_basket_and_the_last_one_comes_first() {
        let mut baskets = Baskets::read(&serde_json::to_string(&basket("a", "1")).unwrap());
        baskets.put(basket("b", "2"));
        let baskets = Baskets::read(&baskets.text());
        assert_eq!(baskets.of_or_last(None), Some(&basket("b", "2")));
        assert_eq!(baskets.of_or_last(Some("a")), Some(&basket("a", "1")));
        assert_eq!(baskets.of_or_last(Some("gone")), Some(&basket("b", "2")));
        assert_eq!(baskets.others(baskets.of("b")).collect::<Vec<_>>(), [&basket("a", "1")]);
        assert_eq!(baskets.count(), 2);
    }

    #[test]
    fn a_consent_ends_with_the_items_that_it_was_for() {
        let mut changed = Basket { ticked: vec!["consent_terms".into()], ..basket("a", "1") };
        changed.add(basket("a", "2").items.remove(0));
        assert!(changed.ticked.is_empty() && changed.items.len() == 2);
    }

    #[test]
    fn a_cart_that_is_paid_empties_its_own_basket_alone() {
        let mut baskets = Baskets::default();
        baskets.put(Basket { cart: Some("paid".into()), ..basket("a", "1") });
        baskets.put(basket("b", "2"));
        assert!(baskets.take("paid") && !baskets.take("paid"));
        assert_eq!(baskets.count(), 1);
    }
}
