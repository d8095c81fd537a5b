//! The worker, the only program that writes to the database. It consumes commands and tasks, decides,
//! writes, and calls payment providers, the course platform and the SMTP server.

#![deny(missing_docs)]

mod alert;
mod batches;
pub mod catalog;
mod catalog_sync;
pub mod cli;
pub mod config;
mod consumer;
mod desk;
mod documents;
mod enrollment;
mod gateways;
mod housekeeping;
mod http_client;
mod jobs;
mod mail;
mod metrics;
mod move_in;
mod moves;
mod payment;
mod payouts;
mod pdf;
mod platform;
mod provider_calls;
mod refund;
mod runtime;
mod sale;
mod vies;
mod webhooks;
mod withdrawal;

use std::net::SocketAddr;
use std::time::Duration;

use crate::catalog_sync::{CatalogSync, SyncError};
use crate::config::Config;
use crate::runtime::context::Context;
pub use crate::runtime::context::Generations;
use crate::runtime::event_bus::EventBus;
use axum::serve::ListenerExt;
use metrics_exporter_prometheus::PrometheusHandle;
use shared::clock::Clock;
use shared::command_line::Faults;
use shared::queue::{Publisher, Topology};
use shared::schema;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A running worker.
pub struct Running {
    /// The address of its probes.
    pub internal: SocketAddr,
    stop: CancellationToken,
    tasks: TaskTracker,
    jobs: TaskTracker,
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
    let ctx = Context::open(&config, clock, &mut faults);
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
    let probes = runtime::probes::router(ctx.db.clone(), consuming, prometheus);

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
    let jobs = ctx.tasks.clone();
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
        tracker.spawn(runtime::relay::run(ctx.clone(), publisher, ending.clone()));
        tracker.spawn(housekeeping::rounds::run(ctx, config.reconcile_every, ending));
    });
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let serving = axum::serve(listener, probes).with_graceful_shutdown(stop.clone().cancelled_owned());
    tasks.spawn(async move {
        if let Err(error) = serving.await {
            tracing::error!(%error, "probe server stopped");
        }
    });
    tasks.close();
    Ok(Running { internal, stop, tasks, jobs, publisher_stop, grace: config.shutdown_grace })
}

fn catalog_sync(config: &Config, ctx: &Context) -> Result<CatalogSync, SyncError> {
    let (redis, platform) = (&config.redis, &config.platform);
    CatalogSync::new(ctx.db.clone(), redis, platform, &config.catalog_sync, &config.tls, ctx.clock.clone())
}

impl Running {
    /// Number of jobs that have begun and not ended.
    pub fn jobs_under_way(&self) -> usize {
        self.jobs.len()
    }

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
