//! The basket: what is in it, what it costs, and the form that checks it out.

use axum::Form;
use axum::extract::State;
use axum::response::Response;
use minijinja::{Value, context};
use serde::Deserialize;
use serde_json::json;

use crate::App;
use crate::pages::render;
use crate::storefront::Storefront;
use crate::visitor::{Basket, Item, Visitor};

#[derive(Deserialize)]
pub struct Added {
    organisation_id: String,
    #[serde(flatten)]
    item: Item,
}

/// Adds an item. The API sells items of one organisation at a time, so one of another begins a new basket.
pub async fn add(mut visitor: Visitor, Form(added): Form<Added>) -> Response {
    if visitor.basket.organisation_id != added.organisation_id {
        visitor.basket = Basket { organisation_id: added.organisation_id, ..Basket::default() };
    }
    visitor.basket.items.retain(|item| item.id != added.item.id);
    visitor.basket.items.push(added.item);
    visitor.basket.keep()
}

#[derive(Deserialize)]
pub struct Removed {
    id: String,
}

pub async fn remove(mut visitor: Visitor, Form(removed): Form<Removed>) -> Response {
    visitor.basket.items.retain(|item| item.id != removed.id);
    visitor.basket.keep()
}

#[derive(Deserialize)]
pub struct Code {
    voucher: String,
}

pub async fn set_voucher(mut visitor: Visitor, Form(code): Form<Code>) -> Response {
    visitor.basket.voucher = Some(code.voucher.trim().to_owned()).filter(|code| !code.is_empty());
    visitor.basket.keep()
}

/// Prices the basket as the checkout will charge it.
pub async fn show(State(shop): State<App>, visitor: Visitor) -> Response {
    let mut storefront = Storefront::new(&shop, &visitor);
    let basket = &visitor.basket;
    let mut quote = None;
    if !basket.items.is_empty() {
        let body = json!({ "organisation_id": basket.organisation_id, "items": basket.items, "voucher": basket.voucher });
        quote = Some(match visitor.session {
            Some(_) => storefront.post_own("/storeapi/discovery/quote/", &body, "").await,
            None => storefront.post("/storeapi/discovery/quote/", &body).await,
        });
    }
    let fault = quote.as_ref().filter(|quote| !quote.is_ok()).map(|quote| quote.fault());
    let quote = quote.filter(|quote| quote.is_ok()).map(|quote| quote.body);
    let values = context! {
        title => "Your basket", fault, items => Value::from(minijinja::value::Serde(&basket.items)), voucher => &basket.voucher,
        quote => quote.map(|quote| Value::from(minijinja::value::Serde(&quote))),
    };
    render(&shop, &visitor, &storefront, ("basket.html", None), values)
}
