//! What the OpenAPI document says beside its routes.

use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::{Modify, OpenApi};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Storefront",
        description = "Catalog, checkout and enrollment for course platforms.\n\nPaths end in a slash; the form without \
            it works too. Timestamps are RFC 3339 in UTC. Money is a JSON number in major units of the currency beside \
            it. Every error is an `application/problem+json` with a stable `code`; unknown fields in a body are refused \
            by name. Do not retry 401, 403 or 404 unchanged; retry 5xx with backoff.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    tags(
        (name = "catalog", description = "Published courses, programs and organisations"),
        (name = "checkout", description = "Baskets become carts"),
        (name = "enrollments", description = "Access by email, for trusted partners"),
        (name = "extensions", description = "Routes beyond the storefront interface"),
        (name = "operations", description = "The service about itself"),
    ),
    security(("clientapisecret" = [])),
    modifiers(&Schemes)
)]
struct Document;

struct Schemes;

impl Modify for Schemes {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let secret = ApiKeyValue::with_description("clientapisecret", "The trusted backend's secret");
        document
            .components
            .get_or_insert_default()
            .add_security_scheme("clientapisecret", SecurityScheme::ApiKey(ApiKey::Header(secret)));
    }
}

pub fn description() -> utoipa::openapi::OpenApi {
    Document::openapi()
}
