//! Checks a basket out, and leads to its payment.

use axum::Form;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Map, Value, json};

use crate::basket::{self, Shown, code, promise};
use crate::baskets::Basket;
use crate::draft::Draft;
use crate::faults::{Fault, faults};
use crate::limits::Attempt;
use crate::pages::{fault, refused};
use crate::pay::Begun;
use crate::storefront::{Answer, Storefront, word};
use crate::visitor::{Fields, Visitor};
use crate::{App, Shop};

/// What a consumer may have to agree to; the quote says which of it a checkout needs.
const CONSENTS: [&str; 3] = ["terms", "begin_now", "loses_right"];

/// The boxes of the form that are ticked: what the buyer agrees to, and payment by invoice.
pub fn ticked(form: &Fields) -> Vec<String> {
    let consents = CONSENTS.map(|consent| format!("consent_{consent}"));
    let boxes = consents.into_iter().chain(["pay_by".to_owned()]);
    boxes.filter(|name| form.contains_key(name)).collect()
}

/// Where a form was sent to, as an address that somebody opens again.
pub async fn back() -> Redirect {
    Redirect::to("/basket")
}

pub async fn check_out(State(shop): State<App>, mut visitor: Visitor, Form(form): Form<Fields>) -> Response {
    // A page of another tab, or of the way back: what it shows may be bought already.
    let Some(basket) = form.get("of").and_then(|of| visitor.baskets.of(of)).cloned() else {
        return Redirect::to("/basket").into_response();
    };
    if code(&form) != basket.voucher {
        // The buyer expects the code to count, also without its own button.
        return basket::change(&shop, visitor, &form, |basket| basket.voucher = code(&form));
    }
    visitor.draft = Draft::read(&form).unwrap_or_default();
    // In case the answer is a page again.
    visitor.path = "/basket".to_owned();
    let basket = Basket { ticked: ticked(&form), ..basket };
    visitor.baskets.put(basket.clone());
    let mut response = checked(&shop, &mut visitor, &basket, &form).await;
    visitor.draft.keep_with(&shop, &visitor, &mut response);
    visitor.baskets.keep_with(&shop, &mut response);
    response
}

/// Asks for the price once more, and begins the payment if the buyer was promised the same.
async fn checked(shop: &Shop, visitor: &mut Visitor, basket: &Basket, form: &Fields) -> Response {
    let address = visitor.draft.billing_address(visitor);
    let (begun, answer) = {
        let storefront = Storefront::new(shop, visitor);
        let quoted = basket::quote(shop, &storefront, visitor, basket, &address).await;
        if let Some(shown) = objections(visitor, basket, form, &quoted) {
            return basket::page(shop, visitor, &storefront, Some(basket), Some(quoted), &shown).await;
        }
        if !shop.limits.take(Attempt::Checkout, visitor.peer.address) {
            return refused(shop, visitor);
        }
        let begun = Begun::new(
            request(visitor, basket, &address, &quoted.body["total_price"]),
            form.get("once").map_or("", String::as_str),
        );
        let answer = begun.ask(&storefront).await;
        if names(&answer, "expected_total") {
            // A price has changed by the clock since the quote.
            let quoted = basket::quote(shop, &storefront, visitor, basket, &address).await;
            let shown = Shown { has_changed: true, ..Shown::default() };
            return basket::page(shop, visitor, &storefront, Some(basket), Some(quoted), &shown).await;
        }
        if !answer.is_ok() {
            let shown = Shown { faults: faults(&answer), ..Shown::default() };
            return match shown.faults.is_empty() {
                true => fault(shop, visitor, &storefront, &answer),
                false => basket::page(shop, visitor, &storefront, Some(basket), Some(quoted), &shown).await,
            };
        }
        (begun, answer)
    };
    let cart = word(&answer.body["cart_id"]);
    visitor.baskets.put(Basket { cart: Some(cart.clone()), ..basket.clone() });
    if answer.body["status"] == "free" {
        return Redirect::to(&format!("/order/{cart}")).into_response();
    }
    // An address of its own: a reload asks for nothing, and the way back leads to the basket.
    let mut response = Redirect::to(&format!("/pay/{cart}")).into_response();
    begun.keep_with(shop, visitor, &cart, &mut response);
    response
}

/// Whether an answer names a field as wrong.
fn names(answer: &Answer, field: &str) -> bool {
    let errors = answer.body["errors"].as_array();
    errors.is_some_and(|errors| errors.iter().any(|error| error["field"] == field))
}

/// What the buyer has to look at before the checkout can begin; None if there is nothing.
fn objections(visitor: &Visitor, basket: &Basket, form: &Fields, quoted: &Answer) -> Option<Shown> {
    if !quoted.is_ok() {
        return Some(Shown::default());
    }
    let quote = &quoted.body;
    let is_ticked = |name: &str| basket.ticked.iter().any(|one| one == name);
    // With the address, the buyer can have a right of withdrawal that the page did not know of.
    let mut required = quote["consents_required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let is_offered = quote["pay_by"].as_array().is_some_and(|ways| ways.contains(&json!("invoice")));
    let has_company = !visitor.draft.field("company", visitor).is_empty();
    let missing = quote["billing_address_missing"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut faults: Vec<Fault> = missing.map(|name| Fault::of(name, "shop-error-required")).collect();
    if visitor.session.is_none() && !visitor.draft.email.contains('@') {
        faults.insert(0, Fault::of("email", "withdraw-no-email"));
    }
    // The buyer pays what the button says, and the address can change the tax.
    let (promised, promise) = (form.get("shown").map_or("", String::as_str), promise(quote));
    let total = |promise: &str| promise.split(' ').next().map(str::to_owned);
    let shown = Shown {
        has_changed: total(promised) != total(&promise),
        lacks_consent: required.any(|consent| !is_ticked(&format!("consent_{consent}"))),
        lacks_company: by_invoice(visitor, basket) && !(is_offered && has_company),
        is_full: false,
        faults,
    };
    let is_clear =
        promised == promise && !shown.lacks_consent && !shown.lacks_company && shown.faults.is_empty();
    (!is_clear).then_some(shown)
}

/// Only of people whom the shop knows: the API does not check that they buy for the company.
fn by_invoice(visitor: &Visitor, basket: &Basket) -> bool {
    visitor.session.is_some() && basket.ticked.iter().any(|name| name == "pay_by")
}

fn request(visitor: &Visitor, basket: &Basket, address: &Value, total: &Value) -> Value {
    let Basket { organisation_id, items, voucher, ticked, .. } = basket;
    let mut body = json!({
        "organisation_id": organisation_id, "items": items, "voucher": voucher, "billing_address": address,
        "expected_total": total,
        "gift": visitor.draft.gift(items),
        // Of mails and documents.
        "language": visitor.language.to_string(),
    });
    let consents: Map<String, Value> = ticked
        .iter()
        .filter_map(|name| Some((name.strip_prefix("consent_")?.to_owned(), json!(true))))
        .collect();
    if by_invoice(visitor, basket) {
        body["pay_by"] = json!("invoice");
    }
    if !consents.is_empty() {
        body["consents"] = Value::Object(consents);
    }
    if visitor.session.is_none() {
        body["email"] = json!(visitor.draft.email);
    }
    body
}
