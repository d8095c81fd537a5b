//! Orders: the status of one, a learner's own with their invoices, and refunds within the organisation's window.

use std::collections::HashMap;

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::App;
use crate::limits::Attempt;
use crate::pages::{Page, fault, refused, render, serde};
use crate::storefront::{Storefront, word};
use crate::timeline::{standing, steps};
use crate::visitor::{Visitor, forget_draft};

/// An order. Its id is enough to see its status; the buyer who has signed in sees the rest.
pub async fn show(
    State(shop): State<App>,
    visitor: Visitor,
    Path(cart): Path<String>,
    Query(params): Query<HashMap<String, String>>,
) -> Response {
    let storefront = Storefront::new(&shop, &visitor);
    let status = storefront.get(&format!("/storeapi/payment/status/{cart}/"), &[]).await;
    if !status.is_ok() {
        return fault(&shop, &visitor, &storefront, &status);
    }
    let mut order = None;
    if visitor.session.is_some() {
        // Without the client secret's power: the API shows a learner their own orders alone.
        let own = storefront.get_own(&format!("/storeapi/payment/orders/{cart}/"), &[], "").await;
        order = own.is_ok().then_some(own.body);
    }
    let (summary, payment, access) = standing(&status.body, order.is_some());
    let tone = match summary {
        "complete" | "partly_refunded" | "on_account" => "good",
        "cancelled" | "expired" | "overdue" | "lost" | "refused" => "bad",
        _ => "warn",
    };
    let is_awaited = payment == "waiting" || status.body["standing"]["access"] == "opening";
    let standing = context! { summary, payment, access, tone };
    let mut baskets = visitor.baskets.clone();
    let is_emptied = access != "none" && baskets.take(&cart);
    let values = context! {
        status => serde(&status.body), standing, lines => lines(&status.body, order.as_ref()), cart => &cart,
        timeline => Value::from(Serde(steps(&status.body, order.as_ref()))), order => order.map(|order| serde(&order)),
    };
    let page = Page::of("order.html").here("orders").in_basket(baskets.count());
    let mut page = render(&shop, &visitor, &storefront, page, values);
    if is_emptied {
        baskets.keep_with(&shop, &mut page);
        forget_draft(&shop, &mut page);
    }
    // The provider's webhook follows the buyer within a moment; a bank may take days.
    let tries: u32 = params.get("tries").and_then(|tries| tries.parse().ok()).unwrap_or_default();
    if is_awaited && tries < 30 {
        let again = format!("2; url=?tries={}", tries + 1);
        page.headers_mut().extend(HeaderValue::try_from(again).ok().map(|again| (header::REFRESH, again)));
    }
    page
}

/// The lines of an order, each with what its learner may know of it.
fn lines(status: &Json, order: Option<&Json>) -> Vec<Value> {
    let lines = status["items"].as_array().into_iter().flatten().enumerate();
    lines
        .map(|(position, line)| {
            let own = order.map(|order| serde(&order["items"][position]));
            let href = match line["openedx_course_id"].as_str() {
                Some(key) => format!("/course/{key}"),
                None => format!("/program/{}", word(&line["id"])),
            };
            context! { own, href, ..serde(line) }
        })
        .collect()
}

/// Receives the buyer from the provider's page: at the organisation's `return_url`, to which the API adds the cart.
pub async fn come_back(Query(params): Query<HashMap<String, String>>) -> Redirect {
    let cart = params.get("cart_id").map(String::as_str).unwrap_or_default();
    Redirect::to(&format!("/order/{cart}"))
}

pub async fn list(State(shop): State<App>, visitor: Visitor) -> Response {
    if visitor.session.is_none() {
        return Redirect::to("/signin").into_response();
    }
    let storefront = Storefront::new(&shop, &visitor);
    let shops = match storefront.of_all_organisations("/storeapi/payment/orders/", "orders").await {
        Ok(shops) => shops,
        Err(answer) => return fault(&shop, &visitor, &storefront, &answer),
    };
    let shops: Vec<Value> =
        shops.iter().map(|(name, orders)| context! { name, orders => serde(orders) }).collect();
    render(&shop, &visitor, &storefront, Page::of("orders.html").here("orders"), context! { shops })
}

#[derive(Deserialize)]
pub struct Refund {
    position: u32,
    once: String,
}

pub async fn refund(
    State(shop): State<App>,
    visitor: Visitor,
    Path(cart): Path<String>,
    Form(form): Form<Refund>,
) -> Response {
    if !shop.limits.take(Attempt::Change, visitor.peer.address) {
        return refused(&shop, &visitor);
    }
    let storefront = Storefront::new(&shop, &visitor);
    let body = json!({ "items": [form.position] });
    let path = format!("/storeapi/payment/orders/{cart}/refunds/");
    let answer = storefront.post_own(&path, &body, &form.once).await;
    match answer.is_ok() {
        true => Redirect::to(&format!("/order/{cart}")).into_response(),
        false => fault(&shop, &visitor, &storefront, &answer),
    }
}
