//! A running api: its servers, listeners and background tasks, from their start to their end.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use futures_util::FutureExt;
use metrics_exporter_prometheus::PrometheusHandle;
use shared::clock::Clock;
use shared::command_line::Faults;
use shared::{db, seal};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Layer;
use tower::util::MapRequestLayer;

use crate::cache::{self, Cache, CatalogDatabase};
use crate::commands::{Commands, Limits};
use crate::config::Config;
use crate::error::ApiError;
use crate::identity::{Credentials, Identities};
use crate::listener::{self, Listener};
use crate::mail_reports::MailReports;
use crate::metrics;
use crate::request_log;
use crate::routes::{self, Probe};
use crate::state::{App, AppState};
use crate::violations::Violations;

/// A running api.
pub struct Running {
    /// The address of the public interface.
    pub public: SocketAddr,
    /// The address of the probes and metrics.
    pub internal: SocketAddr,
    reload: Arc<Notify>,
    draining: CancellationToken,
    delay: Duration,
    stop: CancellationToken,
    grace: Duration,
    publisher_stop: CancellationToken,
    tasks: TaskTracker,
}

/// Reason why the api cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Settings that cannot be used, each by its name.
    #[error(transparent)]
    Settings(#[from] Faults),
    /// A listener cannot be opened at its address.
    #[error("API_LISTEN or API_INTERNAL_LISTEN: {0}")]
    Listen(#[from] std::io::Error),
}

/// Starts the listeners and background tasks, and returns. Database, Redis and broker may become reachable later. `/metrics`
/// shows what `prometheus` renders, whose recorder is installed.
///
/// # Errors
/// Settings are not valid; the error names all of them.
pub async fn start(
    config: Config,
    clock: Clock,
    prometheus: PrometheusHandle,
) -> Result<Running, StartError> {
    let publisher_stop = CancellationToken::new();
    let (delay, grace) = (config.shutdown_delay, config.shutdown_grace);
    let (listen, internal_listen, limits) =
        (config.api_listen, config.api_internal_listen, config.listener.clone());
    // First, because what is made below begins its metrics.
    metrics::describe();
    let (app, probe) = connect(config, clock, &publisher_stop)?;
    let public = TcpListener::bind(listen).await?;
    let internal = TcpListener::bind(internal_listen).await?;
    let address = public.local_addr()?;
    let public = Listener::new(public, limits);
    let running = Running {
        public: address,
        internal: internal.local_addr()?,
        reload: Arc::default(),
        draining: app.draining.clone(),
        delay,
        stop: CancellationToken::new(),
        grace,
        publisher_stop,
        tasks: TaskTracker::new(),
    };
    let probes = routes::internal(prometheus, probe).with_state(app.clone());
    let keys = app.identities.clone().keep_keys_fresh(running.reload.clone(), running.stop.clone());
    running.tasks.spawn(keys);
    let with_slash = MapRequestLayer::new(end_in_slash).layer(router(app));
    running.tasks.spawn(public.serve(with_slash, running.stop.clone()));
    let stopped = running.stop.clone().cancelled_owned();
    let internal = internal.tap_io(|stream| drop(stream.set_nodelay(true)));
    running.tasks.spawn(async {
        if let Err(error) = axum::serve(internal, probes).with_graceful_shutdown(stopped).await {
            tracing::error!(%error, "internal listener failed; it accepts no more requests");
        }
    });
    running.tasks.close();
    Ok(running)
}

/// Builds what the requests share, and the probe of the replica, from all settings that can be wrong.
pub fn connect(config: Config, clock: Clock, stop: &CancellationToken) -> Result<(AppState, Probe), Faults> {
    // The HTTP clients need a crypto provider. An error means that one is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (tls, mut faults) = (&config.tls, Faults::default());
    let queue = faults.check(shared::queue::check_url(&config.queue, tls));
    let db = faults.check(db::pool(&config.database, tls, "storefront-api"));
    let probe = faults.check(Probe::new(&config.database, tls));
    let replica = config.catalog_database_url.as_ref().map(|url| {
        db::replica_pool(
            "CATALOG_DATABASE_URL",
            url,
            config.database.database_pool,
            tls,
            "storefront-api catalog",
        )
    });
    let replica = faults.check(replica.transpose());
    let redis = faults.check(cache::connect(&config.redis, tls));
    let credentials = Credentials::check(&config.identity, tls, &mut faults);
    let keys =
        seal::parse_keys(&config.notification_keys).map_err(|error| format!("NOTIFICATION_KEYS: {error}"));
    let keys = faults.check(keys);
    let console = faults.check(config.console.check(&config));
    let texts = faults.check(config.texts.read());
    let mail_reports = faults.check(MailReports::new(&config.mail_reports, tls));
    let (
        Some(()),
        Some(db),
        Some(probe),
        Some(replica),
        Some(redis),
        Some(credentials),
        Some(notification_keys),
        Some(()),
        Some(texts),
        Some(mail_reports),
    ) = (queue, db, probe, replica, redis, credentials, keys, console, texts, mail_reports)
    else {
        return Err(faults);
    };
    let catalog = CatalogDatabase::new(db.clone(), replica);
    let cache = Cache::new(redis, &config.redis, catalog, clock.clone());
    let limits = Limits { in_flight: config.asks_in_flight, deadline: config.ask_deadline };
    let commands = Commands::start(&config.queue, tls, limits, clock, stop.clone());
    let identities = Identities::new(credentials, &config.identity, cache.clone());
    let draining = CancellationToken::new();
    let violations = Violations::default();
    let app = App {
        db,
        cache,
        commands,
        identities,
        config,
        notification_keys,
        texts,
        mail_reports,
        violations,
        draining,
    };
    Ok((Arc::new(app), probe))
}

/// The public routes with their fallbacks, and what is [`around`] them.
fn router(app: AppState) -> Router {
    let (router, document) = routes::table().split_for_parts();
    let pages = if app.config.console.console { routes::console::table() } else { Vec::new() };
    let described = document.paths.paths.keys().map(String::as_str);
    metrics::routes(described.chain(pages.iter().map(|(path, _)| *path)));
    router
        .merge(routes::console::router(pages))
        .fallback(async || ApiError::NotFound("Route"))
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(middleware::from_fn_with_state(app.clone(), around))
        .with_state(app)
}

/// Middleware around every handler. One function, because the router boxes each of its layers, and copies all boxes within
/// it for each request.
async fn around(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let handled = async |request| caught(next.run(request)).await;
    let bounded = async |request| listener::bound_answer(request, handled).await;
    let mut answer = request_log::log(app.config.log_reads, request, bounded).await;
    // The client opens its next connection to another replica.
    if app.draining.is_cancelled() {
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    answer
}

/// The answer of a handler; an error if it panics.
async fn caught(answer: impl Future<Output = Response>) -> Response {
    AssertUnwindSafe(answer).catch_unwind().await.unwrap_or_else(|_| {
        request_log::failed("panicked");
        ApiError::Internal.into_response()
    })
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
    /// Reads the keys that verify JWTs again, from their file and their URL.
    pub fn reload(&self) {
        self.reload.notify_one();
    }

    /// Continues for `SHUTDOWN_DELAY`, not ready any more and closing connections. Then stops accepting requests, and waits
    /// for the open ones until `SHUTDOWN_GRACE` has passed.
    pub async fn shutdown(self) {
        self.draining.cancel();
        tokio::time::sleep(self.delay).await;
        self.stop.cancel();
        if tokio::time::timeout(self.grace, self.tasks.wait()).await.is_err() {
            tracing::warn!("shutdown deadline passed; open requests are dropped");
        }
        // The publisher stops last, because open requests send their commands with it.
        self.publisher_stop.cancel();
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    #[tokio::test]
    async fn a_handler_that_panics_is_answered_with_an_error_that_has_the_requests_id() {
        async fn panics() -> Response {
            panic!("as the test wants")
        }
        let answer = request_log::log(0.0, Request::default(), async |_| caught(panics()).await).await;
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(answer.headers().contains_key("x-request-id"));
    }
}
