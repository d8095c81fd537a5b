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
mod documents;
mod enrollment;
mod event_bus;
mod gateways;
mod jobs;
mod lease;
mod mail;
mod metrics;
mod outbox_relay;
mod platform;
mod probes;
mod reconcile;
mod retention;
mod retirement;
mod webhooks;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use catalog_sync::{CatalogSync, SyncError};
use chrono::TimeDelta;
use config::Config;
use context::Context;
pub use context::Generations;
use event_bus::EventBus;
use gateways::Gateways;
use metrics_exporter_prometheus::PrometheusHandle;
use platform::Throttle;
use shared::clock::Clock;
use shared::command_line::Faults;
use shared::keys::Keys;
use shared::queue::{Publisher, Topology};
use shared::tls::TlsSettings;
use shared::{db, schema};
use tokio::sync::{Notify, Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use webhooks::Webhooks;

/// A running worker.
pub struct Running {
    /// The address of its probes.
    pub internal: SocketAddr,
    stop: CancellationToken,
    tasks: TaskTracker,
    publisher_stop: CancellationToken,
    grace: Duration,
}

/// Reason why the worker cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Settings that cannot be used, each by its name.
    #[error(transparent)]
    Settings(#[from] Faults),
    /// The port of the probes cannot be opened.
    #[error("WORKER_INTERNAL_LISTEN: {0}")]
    Listen(#[from] std::io::Error),
}

/// Starts the worker's tasks and returns. The tasks wait for servers that are not up yet, and for the schema. `/metrics` shows
/// what `prometheus` renders, whose recorder is installed.
///
/// # Errors
/// Settings are not valid; the error names all of them.
pub async fn start(
    config: Config,
    clock: Clock,
    prometheus: PrometheusHandle,
) -> Result<Running, StartError> {
    // First, because what is made below begins its metrics.
    metrics::describe();
    let mut faults = Faults::default();
    let queue = faults.check(shared::queue::check_url(&config.queue, &config.tls));
    let event_bus = faults.check(EventBus::server(&config.event_bus, &config.tls));
    let ctx = context_with(&config, clock, &mut faults);
    let sync = ctx.as_ref().map(|ctx| catalog_sync(&config, ctx)).and_then(|sync| faults.check(sync));
    let (Some(()), Some(event_bus), Some(ctx), Some(sync)) = (queue, event_bus, ctx, sync) else {
        return Err(faults.into());
    };
    let (stop, publisher_stop) = (CancellationToken::new(), CancellationToken::new());
    let name = "storefront-worker publisher";
    let publisher = Publisher::start(&config.queue, &config.tls, name, None, publisher_stop.clone());
    let (ready, consuming) = watch::channel(false);
    let listener = tokio::net::TcpListener::bind(config.worker_internal_listen).await?;
    let internal = listener.local_addr()?;
    let probes = probes::router(ctx.db.clone(), consuming, prometheus);

    let consumers = consumer::Consumers {
        ctx: ctx.clone(),
        topology: Topology::new(&config.queue),
        settings: config.queue,
        tls: config.tls.clone(),
        publisher: publisher.clone(),
        concurrency: config.worker_concurrency,
        measure_every: config.reconcile_every,
        jobs: ctx.tasks.clone(),
    };
    let buses = EventBus::all(&config.event_bus.streams, event_bus, &publisher, &ctx.clock);
    let tasks = TaskTracker::new();
    let (tracker, ending) = (tasks.clone(), stop.clone());
    tasks.spawn(async move {
        if !schema::wait(&ctx.db, &ending).await {
            return;
        }
        tracker.spawn(consumers.run(ready, ending.clone()));
        for bus in buses {
            tracker.spawn(bus.run(ending.clone()));
        }
        if let Some(every) = config.catalog_sync_every {
            tracker.spawn(catalog_sync::run_timer(sync.clone(), every, ending.clone()));
        }
        if !config.event_bus.streams.event_bus_catalog_stream.is_empty() {
            tracker.spawn(catalog_sync::run_requested(sync, ending.clone()));
        }
        tracker.spawn(outbox_relay::run(ctx.clone(), publisher, ending.clone()));
        tracker.spawn(reconcile::run(ctx, config.reconcile_every, ending));
    });
    let serving = axum::serve(listener, probes).with_graceful_shutdown(stop.clone().cancelled_owned());
    tasks.spawn(async move {
        if let Err(error) = serving.await {
            tracing::error!(%error, "probe server stopped");
        }
    });
    tasks.close();
    Ok(Running { internal, stop, tasks, publisher_stop, grace: config.shutdown_grace })
}

fn context(config: &Config, clock: Clock) -> Result<Context, Faults> {
    let mut faults = Faults::default();
    context_with(config, clock, &mut faults).ok_or(faults)
}

/// Builds what every job uses; None, and faults, if settings cannot be used.
fn context_with(config: &Config, clock: Clock, faults: &mut Faults) -> Option<Context> {
    // The HTTP clients need a crypto provider. An error means that one is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let tls = &config.tls;
    let db = faults.check(db::busy_pool(&config.database, tls, "storefront-worker"));
    let redis = faults.check(context::redis(&config.redis, tls));
    let gateways = faults.check(Gateways::new(&config.gateways, tls));
    let webhooks = faults.check(Webhooks::new(&config.webhooks, &config.gateways.gateway_keys, tls));
    let fonts = faults.check(config.documents.fonts());
    let mailer = faults.check(mail::Mailer::new(&config.mail, tls));
    let platform = faults.check(platform::Platform::client(&config.platform, tls));
    let (redis, manager) = redis?;
    tokio::spawn(shared::redis::report_cluster(manager.clone()));
    let keys = Keys::new(&config.redis.redis_prefix);
    let calls = config.platform.platform_calls_per_minute;
    let throttle = Throttle::new(manager, keys.platform_throttle(), calls);
    let topology = Topology::new(&config.queue);
    Some(Context {
        db: db?,
        platform: platform::Platform::new(&config.platform, platform?, throttle),
        list_calls_apart: match calls {
            0 => TimeDelta::zero(),
            calls => TimeDelta::microseconds(80_000_000 / i64::from(calls)),
        },
        gateways: gateways?,
        mailer: mailer?,
        fonts: fonts?,
        webhooks: webhooks?,
        links: config.links.clone(),
        mails_kept: TimeDelta::from_std(consumer::longest_wait(&topology) + config.queue.dead_letters_kept)
            .unwrap_or(TimeDelta::MAX),
        topology,
        cart_lifetime: TimeDelta::from_std(config.cart_lifetime).unwrap_or(TimeDelta::MAX),
        voucher_hold: TimeDelta::from_std(config.voucher_hold).unwrap_or(TimeDelta::MAX),
        retention: config.retention.clone(),
        generations: Generations::new(redis, keys),
        replacements: Arc::new(Semaphore::new(usize::from(config.worker_concurrency).div_ceil(2))),
        clock,
        tasks: TaskTracker::new(),
        outbox: Arc::new(Notify::new()),
    })
}

/// Builds an HTTP client as every one of the worker is: with its name, and the authorities that it trusts in addition
/// to the system's.
fn http_client(tls: &TlsSettings) -> Result<reqwest::ClientBuilder, reqwest::Error> {
    let name = concat!("storefront-worker/", env!("CARGO_PKG_VERSION"));
    let authorities =
        reqwest::Certificate::from_pem_bundle(tls.authorities().unwrap_or_default().as_bytes())?;
    Ok(reqwest::Client::builder().user_agent(name).tls_certs_merge(authorities))
}

fn catalog_sync(config: &Config, ctx: &Context) -> Result<CatalogSync, SyncError> {
    let (redis, platform) = (&config.redis, &config.platform);
    CatalogSync::new(ctx.db.clone(), redis, platform, &config.catalog_sync, &config.tls, ctx.clock.clone())
}

impl Running {
    /// Stops taking messages, waits for the jobs under way until `SHUTDOWN_GRACE` has passed, and disconnects.
    pub async fn shutdown(self) {
        self.stop.cancel();
        if tokio::time::timeout(self.grace, self.tasks.wait()).await.is_err() {
            tracing::warn!("jobs did not finish in time; the broker redelivers their messages");
        }
        // Last, because jobs publish their replies through it.
        self.publisher_stop.cancel();
    }
}
