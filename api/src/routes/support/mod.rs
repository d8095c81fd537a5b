//! Routes of the support desk, for the staff of an organisation and for its own tools.

pub mod act;
pub mod as_staff;
pub mod catalog;
pub mod endpoints;
pub mod look;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

/// The routes of the desk with their OpenAPI description.
pub fn table() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(look::search))
        .routes(routes!(look::attention))
        .routes(routes!(look::detail))
        .routes(routes!(act::receipt))
        .routes(routes!(act::invitation))
        .routes(routes!(act::address))
        .routes(routes!(act::alert))
        .routes(routes!(as_staff::refund))
        .routes(routes!(as_staff::invoice))
        .routes(routes!(act::refuse_invoice))
        .routes(routes!(as_staff::move_line))
        .routes(routes!(act::mail))
        .routes(routes!(act::enrollment))
        .routes(routes!(act::dead_letter))
        .routes(routes!(look::endpoint_list, endpoints::set, endpoints::enable))
        .routes(routes!(endpoints::renew))
        .routes(routes!(endpoints::remove))
        .routes(routes!(endpoints::send_again))
        .routes(routes!(catalog::list, catalog::change))
        .routes(routes!(catalog::put_first))
}
