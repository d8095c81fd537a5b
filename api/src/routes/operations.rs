//! Routes about the service itself: its OpenAPI document with a page to try it, and the probes of the internal port.
//!
//! Why: `docs/decisions/ready-until-drained.md`

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use bytes::Bytes;
use metrics_exporter_prometheus::PrometheusHandle;
use moka::future::Cache as Moka;
use serde::Serialize;
use serde_json::Value;
use shared::db::Db;
use shared::settings::DatabaseSettings;
use shared::tls::{TlsSettings, UrlError};
use shared::{db, schema};
use tokio::sync::OnceCell;
use utoipa_swagger_ui::Config;

use crate::cache::{Encoding, Rendered};
use crate::error::{ApiError, ApiResult};
use crate::extract::{Conditional, TextPath};
use crate::listener::SharedBody;
use crate::openapi;
use crate::openapi::parameters::IfNoneMatch;
use crate::openapi::schemas;
use crate::request_log;
use crate::response::catalog;
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
    responses((status = 200, body = inline(schemas::AnyObject), description = "The document."))
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
        Rendered::new(document.into(), encoding).await
    };
    let rendered = rendered.get_or_try_init(render).await?;
    Ok(shared(rendered.clone(), &conditional))
}

/// An answer of which one copy is kept for all callers.
fn shared(rendered: Rendered, conditional: &Conditional) -> Response {
    let mut response = catalog::respond(rendered, conditional, HeaderValue::from_static("accept-encoding"));
    response.extensions_mut().insert(SharedBody);
    response
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
    params(IfNoneMatch),
    responses((status = 200, body = String, content_type = "text/html", description = "The page."))
)]
pub async fn docs(conditional: Conditional) -> ApiResult<Response> {
    asset("index.html", &conditional).await
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
    params(("file" = String, Path, description = "The name of the file."), IfNoneMatch),
    responses(
        (status = 200, description = "The file.", content(
            (String = "text/javascript"), (String = "text/css"), (String = "text/html"), (String = "image/png"), (String = "application/json"),
        )),
        (status = 404, description = "`not_found`: the page has no such file."),
    )
)]
pub async fn docs_asset(TextPath(file): TextPath, conditional: Conditional) -> ApiResult<Response> {
    asset(&file, &conditional).await
}

/// A file of the page, as all callers get it.
#[derive(Clone)]
struct Asset {
    rendered: Rendered,
    content_type: HeaderValue,
}

/// The files that were asked for, in each encoding; at most those that the page has. A copy for each caller would let
/// clients that read slowly fill the memory.
static ASSETS: LazyLock<Moka<(String, Encoding), Asset>> = LazyLock::new(|| Moka::builder().build());

async fn asset(file: &str, conditional: &Conditional) -> ApiResult<Response> {
    let encoding = conditional.encoding;
    let made = ASSETS.try_get_with((file.to_owned(), encoding), render(file, encoding)).await;
    let Asset { rendered, content_type } = made.map_err(|error: Arc<ApiError>| ApiError::clone(&error))?;
    let mut response = shared(rendered, conditional);
    // An answer without a body has no type.
    if let Some(of_catalog) = response.headers_mut().get_mut(header::CONTENT_TYPE) {
        *of_catalog = content_type;
    }
    let policy =
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    Ok(response)
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

async fn render(file: &str, encoding: Encoding) -> ApiResult<Asset> {
    let config = Arc::new(Config::from("/storeapi/openapi.json"));
    let file = utoipa_swagger_ui::serve(file, config).map_err(|error| {
        request_log::failed(format_args!("the docs page cannot be rendered: {error}"));
        ApiError::Internal
    })?;
    let file = file.ok_or(ApiError::NotFound("Page"))?;
    let content_type = HeaderValue::try_from(&file.content_type).map_err(|_| ApiError::Internal)?;
    let bytes = match file.bytes {
        page if file.content_type.starts_with("text/html") => {
            from_root(&String::from_utf8_lossy(&page)).into()
        }
        Cow::Borrowed(embedded) => Bytes::from_static(embedded),
        Cow::Owned(made) => made.into(),
    };
    Ok(Asset { rendered: Rendered::new(bytes, encoding).await?, content_type })
}

#[derive(Serialize)]
struct Readiness {
    schema: bool,
    draining: bool,
    database: bool,
    broker: bool,
    redis: bool,
}

/// Readiness of the replica, and which servers answer. Asks the database over a connection of its own: requests that
/// hold all others must not make it look broken.
pub struct Probe {
    db: Db,
    /// Indicates whether the database has had the schema of this program.
    schema: AtomicBool,
}

impl Probe {
    /// A probe that has not seen the schema yet.
    ///
    /// # Errors
    /// As [`db::pool`].
    pub fn new(settings: &DatabaseSettings, tls: &TlsSettings) -> Result<Self, UrlError> {
        let settings = DatabaseSettings { database_pool: 1, ..settings.clone() };
        let db = db::pool(&settings, tls, "storefront-api probe")?;
        Ok(Self { db, schema: AtomicBool::new(false) })
    }

    async fn ask(&self, app: &App) -> Readiness {
        let database = db::answers(&self.db).await;
        if database && !self.schema.load(Ordering::Relaxed) {
            let is_there = matches!(schema::lack(&self.db).await, Ok(None));
            self.schema.store(is_there, Ordering::Relaxed);
        }
        Readiness {
            schema: self.schema.load(Ordering::Relaxed),
            draining: app.draining.is_cancelled(),
            database,
            broker: app.commands.is_up(),
            redis: app.cache.is_up(),
        }
    }
}

/// The routes /livez, /readyz and /metrics. A replica is ready once it has seen the schema that it was built for, and until
/// it drains. An unavailable server makes no replica unready: that would remove all of them at once, while reads from
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
