//! Renders pages, with the calls that each of them made.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use minijinja::{Environment, Value, context};
use url::Url;
use uuid::Uuid;

use crate::brand::Colour;
use crate::faults::faults;
use crate::peer::Peer;
use crate::storefront::{Answer, Storefront};
use crate::visitor::Visitor;
use crate::{App, Shop, words};

/// Countries of the switch: the demo has prices or taxes of their own for each.
const COUNTRIES: [&str; 6] = ["US", "IN", "MY", "SE", "DE", "BR"];

const STYLE: &str = concat!(
    include_str!("../static/tokens.css"),
    include_str!("../static/base.css"),
    include_str!("../static/parts.css")
);
const PAY: &str = include_str!("../static/pay.js");
const NAMES: &str = include_str!("../static/names.js");
const ICON: &str = include_str!("../static/icon.svg");

/// What a page needs beside its values.
pub struct Page<'a> {
    template: &'static str,
    here: &'static str,
    script: Option<&'a str>,
    brand: Option<Colour>,
    holds_a_form: bool,
    in_basket: Option<usize>,
}

impl<'a> Page<'a> {
    pub fn of(template: &'static str) -> Self {
        Self { template, here: "", script: None, brand: None, holds_a_form: false, in_basket: None }
    }

    /// Names the entry of the menu that leads here.
    pub fn here(self, here: &'static str) -> Self {
        Self { here, ..self }
    }

    /// Lets the page load the script of a payment provider, from this origin.
    pub fn script(self, origin: &'a str) -> Self {
        Self { script: Some(origin), ..self }
    }

    /// Lets the browser keep the page for its way back, with what was typed: it shows nothing that opens something.
    pub fn holds_a_form(self) -> Self {
        Self { holds_a_form: true, ..self }
    }

    /// Number of items in the visitor's baskets, if the page has emptied one.
    pub fn in_basket(self, count: usize) -> Self {
        Self { in_basket: Some(count), ..self }
    }

    /// Gives the page an organisation's colour.
    pub fn brand(self, brand: Colour) -> Self {
        Self { brand: Some(brand), ..self }
    }
}

pub fn templates() -> Result<Environment<'static>, minijinja::Error> {
    let mut templates = Environment::new();
    for (name, text) in [
        ("layout.html", include_str!("../templates/layout.html")),
        ("parts.html", include_str!("../templates/parts.html")),
        ("list.html", include_str!("../templates/list.html")),
        ("course.html", include_str!("../templates/course.html")),
        ("program.html", include_str!("../templates/program.html")),
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
    Ok(templates)
}

/// JSON as a value of a page.
pub fn serde(value: &serde_json::Value) -> Value {
    Value::from(minijinja::value::Serde(value))
}

/// Changes with the files that browsers keep.
fn version() -> String {
    let mut hasher = DefaultHasher::new();
    (STYLE, PAY, NAMES).hash(&mut hasher);
    format!("{:x}", hasher.finish())
}

/// Renders a page.
pub fn render(
    shop: &Shop,
    visitor: &Visitor,
    storefront: &Storefront<'_>,
    page: Page<'_>,
    values: Value,
) -> Response {
    let nonce = Uuid::new_v4().simple().to_string();
    let words = shop.texts.localizer(&visitor.language, &[]);
    let shown = words.language().to_string();
    let frame = context! {
        languages => languages(shop, &shown), lang => &shown, dir => words.direction(), path => &visitor.path,
        countries => COUNTRIES, country => &visitor.country, is_demo => shop.settings.demo,
        // For the forms whose repetition must not act twice.
        once => Uuid::new_v4().to_string(),
        nonce => &nonce, version => version(), here => page.here,
        brand => page.brand.map(|brand| Value::from(minijinja::value::Serde(brand.surface()))),
        show_calls => shop.settings.show_calls, calls => Value::from(minijinja::value::Serde(storefront.calls())),
        withdraw => withdraw(shop, &shown),
        is_signed_in => visitor.session.is_some(), in_basket => page.in_basket.unwrap_or_else(|| visitor.baskets.count()),
        ..values
    };
    let mut templates = shop.templates.clone();
    words::install(&mut templates, &words);
    let html = match templates.get_template(page.template).and_then(|found| found.render(frame)) {
        Ok(html) => html,
        Err(error) => {
            eprintln!("{}: {error:#}", page.template);
            return (StatusCode::INTERNAL_SERVER_ERROR, "The page cannot be shown.").into_response();
        }
    };
    // Browsers show a page that they may not store anew, and Firefox then forgets what was typed.
    let kept = if page.holds_a_form { "private, no-cache" } else { "no-store" };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static(kept)),
        (HeaderName::from_static("referrer-policy"), HeaderValue::from_static("same-origin")),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::try_from(policy(shop, page.script, &nonce))
                .unwrap_or(HeaderValue::from_static("default-src 'self'")),
        ),
    ];
    (headers, html).into_response()
}

