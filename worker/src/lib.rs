//! The worker, the only program that writes to the database. It consumes commands and tasks, decides,
//! writes, and calls payment providers, the course platform and the SMTP server.

#![deny(missing_docs)]

mod alert;
pub mod catalog;
mod catalog_sync;
mod checkout;
pub mod cli;
mod command;
pub mod config;
mod consumer;
mod context;
mod enrollment;
mod error;
mod event_bus;
mod gateways;
mod jobs;
mod mail;
mod metrics;
mod outbox_relay;
mod platform;
mod probes;
mod reconcile;
mod store;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use secrecy::ExposeSecret;
use shared::clock::Clock;
use shared::keys::Keys;
use shared::queue::{Publisher, Topology};
use shared::{db, telemetry};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use catalog_sync::{CatalogSync, SyncError};
use config::Config;
use context::Context;
pub use context::Generations;
use event_bus::EventBus;
use gateways::Gateways;
use platform::Throttle;

/// The time that jobs get to finish after SIGTERM.
const GRACE: Duration = Duration::from_secs(30);

/// A running worker.
pub struct Running {
    /// The address of its probes.
    pub internal: SocketAddr,
    stop: CancellationToken,
    tasks: TaskTracker,
    publisher_stop: CancellationToken,
}

/// Why the worker cannot start. Each message names the setting.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The URL of the database cannot be used.
    #[error("DATABASE_URL: {0}")]
    Database(#[from] sqlx::Error),
    /// The URL of Redis cannot be used.
    #[error("REDIS_URL: {0}")]
    Redis(#[from] redis::RedisError),
    /// The URL of the broker cannot be used.
    #[error("AMQP_URL: {0}")]
    Broker(#[from] shared::queue::InvalidUrl),
    /// The HTTP client for the course platform cannot be built.
    #[error("platform client: {0}")]
    Platform(#[from] reqwest::Error),
    /// A gateway's key or URL cannot be used.
    #[error(transparent)]
    Gateways(#[from] gateways::GatewaySetupError),
    /// The mail server or the sender cannot be used.
    #[error(transparent)]
    Mail(#[from] mail::MailSetupError),
    /// The catalog sync cannot be set up.
    #[error(transparent)]
    CatalogSync(#[from] SyncError),
    /// Other code has installed a metrics recorder.
    #[error("metrics: {0}")]
    Metrics(#[from] metrics_exporter_prometheus::BuildError),
    /// The port of the probes cannot be opened.
    #[error("WORKER_INTERNAL_LISTEN: {0}")]
    Listen(#[from] std::io::Error),
}

/// Starts the worker's tasks and returns. The tasks wait for servers that are not up yet.
///
/// # Errors
/// An unusable setting, by name.
pub async fn start(config: Config, clock: Clock) -> Result<Running, StartError> {
    // The first provider wins; a second start in one process finds the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    shared::queue::check_url(&config.queue)?;
    let ctx = context(&config, clock)?;
    let sync = catalog_sync(&config, &ctx)?;
    let (stop, publisher_stop) = (CancellationToken::new(), CancellationToken::new());
    let publisher =
        Publisher::start(&config.queue, "storefront-worker publisher", None, publisher_stop.clone());
    let (ready, consuming) = watch::channel(false);
    let listener = tokio::net::TcpListener::bind(config.worker_internal_listen).await?;
    let internal = listener.local_addr()?;
    let prometheus = telemetry::start_metrics()?;
    metrics::describe();
    let probes = probes::router(ctx.db.clone(), consuming, prometheus);

    let tasks = TaskTracker::new();
    let consumers = consumer::Consumers {
        ctx: ctx.clone(),
        topology: Topology::new(&config.queue),
        settings: config.queue,
        publisher: publisher.clone(),
        concurrency: config.worker_concurrency,
        jobs: ctx.tasks.clone(),
    };
    tasks.spawn(consumers.run(ready, stop.clone()));
    for bus in EventBus::all(&config.event_bus, &publisher, &ctx.clock)? {
        tasks.spawn(bus.run(stop.clone()));
    }
    if let Some(every) = config.catalog_sync_every {
        tasks.spawn(catalog_sync::run_timer(sync.clone(), every, stop.clone()));
    }
    if !config.event_bus.streams.event_bus_catalog_stream.is_empty() {
        tasks.spawn(catalog_sync::run_requested(sync, stop.clone()));
    }
    tasks.spawn(outbox_relay::run(ctx.clone(), publisher, stop.clone()));
    tasks.spawn(reconcile::run(ctx, config.reconcile_every, stop.clone()));
    let serving = axum::serve(listener, probes).with_graceful_shutdown(stop.clone().cancelled_owned());
    tasks.spawn(async move {
        if let Err(error) = serving.await {
            tracing::error!(%error, "probe server stopped");
        }
    });
    tasks.close();
    Ok(Running { internal, stop, tasks, publisher_stop })
}

fn context(config: &Config, clock: Clock) -> Result<Context, StartError> {
    let redis = redis::Client::open(config.redis.redis_url.expose_secret())?;
    let keys = Keys::new(&config.redis.redis_prefix);
    let manager = redis::aio::ConnectionManager::new_lazy_with_config(redis.clone(), Default::default())?;
    let throttle =
        Throttle::new(manager, keys.platform_throttle(), config.platform.platform_calls_per_minute);
    let db = db::pool(&config.database, "storefront-worker")?;
    // A job that waits this long for a row lock fails and is retried, instead of waiting forever.
    db.set_connect_options(db.connect_options().as_ref().clone().options([("lock_timeout", "20s")]));
    Ok(Context {
        db,
        platform: platform::Platform::new(&config.platform, throttle)?,
        gateways: Gateways::new(&config.gateways)?,
        mailer: mail::Mailer::new(&config.mail)?,
        links: config.links.clone(),
        topology: Topology::new(&config.queue),
        cart_lifetime: TimeDelta::from_std(config.cart_lifetime).unwrap_or(TimeDelta::MAX),
        generations: Generations::new(redis, keys),
        clock,
        tasks: TaskTracker::new(),
        outbox: Arc::new(Notify::new()),
    })
}

fn catalog_sync(config: &Config, ctx: &Context) -> Result<CatalogSync, SyncError> {
    let (redis, platform) = (&config.redis, &config.platform);
    CatalogSync::new(ctx.db.clone(), redis, platform, &config.catalog_sync, ctx.clock.clone())
}

impl Running {
    /// Stops taking messages, waits up to 30 s for the jobs under way, and disconnects.
    pub async fn shutdown(self) {
        self.stop.cancel();
        if tokio::time::timeout(GRACE, self.tasks.wait()).await.is_err() {
            tracing::warn!("jobs did not finish in time; the broker redelivers their messages");
        }
        // Last, because jobs publish their replies through it.
        self.publisher_stop.cancel();
    }
}
