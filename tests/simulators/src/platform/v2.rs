//! Version 2 of the enrollment API: the endpoints of v1 with other paths and errors. It decides nothing about enrollments; the
//! platform's own v2 wraps the same functions in the same way.

use axum::{
    Json, Router,
    body::{Body, Bytes, to_bytes},
    extract::{OriginalUri, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
    routing::{any, get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

use super::{caller::Caller, courses, enrollments, refusal};
use crate::state::Simulation;

const V1: &str = "/api/enrollment/v1/";
const V2: &str = "/api/enrollment/v2";

/// Versions of the enrollment API that the platform has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Versions {
    /// Releases before Willow.
    V1,
    /// Willow.
    Both,
    /// A release after v1 was removed.
    V2,
}

impl Versions {
    fn have(self, path: &str) -> bool {
        match self {
            Self::V1 => !path.starts_with(V2),
            Self::Both => true,
            Self::V2 => !path.starts_with(V1),
        }
    }
}

/// Answers 404 with a page to paths of a version that the platform does not have.
pub async fn check_version(
    State(simulation): State<Arc<Simulation>>,
    request: Request,
    next: Next,
) -> Response {
    let versions = simulation.state().enrollment_api;
    if versions.have(request.uri().path()) { next.run(request).await } else { refusal(StatusCode::NOT_FOUND) }
}

pub fn router() -> Router<Arc<Simulation>> {
    let path = |rest: &str| format!("{V2}{rest}");
    Router::new()
        .route(V2, any(add_slash))
        .route(&path("/"), get(root))
        .route(&path("/enrollment"), any(add_slash))
        .route(&path("/enrollment/"), post(enrollments::write))
        .route(&path("/enrollment/{who_and_where}"), get(enrollments::read))
        .route(&path("/enrollments/{who_and_where}"), any(add_slash))
        .route(&path("/enrollments/{who_and_where}/"), get(enrollments::read))
        .route(&path("/course/{course_key}"), get(courses::show))
        .route(&path("/courses/{course_key}"), any(add_slash))
        .route(&path("/courses/{course_key}/"), get(courses::show))
        .layer(from_fn(as_v2))
}

/// The platform's framework redirects before it looks at the caller.
async fn add_slash(OriginalUri(uri): OriginalUri) -> Response {
    let location = HeaderValue::from_str(&format!("{}/", uri.path()));
    let location = location.unwrap_or(HeaderValue::from_static("/"));
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    let headers = [(header::LOCATION, location), (header::CONTENT_TYPE, html)];
    (StatusCode::MOVED_PERMANENTLY, headers).into_response()
}

/// Needs no sign-in, but refuses credentials that are not valid.
async fn root(headers: HeaderMap, caller: Result<Caller, Response>) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("*/*");
    if !accept.contains("json") && !accept.contains("*/*") {
        let detail = json!({"detail": "Could not satisfy the request Accept header."});
        return (StatusCode::NOT_ACCEPTABLE, Json(detail)).into_response();
    }
    match caller {
        Err(refused) if headers.contains_key(header::AUTHORIZATION) => refused,
        _ => Json(json!({"enrollment": format!("{V2}/enrollment/")})).into_response(),
    }
}

/// Takes a JWT or a session alone, and writes errors as problem documents.
async fn as_v2(request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let (method, path) = (parts.method.clone(), parts.uri.path().to_owned());
    let scheme = credential(&parts).and_then(|value| value.split(' ').next()).map(str::to_ascii_lowercase);
    if scheme.as_deref() == Some("bearer") {
        parts.headers.remove(header::AUTHORIZATION);
    }
    let has_cookie = parts.headers.contains_key(header::COOKIE);
    let response = if has_cookie && scheme.is_none() && method == Method::POST {
        let detail = json!({"detail": "CSRF Failed: CSRF cookie not set."});
        (StatusCode::FORBIDDEN, Json(detail)).into_response()
    } else {
        next.run(Request::from_parts(parts, body)).await
    };
    if response.status().is_success()
        || response.status().is_redirection()
        || path.trim_end_matches('/') == V2 && response.status() == StatusCode::NOT_ACCEPTABLE
    {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    // A path without a route is a page in v2, too.
    if parts.status == StatusCode::NOT_FOUND && body.starts_with(b"<") {
        return Response::from_parts(parts, Body::from(body));
    }
    let (status, problem) = problem(parts.status, &body, &method, &path);
    parts.status = status;
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Body::from(problem.to_string()))
}

fn credential(parts: &Parts) -> Option<&str> {
    parts.headers.get(header::AUTHORIZATION)?.to_str().ok()
}

/// The problem document for an error of v1.
fn problem(status: StatusCode, body: &Bytes, method: &Method, path: &str) -> (StatusCode, Value) {
    let error: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
    let (message, detail) = (text("message"), text("detail"));
    let is_unknown = status == StatusCode::NOT_ACCEPTABLE
        || status == StatusCode::BAD_REQUEST && path.starts_with("/api/enrollment/v2/course");
    let status = if is_unknown { StatusCode::NOT_FOUND } else { status };
    let (kind, title) = match status {
        StatusCode::BAD_REQUEST if message.is_some() => ("validation", "Validation Error"),
        StatusCode::UNAUTHORIZED if detail.as_deref().is_some_and(|text| text.ends_with("not provided.")) => {
            ("authn", "Authentication Required")
        }
        StatusCode::UNAUTHORIZED => ("authn", "Authentication Failed"),
        StatusCode::FORBIDDEN => ("authz", "Permission Denied"),
        StatusCode::NOT_FOUND => ("not-found", "Not Found"),
        StatusCode::TOO_MANY_REQUESTS => ("rate-limited", "Too Many Requests"),
        _ => ("internal", "Internal Server Error"),
    };
    let usual = || match status {
        StatusCode::METHOD_NOT_ALLOWED => format!("Method \"{method}\" not allowed."),
        StatusCode::NOT_FOUND => "Not found.".to_owned(),
        _ => "An unexpected error occurred. Please try again later.".to_owned(),
    };
    let told = match (message, text("user_message_url")) {
        (Some(message), Some(url)) => Some(format!(
            "{{'message': ErrorDetail(string=\"{message}\", code='permission_denied'), 'user_message_url': \
             ErrorDetail(string='{url}', code='permission_denied')}}"
        )),
        (message, _) => message.or(detail),
    };
    let detail = told.unwrap_or_else(usual);
    let mut problem = json!({
        "type": format!("https://docs.openedx.org/errors/{kind}"),
        "title": title,
        "status": status.as_u16(),
        "detail": detail,
        "instance": path,
    });
    if let Some(problem) = problem.as_object_mut().filter(|_| kind == "validation") {
        problem.insert("errors".to_owned(), json!({"non_field_errors": [detail]}));
    }
    (status, problem)
}
