//! The service about itself: its OpenAPI document with a page to try it, and the probes of the internal port.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use utoipa_swagger_ui::Config;

use crate::error::{ApiError, ApiResult};
use crate::extract::TextPath;
use crate::state::AppState;

/// The OpenAPI 3.1 document
#[utoipa::path(
    get,
    path = "/storeapi/openapi.json/",
    tag = "operations",
    security(()),
    responses((status = 200, content_type = "application/json"))
)]
pub async fn openapi_document() -> Json<utoipa::openapi::OpenApi> {
    Json(super::table().into_openapi())
}

/// A page to read and try the interface
#[utoipa::path(
    get,
    path = "/storeapi/docs/",
    tag = "operations",
    security(()),
    responses((status = 200, content_type = "text/html"))
)]
pub async fn docs() -> ApiResult<Response> {
    asset("index.html")
}

/// The page's scripts and styles; nothing is loaded from another host
#[utoipa::path(
    get,
    path = "/storeapi/docs/{file}/",
    tag = "operations",
    security(()),
    params(("file" = String, Path)),
    responses((status = 200), (status = 404))
)]
pub async fn docs_asset(TextPath(file): TextPath) -> ApiResult<Response> {
    asset(&file)
}

fn asset(file: &str) -> ApiResult<Response> {
    let config = Arc::new(Config::from("/storeapi/openapi.json"));
    let file = utoipa_swagger_ui::serve(file, config).map_err(|error| {
        tracing::error!(%error, "the docs page is broken");
        ApiError::Internal
    })?;
    let file = file.ok_or(ApiError::NotFound("Page"))?;
    let content_type = HeaderValue::try_from(file.content_type).map_err(|_| ApiError::Internal)?;
    let policy =
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";
    let headers: [(HeaderName, HeaderValue); 2] = [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy)),
    ];
    Ok((headers, file.bytes.into_owned()).into_response())
}

#[derive(Serialize)]
struct Readiness {
    database: bool,
    broker: bool,
    redis: bool,
}

/// /livez, /readyz and /metrics. Ready means that reads can be answered: the database is there. Without the broker
/// commands are refused with 503, and without Redis reads are slower; neither is a reason to take the api away.
pub fn internal(metrics: PrometheusHandle) -> Router<AppState> {
    Router::new()
        .route("/livez", get(|| async { "alive\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(move || async move { metrics.render() }))
}

async fn ready(State(app): State<AppState>) -> (StatusCode, Json<Readiness>) {
    let ping = tokio::time::timeout(Duration::from_secs(1), app.db.acquire()).await;
    let database = matches!(ping, Ok(Ok(_)));
    let status = if database { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { database, broker: app.commands.is_up(), redis: app.cache.is_up() }))
}
