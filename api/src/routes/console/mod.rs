//! The console: pages of the support desk for browsers, off unless `CONSOLE` is set. Each page shows what the routes of the desk
//! answer, and each form calls the same functions as they do, so that it can do nothing else.

mod act;
mod batches;
mod catalog;
mod chart;
mod events;
mod form;
mod invoices;
mod look;
mod moves;
mod owed;
mod page;
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
use axum::routing::{MethodRouter, get, post};

use crate::error::ApiError;
use crate::extract::TextPath;
use crate::state::AppState;

/// The pages: each pattern, as logs and metrics name it, with its routes.
pub fn table() -> Vec<(&'static str, MethodRouter<AppState>)> {
    vec![
        ("/console/", get(look::entry)),
        ("/console/assets/{file}/", get(file)),
        ("/console/{organisation}/", get(look::start)),
        ("/console/{organisation}/search/", get(look::search)),
        ("/console/{organisation}/person/", get(look::person)),
        ("/console/{organisation}/person/file/", get(look::person_file)),
        ("/console/{organisation}/staff/", get(look::staff)),
        ("/console/{organisation}/staff/{action}/", post(act::staff)),
        ("/console/{organisation}/withdrawals/{withdrawal_id}/", get(look::withdrawal)),
        ("/console/{organisation}/withdrawals/{withdrawal_id}/{action}/", post(act::withdrawal)),
        ("/console/{organisation}/orders/{cart_id}/", get(look::order)),
        ("/console/{organisation}/orders/{cart_id}/refund/", get(look::refund).post(act::refund)),
        ("/console/{organisation}/orders/{cart_id}/move/", get(moves::show).post(moves::carry_out)),
        ("/console/{organisation}/orders/{cart_id}/invoice/", get(invoices::show).post(invoices::correct)),
        ("/console/{organisation}/orders/{cart_id}/{action}/", post(act::order)),
        ("/console/{organisation}/owed/", get(owed::show)),
        ("/console/{organisation}/reports/", get(reports::show)),
        ("/console/{organisation}/reports/ledger/", get(reports::ledger_file)),
        ("/console/{organisation}/reports/taxes/", get(reports::taxes_file)),
        ("/console/{organisation}/vouchers/", get(vouchers::show).post(vouchers::create)),
        ("/console/{organisation}/vouchers/codes/", get(vouchers::codes)),
        ("/console/{organisation}/vouchers/{voucher_id}/", get(vouchers::detail).post(vouchers::change)),
        ("/console/{organisation}/seats/", get(seats::show)),
        ("/console/{organisation}/seats/{voucher_id}/", get(seats::detail)),
        ("/console/{organisation}/seats/{voucher_id}/{action}/", post(seats::act)),
        ("/console/{organisation}/batches/", get(batches::show).post(batches::preview)),
        ("/console/{organisation}/batches/submit/", post(batches::submit)),
        ("/console/{organisation}/batches/{batch_id}/", get(batches::detail)),
        ("/console/{organisation}/batches/{batch_id}/rows/", get(batches::download)),
        ("/console/{organisation}/events/", get(events::show)),
        ("/console/{organisation}/events/{action}/", post(events::change)),
        ("/console/{organisation}/catalog/", get(catalog::show).post(catalog::change)),
        ("/console/{organisation}/{action}/", post(act::other)),
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
