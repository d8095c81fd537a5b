//! Sets up logs and metrics.

use std::time::Duration;

use metrics_exporter_prometheus::{
    BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use tracing::Metadata;
use tracing::subscriber::Interest;
use tracing_subscriber::filter::{FilterExt, LevelFilter, ParseError, dynamic_filter_fn};
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt as lines};

use crate::settings::{LogFormat, LogSettings};
use crate::traces::{self, Traces};

/// Destination of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogsTo {
    /// Standard output: those of a program that serves.
    Output,
    /// Standard error: those of a command, whose standard output is its result.
    Error,
}

/// Sends logs to standard output or standard error, and spans to the collector if there is one. A second call in the same
/// process changes nothing.
///
/// # Errors
/// `LOG_FILTER` cannot be parsed.
pub fn start_logs(settings: &LogSettings, to: LogsTo, traces: Option<&Traces>) -> Result<(), ParseError> {
    let filter = EnvFilter::builder().parse(&settings.log_filter)?;
    let hint = filter.max_level_hint().unwrap_or(LevelFilter::TRACE);
    let is_logged = dynamic_filter_fn(|metadata, _| is_logged(metadata))
        .with_max_level_hint(hint)
        .with_callsite_filter(asked_each_time);
    let writer = match to {
        LogsTo::Output => BoxMakeWriter::new(std::io::stdout),
        LogsTo::Error => BoxMakeWriter::new(std::io::stderr),
    };
    let lines = match settings.log_format {
        LogFormat::Text => lines::layer().with_writer(writer).boxed(),
        LogFormat::Json => lines::layer().with_writer(writer).json().flatten_event(true).boxed(),
    };
    let mut layers = vec![lines.with_filter(filter.and(is_logged)).boxed()];
    layers.extend(traces.map(Traces::layers).unwrap_or_default());
    // An error means that a subscriber is already set: a test process starts many services.
    let _ = tracing_subscriber::registry().with(layers).try_init();
    Ok(())
}

fn is_logged(metadata: &Metadata<'_>) -> bool {
    metadata.target() != traces::TARGET
}

/// Returns whether a line at this place in the code may be logged; never `always`. sqlx asks after each statement
/// whether it would be logged. A filter's "no" stays with the thread until the next event (tokio-rs/tracing#2519), and
/// that event is lost unless the filter is asked about it as well, which is a comparison of levels and names.
fn asked_each_time(metadata: &Metadata<'_>) -> Interest {
    if is_logged(metadata) { Interest::sometimes() } else { Interest::never() }
}

/// Installs the recorder of the process's metrics and returns the handle that `/metrics` renders. Call it once, within a
/// Tokio runtime.
///
/// # Errors
/// A recorder is already installed.
pub fn start_metrics() -> Result<PrometheusHandle, BuildError> {
    let recorder = recorder()?;
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder)?;
    tokio::spawn(upkeep(handle.clone()));
    Ok(handle)
}

/// A recorder with the storefront's histogram buckets. Only a test, which has one of its own, does not use
/// [`start_metrics`].
///
/// # Errors
/// The buckets are not valid.
pub fn recorder() -> Result<PrometheusRecorder, BuildError> {
    const SECONDS: [f64; 12] = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
    // What waits in a queue can wait for hours.
    const WAITS: [f64; 11] = [0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0, 300.0, 1_800.0, 7_200.0];
    let waits = Matcher::Suffix("_wait_seconds".to_owned());
    let builder = PrometheusBuilder::new().set_buckets(&SECONDS)?.set_buckets_for_metric(waits, &WAITS)?;
    Ok(builder.build_recorder())
}

/// Moves histogram samples into their buckets. Rendering does that too, but without a scraper the samples would pile
/// up.
async fn upkeep(handle: PrometheusHandle) {
    loop {
        tokio::time::sleep(Duration::from_secs(5)).await;
        handle.run_upkeep();
    }
}
