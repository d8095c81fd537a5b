//! The console: pages of the support desk for browsers, off unless `CONSOLE` is set. Each page shows what the routes of the desk
//! answer, and each form calls the same functions as they do, so that it can do nothing else.

mod act;
mod batches;
mod catalog;
mod chart;
mod events;
mod form;
mod handler;
mod invoices;
mod look;
mod months;
mod moves;
mod owed;
mod page;
mod payouts;
mod problem;
mod reports;
mod seats;
#[cfg(test)]
mod tests;
mod times;
mod vouchers;
mod words;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};

use self::handler::{shows, takes, takes_file};
use crate::error::ApiError;
use crate::extract::TextPath;
use crate::state::AppState;

/// The pages: each pattern, as logs and metrics name it, with its routes.
pub fn table() -> Vec<(&'static str, MethodRouter<AppState>)> {
    vec![
        ("/console/", shows(look::entry)),
        ("/console/assets/{file}/", get(file)),
        ("/console/{organisation}/", shows(look::start)),
        ("/console/{organisation}/search/", shows(look::search)),
        ("/console/{organisation}/person/", shows(look::person)),
        ("/console/{organisation}/person/file/", shows(look::person_file)),
        ("/console/{organisation}/staff/", shows(look::staff)),
        ("/console/{organisation}/staff/{action}/", takes(act::staff)),
        ("/console/{organisation}/withdrawals/{withdrawal_id}/", shows(look::withdrawal)),
        ("/console/{organisation}/withdrawals/{withdrawal_id}/{action}/", takes(act::withdrawal)),
        ("/console/{organisation}/orders/{cart_id}/", shows(look::order)),
        ("/console/{organisation}/orders/{cart_id}/refund/", shows(look::refund).merge(takes(act::refund))),
        ("/console/{organisation}/orders/{cart_id}/move/", shows(moves::show).merge(takes(moves::carry_out))),
        (
            "/console/{organisation}/orders/{cart_id}/invoice/",
            shows(invoices::show).merge(takes(invoices::correct)),
        ),
        ("/console/{organisation}/orders/{cart_id}/{action}/", takes(act::order)),
        ("/console/{organisation}/owed/", shows(owed::show)),
        ("/console/{organisation}/reports/", shows(reports::show)),
        ("/console/{organisation}/reports/ledger/", shows(reports::ledger_file)),
        ("/console/{organisation}/month/", shows(months::show).merge(takes(months::close))),
        ("/console/{organisation}/payouts/", shows(payouts::show)),
        ("/console/{organisation}/payouts/file/", shows(payouts::file)),
        ("/console/{organisation}/payouts/movements/", shows(payouts::movements_file)),
        ("/console/{organisation}/reports/taxes/", shows(reports::taxes_file)),
        ("/console/{organisation}/reports/taxes/days/", shows(reports::tax_days_file)),
        ("/console/{organisation}/reports/taxes/one-stop-shop/", shows(reports::one_stop_shop_file)),
        ("/console/{organisation}/vouchers/", shows(vouchers::show).merge(takes(vouchers::create))),
        ("/console/{organisation}/vouchers/codes/", shows(vouchers::codes)),
        (
            "/console/{organisation}/vouchers/{voucher_id}/",
            shows(vouchers::detail).merge(takes(vouchers::change)),
        ),
        ("/console/{organisation}/seats/", shows(seats::show)),
        ("/console/{organisation}/seats/{voucher_id}/", shows(seats::detail)),
        ("/console/{organisation}/seats/{voucher_id}/{action}/", takes(seats::act)),
        ("/console/{organisation}/batches/", shows(batches::show).merge(takes_file(batches::preview))),
        ("/console/{organisation}/batches/submit/", takes_file(batches::submit)),
        ("/console/{organisation}/batches/{batch_id}/", shows(batches::detail)),
        ("/console/{organisation}/batches/{batch_id}/rows/", shows(batches::download)),
        ("/console/{organisation}/events/", shows(events::show)),
        ("/console/{organisation}/events/{action}/", takes(events::change)),
        ("/console/{organisation}/catalog/", shows(catalog::show).merge(takes(catalog::change))),
        ("/console/{organisation}/{action}/", takes(act::other)),
    ]
}

/// The router of the pages. Each form bounds its body itself.
pub fn router(pages: Vec<(&'static str, MethodRouter<AppState>)>) -> Router<AppState> {
    let add = |router: Router<AppState>, (path, routes)| router.route(path, routes);
    pages.into_iter().fold(Router::new(), add).layer(DefaultBodyLimit::disable())
}

/// A file that the pages load. Each is part of the program, and changes with it alone.
async fn file(TextPath(name): TextPath) -> Response {
    let (kind, text) = match name.as_str() {
        "pico.css" => ("text/css; charset=utf-8", include_str!("../../pages/console/pico.min.css")),
        "console.css" => ("text/css; charset=utf-8", include_str!("../../pages/console/console.css")),
        "pico-license.txt" => {
            ("text/plain; charset=utf-8", include_str!("../../pages/console/pico-LICENSE.md"))
        }
        _ => return ApiError::NotFound("File").into_response(),
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (headers, text).into_response()
}
