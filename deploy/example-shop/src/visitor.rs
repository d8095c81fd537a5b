//! Visitor of a page: the platform's session, the chosen country, the baskets and what was typed, all of them in cookies.

use std::collections::HashMap;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Form};
use serde::Serialize;
use url::Url;
use url::form_urlencoded;
use uuid::Uuid;

use texts::Language;

use crate::baskets::{Basket, Baskets};
use crate::checkout::ticked;
use crate::draft::{self, Draft};
use crate::limits::Attempt;
use crate::pages::refused;
use crate::peer::Peer;
use crate::storefront::Storefront;
use crate::{App, Shop, country, pay, words};

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
    pub baskets: Baskets,
    pub draft: Draft,
    /// The payment that this page is about, still sealed: the browser sends it to that page alone.
    pub payment: Option<String>,
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
            baskets: given("basket").map(|text| Baskets::read(&text)).unwrap_or_default(),
            draft: given(draft::COOKIE)
                .and_then(|cookie| shop.seal.open(&place(draft::COOKIE, peer.id), &cookie))
                .unwrap_or_default(),
            payment: given(pay::COOKIE),
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

/// A value as a cookie of the shop holds it.
pub fn encoded(value: &str) -> String {
    form_urlencoded::byte_serialize(value.as_bytes()).collect()
}

/// Sets a cookie of the shop.
pub fn set(shop: &Shop, response: &mut Response, name: &str, value: &str) {
    write(shop, response, (name, "/"), 2_592_000, value);
}

/// Sets a cookie for the pages below a path, for some seconds.
fn write(shop: &Shop, response: &mut Response, (name, path): (&str, &str), seconds: u32, value: &str) {
    let secure = if shop.settings.shop_url.starts_with("https://") { "; Secure" } else { "" };
    let value = encoded(value);
    let cookie = format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

/// What a sealed cookie is bound to.
pub fn place(name: &str, visitor: Uuid) -> String {
    format!("{name} of {visitor}")
}

/// Sets a cookie that only the shop can read, for the pages below a path.
pub fn keep_sealed(
    shop: &Shop,
    visitor: &Visitor,
    response: &mut Response,
    (name, path): (&str, &str),
    seconds: u32,
    value: &impl Serialize,
) {
    if let Some(sealed) = shop.seal.close(&place(name, visitor.peer.id), value) {
        write(shop, response, (name, path), seconds, &sealed);
    }
}

/// Forgets what the visitor has typed.
pub fn forget_draft(shop: &Shop, response: &mut Response) {
    write(shop, response, (draft::COOKIE, "/"), 0, "");
}

/// The fields of a form.
pub type Fields = HashMap<String, String>;

/// Keeps what the form of the checkout brings along, if it is that form.
pub fn keep_typed(shop: &Shop, visitor: &mut Visitor, form: &Fields, response: &mut Response) {
    let Some(draft) = Draft::read(form) else { return };
    draft.keep_with(shop, visitor, response);
    if let Some(basket) = form.get("of").and_then(|of| visitor.baskets.of(of)) {
        visitor.baskets.put(Basket { ticked: ticked(form), ..basket.clone() });
        visitor.baskets.keep_with(shop, response);
    }
}

/// Only in a demonstration: elsewhere visitors would choose their own prices.
pub async fn set_country(
    State(shop): State<App>,
    mut visitor: Visitor,
    Form(form): Form<Fields>,
) -> Response {
    let chosen = form.get("visitor_country").map(String::as_str).unwrap_or_default();
    let Some(code) = (if chosen.is_empty() { Some(String::new()) } else { country::known(chosen) }) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let mut response = Redirect::to(own_path(&form)).into_response();
    set(&shop, &mut response, "country", &code);
    keep_typed(&shop, &mut visitor, &form, &mut response);
    response
}

/// Keeps the language that the visitor has chosen, and shows the page again.
pub async fn set_language(
    State(shop): State<App>,
    mut visitor: Visitor,
    Form(form): Form<Fields>,
) -> Response {
    let language = form.get("language").and_then(|tag| words::spoken(shop.texts, tag));
    let Some(language) = language else { return StatusCode::BAD_REQUEST.into_response() };
    let mut response = Redirect::to(own_path(&form)).into_response();
    set(&shop, &mut response, "language", &language.to_string());
    keep_typed(&shop, &mut visitor, &form, &mut response);
    response
}

/// The page of the shop from which a form came. Only a path: two slashes, or a slash and a backslash, would begin the name of
/// another host.
fn own_path(form: &Fields) -> &str {
    let next = form.get("next").map(String::as_str).unwrap_or_default();
    match next.starts_with('/') && !next.starts_with("//") && !next.contains('\\') {
        true => next,
        false => "/",
    }
}

/// Leads to the platform's page for signing in, which leads back.
pub async fn sign_in(State(shop): State<App>, visitor: Visitor) -> Response {
    match shop.limits.take(Attempt::SignIn, visitor.peer.address) {
        true => platforms_page(&shop, &shop.settings.sign_in_url, "/orders").into_response(),
        false => refused(&shop, &visitor),
    }
}

/// The same from the form of the checkout, with what was typed there, and back to it.
pub async fn sign_in_to_buy(
    State(shop): State<App>,
    mut visitor: Visitor,
    Form(form): Form<Fields>,
) -> Response {
    if !shop.limits.take(Attempt::SignIn, visitor.peer.address) {
        return refused(&shop, &visitor);
    }
    let mut response = platforms_page(&shop, &shop.settings.sign_in_url, "/basket").into_response();
    keep_typed(&shop, &mut visitor, &form, &mut response);
    response
}

/// Leads to the platform's page for signing out: the session is the platform's, and so is its cookie.
pub async fn sign_out(State(shop): State<App>) -> Response {
    let mut response = platforms_page(&shop, &shop.settings.sign_out_url, "/").into_response();
    forget_draft(&shop, &mut response);
    response
}

fn platforms_page(shop: &Shop, page: &str, next: &str) -> Redirect {
    let Ok(mut url) = Url::parse(page) else { return Redirect::to("/") };
    url.query_pairs_mut()
        .append_pair("next", &format!("{}{next}", shop.settings.shop_url.trim_end_matches('/')));
    Redirect::to(url.as_str())
}
