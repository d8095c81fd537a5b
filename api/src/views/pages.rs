//! HTML pages for browsers: the status of an order, and problems such as an expired link. The content security policy
//! of each page allows its own style and nothing else.

use std::collections::BTreeMap;

use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use minijinja::{Environment, Value, context};
use shared::creditor_reference;
use shared::ids::CartId;
use shared::money::Money;
use shared::transfer_code;
use texts::Localizer;
use url::Url;
use uuid::Uuid;

use super::carts::tax_on_top;
use crate::error::{ApiError, ApiResult};
use crate::queries::carts::{AwaitedTransfer, CartOrganisation, CartRow, LineRow};
use crate::request_log;
use crate::words::CartStatus;

pub(super) const STYLE: &str = include_str!("../pages/pay.css");

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

/// Renders a template, which may include that of a transfer; every value is escaped.
pub fn render(name: &str, template: &str, values: Value) -> ApiResult<String> {
    let mut templates = Environment::new();
    let rendered = templates
        .add_template("transfer.html", include_str!("../pages/transfer.html"))
        .and_then(|()| templates.add_template(name, template))
        .and_then(|()| templates.get_template(name)?.render(values));
    rendered.map_err(|error| {
        request_log::failed(format_args!("the page {name} cannot be rendered: {error}"));
        ApiError::Internal
    })
}

/// The status page of an order, with what its buyer is yet to transfer. It reloads itself while the order is still being processed.
pub fn order(
    cart: &CartRow,
    lines: &[LineRow],
    awaited: Option<&AwaitedTransfer>,
    organisation: &CartOrganisation,
    localizer: &Localizer<'_>,
) -> ApiResult<Response> {
    let standing = cart.standing(lines);
    let line = |line: &LineRow| {
        context! { name => line.item.name.as_str(), price => amount(localizer, line.item.price) }
    };
    let nonce = Uuid::new_v4().simple().to_string();
    let values = context! {
        nonce => nonce.as_str(),
        style => STYLE,
        title => organisation.name.as_str(),
        items => lines.iter().map(line).collect::<Vec<Value>>(),
        tax => tax_on_top(lines.iter().map(|line| &line.item)).map(|tax| amount(localizer, tax)),
        total => amount(localizer, cart.total),
        text => standing.sentences(localizer),
        kind => standing.summary.tone(),
        transfer => awaited.map(|awaited| transfer(awaited, false, localizer)),
        reload => awaited.is_none() && matches!(cart.state, CartStatus::PendingPayment | CartStatus::Paid),
        ..Shop(Some((organisation, cart.id))).way_back(localizer, words(localizer))
    };
    page(own_style(&nonce), render("order.html", include_str!("../pages/order.html"), values)?)
}

/// The account to which a buyer is to transfer money. With `later`, what happens once it is there.
pub fn transfer(awaited: &AwaitedTransfer, later: bool, localizer: &Localizer<'_>) -> Value {
    let open = amount(localizer, awaited.open);
    let partly = (awaited.received.minor() > 0).then(|| {
        let received = amount(localizer, awaited.received);
        localizer
            .message("page-transfer-partly", &[("received", received.into()), ("open", open.clone().into())])
    });
    let code = transfer_code::of(&awaited.bank_lines, awaited.open, &awaited.reference);
    let date = localizer.date(awaited.due_on);
    let asked = [("amount", open.clone().into()), ("date", date.into())];
    context! {
        text => localizer.message("page-transfer", &asked),
        partly,
        account => localizer.message("page-transfer-account", &[]),
        lines => &awaited.bank_lines,
        reference => localizer.message("page-transfer-reference", &[]),
        number => creditor_reference::grouped(&awaited.reference),
        transfer_code => code.map(|code| context! {
            side => code.side(),
            dark => code.svg_path(),
            text => localizer.message("transfer-code", &[]),
        }),
        later => later.then(|| localizer.message("page-transfer-later", &[])),
    }
}

/// An amount as the buyer's language writes it.
pub fn amount(localizer: &Localizer<'_>, money: Money) -> String {
    localizer.money(money.major(), money.currency().code())
}

/// Messages without arguments, by their keys.
pub fn messages(localizer: &Localizer<'_>, keys: &[&'static str]) -> BTreeMap<&'static str, String> {
    keys.iter().map(|key| (*key, localizer.message(key, &[]))).collect()
}

