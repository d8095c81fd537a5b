//! The table of all routes, in the interface's order. Each line is a route; its handler states who may call it.

mod banners;
mod batches;
mod buy;
mod checkout;
pub mod console;
mod contents;
mod courses;
mod document_reports;
mod documents;
mod enrollments;
mod events;
mod learner_cart;
mod learners;
mod mail_reports;
mod months;
mod moves;
mod notifications;
mod offers;
mod operations;
mod order_history;
mod orders;
mod organisations;
mod payment_capabilities;
mod payment_page;
mod payment_status;
mod payments;
mod payouts;
mod programs;
mod quote;
mod refunds;
mod registrations;
mod reports;
mod seats;
mod support;
mod tags;
mod taxes;
mod violations;
mod vouchers;
mod waiting_list;
mod withdrawal_page;
mod withdrawals;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::openapi;
use crate::state::AppState;

pub use operations::{Probe, internal, openapi_json};

/// The public routes with their OpenAPI description. In parts: a debug build needs stack for each route of a function.
pub fn table() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(openapi::description())
        .merge(catalog())
        .merge(purchases())
        .merge(placed_orders())
        .merge(records())
}

fn catalog() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(courses::list))
        .routes(routes!(courses::detail))
        .routes(routes!(contents::outline))
        .routes(routes!(contents::effort))
        .routes(routes!(contents::newness))
        .routes(routes!(learners::check_enrollment))
        .routes(routes!(programs::list))
        .routes(routes!(programs::detail))
        .routes(routes!(tags::list))
        .routes(routes!(organisations::list))
        .routes(routes!(organisations::marketing))
        .routes(routes!(learners::probe))
}

fn purchases() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(checkout::guest))
        .routes(routes!(checkout::learner))
        .routes(routes!(learner_cart::checkout))
        .routes(routes!(payment_capabilities::capabilities))
        .routes(routes!(enrollments::enroll))
        .routes(routes!(enrollments::unenroll))
        .routes(routes!(batches::submit))
        .routes(routes!(batches::show))
        .routes(routes!(banners::list))
        .routes(routes!(learner_cart::cart, learner_cart::set_cart))
        .routes(routes!(payment_status::status))
        .routes(routes!(payment_page::page))
        .routes(routes!(violations::report))
        .routes(routes!(offers::list))
        .routes(routes!(waiting_list::page, waiting_list::join))
        .routes(routes!(waiting_list::answer))
        .routes(routes!(buy::page, buy::order))
        .routes(routes!(buy::former::basket))
        .routes(routes!(buy::former::single_item))
        .routes(routes!(buy::former::redeem))
        .routes(routes!(buy::former::offer))
        .merge(order_history::table())
}

fn placed_orders() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(orders::list))
        .routes(routes!(orders::detail))
        .routes(routes!(refunds::refund))
        .routes(routes!(moves::move_line))
        .merge(payments::table())
        .routes(routes!(withdrawals::declare, withdrawals::list))
        .routes(routes!(withdrawals::detail))
        .routes(routes!(withdrawals::decide))
        .routes(routes!(withdrawal_page::page, withdrawal_page::submit))
        .routes(routes!(withdrawal_page::objection, withdrawal_page::send_objection))
        .routes(routes!(documents::correct))
        .routes(routes!(documents::show))
        .routes(routes!(documents::mail))
        .routes(routes!(documents::original))
        .routes(routes!(document_reports::report))
}

fn records() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(quote::quote))
        .routes(routes!(vouchers::list::list, vouchers::create::create))
        .routes(routes!(vouchers::list::detail, vouchers::change::change))
        .routes(routes!(seats::list))
        .routes(routes!(seats::detail))
        .routes(routes!(seats::assign))
        .routes(routes!(seats::revoke))
        .routes(routes!(seats::remind))
        .routes(routes!(reports::ledger))
        .routes(routes!(taxes::report))
        .routes(routes!(taxes::days))
        .routes(routes!(taxes::one_stop_shop))
        .routes(routes!(payouts::list))
        .routes(routes!(payouts::movements))
        .routes(routes!(months::report))
        .routes(routes!(events::feed))
        .merge(support::table())
        .routes(routes!(notifications::receive))
        .routes(routes!(mail_reports::receive))
        .routes(routes!(registrations::follow))
        .routes(routes!(registrations::hint))
        .routes(routes!(operations::openapi_document))
        .routes(routes!(operations::docs))
        .routes(routes!(operations::docs_asset))
}

/// Reads a query as each list does, for the fuzz targets.
#[cfg(fuzzing)]
pub fn read_queries(query: &str) {
    use crate::extract::{BatchDefaults, Query};
    use crate::read::listing;
    let _ = Query::<courses::CourseListQuery>::parse(query);
    let _ = Query::<programs::ProgramListQuery>::parse(query);
    let _ = Query::<courses::DetailQuery>::parse(query);
    let _ = Query::<banners::BannerQuery>::parse(query);
    let _ = Query::<tags::TagQuery>::parse(query);
    let _ = Query::<organisations::Search>::parse(query);
    let _ = Query::<orders::OrderListQuery>::parse(query);
    let _ = Query::<reports::LedgerQuery>::parse(query);
    let _ = Query::<taxes::TaxesQuery>::parse(query);
    let _ = Query::<taxes::DailyTaxesQuery>::parse(query);
    let _ = Query::<months::MonthQuery>::parse(query);
    let _ = Query::<events::FeedQuery>::parse(query);
    let _ = Query::<documents::DocumentQuery>::parse(query);
    let _ = Query::<vouchers::list::VoucherQuery>::parse(query);
    let _ = Query::<listing::PageQuery>::parse(query);
    let _ = Query::<seats::PoolQuery>::parse(query);
    let _ = Query::<buy::BuyLink>::parse(query);
    let _ = Query::<offers::OfferQuery>::parse(query);
    let _ = Query::<batches::BatchQuery>::parse(query);
    let _ = Query::<withdrawals::WithdrawalQuery>::parse(query);
    let _ = Query::<BatchDefaults>::parse(query);
    let _ = Query::<support::look::SupportSearchQuery>::parse(query);
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_operation_lists_problems_that_exist() {
        let mut document = serde_json::to_value(table().into_openapi()).unwrap();
        for operation in openapi::operations(&mut document) {
            for word in operation.get(openapi::PROBLEMS).and_then(Value::as_array).into_iter().flatten() {
                let codes = openapi::codes(word.as_str().unwrap());
                assert!(!codes.is_empty(), "{}: {word}", operation["operationId"]);
            }
        }
    }
}
