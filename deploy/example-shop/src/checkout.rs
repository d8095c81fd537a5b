//! Checks the basket out, and starts the payment: on the provider's page, or with its script on ours.

use std::collections::HashMap;

use axum::Form;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use minijinja::context;
use serde_json::{Map, Value, json};
use url::Url;

use crate::basket::{self, ADDRESS, Typed};
use crate::limits::Attempt;
use crate::pages::{Page, fault, refused, render, serde};
use crate::storefront::{Storefront, word};
use crate::visitor::{Basket, Visitor};
use crate::{App, Shop};

/// What a consumer may have to agree to; the quote says which of it a checkout needs.
const CONSENTS: [&str; 3] = ["terms", "begin_now", "loses_right"];

pub async fn check_out(
    State(shop): State<App>,
    visitor: Visitor,
    Form(form): Form<HashMap<String, String>>,
) -> Response {
    let storefront = Storefront::new(&shop, &visitor);
    let given = |name: &str| form.get(name).filter(|text| !text.trim().is_empty());
    let address: Map<String, Value> =
        ADDRESS.iter().filter_map(|(name, _)| Some(((*name).to_owned(), json!(given(name)?)))).collect();
    let address = if address.is_empty() { Value::Null } else { Value::Object(address) };
    let typed = |value: &str| form.get(value).cloned().unwrap_or_default();
    // The buyer pays what the button says, and the address can change the tax.
    let quoted = basket::quote(&shop, &storefront, &visitor, &address).await;
    let total = quoted.body["total_price"].to_string();
    let has_changed = total != typed("shown");
    // With the address, the buyer can have a right of withdrawal that the page did not know of.
    let required = quoted.body["consents_required"].as_array().into_iter().flatten();
    let lacks_consent =
        required.filter_map(Value::as_str).any(|consent| !form.contains_key(&format!("consent_{consent}")));
    // Only of people whom the shop knows: the API does not check that they buy for the company.
    let pays_by_invoice = visitor.session.is_some() && form.contains_key("pay_by");
    let is_offered = quoted.body["pay_by"].as_array().is_some_and(|ways| ways.contains(&json!("invoice")));
    let lacks_company = pays_by_invoice && !(is_offered && given("company").is_some());
    if !quoted.is_ok() || has_changed || lacks_consent || lacks_company {
        let has_changed = quoted.is_ok() && has_changed;
        let lacks_company = quoted.is_ok() && lacks_company;
        let email = typed("email");
        let typed = Typed { address, email, has_changed, lacks_consent, pays_by_invoice, lacks_company };
        return basket::page(&shop, &visitor, &storefront, Some(quoted), &typed).await;
    }
    if !shop.limits.take(Attempt::Checkout, visitor.peer.address) {
        return refused(&shop, &visitor);
    }
    let Basket { organisation_id, items, voucher, .. } = &visitor.basket;
    let mut body = json!({
        "organisation_id": organisation_id, "items": items, "voucher": voucher, "billing_address": address,
        // Of mails and documents.
        "language": visitor.language.to_string(),
    });
    let consents: Map<String, Value> = CONSENTS
        .iter()
        .filter(|consent| form.contains_key(&format!("consent_{consent}")))
        .map(|consent| ((*consent).to_owned(), json!(true)))
        .collect();
    if pays_by_invoice {
        body["pay_by"] = json!("invoice");
    }
    if !consents.is_empty() {
        body["consents"] = Value::Object(consents);
    }
    // The form has a key of its own, so that a repetition does not begin a second payment.
    let once = typed("once");
    let answer = match visitor.session {
        Some(_) => storefront.post_own("/storeapi/discovery/checkout/", &body, &once).await,
        None => {
            body["email"] = json!(form.get("email"));
            storefront.post("/storeapi/discovery/guest/checkout/", &body, &once).await
        }
    };
    if !answer.is_ok() {
        return fault(&shop, &visitor, &storefront, &answer);
    }
    let cart = Some(word(&answer.body["cart_id"]));
    let mut response = start(&shop, &visitor, &storefront, &answer.body, &form);
    Basket { cart, ..visitor.basket.clone() }.keep_with(&shop, &mut response);
    response
}

/// Leads to what comes next: the order, if there is nothing to pay, the provider's page, or ours with its script or with the account
/// for a transfer.
fn start(
    shop: &Shop,
    visitor: &Visitor,
    storefront: &Storefront<'_>,
    reply: &Value,
    form: &HashMap<String, String>,
) -> Response {
    let order = format!("/order/{}", word(&reply["cart_id"]));
    if reply["status"] == "free" {
        return Redirect::to(&order).into_response();
    }
    if let Some(url) = reply["redirect_url"].as_str() {
        // Not as a redirect: browsers refuse a form whose answer leads to another site than `form-action` names.
        let mut page = render(shop, visitor, storefront, Page::of("leave.html"), context! { url });
        let there = HeaderValue::try_from(format!("0; url={url}")).ok();
        page.headers_mut().extend(there.map(|there| (header::REFRESH, there)));
        return page;
    }
    if let Some(reference) = reply["payment_reference"].as_str() {
        let values = context! {
            reference, order, lines => serde(&reply["items_detail"]), bank_lines => serde(&reply["bank_lines"]),
            on_account => form.contains_key("pay_by"), due_on => reply["due_on"].as_str(), total => reply["total_price"].as_f64(), currency => reply["currency"].as_str(),
        };
        return render(shop, visitor, storefront, Page::of("pay.html"), values);
    }
    let script = match reply["client_secret"].is_string() {
        true => &shop.settings.stripe_script_url,
        false => &shop.settings.razorpay_script_url,
    };
    let origin = Url::parse(script).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    let start = json!({ "reply": reply, "order": order, "email": form.get("email") });
    let values = context! {
        script, lines => serde(&reply["items_detail"]),
        total => reply["total_price"].as_f64(), currency => reply["currency"].as_str(), start => serde(&start),
    };
    render(shop, visitor, storefront, Page::of("pay.html").script(&origin), values)
}
