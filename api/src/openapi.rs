//! What the OpenAPI document says beside its routes.

use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme,
};
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
    modifiers(&Schemes)
)]
struct Document;

struct Schemes;

/// What stands for a learner: one of them is enough.
const LEARNER: [&str; 3] = ["session", "token", "jwt_cookies"];
const CLIENT: &str = "clientapisecret";

impl Modify for Schemes {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let secret = ApiKeyValue::with_description(CLIENT, "The trusted backend's secret");
        let session = ApiKeyValue::with_description("sessionid", "The course platform's session");
        let jwt = ApiKeyValue::with_description(
            "edx-jwt-cookie-header-payload",
            "With edx-jwt-cookie-signature: the two halves of the course platform's JWT",
        );
        let token = Http::builder()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "An access token of the course platform: opaque, or a JWT (also as `JWT <token>`)",
            ))
            .build();
        let link = ApiKeyValue::with_description("token", "Signed by us, for one cart and 30 minutes");
        let components = document.components.get_or_insert_default();
        components.add_security_scheme(CLIENT, SecurityScheme::ApiKey(ApiKey::Header(secret)));
        components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(session)));
        components.add_security_scheme("token", SecurityScheme::Http(token));
        components.add_security_scheme("jwt_cookies", SecurityScheme::ApiKey(ApiKey::Cookie(jwt)));
        components.add_security_scheme("cart_token", SecurityScheme::ApiKey(ApiKey::Query(link)));
    }
}

pub fn description() -> utoipa::openapi::OpenApi {
    Document::openapi()
}

/// Writes out who may call each route, where the routes say it in one word: `client`, `learner`, `reader` (either),
/// `client_for_learner` (both), `cart_token`.
pub fn write_out_callers(document: &mut utoipa::openapi::OpenApi) {
    for item in document.paths.paths.values_mut() {
        let operations =
            [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch, &mut item.head];
        for operation in operations.into_iter().flatten() {
            operation.security = operation.security.take().map(|stated| {
                let names = stated.iter().flat_map(|one| serde_json::to_value(one).ok());
                names.flat_map(|one| written_out(&one)).collect()
            });
        }
    }
}

fn written_out(stated: &serde_json::Value) -> Vec<SecurityRequirement> {
    let none: [&str; 0] = [];
    let client = || SecurityRequirement::new(CLIENT, none);
    let learner = || LEARNER.map(|scheme| SecurityRequirement::new(scheme, none));
    let name = stated.as_object().and_then(|one| one.keys().next()).map_or("", String::as_str);
    match name {
        "client" => vec![client()],
        "learner" => learner().into(),
        "reader" => [client()].into_iter().chain(learner()).collect(),
        "cart_token" => vec![SecurityRequirement::new("cart_token", none)],
        "client_for_learner" => LEARNER.map(|scheme| client().add(scheme, none)).into(),
        _ => vec![SecurityRequirement::default()],
    }
}
