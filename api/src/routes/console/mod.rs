//! The console: pages of the support desk for browsers, off unless `CONSOLE` is set. Each page shows what the routes of the desk
//! answer, and each form calls the same functions as they do, so that it can do nothing else.

mod act;
mod batches;
mod catalog;
mod chart;
mod form;
mod look;
mod page;
mod reports;
mod seats;
mod vouchers;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::error::ApiError;
use crate::extract::TextPath;
use crate::state::AppState;

/// The patterns of the pages, as logs and metrics name them.
pub const PATHS: [&str; 28] = [
    "/console/",
    "/console/assets/{file}/",
    "/console/{organisation}/",
    "/console/{organisation}/search/",
    "/console/{organisation}/person/",
    "/console/{organisation}/person/file/",
    "/console/{organisation}/staff/",
    "/console/{organisation}/staff/{action}/",
    "/console/{organisation}/withdrawals/{withdrawal_id}/",
    "/console/{organisation}/withdrawals/{withdrawal_id}/{action}/",
    "/console/{organisation}/orders/{cart_id}/",
    "/console/{organisation}/orders/{cart_id}/refund/",
    "/console/{organisation}/orders/{cart_id}/move/",
    "/console/{organisation}/orders/{cart_id}/{action}/",
    "/console/{organisation}/reports/",
    "/console/{organisation}/reports/ledger/",
    "/console/{organisation}/vouchers/",
    "/console/{organisation}/vouchers/{voucher_id}/",
    "/console/{organisation}/seats/",
    "/console/{organisation}/seats/{voucher_id}/",
    "/console/{organisation}/seats/{voucher_id}/{action}/",
    "/console/{organisation}/batches/",
    "/console/{organisation}/batches/submit/",
    "/console/{organisation}/batches/{batch_id}/",
    "/console/{organisation}/batches/{batch_id}/rows/",
    "/console/{organisation}/events/",
    "/console/{organisation}/catalog/",
    "/console/{organisation}/{action}/",
];

/// The routes of the pages.
pub fn table() -> Router<AppState> {
    let [
        entry,
        asset,
        start,
        search,
        person,
        person_file,
        staff,
        staff_action,
        withdrawal,
        decision,
        order,
        refund,
        order_move,
        order_action,
        report,
        ledger,
        vouchers,
        voucher,
        seats,
        pool,
        pool_action,
        batches,
        batch_submission,
        batch,
        batch_rows,
        events,
        catalog,
        action,
    ] = PATHS;
    Router::new()
        .route(entry, get(look::entry))
        .route(asset, get(file))
        .route(start, get(look::start))
        .route(search, get(look::search))
        .route(person, get(look::person))
        .route(person_file, get(look::person_file))
        .route(staff, get(look::staff))
        .route(staff_action, post(act::staff))
        .route(withdrawal, get(look::withdrawal))
        .route(decision, post(act::withdrawal))
        .route(order, get(look::order))
        .route(refund, get(look::refund).post(act::refund))
        .route(order_move, get(look::move_line).post(act::move_line))
        .route(order_action, post(act::order))
        .route(report, get(self::reports::show))
        .route(ledger, get(self::reports::download))
        .route(vouchers, get(self::vouchers::show).post(self::vouchers::create))
        .route(voucher, get(self::vouchers::detail).post(self::vouchers::change))
        .route(seats, get(self::seats::show))
        .route(pool, get(self::seats::detail))
        .route(pool_action, post(self::seats::act))
        .route(batches, get(self::batches::show).post(self::batches::preview))
        .route(batch_submission, post(self::batches::submit))
        .route(batch, get(self::batches::detail))
        .route(batch_rows, get(self::batches::download))
        .route(events, get(look::events))
        .route(catalog, get(self::catalog::show).post(self::catalog::change))
        .route(action, post(act::other))
        .layer(DefaultBodyLimit::disable())
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
