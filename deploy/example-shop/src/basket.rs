//! The basket: what is in it, what it costs, and the form that checks it out. All buttons of the page send that form, so that none
//! of them loses what was typed.

use std::collections::HashMap;

use axum::Form;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::baskets::{Basket, Line};
use crate::brand::Brands;
use crate::country;
use crate::draft::ADDRESS;
use crate::faults::{Fault, faults};
use crate::items::Item;
use crate::limits::Attempt;
use crate::pages::{Page, fault, render};
use crate::receipt::sums;
use crate::storefront::{Answer, Storefront};
use crate::visitor::{Fields, Visitor, encoded, keep_typed};
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
    /// Not empty if the visitor pressed the button for a gift, which is one seat.
    #[serde(default)]
    gift: String,
}

/// Adds an item, to the basket of its organisation.
pub async fn add(State(shop): State<App>, visitor: Visitor, Form(added): Form<Added>) -> Response {
    let mut basket = visitor.baskets.of(&added.organisation_id).cloned().unwrap_or_default();
    basket.organisation_id = added.organisation_id;
    // The API refuses 0 and says why; without a number, the visitor would buy a place of their own.
    let seats = match added.seats.trim() {
        "" => (!added.gift.is_empty()).then_some(1),
        number => Some(number.parse().unwrap_or(0)),
    };
    basket.add(Line { r#type: added.r#type, id: added.id, mode: added.mode, seats });
    put(&shop, visitor, basket).await
}

/// Keeps a basket with what was added to it, or says that the baskets hold no more.
async fn put(shop: &Shop, mut visitor: Visitor, basket: Basket) -> Response {
    let before = visitor.baskets.clone();
    visitor.baskets.put(basket);
    if !visitor.baskets.fit() {
        visitor.baskets = before;
        let shown = Shown { is_full: true, ..Shown::default() };
        return quoted_page(shop, &visitor, None, &shown).await;
    }
    keep(shop, &visitor)
}

/// Item that a link of a mail or of the course platform names, with the code that buys it.
#[derive(Deserialize)]
pub struct Linked {
    #[serde(default)]
    course: String,
    #[serde(default)]
    mode: String,
    #[serde(default)]
    voucher: String,
}

/// Page to which an organisation's `buy_url` leads: puts the course and its code into the basket. A link that names no course leads
/// to the catalog.
pub async fn open(State(shop): State<App>, visitor: Visitor, Query(linked): Query<Linked>) -> Response {
    if linked.course.is_empty() {
        return Redirect::to("/").into_response();
    }
    let storefront = Storefront::new(&shop, &visitor);
    let path = format!("/storeapi/discovery/course/{}/", encoded(&linked.course));
    let answer = storefront.get(&path, &[("fields", "summary")]).await;
    if !answer.is_ok() {
        return fault(&shop, &visitor, &storefront, &answer);
    }
    let text = |name: &str| answer.body[name].as_str().unwrap_or_default().to_owned();
    let organisation_id = text("organisation_id");
    let mut basket = visitor.baskets.of(&organisation_id).cloned().unwrap_or_default();
    basket.organisation_id = organisation_id;
    let mode = if linked.mode.is_empty() { text("course_mode") } else { linked.mode };
    basket.add(Line { r#type: "course".to_owned(), id: text("id"), mode, seats: None });
    if !linked.voucher.is_empty() {
        basket.voucher = Some(linked.voucher);
    }
    put(&shop, visitor, basket).await
}

/// Takes the item out whose id the pressed button has.
pub async fn remove(State(shop): State<App>, visitor: Visitor, Form(form): Form<Fields>) -> Response {
    let id = form.get("id").cloned().unwrap_or_default();
    change(&shop, visitor, &form, |basket| basket.remove(&id))
}

pub async fn set_voucher(State(shop): State<App>, visitor: Visitor, Form(form): Form<Fields>) -> Response {
    let code = code(&form);
    change(&shop, visitor, &form, |basket| basket.voucher = code)
}

/// The code in the form.
pub fn code(form: &Fields) -> Option<String> {
    form.get("voucher").map(|code| code.trim().to_owned()).filter(|code| !code.is_empty())
}

/// Changes the form's basket, and keeps what else was typed.
pub fn change(
    shop: &Shop,
    mut visitor: Visitor,
    form: &Fields,
    change: impl FnOnce(&mut Basket),
) -> Response {
    let mut response = Redirect::to("/basket").into_response();
    keep_typed(shop, &mut visitor, form, &mut response);
    if let Some(mut basket) = form.get("of").and_then(|of| visitor.baskets.of(of)).cloned() {
        change(&mut basket);
        visitor.baskets.put(basket);
        visitor.baskets.keep_with(shop, &mut response);
    }
    response
}

fn keep(shop: &Shop, visitor: &Visitor) -> Response {
    let mut response = Redirect::to("/basket").into_response();
    visitor.baskets.keep_with(shop, &mut response);
    response
}

/// Shows the basket of the organisation that the query names, else the one that was changed last.
pub async fn show(
    State(shop): State<App>,
    visitor: Visitor,
    Query(params): Query<HashMap<String, String>>,
) -> Response {
    quoted_page(&shop, &visitor, params.get("of").map(String::as_str), &Shown::default()).await
}

/// The page of a basket, with its prices as far as the billing address is known.
async fn quoted_page(shop: &Shop, visitor: &Visitor, of: Option<&str>, shown: &Shown) -> Response {
    let storefront = Storefront::new(shop, visitor);
    let basket = visitor.baskets.of_or_last(of);
    let quoted = match basket {
        None => None,
        Some(basket) => {
            let address = visitor.draft.billing_address(visitor);
            Some(quote(shop, &storefront, visitor, basket, &address).await)
        }
    };
    page(shop, visitor, &storefront, basket, quoted, shown).await
}

/// Prices a basket with a billing address, or null. A voucher that is not accepted counts as a try.
pub async fn quote(
    shop: &Shop,
    storefront: &Storefront<'_>,
    visitor: &Visitor,
    basket: &Basket,
    address: &Json,
) -> Answer {
    let Basket { organisation_id, items, voucher, .. } = basket;
    let peer = visitor.peer.address;
    let is_tried = voucher.is_some();
    if !shop.limits.take(Attempt::Quote, peer) || is_tried && !shop.limits.take(Attempt::BadVoucher, peer) {
        return Answer::too_many();
    }
    let ask = async |gift: Json| {
        let body = json!({
            "organisation_id": organisation_id, "items": items, "voucher": voucher, "billing_address": address,
            "gift": gift,
        });
        match visitor.session {
            Some(_) => storefront.post_own("/storeapi/discovery/quote/", &body, "").await,
            None => storefront.post("/storeapi/discovery/quote/", &body, "").await,
        }
    };
    let mut answer = ask(visitor.draft.gift(items)).await;
    if faults(&answer).iter().any(|fault| fault.field.starts_with("gift_")) {
        // The checkout says so beside the field, which a page without prices does not have.
        answer = ask(Json::Null).await;
    }
    if is_tried && answer.body["voucher"]["accepted"] == true {
        shop.limits.give_back(Attempt::BadVoucher, peer);
    }
    answer
}

/// What the button promises: the price, and who owes the tax. Another promise is shown before anybody pays.
pub fn promise(quote: &Json) -> String {
    let tax = quote["reverse_charge"]["status"].as_str().unwrap_or_default();
    format!("{} {tax}", quote["total_price"])
}

/// What a page of the basket says beside its prices.
#[derive(Default)]
pub struct Shown {
    /// The price is another one with this address.
    pub has_changed: bool,
    /// With this address, there is more to agree to.
    pub lacks_consent: bool,
    /// The seller sells to no such company on account, or none is named.
    pub lacks_company: bool,
    /// No cookie holds more.
    pub is_full: bool,
    /// What is wrong with the fields.
    pub faults: Vec<Fault>,
}

/// The basket's page.
pub async fn page(
    shop: &Shop,
    visitor: &Visitor,
    storefront: &Storefront<'_>,
    basket: Option<&Basket>,
    quoted: Option<Answer>,
    shown: &Shown,
) -> Response {
    let refusal = quoted.as_ref().filter(|quote| !quote.is_ok());
    let unquoted = refusal.map(|answer| (answer.kind(), faults(answer)));
    let (kind, of_quote) = unquoted.unzip();
    let quote = quoted.filter(Answer::is_ok).map(|quote| quote.body);
    let others: Vec<&Basket> = visitor.baskets.others(basket).collect();
    let brands = match quote.is_some() || !others.is_empty() {
        true => Brands::read(storefront).await,
        false => Brands::default(),
    };
    let brand = basket.and_then(|basket| brands.find(&basket.organisation_id));
    let others: Vec<Value> = others
        .into_iter()
        .map(|other| {
            let name = brands.find(&other.organisation_id).map(|brand| brand.name.clone());
            context! { name, href => format!("/basket?of={}", encoded(&other.organisation_id)), count => other.items.len() }
        })
        .collect();
    let missing = quote.as_ref().map(|quote| quote["billing_address_missing"].clone()).unwrap_or_default();
    let promised = quote.as_ref().map(promise);
    let quote = quote.map(|quote| {
        let lines = quote["items_detail"].as_array().into_iter().flatten();
        let lines: Vec<Value> = lines.map(|line| Item::line(line, brand).shown(line)).collect();
        context! { lines, ..context! { ..Value::from(Serde(sums(&quote))), ..Value::from(Serde(&quote)) } }
    });
    let faults: Vec<&Fault> = shown.faults.iter().chain(of_quote.iter().flatten()).collect();
    let values = context! {
        items => basket.map(|basket| Value::from(Serde(&basket.items))), of => basket.map(|basket| &basket.organisation_id),
        ticked => basket.map(|basket| &basket.ticked), voucher => basket.and_then(|basket| basket.voucher.as_ref()),
        others, by => brand.map(|brand| &brand.name), quote, promised, kind, faults => Value::from(Serde(&faults)),
        has_changed => shown.has_changed, lacks_consent => shown.lacks_consent, lacks_company => shown.lacks_company,
        is_full => shown.is_full, email => &visitor.draft.email, checkout_form => basket.is_some(),
        gift => &visitor.draft.gift, is_gift => basket.is_some_and(|basket| matches!(basket.items[..], [Line { seats: Some(1), .. }])),

        fields => fields(&missing, visitor, &shown.faults),
        all_countries => country::CODES.split_ascii_whitespace().collect::<Vec<_>>(),
        needs_address => missing.as_array().is_some_and(|fields| !fields.is_empty()), needs_names => true,
    };
    render(shop, visitor, storefront, Page::of("basket.html").here("basket").holds_a_form(), values)
}

/// The fields of the billing address, with what was typed, what the checkout would refuse to go without, and what is wrong.
fn fields(missing: &Json, visitor: &Visitor, faults: &[Fault]) -> Vec<Value> {
    let is_missing =
        |name: &str| missing.as_array().is_some_and(|fields| fields.iter().any(|field| field == name));
    let field = |(name, autocomplete): (&str, &str)| {
        let fault = faults.iter().find(|fault| fault.field == name).map(|fault| fault.text);
        context! {
            name, autocomplete, value => visitor.draft.field(name, visitor), is_required => is_missing(name), fault,
            is_whole => ["name", "line1"].contains(&name),
        }
    };
    ADDRESS.into_iter().map(field).collect()
}
