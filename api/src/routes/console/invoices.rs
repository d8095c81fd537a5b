//! The page that corrects the buyer on an invoice, or asks finance to.

use axum::response::{Redirect, Response};
use minijinja::context;
use serde_json::json;
use shared::staff::Role;

use super::form::given;
use super::handler::{Page, Sent};
use super::page::{answer, words};
use crate::error::{ApiError, ApiResult};
use crate::extract::{ConsoleForm, Fields};
use crate::queries::desk::order;
use crate::routes::documents::InvoiceRequest;
use crate::routes::support::{as_staff, look};

/// The fields of a buyer.
const FIELDS: [&str; 9] =
    ["company", "tax_id", "name", "line1", "line2", "postal_code", "city", "state", "country"];

/// Shows the buyer on the invoice, to be corrected; to finance the one that the support asks for.
pub async fn show(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    if !at.desk.may(Role::Finance) {
        at.desk.require(Role::Support)?;
    }
    let cart = at.desk.order(app, page.named("cart_id")).await?;
    let shown = look::shown(app, cart, &words(app, visit).localizer()).await?;
    page.show("invoice.html", context! { at => answer(&shown), fields => FIELDS }).await
}

/// The form that corrects the buyer.
pub async fn correct(sent: Sent) -> ApiResult<Redirect> {
    let Sent { app, commander, form, .. } = &sent;
    let at = &commander.caller;
    let cart_id = at.desk.order(app, sent.named("cart_id")).await?;
    as_staff::correct_at_desk(commander, &at.desk, cart_id, buyer(form)?).await?;
    let is_asked = order::invoice_request(&app.db, cart_id).await?.is_some();
    let done = if is_asked { "invoice-asked" } else { "invoice" };
    Ok(sent.next(format_args!("orders/{cart_id}/?done={done}")))
}

/// Reads the buyer of a form, as the body of the route would say it.
fn buyer(form: &ConsoleForm) -> ApiResult<InvoiceRequest> {
    let body = json!({ "billing_address": given(form, &FIELDS) });
    Fields::read_object(body, "").map_err(ApiError::InvalidRequest)
}
