//! The page on which an order is paid, at an address of its own: with the provider's script, by a transfer, or on the way to the
//! provider's page.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use minijinja::context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use crate::pages::{Page, fault, render, serde};
use crate::storefront::{Answer, Storefront, key};
use crate::visitor::{Visitor, keep_sealed, place};
use crate::{App, Shop};

/// The name of the cookie, and what it is sealed for.
pub const COOKIE: &str = "payment";

/// The API gives the same answer under the same key for a day.
const KEPT: u32 = 86_400;

/// A checkout that has begun. The page of its payment repeats the request under its key, and gets the same answer: the payment
/// itself, whose secrets are kept nowhere.
#[derive(Serialize, Deserialize)]
pub struct Begun {
    body: Value,
    key: String,
}

impl Begun {
    pub fn new(body: Value, once: &str) -> Self {
        Self { key: key(once, &body), body }
    }

    pub async fn ask(&self, storefront: &Storefront<'_>) -> Answer {
        match self.body["email"].is_string() {
            true => storefront.post("/storeapi/discovery/guest/checkout/", &self.body, &self.key).await,
            false => storefront.post_own("/storeapi/discovery/checkout/", &self.body, &self.key).await,
        }
    }

    /// Keeps it for the page of this payment alone.
    pub fn keep_with(&self, shop: &Shop, visitor: &Visitor, cart: &str, response: &mut Response) {
        keep_sealed(shop, visitor, response, (COOKIE, &format!("/pay/{cart}")), KEPT, self);
    }
}

/// Shows how to pay, or the order if there is nothing to pay any more: it was paid in another tab, or somewhere else.
pub async fn show(State(shop): State<App>, visitor: Visitor, Path(cart): Path<String>) -> Response {
    let storefront = Storefront::new(&shop, &visitor);
    let status = storefront.get(&format!("/storeapi/payment/status/{cart}/"), &[]).await;
    if !status.is_ok() {
        return fault(&shop, &visitor, &storefront, &status);
    }
    let sealed = visitor.payment.as_deref();
    let begun = sealed.and_then(|sealed| shop.seal.open::<Begun>(&place(COOKIE, visitor.peer.id), sealed));
    let order = format!("/order/{cart}");
    let Some(begun) = begun.filter(|_| is_payable(&status.body)) else {
        return Redirect::to(&order).into_response();
    };
    let answer = begun.ask(&storefront).await;
    match answer.is_ok() && answer.body["status"] != "free" {
        true => start(&shop, &visitor, &storefront, &answer.body, &begun),
        false if answer.is_ok() => Redirect::to(&order).into_response(),
        false => fault(&shop, &visitor, &storefront, &answer),
    }
}

/// Says to the page's script whether there is nothing to pay any more.
pub async fn status(State(shop): State<App>, visitor: Visitor, Path(cart): Path<String>) -> Response {
    let storefront = Storefront::new(&shop, &visitor);
    let status = storefront.get(&format!("/storeapi/payment/status/{cart}/"), &[]).await;
    let is_over = status.is_ok() && !is_payable(&status.body);
    ([(header::CACHE_CONTROL, "no-store")], axum::Json(json!({ "is_over": is_over }))).into_response()
}

/// False for a payment that has ended, or on which a bank works. An invoice is paid after the courses are open.
fn is_payable(status: &Value) -> bool {
    ["waiting", "transfer", "on_account", "overdue"]
        .iter()
        .any(|payment| status["standing"]["payment"] == *payment)
}

/// The page of a payment: the account for a transfer, the way to the provider's page, or ours with the provider's script.
fn start(
    shop: &Shop,
    visitor: &Visitor,
    storefront: &Storefront<'_>,
    reply: &Value,
    begun: &Begun,
) -> Response {
    let order = format!("/order/{}", reply["cart_id"].as_str().unwrap_or_default());
    if let Some(url) = reply["redirect_url"].as_str() {
        // Not as a redirect: browsers hold all of them that follow a form to `form-action`, which does not name this site.
        let mut page = render(shop, visitor, storefront, Page::of("leave.html"), context! { url });
        let there = HeaderValue::try_from(format!("0; url={url}")).ok();
        page.headers_mut().extend(there.map(|there| (header::REFRESH, there)));
        return page;
    }
    let receipt = context! {
        lines => serde(&reply["items_detail"]), total => reply["total_price"].as_f64(),
        currency => reply["currency"].as_str(), order => &order,
    };
    if let Some(reference) = reply["payment_reference"].as_str() {
        let values = context! {
            reference, bank_lines => serde(&reply["bank_lines"]), on_account => begun.body["pay_by"].is_string(),
            due_on => reply["due_on"].as_str(), ..receipt
        };
        return render(shop, visitor, storefront, Page::of("pay.html"), values);
    }
    let script = match reply["client_secret"].is_string() {
        true => &shop.settings.stripe_script_url,
        false => &shop.settings.razorpay_script_url,
    };
    let origin = Url::parse(script).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    let start = json!({ "reply": reply, "order": order, "email": begun.body["email"] });
    let values = context! { script, start => serde(&start), ..receipt };
    render(shop, visitor, storefront, Page::of("pay.html").script(&origin), values)
}
