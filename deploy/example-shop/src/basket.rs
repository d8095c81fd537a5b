//! The basket: what is in it, what it costs, and the form that checks it out.

use axum::Form;
use axum::extract::State;
use axum::response::Response;
use minijinja::{Value, context};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::limits::Attempt;
use crate::pages::render;
use crate::storefront::{Answer, Storefront};
use crate::visitor::{Basket, Item, Visitor};
use crate::{App, Shop};

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
    visitor.basket.items.push(Item { r#type: added.r#type, id: added.id, mode: added.mode, seats });
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
    let mut storefront = Storefront::new(&shop, &visitor);
    let quoted = match visitor.basket.items.is_empty() {
        true => None,
        false => Some(quote(&shop, &mut storefront, &visitor, &json!(null)).await),
    };
    page(&shop, &visitor, &storefront, quoted, context! { address => context! {} })
}

/// Prices the basket with a billing address, or null. A voucher that is not accepted counts as a try.
pub async fn quote(
    shop: &Shop,
    storefront: &mut Storefront<'_>,
    visitor: &Visitor,
    address: &Json,
) -> Answer {
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

/// The basket's page; `typed` is what the form has already.
pub fn page(
    shop: &Shop,
    visitor: &Visitor,
    storefront: &Storefront<'_>,
    quoted: Option<Answer>,
    typed: Value,
) -> Response {
    let refused = quoted.as_ref().filter(|quote| !quote.is_ok()).map(|quote| quote.fault());
    let quote = quoted.filter(|quote| quote.is_ok()).map(|quote| quote.body);
    let values = context! {
        title => "Your basket", items => Value::from(minijinja::value::Serde(&visitor.basket.items)),
        voucher => &visitor.basket.voucher, fault => refused,
        quote => quote.map(|quote| Value::from(minijinja::value::Serde(&quote))),
        ..typed
    };
    render(shop, visitor, storefront, ("basket.html", None), values)
}
