//! HTML pages for browsers: the status of an order, and problems such as an expired link. The content security policy
//! of each page allows its own style and nothing else.

use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use minijinja::{Environment, Value, context};
use shared::money::Money;
use url::Url;
use uuid::Uuid;

use super::carts::tax_on_top;
use crate::error::{ApiError, ApiResult};
use crate::queries::carts::{CartOrganisation, CartRow, LineRow};
use crate::request_log;
use crate::words::CartStatus;

const STYLE: &str = include_str!("../pages/pay.css");

/// A response with a rendered page and the headers that all pages share.
pub fn page(policy: String, html: String) -> ApiResult<Response> {
    let headers = [
        (header::CONTENT_SECURITY_POLICY, HeaderValue::try_from(policy).map_err(|_| ApiError::Internal)?),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // The page's URL can contain a token, which must not reach other sites.
        (header::REFERRER_POLICY, HeaderValue::from_static("strict-origin")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    Ok((headers, Html(html)).into_response())
}

/// Renders a template; every value is escaped.
pub fn render(name: &str, template: &str, values: Value) -> ApiResult<String> {
    let mut templates = Environment::new();
    let rendered =
        templates.add_template(name, template).and_then(|()| templates.get_template(name)?.render(values));
    rendered.map_err(|error| {
        request_log::failed(format_args!("the page {name} cannot be rendered: {error}"));
        ApiError::Internal
    })
}

/// The status page of an order. It reloads itself while the order is still being processed.
pub fn order(cart: &CartRow, lines: &[LineRow], organisation: &CartOrganisation) -> ApiResult<Response> {
    let (text, kind) = words(cart);
    let line =
        |line: &LineRow| context! { name => line.item.name.as_str(), price => line.item.price.to_string() };
    let nonce = Uuid::new_v4().simple().to_string();
    let values = context! {
        nonce => nonce.as_str(),
        style => STYLE,
        title => organisation.name.as_str(),
        items => lines.iter().map(line).collect::<Vec<Value>>(),
        tax => tax_on_top(lines.iter().map(|line| &line.item)).map(|tax| tax.to_string()),
        total => cart.total.to_string(),
        text,
        kind,
        reload => matches!(cart.state, CartStatus::PendingPayment | CartStatus::Paid),
        back => back(organisation, cart.id),
        shop => organisation.name.as_str(),
    };
    page(own_style(&nonce), render("order.html", include_str!("../pages/order.html"), values)?)
}

/// An amount for a template: its plain text, and its number alone for the script that writes it in the visitor's locale.
pub fn amount(money: Money) -> Value {
    context! { text => money.to_string(), number => money.major().to_string() }
}

/// A problem as a page, with the status and headers of the problem.
pub fn problem(error: ApiError) -> Response {
    as_page(error, |status| {
        let (title, text) = explained(status);
        context! { title, text, kind => "bad" }
    })
}

/// The page of a link that has expired, with a way on to the organisation that sells the cart.
pub fn expired_link(error: ApiError, organisation: &CartOrganisation, cart_id: Uuid) -> Response {
    as_page(error, |_| {
        context! {
            title => "This link has expired",
            text => "Links to an order work for a short time only. If you have paid, there is nothing left to do: your \
                courses open as soon as the payment arrives, and you get a receipt by email. To see your order, or to \
                pay it if you have not done so, go back to the shop and sign in.",
            back => back(organisation, cart_id),
            shop => organisation.name.as_str(),
        }
    })
}

/// A problem as a page with these values, and with the status and headers of the problem.
fn as_page(error: ApiError, values: impl FnOnce(u16) -> Value) -> Response {
    let mut response = error.into_response();
    let nonce = Uuid::new_v4().simple().to_string();
    let values = context! { nonce => nonce.as_str(), style => STYLE, ..values(response.status().as_u16()) };
    let html = render("order.html", include_str!("../pages/order.html"), values);
    match html.and_then(|html| page(own_style(&nonce), html)) {
        Ok(page) => {
            let (parts, body) = page.into_parts();
            response.headers_mut().extend(parts.headers);
            *response.body_mut() = body;
            response
        }
        Err(error) => error.into_response(),
    }
}

fn own_style(nonce: &str) -> String {
    format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// The organisation's return URL with the cart's id, the same as payment providers redirect buyers to.
fn back(organisation: &CartOrganisation, cart_id: Uuid) -> Option<String> {
    let mut url = Url::parse(&organisation.return_url).ok()?;
    url.query_pairs_mut().append_pair("cart_id", &cart_id.to_string());
    Some(url.into())
}

/// The message for a buyer by the order's state, and its CSS class.
fn words(cart: &CartRow) -> (&'static str, &'static str) {
    use CartStatus::{Cancelled, Expired, Fulfilled, Held, Open, Paid, PendingPayment, Refunded};
    let is_paid_for = cart.gateway.is_some();
    match cart.state {
        Open => ("This order has not been completed yet. You can go on in the shop.", ""),
        PendingPayment if cart.waits_for_bank => (
            "We are waiting for your bank, which can take some days. You get a message as soon as your payment has \
             arrived; please do not pay again.",
            "",
        ),
        Cancelled | Expired if cart.waits_for_bank => (
            "This order was replaced by another one, and your bank still works on its payment. Please do not pay it \
             again.",
            "",
        ),
        PendingPayment => ("Your payment has not been confirmed yet. This page follows it.", ""),
        Held => {
            ("Your order is complete. Your courses open as soon as you register with your address.", "good")
        }
        Paid => ("Thank you, your payment has arrived. Your courses are being opened.", "good"),
        Fulfilled if is_paid_for => {
            ("Thank you, your payment has arrived. Your courses are in your account.", "good")
        }
        Fulfilled => ("Your order is complete. Your courses are in your account.", "good"),
        Refunded => ("This order has been refunded.", ""),
        Cancelled | Expired => ("This order was ended. You can start again in the shop.", "bad"),
    }
}

fn explained(status: u16) -> (&'static str, &'static str) {
    match status {
        401 => (
            "This link is no longer valid",
            "Links to an order work for a short time only. Please sign in and open the order again in the shop.",
        ),
        400 | 404 => {
            ("Order not found", "There is no such order, or it is not yours. Please check the link.")
        }
        429 => ("Too many requests", "Please wait a moment, and open the page again."),
        _ => {
            ("This page cannot be shown now", "Please open it again in a moment. Your order is not affected.")
        }
    }
}
