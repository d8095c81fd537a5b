//! The page of a learner's orders.

use axum::response::Response;
use chrono::{DateTime, Utc};
use minijinja::{Value, context};
use shared::link;
use shared::settings::LinkSettings;
use texts::Localizer;
use uuid::Uuid;

use super::pages;
use crate::error::{ApiError, ApiResult};
use crate::queries::orders::{Order, OrderDocument};
use crate::words::DocumentKind;

/// The page. Links to documents are signed, as in the list of orders.
pub fn page(
    orders: Vec<Order>,
    links: &LinkSettings,
    now: DateTime<Utc>,
    localizer: &Localizer<'_>,
) -> ApiResult<Response> {
    let nonce = Uuid::new_v4().simple().to_string();
    let orders = orders.into_iter().map(|order| shown(order, links, now, localizer)).collect();
    pages::page(pages::own_style(&nonce), html(orders, localizer, &nonce)?)
}

fn html(orders: Vec<Value>, localizer: &Localizer<'_>, nonce: &str) -> ApiResult<String> {
    let values = context! {
        nonce,
        style => pages::STYLE,
        title => localizer.message("history-title", &[]),
        nothing_bought => localizer.message("history-none", &[]),
        orders,
        ..pages::words(localizer)
    };
    pages::render("history.html", include_str!("../pages/history.html"), values)
}

fn shown(order: Order, links: &LinkSettings, now: DateTime<Utc>, localizer: &Localizer<'_>) -> Value {
    let document = |document: OrderDocument| {
        let key = match document.kind {
            DocumentKind::Invoice => "history-invoice",
            DocumentKind::CreditNote => "history-credit-note",
        };
        let path = link::document_path(&links.link_secret, document.id, document.link_version, now);
        let url = format!("{}{path}", links.public_base_url);
        context! { text => localizer.message(key, &[("number", document.number.into())]), url }
    };
    let refunded = || {
        let amount = pages::amount(localizer, order.refunded);
        localizer.message("history-refunded", &[("amount", amount.into())])
    };
    context! {
        date => localizer.date(order.placed_on),
        url => format!("{}/storeapi/payment/status/{}/", links.public_base_url, order.id),
        names => order.lines.iter().map(|line| line.item.name.clone()).collect::<Vec<String>>(),
        total => pages::amount(localizer, order.total),
        refunded => (order.refunded.minor() > 0).then(refunded),
        status => order.standing().summary.word(localizer),
        documents => order.documents.into_iter().map(document).collect::<Vec<Value>>(),
    }
}

/// The answer to a visitor whose orders cannot be shown: a page for browsers, else the problem.
pub fn halted(error: ApiError, wants_page: bool, localizer: &Localizer<'_>) -> ApiResult<Response> {
    if !wants_page {
        return Err(error);
    }
    Ok(pages::as_page(error, |status| {
        let (title, text) = match status {
            401 => ("problem-unseen", "problem-unseen-text"),
            429 => ("problem-too-many", "problem-too-many-text"),
            _ => ("problem-other", "problem-again-text"),
        };
        context! {
            title => localizer.message(title, &[]),
            text => localizer.message(text, &[]),
            kind => "bad",
            ..pages::words(localizer)
        }
    }))
}