/// The page on which buyers withdraw, in their language. The law wants the link in reach on every page, without an account.
fn withdraw(shop: &Shop, shown: &str) -> String {
    let page = shop.settings.withdraw_url.clone();
    let page = page.unwrap_or_else(|| format!("{}/storeapi/payment/withdraw/", shop.settings.storefront_url));
    format!("{page}{}lang={shown}", if page.contains('?') { '&' } else { '?' })
}

/// The languages of the switch.
fn languages(shop: &Shop, shown: &str) -> Vec<Value> {
    let languages = shop.texts.languages().map(|language| {
        let tag = language.to_string();
        // `en-US` is read in English.
        let is_chosen = shown.split('-').next() == tag.split('-').next();
        context! { is_chosen, name => words::name(&tag), tag }
    });
    languages.collect()
}

/// Nothing of another host but pictures, the provider's script, and what that loads. Signing in and out leads to the platform.
fn policy(shop: &Shop, script: Option<&str>, nonce: &str) -> String {
    // A shop without TLS is on a developer's machine, and so are its pictures.
    let pictures = if shop.settings.shop_url.starts_with("https://") { "https:" } else { "https: http:" };
    let loads = match script {
        None => format!("default-src 'self'; style-src 'self' 'nonce-{nonce}'"),
        Some(script) => format!(
            "default-src 'self' {script}; frame-src https: {script}; connect-src 'self' https: {script}; \
             style-src 'self' 'unsafe-inline'; script-src 'self' https://*.stripe.com https://*.razorpay.com {script}"
        ),
    };
    let origin =
        |page: &str| Url::parse(page).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    let (sign_in, sign_out) = (origin(&shop.settings.sign_in_url), origin(&shop.settings.sign_out_url));
    let platform = if sign_in == sign_out { sign_in } else { format!("{sign_in} {sign_out}") };
    // A provider's script may send the buyer to a bank by a form.
    let (provider, reports) = match script {
        Some(_) => {
            ("https:", format!("; report-uri {}/storeapi/payment/violations/", shop.settings.storefront_url))
        }
        None => ("", String::new()),
    };
    format!(
        "{loads}; img-src 'self' {pictures} data:; form-action 'self' {platform} {provider}; frame-ancestors 'none'; base-uri 'none'{reports}"
    )
}

/// A page that says what the API refused, and where to go from there.
pub fn fault(shop: &Shop, visitor: &Visitor, storefront: &Storefront<'_>, answer: &Answer) -> Response {
    let faults = faults(answer);
    // A redirect of the API is not followed, and says nothing to a browser.
    let status = StatusCode::from_u16(answer.status).ok().filter(|status| !status.is_redirection());
    let status = status.unwrap_or(StatusCode::BAD_GATEWAY);
    let page = render(
        shop,
        visitor,
        storefront,
        Page::of("fault.html"),
        context! { kind => answer.kind(), faults => Value::from(minijinja::value::Serde(&faults)), status => status.as_u16() },
    );
    let mut response = (status, page).into_response();
    if answer.status == 429 {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
    }
    response
}

/// The answer to one act too many.
pub fn refused(shop: &Shop, visitor: &Visitor) -> Response {
    fault(shop, visitor, &Storefront::new(shop, visitor), &Answer::too_many())
}

/// Gives a page to what the shop refuses before a page is asked, such as a form of another site.
pub async fn designed(
    State(shop): State<App>,
    Extension(peer): Extension<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers().clone();
    let response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_page = kind.is_some_and(|kind| kind.starts_with("text/html"));
    if is_page || !response.status().is_client_error() {
        return response;
    }
    let visitor = Visitor::unknown(&shop, peer, &headers);
    let status = response.status();
    let kind = if status == StatusCode::FORBIDDEN { "foreign" } else { "unreadable" };
    let values = context! { kind, status => status.as_u16() };
    let page = render(&shop, &visitor, &Storefront::new(&shop, &visitor), Page::of("fault.html"), values);
    let mut page = (status, page).into_response();
    // Which goes with a 405.
    let allowed = response.headers().get(header::ALLOW).cloned();
    page.headers_mut().extend(allowed.map(|allowed| (header::ALLOW, allowed)));
    page
}

/// The answer to an address without a page.
pub async fn missing(State(shop): State<App>, visitor: Visitor) -> Response {
    fault(&shop, &visitor, &Storefront::new(&shop, &visitor), &Answer::missing())
}

/// Keeps browsers from taking an answer for another type than it says.
pub async fn without_sniffing(mut response: Response) -> Response {
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// A file that pages name with its version, so that browsers keep it.
fn file(kind: &'static str, text: &'static str) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "public, max-age=31536000, immutable")], text)
}

pub async fn style() -> impl IntoResponse {
    file("text/css; charset=utf-8", STYLE)
}

pub async fn pay_script() -> impl IntoResponse {
    file("text/javascript; charset=utf-8", PAY)
}

pub async fn names_script() -> impl IntoResponse {
    file("text/javascript; charset=utf-8", NAMES)
}

pub async fn icon() -> impl IntoResponse {
    file("image/svg+xml", ICON)
}
