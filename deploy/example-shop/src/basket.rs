//! The basket: what is in it, what it costs, and the form that checks it out.

use axum::Form;
use axum::extract::State;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::brand::Brands;
use crate::country;
use crate::items::Item;
use crate::limits::Attempt;
use crate::pages::{Page, render};
use crate::receipt::sums;
use crate::storefront::{Answer, Storefront};
use crate::visitor::{Basket, Line, Visitor};
use crate::{App, Shop};

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

#[derive(Deserialize)]
pub struct Added {
    organisation_id: String,
    r#type: String,
    id: String,
    mode: String,
    /// Empty for a place of the visitor's own.
    #[serde(default)]
    seats: String,
}

/// Adds an item. The API sells items of one organisation at a time, so one of another begins a new basket.
pub async fn add(State(shop): State<App>, mut visitor: Visitor, Form(added): Form<Added>) -> Response {
    if visitor.basket.organisation_id != added.organisation_id {
        visitor.basket = Basket { organisation_id: added.organisation_id, ..Basket::default() };
    }
    visitor.basket.items.retain(|item| item.id != added.id);
    // The API refuses 0 and says why; without a number, the visitor would buy a place of their own.
    let seats = match added.seats.trim() {
        "" => None,
        number => Some(number.parse().unwrap_or(0)),
    };
    visitor.basket.items.push(Line { r#type: added.r#type, id: added.id, mode: added.mode, seats });
    visitor.basket.keep(&shop)
}

#[derive(Deserialize)]
pub struct Removed {
    id: String,
}

pub async fn remove(State(shop): State<App>, mut visitor: Visitor, Form(removed): Form<Removed>) -> Response {
    visitor.basket.items.retain(|item| item.id != removed.id);
    visitor.basket.keep(&shop)
}

#[derive(Deserialize)]
pub struct Code {
    voucher: String,
}

pub async fn set_voucher(State(shop): State<App>, mut visitor: Visitor, Form(code): Form<Code>) -> Response {
    visitor.basket.voucher = Some(code.voucher.trim().to_owned()).filter(|code| !code.is_empty());
    visitor.basket.keep(&shop)
}

/// Prices the basket. With the billing address the tax can change, and the checkout asks again.
pub async fn show(State(shop): State<App>, visitor: Visitor) -> Response {
    let storefront = Storefront::new(&shop, &visitor);
    let quoted = match visitor.basket.items.is_empty() {
        true => None,
        false => Some(quote(&shop, &storefront, &visitor, &json!(null)).await),
    };
    page(&shop, &visitor, &storefront, quoted, &Typed::default()).await
}

/// Prices the basket with a billing address, or null. A voucher that is not accepted counts as a try.
pub async fn quote(shop: &Shop, storefront: &Storefront<'_>, visitor: &Visitor, address: &Json) -> Answer {
    let Basket { organisation_id, items, voucher, .. } = &visitor.basket;
    let peer = visitor.peer.address;
    let is_tried = voucher.is_some();
    if !shop.limits.take(Attempt::Quote, peer) || is_tried && !shop.limits.take(Attempt::BadVoucher, peer) {
        return Answer::too_many();
    }
    let body = json!({
        "organisation_id": organisation_id, "items": items, "voucher": voucher, "billing_address": address,
    });
    let answer = match visitor.session {
        Some(_) => storefront.post_own("/storeapi/discovery/quote/", &body, "").await,
        None => storefront.post("/storeapi/discovery/quote/", &body, "").await,
    };
    if is_tried && answer.body["voucher"]["accepted"] == true {
        shop.limits.give_back(Attempt::BadVoucher, peer);
    }
    answer
}

/// What the form of the checkout has already.
#[derive(Default)]
pub struct Typed {
    pub address: Json,
    pub email: String,
    /// The price is another one with this address.
    pub has_changed: bool,
    /// With this address, there is more to agree to.
    pub lacks_consent: bool,
    pub pays_by_invoice: bool,
    /// The seller sells to no such company on account, or none is named.
    pub lacks_company: bool,
}

/// The basket's page.
pub async fn page(
    shop: &Shop,
    visitor: &Visitor,
    storefront: &Storefront<'_>,
    quoted: Option<Answer>,
    typed: &Typed,
) -> Response {
    let refused = quoted.as_ref().filter(|quote| !quote.is_ok()).map(Answer::fault);
    let quote = quoted.filter(Answer::is_ok).map(|quote| quote.body);
    let brands = if quote.is_some() { Brands::read(storefront).await } else { Brands::default() };
    let brand = brands.find(&visitor.basket.organisation_id);
    let missing = quote.as_ref().map(|quote| quote["billing_address_missing"].clone()).unwrap_or_default();
    let quote = quote.map(|quote| {
        let lines = quote["items_detail"].as_array().into_iter().flatten();
        let lines: Vec<Value> = lines.map(|line| Item::line(line, brand).shown(line)).collect();
        context! { lines, ..context! { ..Value::from(Serde(sums(&quote))), ..Value::from(Serde(&quote)) } }
    });
    let values = context! {
        items => Value::from(Serde(&visitor.basket.items)), voucher => &visitor.basket.voucher,
        fault => refused, quote, has_changed => typed.has_changed, lacks_consent => typed.lacks_consent, email => &typed.email,
        pays_by_invoice => typed.pays_by_invoice, lacks_company => typed.lacks_company,
        fields => fields(&typed.address, &missing, visitor), all_countries => country::CODES.split_ascii_whitespace().collect::<Vec<_>>(),
        needs_address => missing.as_array().is_some_and(|fields| !fields.is_empty()), needs_names => true,
    };
    render(shop, visitor, storefront, Page::of("basket.html").here("basket"), values)
}

/// The fields of the billing address, with what was typed and what the checkout would refuse to go without.
fn fields(address: &Json, missing: &Json, visitor: &Visitor) -> Vec<Value> {
    let is_missing =
        |name: &str| missing.as_array().is_some_and(|fields| fields.iter().any(|field| field == name));
    let field = |(name, autocomplete): (&str, &str)| {
        let typed =
            address[name].as_str().or_else(|| visitor.country.as_deref().filter(|_| name == "country"));
        context! {
            name, autocomplete, value => typed.unwrap_or_default(), is_required => is_missing(name),
            is_whole => ["name", "line1"].contains(&name),
        }
    };
    ADDRESS.into_iter().map(field).collect()
}
