//! The page that corrects the buyer on an invoice, or asks finance to.

use axum::extract::State;
use axum::response::Response;
use minijinja::context;
use serde_json::json;
use shared::staff::Role;

use super::form::{begin, fields, given, then};
use super::page::{self, or_problem};
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, Commander, ConsoleForm, Fields, ForPage, PagePath};
use crate::queries::desk::order;
use crate::routes::documents::InvoiceRequest;
use crate::routes::support::{act, look};
use crate::state::AppState;

/// The fields of a buyer.
const FIELDS: [&str; 9] =
    ["company", "tax_id", "name", "line1", "line2", "postal_code", "city", "state", "country"];

/// Shows the buyer on the invoice, to be corrected; to finance the one that the support asks for.
pub async fn show(
    State(app): State<AppState>,
    ForPage(visit, at): ForPage<AtConsole>,
    PagePath((_, named)): PagePath<(String, String)>,
) -> Response {
    let make = async {
        let at = at?;
        if !at.desk.may(Role::Finance) {
            at.desk.require(Role::Support)?;
        }
        let cart = at.desk.order(&app, &named).await?;
        let shown = look::shown(&app, cart, &page::words(&app, &visit).localizer()).await?;
        page::show(
            &app,
            &visit,
            &at,
            "invoice.html",
            context! { at => page::answer(&shown), fields => FIELDS },
        )
        .await
    };
    or_problem(&app, &visit, make.await)
}

/// The form that corrects the buyer.
pub async fn correct(
    State(app): State<AppState>,
    PagePath((_, cart)): PagePath<(String, String)>,
    ForPage(visit, sent): ForPage<Commander<AtConsole>>,
    form: Result<ConsoleForm, ApiError>,
) -> Response {
    let (form, arrived) = fields(form);
    let did = async {
        let commander = begin(sent, &form, arrived)?;
        let at = &commander.caller;
        let cart_id = at.desk.order(&app, &cart).await?;
        act::correct_at_desk(&commander, &at.desk, cart_id, buyer(&form)?).await?;
        let is_asked = order::invoice_request(&app.db, cart_id).await?.is_some();
        let done = if is_asked { "invoice-asked" } else { "invoice" };
        Ok(format!("/console/{}/orders/{cart_id}/?done={done}", at.short_name))
    };
    then(&app, &visit, &form, did.await)
}

/// Reads the buyer of a form, as the body of the route would say it.
fn buyer(form: &ConsoleForm) -> ApiResult<InvoiceRequest> {
    let body = json!({ "billing_address": given(form, &FIELDS) });
    Fields::read_object(body, "").map_err(ApiError::InvalidRequest)
}
