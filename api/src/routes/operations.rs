//! Routes about the service itself: its OpenAPI document with a page to try it, and the probes of the internal port.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Serialize;
use serde_json::Value;
use shared::settings::DatabaseSettings;
use shared::tls::{TlsSettings, UrlError};
use shared::{db, schema};
use sqlx::PgPool;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use utoipa_swagger_ui::Config;

use super::catalog;
use crate::cache::Rendered;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Conditional, Encoding, TextPath};
use crate::openapi;
use crate::openapi::parameters::IfNoneMatch;
use crate::request_log;
use crate::state::{App, AppState};

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
    params(IfNoneMatch),
    responses((status = 200, body = Object, description = "The document."))
)]
pub async fn openapi_document(conditional: Conditional) -> ApiResult<Response> {
    let [plain, gzip, brotli] = &DOCUMENT;
    let encoding = conditional.encoding;
    let rendered = match encoding {
        Encoding::Identity => plain,
        Encoding::Gzip => gzip,
        Encoding::Brotli => brotli,
    };
    let render = async || {
        let document = serde_json::to_vec(&openapi_json()).map_err(|_| ApiError::Internal)?;
        Rendered::new(document, encoding).await
    };
    let rendered = rendered.get_or_try_init(render).await?;
    Ok(catalog::respond(rendered.clone(), &conditional, HeaderValue::from_static("accept-encoding")))
}

/// The document in each encoding: rendering it takes longer than most requests, and any caller may ask for it.
static DOCUMENT: [OnceCell<Rendered>; 3] = [const { OnceCell::const_new() }; 3];

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
        request_log::failed(format_args!("the docs page cannot be rendered: {error}"));
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
    schema: bool,
    draining: bool,
    database: bool,
    broker: bool,
    redis: bool,
}

/// Whether the replica is ready, and which servers answer. Asks the database over a connection of its own: requests that
/// hold all others must not make it look broken.
pub struct Probe {
    db: PgPool,
    /// Whether the database has had the schema of this program.
    schema: AtomicBool,
    /// Cancelled once the replica drains.
    pub draining: CancellationToken,
}

impl Probe {
    /// A probe that has not seen the schema yet.
    ///
    /// # Errors
    /// As [`db::pool`].
    pub fn new(settings: &DatabaseSettings, tls: &TlsSettings) -> Result<Self, UrlError> {
        let settings = DatabaseSettings { database_pool: 1, ..settings.clone() };
        let db = db::pool(&settings, tls, "storefront-api probe")?;
        Ok(Self { db, schema: AtomicBool::new(false), draining: CancellationToken::new() })
    }

    async fn ask(&self, app: &App) -> Readiness {
        let database = db::answers(&self.db).await;
        if database && !self.schema.load(Ordering::Relaxed) {
            let is_there = matches!(schema::missing(&self.db).await, Ok(0));
            self.schema.store(is_there, Ordering::Relaxed);
        }
        Readiness {
            schema: self.schema.load(Ordering::Relaxed),
            draining: self.draining.is_cancelled(),
            database,
            broker: app.commands.is_up(),
            redis: app.cache.is_up(),
        }
    }
}

/// The routes /livez, /readyz and /metrics. A replica is ready once it has seen the schema that it was built for, and until
/// it drains. A server that is away makes no replica unready: that would take all of them away at once, while reads from
/// their caches still work.
pub fn internal(metrics: PrometheusHandle, probe: Probe) -> Router<AppState> {
    let probe = Arc::new(probe);
    Router::new()
        .route("/livez", get(|| async { "alive\n" }))
        .route("/readyz", get(move |State(app): State<AppState>| async move { ready(&app, &probe).await }))
        .route("/metrics", get(move |State(app): State<AppState>| async move { measured(&app, &metrics) }))
}

fn measured(app: &App, metrics: &PrometheusHandle) -> String {
    shared::metrics::database("main", &app.db);
    if let Some(replica) = app.cache.catalog_replica() {
        shared::metrics::database("catalog", replica);
    }
    metrics.render()
}

async fn ready(app: &App, probe: &Probe) -> (StatusCode, Json<Readiness>) {
    let readiness = probe.ask(app).await;
    let is_ready = readiness.schema && !readiness.draining;
    (if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, Json(readiness))
}
