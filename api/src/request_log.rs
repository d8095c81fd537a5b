//! The middleware around every request: assigns the request id and trace, writes one log line, records metrics, and
//! renders problems.

use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use shared::telemetry::TraceParent;
use uuid::Uuid;

use crate::error::Problem;
use crate::metrics;

pub async fn log(mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = Uuid::now_v7();
    let trace = trace(request.headers());
    request.extensions_mut().insert(trace);
    let method = request.method().clone();
    // The route pattern instead of the path: it contains no course key and no token.
    let route = request.extensions().get::<MatchedPath>().map_or("unknown", MatchedPath::as_str).to_owned();
    let mut response = next.run(request).await;
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        response = render(response, problem, id);
    }
    if let Ok(id) = HeaderValue::try_from(id.to_string()) {
        response.headers_mut().insert("x-request-id", id);
    }
    let duration = started.elapsed();
    metrics::request(&route, &method, response.status(), duration);
    let (status, seconds) = (response.status().as_u16(), duration.as_secs_f64());
    let trace = format_args!("{:032x}", trace.trace_id);
    if status >= 500 {
        tracing::warn!(%method, route, status, seconds, request = %id, %trace, "request failed");
    } else if method.is_safe() {
        // Reads are frequent, and the metrics above count them: log them at debug level only.
        tracing::debug!(%method, route, status, seconds, request = %id, %trace, "request answered");
    } else {
        tracing::info!(%method, route, status, seconds, request = %id, %trace, "request answered");
    }
    response
}

fn trace(headers: &HeaderMap) -> TraceParent {
    let sent =
        headers.get("traceparent").and_then(|value| value.to_str().ok()).and_then(|text| text.parse().ok());
    sent.unwrap_or_default()
}

fn render(mut response: Response, mut problem: Problem, id: Uuid) -> Response {
    problem.request_id = Some(id);
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    headers.remove(header::CONTENT_LENGTH);
    *response.body_mut() = Body::from(body);
    response
}
