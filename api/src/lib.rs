//! The api: a stateless HTTP service. It reads the catalog from the database and sends commands to the worker, which
//! makes all decisions and writes.

#![deny(missing_docs)]

mod cache;
mod commands;
pub mod config;
mod error;
mod error_code;
mod extract;
mod gateways;
mod identity;
mod metrics;
mod openapi;
mod queries;
mod request_log;
mod routes;
mod state;
mod views;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::ServiceExt;
use axum::extract::Request;
use axum::http::Uri;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use shared::clock::Clock;
use shared::queue::InvalidUrl;
use shared::{db, seal, telemetry};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Layer;
use tower::util::MapRequestLayer;
use tower_http::catch_panic::CatchPanicLayer;

use cache::Cache;
use commands::Commands;
use config::Config;
use error::ApiError;
use identity::{Identities, IdentityError};
use state::{App, AppState};

/// How long open requests may take to finish after SIGTERM.
const GRACE: Duration = Duration::from_secs(30);

/// The OpenAPI document, as a running api serves it.
pub fn openapi_document() -> serde_json::Value {
    routes::openapi_json()
}

/// A running api.
pub struct Running {
    /// The address of the public interface.
    pub public: SocketAddr,
    /// The address of the probes and metrics.
    pub internal: SocketAddr,
    stop: CancellationToken,
    publisher_stop: CancellationToken,
    tasks: TaskTracker,
}

/// Why the api cannot start; each error names the setting.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The URL of the database cannot be used.
    #[error("DATABASE_URL: {0}")]
    Database(#[from] sqlx::Error),
    /// The URL of Redis cannot be used.
    #[error("REDIS_URL: {0}")]
    Redis(#[from] redis::RedisError),
    /// The JWT keys or the URL of the course platform cannot be used.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// A key that decrypts webhook secrets is malformed.
    #[error("NOTIFICATION_KEYS: {0}")]
    Keys(#[from] seal::SealError),
    /// The URL of the broker cannot be used.
    #[error("AMQP_URL: {0}")]
    Broker(#[from] InvalidUrl),
    /// Other code has installed a metrics recorder.
    #[error("metrics: {0}")]
    Metrics(#[from] metrics_exporter_prometheus::BuildError),
    /// A listener cannot be opened at its address.
    #[error("API_LISTEN or API_INTERNAL_LISTEN: {0}")]
    Listen(#[from] std::io::Error),
}

/// Starts the listeners and background tasks, and returns. Database, Redis and broker may become reachable later.
///
/// # Errors
/// A setting is not valid; the error names it.
pub async fn start(config: Config, clock: Clock) -> Result<Running, StartError> {
    // The HTTP client needs a crypto provider. An error means that one is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    shared::queue::check_url(&config.queue)?;
    let (stop, publisher_stop) = (CancellationToken::new(), CancellationToken::new());
    let prometheus = telemetry::start_metrics()?;
    metrics::describe();
    let public = TcpListener::bind(config.api_listen).await?;
    let internal = TcpListener::bind(config.api_internal_listen).await?;
    let app = state(config, clock, &publisher_stop)?;
    let running = Running {
        public: public.local_addr()?,
        internal: internal.local_addr()?,
        stop,
        publisher_stop,
        tasks: TaskTracker::new(),
    };
    let probes = routes::internal(prometheus).with_state(app.clone());
    let with_slash = MapRequestLayer::new(end_in_slash).layer(router(app));
    let public_service = axum::serve(
        public,
        ServiceExt::<Request>::into_make_service_with_connect_info::<SocketAddr>(with_slash),
    )
    .with_graceful_shutdown(running.stop.clone().cancelled_owned());
    let internal_service =
        axum::serve(internal, probes).with_graceful_shutdown(running.stop.clone().cancelled_owned());
    for serving in
        [tokio::spawn(async { public_service.await }), tokio::spawn(async { internal_service.await })]
    {
        running.tasks.spawn(async move {
            if let Ok(Err(error)) = serving.await {
                tracing::error!(%error, "listener failed; it accepts no more requests");
            }
        });
    }
    running.tasks.close();
    Ok(running)
}

fn state(config: Config, clock: Clock, stop: &CancellationToken) -> Result<AppState, StartError> {
    let db = db::pool(&config.database, "storefront-api")?;
    let cache = Cache::new(&config.redis, db.clone(), &config.cache, clock.clone())?;
    let (in_flight, deadline) = (config.asks_in_flight, config.ask_deadline);
    let commands = Commands::start(&config.queue, in_flight, deadline, clock.clone(), stop.clone());
    let identities = Identities::new(&config.identity, cache.clone())?;
    let notification_keys = seal::parse_keys(&config.notification_keys)?;
    Ok(Arc::new(App { db, cache, commands, identities, config, notification_keys }))
}

/// The public routes with their fallbacks, panic handler and request log.
fn router(app: AppState) -> Router {
    let (router, _) = routes::table().split_for_parts();
    router
        .fallback(async || ApiError::NotFound("Route"))
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(CatchPanicLayer::custom(|_| -> Response { ApiError::Internal.into_response() }))
        .layer(middleware::from_fn(request_log::log))
        .with_state(app)
}

/// Adds a missing slash to the end of the path, since all routes end in one. A path that is too long for one more
/// character stays unchanged and matches no route.
fn end_in_slash(mut request: Request) -> Request {
    let uri = request.uri();
    if uri.path().ends_with('/') {
        return request;
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = format!("{}/{query}", uri.path()).parse().ok().or(parts.path_and_query);
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
    }
    request
}

impl Running {
    /// Stops accepting requests and waits up to 30 s for the open ones.
    pub async fn shutdown(self) {
        self.stop.cancel();
        if tokio::time::timeout(GRACE, self.tasks.wait()).await.is_err() {
            tracing::warn!("shutdown deadline passed; open requests are dropped");
        }
        // The publisher stops last, because open requests send their commands with it.
        self.publisher_stop.cancel();
    }
}