/// The language of a page, and the words that both templates show.
pub fn words(localizer: &Localizer<'_>) -> Value {
    context! {
        lang => localizer.language().to_string(),
        dir => localizer.direction(),
        your_order => localizer.message("page-your-order", &[]),
        tax_word => localizer.message("order-tax", &[]),
        total_word => localizer.message("order-total", &[]),
        loading => localizer.message("page-loading", &[]),
        no_script => localizer.message("page-no-script", &[]),
    }
}

/// A problem as a page, with the status and headers of the problem.
pub fn problem(error: ApiError, localizer: &Localizer<'_>) -> Response {
    as_page(error, |status| context! { kind => "bad", ..said(explained(status), localizer) })
}

/// The page of an invitation's link that was altered: what to do without it.
pub fn broken_invitation(error: ApiError, localizer: &Localizer<'_>) -> Response {
    as_page(error, |status| {
        said(if status == 404 { "problem-invitation" } else { explained(status) }, localizer)
    })
}

/// The page of a document's link that has ended or was altered: `action` mails a new one.
pub fn ended_document(error: ApiError, action: &str, shop: Shop<'_>, localizer: &Localizer<'_>) -> Response {
    as_page(error, |_| {
        context! {
            action => context! { url => action, text => localizer.message("problem-document-send", &[]) },
            ..shop.way_back(localizer, said_in("problem-invalid", "problem-document-text", localizer))
        }
    })
}

/// The page that says that a new link to a document is on its way.
pub fn document_sent(shop: Shop<'_>, localizer: &Localizer<'_>) -> ApiResult<Response> {
    let nonce = Uuid::new_v4().simple().to_string();
    let values = context! {
        nonce => nonce.as_str(),
        style => STYLE,
        ..shop.way_back(localizer, said("problem-document-sent", localizer))
    };
    page(own_style(&nonce), render("order.html", include_str!("../pages/order.html"), values)?)
}

/// The title of a page, and the text of the same name.
fn said(title: &str, localizer: &Localizer<'_>) -> Value {
    said_in(title, &format!("{title}-text"), localizer)
}

/// The title and the text of a page.
fn said_in(title: &str, text: &str, localizer: &Localizer<'_>) -> Value {
    context! {
        title => localizer.message(title, &[]),
        text => localizer.message(text, &[]),
        ..words(localizer)
    }
}

/// The shop to which a page leads back; None if the page knows of no order.
#[derive(Clone, Copy)]
pub struct Shop<'a>(pub Option<(&'a CartOrganisation, CartId)>);

impl<'a> Shop<'a> {
    /// The organisation's name.
    pub fn name(self) -> Option<&'a str> {
        self.0.map(|(organisation, _)| organisation.name.as_str())
    }

    /// The values of a page, with the link back, as the templates show it.
    pub fn way_back(self, localizer: &Localizer<'_>, values: Value) -> Value {
        let Some((organisation, cart_id)) = self.0 else { return values };
        context! {
            back => back(organisation, cart_id),
            back_to => localizer.message("page-back", &[("shop", organisation.name.as_str().into())]),
            ..values
        }
    }
}

/// The page of a link that has expired, with a way on to the organisation that sells the cart.
pub fn expired_link(
    error: ApiError,
    organisation: &CartOrganisation,
    cart_id: CartId,
    localizer: &Localizer<'_>,
) -> Response {
    as_page(error, |_| {
        let said = said("problem-expired", localizer);
        Shop(Some((organisation, cart_id))).way_back(localizer, said)
    })
}

/// A problem as a page with these values, and with the status and headers of the problem.
pub(super) fn as_page(error: ApiError, values: impl FnOnce(u16) -> Value) -> Response {
    let mut response = error.into_response();
    let nonce = Uuid::new_v4().simple().to_string();
    let values = context! {
        nonce => nonce.as_str(),
        style => STYLE,
        ..values(response.status().as_u16())
    };
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

pub(super) fn own_style(nonce: &str) -> String {
    format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
}

/// The organisation's return URL with the cart's id, the same as payment providers redirect buyers to.
fn back(organisation: &CartOrganisation, cart_id: CartId) -> Option<String> {
    let mut url = Url::parse(&organisation.return_url).ok()?;
    url.query_pairs_mut().append_pair("cart_id", &cart_id.to_string());
    Some(url.into())
}

/// The title and the text of a problem.
fn explained(status: u16) -> &'static str {
    match status {
        401 => "problem-invalid",
        400 | 404 => "problem-not-found",
        429 => "problem-too-many",
        _ => "problem-other",
    }
}
