//! Seats that a company has bought: who has one, and the forms that assign seats, take them back and remind people. For the
//! learner who bought them, and for the holder of the link in the mail.

use std::collections::HashMap;

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use minijinja::{Value, context};
use serde::Deserialize;
use serde_json::json;

use crate::App;
use crate::limits::Attempt;
use crate::pages::{Page, fault, refused, render, serde};
use crate::storefront::Storefront;
use crate::visitor::Visitor;

/// Page to which the mail's link leads, which names the pool: the organisation's `seats_url`. Without a pool, the
/// learner's own.
pub async fn list(
    State(shop): State<App>,
    visitor: Visitor,
    Query(params): Query<HashMap<String, String>>,
) -> Response {
    if let (Some(pool), Some(token)) = (params.get("voucher_id"), params.get("token")) {
        return to(pool, token, None);
    }
    if visitor.session.is_none() {
        return Redirect::to("/signin").into_response();
    }
    let storefront = Storefront::new(&shop, &visitor);
    let shops = match storefront.of_all_organisations("/storeapi/seats/", "pools").await {
        Ok(shops) => shops,
        Err(answer) => return fault(&shop, &visitor, &storefront, &answer),
    };
    let shops: Vec<Value> =
        shops.iter().map(|(name, pools)| context! { name, pools => serde(pools) }).collect();
    render(&shop, &visitor, &storefront, Page::of("seats.html").here("seats"), context! { shops })
}

/// The page of a pool; with a list of addresses, how far that has come.
fn to(pool: &str, token: &str, batch: Option<&str>) -> Response {
    let query = [("token", Some(token)), ("batch", batch)];
    let query = query.iter().filter_map(|(name, value)| Some((name, (*value)?)));
    let query: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
    Redirect::to(&format!("/seats/{pool}?{query}")).into_response()
}

#[derive(Deserialize)]
pub struct Opened {
    #[serde(default)]
    token: String,
    #[serde(default)]
    batch: String,
    /// Number of times that the page has looked whether the batch is done.
    #[serde(default)]
    tries: u32,
}

pub async fn show(
    State(shop): State<App>,
    visitor: Visitor,
    Path(pool): Path<String>,
    Query(opened): Query<Opened>,
) -> Response {
    let storefront = Storefront::new(&shop, &visitor);
    let path = format!("/storeapi/seats/{pool}/");
    let asked = [("token", &*opened.token), ("limit", "100")];
    let shown = storefront.get_seats(&path, &asked).await;
    if !shown.is_ok() {
        return fault(&shop, &visitor, &storefront, &shown);
    }
    let batch = match opened.batch.as_str() {
        "" => None,
        id => {
            let asked = [("token", &*opened.token), ("limit", "100"), ("batch_id", id)];
            let shown = storefront.get_seats(&path, &asked).await;
            if !shown.is_ok() {
                return fault(&shop, &visitor, &storefront, &shown);
            }
            Some(shown.body["batch"].clone())
        }
    };
    let is_running = batch.as_ref().is_some_and(|batch| batch["status"] == "running");
    let is_waiting = is_running && opened.tries < 60;
    let values = context! {
        pool => serde(&shown.body), token => &opened.token,
        batch => batch.map(|batch| serde(&batch)), is_waiting,
    };
    let mut page = render(&shop, &visitor, &storefront, Page::of("pool.html").here("seats"), values);
    if is_waiting {
        let again = [("token", &*opened.token), ("batch", &opened.batch)];
        let mut again = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(again).finish();
        again.push_str(&format!("&tries={}", opened.tries + 1));
        let again = HeaderValue::try_from(format!("1; url=?{again}")).ok();
        page.headers_mut().extend(again.map(|again| (header::REFRESH, again)));
    }
    page
}

#[derive(Deserialize)]
pub struct Act {
    /// One in each line; empty for all who wait.
    #[serde(default)]
    emails: String,
    token: String,
    once: String,
}

/// Assigns seats, takes them back, or reminds people, as the path says.
pub async fn act(
    State(shop): State<App>,
    visitor: Visitor,
    Path((pool, action)): Path<(String, String)>,
    Form(form): Form<Act>,
) -> Response {
    if !shop.limits.take(Attempt::Change, visitor.peer.address) {
        return refused(&shop, &visitor);
    }
    let storefront = Storefront::new(&shop, &visitor);
    let emails: Vec<&str> = form.emails.split_whitespace().collect();
    let body = if emails.is_empty() { json!({}) } else { json!({ "emails": emails }) };
    let path = format!("/storeapi/seats/{pool}/{action}/");
    let answer = storefront.post_seats(&path, &form.token, &body, &form.once).await;
    match answer.is_ok() {
        true => to(&pool, &form.token, answer.body["batch_id"].as_str()),
        false => fault(&shop, &visitor, &storefront, &answer),
    }
}
