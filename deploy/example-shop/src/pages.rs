//! Renders pages, with the calls that each of them made.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use minijinja::{Environment, Value, context};
use url::Url;
use uuid::Uuid;

use crate::Shop;
use crate::storefront::{Answer, Storefront};
use crate::visitor::Visitor;

/// Countries of the switch: the demo has prices or taxes of their own for each.
const COUNTRIES: [(&str, &str); 6] = [
    ("US", "United States"),
    ("IN", "India"),
    ("MY", "Malaysia"),
    ("SE", "Sweden"),
    ("DE", "Germany"),
    ("BR", "Brazil"),
];

pub fn templates() -> Result<Environment<'static>, minijinja::Error> {
    let mut templates = Environment::new();
    for (name, text) in [
        ("layout.html", include_str!("../templates/layout.html")),
        ("list.html", include_str!("../templates/list.html")),
        ("item.html", include_str!("../templates/item.html")),
        ("basket.html", include_str!("../templates/basket.html")),
        ("pay.html", include_str!("../templates/pay.html")),
        ("leave.html", include_str!("../templates/leave.html")),
        ("order.html", include_str!("../templates/order.html")),
        ("orders.html", include_str!("../templates/orders.html")),
        ("seats.html", include_str!("../templates/seats.html")),
        ("pool.html", include_str!("../templates/pool.html")),
        ("fault.html", include_str!("../templates/fault.html")),
    ] {
        templates.add_template(name, text)?;
    }
    templates.add_filter("money", money);
    templates.add_filter("day", |time: String| time.split('T').next().unwrap_or_default().to_owned());
    Ok(templates)
}

/// An amount with the digits of its currency. The API's amounts are numbers in major units.
fn money(amount: f64, currency: String) -> String {
    let digits = match currency.as_str() {
        "JPY" | "KRW" | "VND" | "CLP" | "ISK" => 0,
        "KWD" | "BHD" | "OMR" | "JOD" | "TND" => 3,
        _ => 2,
    };
    format!("{amount:.digits$} {currency}")
}

/// JSON as a value of a page.
pub fn serde(value: &serde_json::Value) -> Value {
    Value::from(minijinja::value::Serde(value))
}

/// Renders a page. `script` is the origin of a payment provider's script that the page loads.
pub fn render(
    shop: &Shop,
    visitor: &Visitor,
    storefront: &Storefront<'_>,
    (template, script): (&str, Option<&str>),
    values: Value,
) -> Response {
    let page = context! {
        countries => COUNTRIES,
        country => &visitor.country,
        is_demo => shop.settings.demo,
        // For the forms whose repetition must not act twice.
        once => Uuid::new_v4().to_string(),
        show_calls => shop.settings.show_calls,
        is_signed_in => visitor.session.is_some(),
        in_basket => visitor.basket.items.len(),
        calls => Value::from(minijinja::value::Serde(&storefront.calls)),
        ..values
    };
    let rendered = shop.templates.get_template(template).and_then(|found| found.render(page));
    let html = match rendered {
        Ok(html) => html,
        Err(error) => {
            eprintln!("{template}: {error:#}");
            return (StatusCode::INTERNAL_SERVER_ERROR, "The page cannot be shown.").into_response();
        }
    };
    // Nothing of another host but the provider's script, and what that loads. Signing out leads to the platform.
    let loads = match script {
        None => "default-src 'self'; img-src 'self' https: data:".to_owned(),
        Some(script) => format!(
            "default-src 'self' {script}; frame-src https: {script}; connect-src 'self' https: {script}; img-src 'self' https: data:; \
             style-src 'self' 'unsafe-inline'; script-src 'self' https://*.stripe.com https://*.razorpay.com {script}"
        ),
    };
    let platform = Url::parse(&shop.settings.sign_out_url).map(|url| url.origin().ascii_serialization());
    let platform = platform.unwrap_or_default();
    // A provider's script may send the buyer to a bank by a form.
    let provider = if script.is_some() { "https:" } else { "" };
    let policy =
        format!("{loads}; form-action 'self' {platform} {provider}; frame-ancestors 'none'; base-uri 'none'");
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (HeaderName::from_static("referrer-policy"), HeaderValue::from_static("same-origin")),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'self'")),
        ),
    ];
    (headers, html).into_response()
}

/// A page that says what the API refused.
pub fn fault(shop: &Shop, visitor: &Visitor, storefront: &Storefront<'_>, answer: &Answer) -> Response {
    let values = context! { title => "That did not work", fault => answer.fault() };
    let page = render(shop, visitor, storefront, ("fault.html", None), values);
    // A redirect of the API is not followed, and says nothing to a browser.
    let status = StatusCode::from_u16(answer.status).ok().filter(|status| !status.is_redirection());
    let status = status.unwrap_or(StatusCode::BAD_GATEWAY);
    (status, page).into_response()
}

/// Keeps browsers from taking an answer for another type than it says.
pub async fn without_sniffing(mut response: Response) -> Response {
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

pub async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("../static/shop.css"))
}

pub async fn pay_script() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("../static/pay.js"))
}
