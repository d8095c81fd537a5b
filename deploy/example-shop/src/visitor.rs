//! Visitor of a page: the platform's session, the chosen country and the basket, all of them in cookies.

use std::collections::HashMap;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Form};
use serde::{Deserialize, Serialize};
use url::Url;
use url::form_urlencoded;

use texts::Language;

use crate::limits::Attempt;
use crate::pages::refused;
use crate::peer::Peer;
use crate::storefront::Storefront;
use crate::{App, Shop, country, words};

/// A visitor of the shop.
pub struct Visitor {
    pub peer: Peer,
    /// The course platform's session cookie, if the learner is signed in. The shop and the platform share a domain, so the
    /// browser sends it to both.
    pub session: Option<String>,
    /// As a trusted proxy names it, or in a demonstration the visitor. It decides the prices.
    pub country: Option<String>,
    /// As chosen with the switch, else the browser's.
    pub language: Language,
    /// The page that is asked for.
    pub path: String,
    pub basket: Basket,
}

/// Basket of a visitor, all of it from one organisation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Basket {
    pub organisation_id: String,
    pub items: Vec<Line>,
    #[serde(default)]
    pub voucher: Option<String>,
    /// The cart that its checkout has begun: once that is paid, the basket is emptied.
    #[serde(default)]
    pub cart: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub r#type: String,
    pub id: String,
    pub mode: String,
    /// Seats for others; None for a place of the visitor's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats: Option<u32>,
}

impl FromRequestParts<App> for Visitor {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, shop: &App) -> Result<Self, Response> {
        let Extension(peer) =
            Extension::<Peer>::from_request_parts(parts, shop).await.map_err(IntoResponse::into_response)?;
        let mut visitor = Self::new(shop, peer, &parts.headers, &parts.uri);
        visitor.check_session(shop).await?;
        Ok(visitor)
    }
}

impl Visitor {
    /// Reads the cookies, without asking whether the session is a learner's.
    fn new(shop: &Shop, peer: Peer, headers: &HeaderMap, uri: &Uri) -> Self {
        let cookies = cookies(headers);
        let given = |name: &str| cookies.get(name).filter(|value| !value.is_empty()).cloned();
        let chosen = given("country").filter(|_| shop.settings.demo);
        Self {
            session: given("sessionid"),
            country: chosen.and_then(|code| country::known(&code)).or_else(|| peer.country.clone()),
            language: given("language")
                .and_then(|tag| words::spoken(shop.texts, &tag))
                .or_else(|| words::accepted(shop.texts, headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok()?))
                .unwrap_or_else(Language::english),
            path: uri.path_and_query().map(|path| path.to_string()).unwrap_or_default(),
            basket: given("basket").and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            peer,
        }
    }

    /// A visitor of whom only the language matters, of a page that names a fault. The path would lead back to it.
    pub fn unknown(shop: &Shop, peer: Peer, headers: &HeaderMap) -> Self {
        Self { session: None, path: "/".to_owned(), ..Self::new(shop, peer, headers, &Uri::default()) }
    }

    /// Forgets a session that has ended. An address that sends many of those is refused before the API is asked, which does not
    /// limit what comes with the client secret.
    async fn check_session(&mut self, shop: &App) -> Result<(), Response> {
        if self.session.is_none() {
            return Ok(());
        }
        let address = self.peer.address;
        if !shop.limits.take(Attempt::BadSession, address) {
            self.session = None;
            return Err(refused(shop, self));
        }
        let is_learners = Storefront::new(shop, self).is_signed_in().await;
        if is_learners != Some(false) {
            shop.limits.give_back(Attempt::BadSession, address);
        }
        if is_learners != Some(true) {
            self.session = None;
        }
        Ok(())
    }
}

/// Refuses what another site posts: the browser would send the visitor's cookies with it.
pub async fn refuse_foreign_forms(State(shop): State<App>, request: Request, next: Next) -> Response {
    let origin = request.headers().get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let is_own = origin == Some(shop.settings.shop_url.trim_end_matches('/'));
    match request.method() == Method::POST && !is_own {
        true => StatusCode::FORBIDDEN.into_response(),
        false => next.run(request).await,
    }
}

pub fn cookies(headers: &HeaderMap) -> HashMap<String, String> {
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

/// Sets a cookie of the shop.
pub fn set(shop: &Shop, response: &mut Response, name: &str, value: &str) {
    let value: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let secure = if shop.settings.shop_url.starts_with("https://") { "; Secure" } else { "" };
    let cookie = format!("{name}={value}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax{secure}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

impl Basket {
    /// Keeps the basket, and shows it.
    pub fn keep(&self, shop: &Shop) -> Response {
        let mut response = Redirect::to("/basket").into_response();
        self.keep_with(shop, &mut response);
        response
    }

    /// Keeps the basket with an answer.
    pub fn keep_with(&self, shop: &Shop, response: &mut Response) {
        set(shop, response, "basket", &serde_json::to_string(self).unwrap_or_default());
    }
}

#[derive(Deserialize)]
pub struct Chosen {
    country: String,
}

/// Only in a demonstration: elsewhere visitors would choose their own prices.
pub async fn set_country(State(shop): State<App>, Form(chosen): Form<Chosen>) -> Response {
    let code = match chosen.country.as_str() {
        "" => String::new(),
        text => match country::known(text) {
            Some(code) => code,
            None => return StatusCode::BAD_REQUEST.into_response(),
        },
    };
    let mut response = Redirect::to("/").into_response();
    set(&shop, &mut response, "country", &code);
    response
}

#[derive(Deserialize)]
pub struct Spoken {
    language: String,
    #[serde(default)]
    next: String,
}

/// Keeps the language that the visitor has chosen, and shows the page again.
pub async fn set_language(State(shop): State<App>, Form(chosen): Form<Spoken>) -> Response {
    let Some(language) = words::spoken(shop.texts, &chosen.language) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    // Only a path: two slashes, or a slash and a backslash, would begin the name of another host.
    let is_own =
        chosen.next.starts_with('/') && !chosen.next.starts_with("//") && !chosen.next.contains('\\');
    let mut response = Redirect::to(if is_own { &chosen.next } else { "/" }).into_response();
    set(&shop, &mut response, "language", &language.to_string());
    response
}

/// Leads to the platform's page for signing in, which leads back.
pub async fn sign_in(State(shop): State<App>, visitor: Visitor) -> Response {
    match shop.limits.take(Attempt::SignIn, visitor.peer.address) {
        true => platforms_page(&shop, &shop.settings.sign_in_url, "/orders").into_response(),
        false => refused(&shop, &visitor),
    }
}

/// Leads to the platform's page for signing out: the session is the platform's, and so is its cookie.
pub async fn sign_out(State(shop): State<App>) -> Redirect {
    platforms_page(&shop, &shop.settings.sign_out_url, "/")
}

fn platforms_page(shop: &Shop, page: &str, next: &str) -> Redirect {
    let Ok(mut url) = Url::parse(page) else { return Redirect::to("/") };
    url.query_pairs_mut()
        .append_pair("next", &format!("{}{next}", shop.settings.shop_url.trim_end_matches('/')));
    Redirect::to(url.as_str())
}
