//! Routes about the service itself: its OpenAPI document with a page to try it, and the probes of the internal port.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use serde_json::Value;
use utoipa_swagger_ui::Config;

use crate::error::{ApiError, ApiResult};
use crate::extract::TextPath;
use crate::openapi;
use crate::state::AppState;

/// Show this document
///
/// The OpenAPI 3.1 document of the service.
#[utoipa::path(
    get,
    path = "/storeapi/openapi.json/",
    tag = "operations",
    security(()),
    operation_id = "get_openapi_document",
    extensions(("x-problems" = json!(["internal_error"]))),
    responses((status = 200, body = Object, description = "The document."))
)]
pub async fn openapi_document() -> Json<Value> {
    Json(openapi_json())
}

/// The OpenAPI document, as the api serves it.
pub fn openapi_json() -> Value {
    openapi::write_out(super::table().into_openapi())
}

/// Open the page of this document
///
/// A page for browsers, to read the document and to try its operations.
#[utoipa::path(
    get,
    path = "/storeapi/docs/",
    tag = "operations",
    security(()),
    operation_id = "get_docs",
    extensions(("x-problems" = json!(["internal_error"]))),
    responses((status = 200, body = String, content_type = "text/html", description = "The page."))
)]
pub async fn docs() -> ApiResult<Response> {
    asset("index.html")
}

/// Load a file of the page
///
/// Its scripts and styles. The page loads nothing from another host.
#[utoipa::path(
    get,
    path = "/storeapi/docs/{file}/",
    tag = "operations",
    security(()),
    operation_id = "get_docs_file",
    extensions(("x-problems" = json!(["invalid_request", "not_found", "internal_error"]))),
    params(("file" = String, Path, description = "The name of the file.")),
    responses(
        (status = 200, description = "The file.", content(
            (String = "text/javascript"), (String = "text/css"), (String = "text/html"), (String = "image/png"), (String = "application/json"),
        )),
        (status = 404, description = "`not_found`: the page has no such file."),
    )
)]
pub async fn docs_asset(TextPath(file): TextPath) -> ApiResult<Response> {
    asset(&file)
}

/// Makes the page's relative file names absolute, because without its trailing slash the page's URL would resolve them
/// wrongly.
fn from_root(page: &str) -> String {
    let mut page = page.replace("\"./", "\"");
    for attribute in ["href=\"", "src=\""] {
        page = page.replace(attribute, &format!("{attribute}/storeapi/docs/"));
    }
    page
}

fn asset(file: &str) -> ApiResult<Response> {
    let config = Arc::new(Config::from("/storeapi/openapi.json"));
    let file = utoipa_swagger_ui::serve(file, config).map_err(|error| {
        tracing::error!(%error, "cannot render the docs page; request failed");
        ApiError::Internal
    })?;
    let file = file.ok_or(ApiError::NotFound("Page"))?;
    let content_type = HeaderValue::try_from(&file.content_type).map_err(|_| ApiError::Internal)?;
    let bytes = match String::from_utf8(file.bytes.into_owned()) {
        Ok(text) if file.content_type.starts_with("text/html") => from_root(&text).into_bytes(),
        Ok(text) => text.into_bytes(),
        Err(binary) => binary.into_bytes(),
    };
    let policy =
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";
    let headers: [(HeaderName, HeaderValue); 2] = [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy)),
    ];
    Ok((headers, bytes).into_response())
}

#[derive(Serialize)]
struct Readiness {
    database: bool,
    broker: bool,
    redis: bool,
}

/// The routes /livez, /readyz and /metrics. The api is ready if it can answer reads, so if the database answers.
/// Without the broker it refuses commands with 503, and without Redis reads are slower; it stays ready in both cases.
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
