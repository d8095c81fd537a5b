//! Seats that a company has bought: who has one, and the forms that assign seats, take them back and remind people. For the
//! learner who bought them, and for the holder of the link in the mail.

use std::collections::HashMap;

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::faults::{Fault, faults};
use crate::limits::Attempt;
use crate::pages::{Page, fault, refused, render, serde};
use crate::storefront::Storefront;
use crate::visitor::Visitor;
use crate::{App, Shop};

/// Page to which the mail's link leads, which names the pool: the organisation's `seats_url`. Without a pool, the
/// learner's own.
pub async fn list(
    State(shop): State<App>,
    visitor: Visitor,
    Query(params): Query<HashMap<String, String>>,
) -> Response {
    if let (Some(pool), Some(token)) = (params.get("voucher_id"), params.get("token")) {
        return to(pool, token, &[]);
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

/// The page of a pool; with a list of addresses, how far that has come, else what a form has done.
fn to(pool: &str, token: &str, more: &[(&str, String)]) -> Response {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("token", token).extend_pairs(more);
    Redirect::to(&format!("/seats/{pool}?{}", query.finish())).into_response()
}

#[derive(Default, Deserialize)]
pub struct Opened {
    #[serde(default)]
    token: String,
    #[serde(default)]
    batch: String,
    /// Number of times that the page has looked whether the batch is done.
    #[serde(default)]
    tries: u32,
    /// The form that was sent: `remind` or `revoke`.
    #[serde(default)]
    done: String,
    /// Number of addresses for which it did something, and of those for which it did not.
    #[serde(default)]
    count: i64,
    #[serde(default)]
    others: i64,
}

/// What was typed into the form for addresses, if it was refused.
#[derive(Default)]
struct Refused {
    emails: String,
    faults: Vec<Fault>,
}

pub async fn show(
    State(shop): State<App>,
    visitor: Visitor,
    Path(pool): Path<String>,
    Query(opened): Query<Opened>,
) -> Response {
    page(&shop, &visitor, &pool, &opened, &Refused::default()).await
}

async fn page(shop: &Shop, visitor: &Visitor, pool: &str, opened: &Opened, refused: &Refused) -> Response {
    let storefront = Storefront::new(shop, visitor);
    let path = format!("/storeapi/seats/{pool}/");
    let asked = [("token", &*opened.token), ("limit", "100")];
    let shown = storefront.get_seats(&path, &asked).await;
    if !shown.is_ok() {
        return fault(shop, visitor, &storefront, &shown);
    }
    let batch = match opened.batch.as_str() {
        "" => None,
        id => {
            let asked = [("token", &*opened.token), ("limit", "100"), ("batch_id", id)];
            let shown = storefront.get_seats(&path, &asked).await;
            if !shown.is_ok() {
                return fault(shop, visitor, &storefront, &shown);
            }
            Some(shown.body["batch"].clone())
        }
    };
    let is_running = batch.as_ref().is_some_and(|batch| batch["status"] == "running");
    let is_waiting = is_running && opened.tries < 60;
    let rows = batch.as_ref().and_then(|batch| batch["rows"].as_array());
    let rows = rows.map(|rows| {
        rows.iter()
            .map(|row| context! { email => serde(&row["email"]), said => said(row) })
            .collect::<Vec<_>>()
    });
    let values = context! {
        pool => serde(&shown.body), token => &opened.token, rows, is_waiting,
        done => &opened.done, count => opened.count, others => opened.others,
        emails => &refused.emails, faults => Value::from(Serde(&refused.faults)),
    };
    let mut page = render(shop, visitor, &storefront, Page::of("pool.html").here("seats"), values);
    if is_waiting {
        let again = [("token", &*opened.token), ("batch", &opened.batch)];
        let mut again = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(again).finish();
        again.push_str(&format!("&tries={}", opened.tries + 1));
        let again = HeaderValue::try_from(format!("1; url=?{again}")).ok();
        page.headers_mut().extend(again.map(|again| (header::REFRESH, again)));
    }
    page
}

/// The name of the message that says what became of an address. The API's own sentences are English.
fn said(row: &Json) -> String {
    let message = row["message"].as_str().unwrap_or_default();
    match row["enrollment_state"].as_str() {
        Some(state) => format!("shop-enrollment-{state}"),
        None if message.is_empty() => "shop-enrollment-none".to_owned(),
        None if message.starts_with("repeats row") => "shop-row-repeated".to_owned(),
        None if message.starts_with("no seats left") => "shop-row-used-up".to_owned(),
        None if message.starts_with("email") => "shop-row-address".to_owned(),
        None => "shop-row-refused".to_owned(),
    }
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
    mut visitor: Visitor,
    Path((pool, action)): Path<(String, String)>,
    Form(form): Form<Act>,
) -> Response {
    if !shop.limits.take(Attempt::Change, visitor.peer.address) {
        return refused(&shop, &visitor);
    }
    let emails: Vec<&str> = form.emails.split_whitespace().collect();
    let body = if emails.is_empty() { json!({}) } else { json!({ "emails": emails }) };
    let path = format!("/storeapi/seats/{pool}/{action}/");
    let answer = Storefront::new(&shop, &visitor).post_seats(&path, &form.token, &body, &form.once).await;
    if answer.is_ok() {
        return to(&pool, &form.token, &outcome(&action, &answer.body));
    }
    let refused = Refused { emails: form.emails, faults: faults(&answer) };
    if refused.faults.is_empty() {
        return fault(&shop, &visitor, &Storefront::new(&shop, &visitor), &answer);
    }
    // The answer is a page, whose forms lead to the pool.
    visitor.path = format!("/seats/{pool}?token={}", form.token);
    let opened = Opened { token: form.token, ..Opened::default() };
    page(&shop, &visitor, &pool, &opened, &refused).await
}

/// What the page says afterwards.
fn outcome(action: &str, answer: &Json) -> Vec<(&'static str, String)> {
    let count = |list: &Json| list.as_array().map_or(0, Vec::len);
    if let Some(batch) = answer["batch_id"].as_str() {
        return vec![("batch", batch.to_owned())];
    }
    let (done, count, others) = match action {
        "remind" => {
            // Before the API told them apart, those who have registered since were among the others.
            let recent = if answer["too_recent"].is_array() { "too_recent" } else { "skipped" };
            ("remind", count(&answer["reminded"]), count(&answer[recent]))
        }
        _ => {
            let revoked = answer["revoked"].as_array().into_iter().flatten();
            let (freed, spent): (Vec<&Json>, Vec<&Json>) = revoked.partition(|one| one["freed"] == true);
            ("revoke", freed.len(), spent.len())
        }
    };
    vec![("done", done.to_owned()), ("count", count.to_string()), ("others", others.to_string())]
}
