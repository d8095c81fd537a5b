//! Sets up logs and metrics, and names the steps of a trace, which a request's `traceparent` carries through the queue.

use std::fmt;
use std::str::FromStr;
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

tokio::task_local! {
    /// The step of a trace that this task works on.
    static CURRENT: TraceParent;
}

/// A W3C `traceparent`, which joins an HTTP request with the jobs that it causes: in logs, and in traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent {
    /// Names the trace: the same in all its requests and jobs. Never 0.
    pub trace_id: u128,
    /// Names a step of the trace, a span. Never 0.
    pub span_id: u64,
    /// Indicates whether the step is recorded, and so those that it causes.
    pub is_sampled: bool,
}

impl TraceParent {
    /// A new trace with random ids, which is not recorded.
    pub fn new() -> Self {
        // Zero is not a valid id.
        Self { trace_id: rand::random::<u128>() | 1, span_id: rand::random::<u64>() | 1, is_sampled: false }
    }

    /// Another step of the same trace.
    #[must_use]
    pub fn next(self) -> Self {
        Self { span_id: rand::random::<u64>() | 1, ..self }
    }

    /// The trace id as traces and logs write it.
    pub fn trace_hex(self) -> String {
        format!("{:032x}", self.trace_id)
    }

    /// The span id as traces and logs write it.
    pub fn span_hex(self) -> String {
        format!("{:016x}", self.span_id)
    }

    /// The step that the current task works on.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(|current| *current).ok()
    }

    /// Does a step's work, in which it is the current one.
    pub async fn scope<F: Future>(self, work: F) -> F::Output {
        CURRENT.scope(self, work).await
    }

    /// Keeps the current step for work that another task is going to do.
    pub fn carry<F: Future>(work: F) -> impl Future<Output = F::Output> {
        let current = Self::current();
        async move {
            match current {
                Some(current) => current.scope(work).await,
                None => work.await,
            }
        }
    }
}

impl Default for TraceParent {
    fn default() -> Self {
        Self::new()
    }
}

/// The text is not a `traceparent` header of W3C Trace Context.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidTraceParent;

impl FromStr for TraceParent {
    type Err = InvalidTraceParent;

    fn from_str(text: &str) -> Result<Self, InvalidTraceParent> {
        let parts: Vec<&str> = text.split('-').collect();
        let [version, trace, span, flags, ..] = parts.as_slice() else { return Err(InvalidTraceParent) };
        if version.len() != 2 || trace.len() != 32 || span.len() != 16 || flags.len() != 2 {
            return Err(InvalidTraceParent);
        }
        let trace_id = u128::from_str_radix(trace, 16).map_err(|_| InvalidTraceParent)?;
        let span_id = u64::from_str_radix(span, 16).map_err(|_| InvalidTraceParent)?;
        let flags = u8::from_str_radix(flags, 16).map_err(|_| InvalidTraceParent)?;
        if trace_id == 0 || span_id == 0 {
            return Err(InvalidTraceParent);
        }
        Ok(Self { trace_id, span_id, is_sampled: flags & 1 == 1 })
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace_id, self.span_id, u8::from(self.is_sampled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceparent_reads_back_and_a_broken_one_is_refused() {
        for is_sampled in [true, false] {
            let trace = TraceParent { is_sampled, ..TraceParent::new() };
            assert_eq!(trace.to_string().parse(), Ok(trace));
        }
        for bad in ["", "00-0-0-01", "00-00000000000000000000000000000000-0000000000000001-01"] {
            assert_eq!(bad.parse::<TraceParent>(), Err(InvalidTraceParent));
        }
    }
}
