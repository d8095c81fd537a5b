//! THE route table, in the interface's order. Each line is a route; its handler says who may call it.

mod catalog;
mod checkout;
mod courses;
mod enrollments;
mod operations;
mod organisations;
mod registrations;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::openapi;
use crate::state::AppState;

pub use operations::internal;

/// The public routes with their OpenAPI description.
pub fn table() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(openapi::description())
        .routes(routes!(courses::list))
        .routes(routes!(courses::detail))
        .routes(routes!(organisations::list))
        .routes(routes!(checkout::guest))
        .routes(routes!(enrollments::enroll))
        .routes(routes!(enrollments::unenroll))
        .routes(routes!(registrations::follow))
        .routes(routes!(operations::openapi_document))
        .routes(routes!(operations::docs))
        .routes(routes!(operations::docs_asset))
}
