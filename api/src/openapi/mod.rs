//! The parts of the OpenAPI document that belong to no single route: introduction, tags and security schemes. Why it is OpenAPI 3.1:
//! `docs/decisions/openapi-3-1.md`

pub mod parameters;
pub mod schemas;
mod write_out;
mod write_schemas;

use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};

use crate::error::Problem;
pub use write_out::write_out;
#[cfg(test)]
pub use write_out::{PROBLEMS, codes, operations};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Storefront",
        description = "Catalog, checkout and enrollment for course platforms.\n\nPaths end in a slash; the form without \
            it works too. Timestamps are RFC 3339 in UTC. Money is a JSON number in major units of the currency beside \
            it, unless a field says otherwise. Every error is an `application/problem+json` with a stable `code`. \
            Request bodies are JSON objects of at most 64 KiB, unless a route says otherwise; the service refuses a field that it does not know, and \
            names it. A field of an answer that has no value is `null`, unless its description says that it is left \
            out. Do not retry 401, 403 or 404 unchanged; retry 5xx with backoff.",
        contact(name = "The operator of this storefront"),
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    servers((url = "/", description = "The host that serves this document.")),
    components(schemas(Problem)),
    tags(
        (name = "catalog", description = "Published courses, programs and organisations"),
        (name = "checkout", description = "Buying courses and programs"),
        (name = "enrollments", description = "Access by email, for trusted partners"),
        (name = "extensions", description = "Routes beyond the storefront interface"),
        (name = "operations", description = "This document and its page"),
    ),
    modifiers(&Schemes)
)]
struct Document;

struct Schemes;

impl Modify for Schemes {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let secret = ApiKeyValue::with_description("clientapisecret", "The trusted backend's secret");
        let key = ApiKeyValue::with_description(
            "organisationapikey",
            "A key of one organisation: `sk_{id}_{secret}`. An operation names the scope that the key needs",
        );
        let session = ApiKeyValue::with_description("sessionid", "The course platform's session");
        let jwt = ApiKeyValue::with_description(
            "edx-jwt-cookie-header-payload",
            "Together with the cookie `edx-jwt-cookie-signature`: the two halves of the course platform's JWT",
        );
        let token = Http::builder()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "An access token of the course platform: opaque, or a JWT (also as `JWT <token>`)",
            ))
            .build();
        let link = ApiKeyValue::with_description(
            "token",
            "Signed by this service for one cart (30 minutes), one document (90 days), one pool of seats (a year), or the withdrawal \
             from one order (its period and 30 days)",
        );
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("clientapisecret", SecurityScheme::ApiKey(ApiKey::Header(secret)));
        components.add_security_scheme("organisationapikey", SecurityScheme::ApiKey(ApiKey::Header(key)));
        components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(session)));
        components.add_security_scheme("token", SecurityScheme::Http(token));
        components.add_security_scheme("jwt_cookies", SecurityScheme::ApiKey(ApiKey::Cookie(jwt)));
        components.add_security_scheme("cart_token", SecurityScheme::ApiKey(ApiKey::Query(link)));
    }
}

/// The document without its routes.
pub fn description() -> utoipa::openapi::OpenApi {
    Document::openapi()
}
