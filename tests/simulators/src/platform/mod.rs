//! The course platform, under `/platform`: its real paths, formats and traps for clients, and nothing of its user
//! interface. Answers from the state alone; makes no calls.

mod accounts;
mod caller;
pub mod catalog;
mod certificates;
mod courses;
pub mod described;
mod enrollments;
pub mod jwt;
mod oauth;
mod rules;
pub mod throttles;
pub mod v2;

pub use courses::course_key;

use std::sync::Arc;

use axum::{
    Json, Router,
    http::{StatusCode, header},
    middleware::{from_fn_with_state, map_response},
    response::{Html, IntoResponse, Response},
    routing::{get, patch, post},
};
use serde_json::json;

use super::{
    faults::{Gate, Target, gate},
    state::Simulation,
};

const TOKEN: &str = "/oauth2/access_token";
const ME: &str = "/api/user/v1/me";
const ACCOUNTS: &str = "/api/user/v1/accounts";
const ACCOUNT: &str = "/api/user/v1/accounts/{username}";
const SEARCH_EMAILS: &str = "/api/user/v1/accounts/search_emails";
const ENROLLMENTS: &str = "/api/enrollment/v1/enrollment";
/// `{username},{course_key}`: one segment.
const ENROLLMENT: &str = "/api/enrollment/v1/enrollment/{who_and_where}";
const COURSE: &str = "/api/enrollment/v1/course/{course_key}";
/// The platform's route ends in a slash; it redirects the form without one.
const CERTIFICATE: &str = "/api/certificates/v0/certificates/{username}/courses/{course_key}";
const CERTIFICATE_SLASH: &str = "/api/certificates/v0/certificates/{username}/courses/{course_key}/";
const CATALOG: &str = "/api/courses/v1/courses/";
/// The platform answers both forms.
const CATALOG_COURSE: &str = "/api/courses/v1/courses/{course_key}";
const CATALOG_COURSE_SLASH: &str = "/api/courses/v1/courses/{course_key}/";
const MODES: &str = "/api/course_modes/v1/courses/{course_key}/";
/// The platform takes a slash at the end for a part of the mode, which it then does not find.
const MODE: &str = "/api/course_modes/v1/courses/{course_key}/{*mode}";
const LEARNER_HOME: &str = "/api/learner_home/init";
const OUTLINE: &str = "/api/learning_sequences/v1/course_outline/{course_key}";
const BLOCKS: &str = "/api/courses/v1/blocks/";

pub fn router(simulation: Arc<Simulation>) -> Router<Arc<Simulation>> {
    let entrance = Gate { simulation: simulation.clone(), target: Target::Platform, refuse: refusal };
    Router::new()
        .route(TOKEN, post(oauth::access_token))
        .route(ME, get(accounts::me))
        .route(ACCOUNTS, get(accounts::find))
        .route(ACCOUNT, get(accounts::by_username))
        .route(SEARCH_EMAILS, post(accounts::search_emails))
        .route(ENROLLMENTS, post(enrollments::write))
        .route(ENROLLMENT, get(enrollments::read))
        .route(COURSE, get(courses::show))
        .merge(v2::router())
        .route(CERTIFICATE, get(certificates::redirect))
        .route(CERTIFICATE_SLASH, get(certificates::show))
        .route(CATALOG, get(catalog::list))
        .route(CATALOG_COURSE, get(catalog::show))
        .route(CATALOG_COURSE_SLASH, get(catalog::show))
        .route(MODES, get(catalog::modes))
        .route(MODE, patch(catalog::change_mode))
        .route("/api/mfe_config/v1", get(catalog::mfe_config))
        .route(LEARNER_HOME, get(catalog::learner_home))
        .route(OUTLINE, get(catalog::outline))
        .route(BLOCKS, get(catalog::blocks))
        .fallback(|| async { refusal(StatusCode::NOT_FOUND) })
        .layer(from_fn_with_state(simulation.clone(), v2::check_version))
        .layer(map_response(name_the_realm))
        .layer(from_fn_with_state(simulation, caller::check_session_cookie))
        .layer(from_fn_with_state(entrance, gate))
}

/// An answer that no endpoint gives: throttled, failed, or refused in front of the application.
fn refusal(status: StatusCode) -> Response {
    if status == StatusCode::TOO_MANY_REQUESTS {
        return throttled(1);
    }
    // As on the platform, these are HTML pages: a client must not expect JSON.
    if status.is_server_error() || status == StatusCode::NOT_FOUND {
        let reason = status.canonical_reason().unwrap_or("Error");
        return (status, Html(format!("<h1>{reason} ({})</h1>", status.as_u16()))).into_response();
    }
    (status, Json(json!({"detail": status.canonical_reason()}))).into_response()
}

fn throttled(seconds: i64) -> Response {
    let unit = if seconds == 1 { "second" } else { "seconds" };
    let detail = json!({"detail": format!("Request was throttled. Expected available in {seconds} {unit}.")});
    let retry_after = [(header::RETRY_AFTER, seconds.to_string())];
    (StatusCode::TOO_MANY_REQUESTS, retry_after, Json(detail)).into_response()
}

/// The answer to a caller without permission, and to every call of a restricted application.
fn forbidden() -> Response {
    let detail = json!({"detail": "You do not have permission to perform this action."});
    (StatusCode::FORBIDDEN, Json(detail)).into_response()
}

/// Adds the `WWW-Authenticate` header to an endpoint's 401. The token endpoint sets its own, and a refused cookie gets
/// none.
async fn name_the_realm(mut response: Response) -> Response {
    let named = response.headers().contains_key(header::WWW_AUTHENTICATE);
    if response.status() == StatusCode::UNAUTHORIZED && !named {
        let realm = header::HeaderValue::from_static("JWT realm=\"api\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, realm);
    }
    response
}
