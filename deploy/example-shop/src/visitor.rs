//! Who looks at a page: the platform's session, the chosen country and the basket, all of them in cookies.

use std::collections::HashMap;
use std::convert::Infallible;

use axum::Form;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use url::Url;
use url::form_urlencoded;

use crate::App;

/// A visitor of the shop.
#[derive(Default)]
pub struct Visitor {
    /// The course platform's session cookie. The shop and the platform share a domain, so the browser sends it to both.
    pub session: Option<String>,
    /// Two letters; None for wherever the API takes the visitor to be.
    pub country: Option<String>,
    pub basket: Basket,
    /// The shop's own address, as the browser knows it.
    pub origin: String,
}

/// What a visitor wants to buy, all of it from one organisation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Basket {
    pub organisation_id: String,
    pub items: Vec<Item>,
    #[serde(default)]
    pub voucher: Option<String>,
    /// The cart that its checkout has begun: once that is paid, the basket is emptied.
    #[serde(default)]
    pub cart: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub r#type: String,
    pub id: String,
    pub mode: String,
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let cookies = cookies(&parts.headers);
        let given = |name: &str| cookies.get(name).filter(|value| !value.is_empty()).cloned();
        let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        Ok(Self {
            session: given("sessionid"),
            country: given("country"),
            basket: given("basket").and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            origin: format!("http://{host}"),
        })
    }
}

fn cookies(headers: &HeaderMap) -> HashMap<String, String> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    // The shop's own cookies are encoded; the platform's session is passed on as it came.
    pairs
        .map(|(name, value)| {
            (name.to_owned(), if name == "sessionid" { value.to_owned() } else { decoded(value) })
        })
        .collect()
}

fn decoded(value: &str) -> String {
    form_urlencoded::parse(format!("v={value}").as_bytes()).map(|(_, value)| value.into_owned()).collect()
}

/// Sets a cookie of the shop, and leads on to a page.
pub fn keep(name: &str, value: &str, next: &str) -> Response {
    let mut response = Redirect::to(next).into_response();
    set(&mut response, name, value);
    response
}

fn set(response: &mut Response, name: &str, value: &str) {
    let value: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let cookie = format!("{name}={value}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

impl Basket {
    /// Keeps the basket, and shows it.
    pub fn keep(&self) -> Response {
        let mut response = Redirect::to("/basket").into_response();
        self.keep_with(&mut response);
        response
    }

    /// Keeps the basket with an answer.
    pub fn keep_with(&self, response: &mut Response) {
        set(response, "basket", &serde_json::to_string(self).unwrap_or_default());
    }
}

/// A path of this shop; anything else leads to the catalog.
fn own_path(next: &str) -> &str {
    if next.starts_with('/') && !next.starts_with("//") { next } else { "/" }
}

#[derive(Deserialize)]
pub struct Chosen {
    country: String,
    #[serde(default)]
    next: String,
}

pub async fn set_country(Form(chosen): Form<Chosen>) -> Response {
    keep("country", &chosen.country, own_path(&chosen.next))
}

/// Leads to the platform's page for signing in, which leads back.
pub async fn sign_in(State(shop): State<App>, visitor: Visitor) -> Redirect {
    let Ok(mut url) = Url::parse(&shop.settings.sign_in_url) else { return Redirect::to("/") };
    url.query_pairs_mut().append_pair("next", &format!("{}/orders", visitor.origin));
    Redirect::to(url.as_str())
}

/// Forgets the session in this browser. A real shop leads to the platform's page for signing out.
pub async fn sign_out() -> Response {
    keep("sessionid", "", "/")
}
