//! Sets up logs and metrics, and carries a request's trace through the queue.

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use metrics_exporter_prometheus::{BuildError, PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use crate::settings::{LogFormat, LogSettings};

/// Sends logs to standard output. A second call in the same process changes nothing.
///
/// # Errors
/// `LOG_FILTER` cannot be parsed.
pub fn start_logs(settings: &LogSettings) -> Result<(), ParseError> {
    let filter = EnvFilter::builder().parse(&settings.log_filter)?;
    let logs = tracing_subscriber::fmt().with_env_filter(filter);
    // An error means that a subscriber is already set: a test process starts many services.
    let _ = match settings.log_format {
        LogFormat::Text => logs.try_init(),
        LogFormat::Json => logs.json().flatten_event(true).try_init(),
    };
    Ok(())
}

/// Installs the metrics recorder and returns the handle that `/metrics` renders. Call it within a Tokio runtime.
/// Further calls return the same handle: the metrics facade has one recorder for each process, hence the static.
///
/// # Errors
/// Other code has installed a recorder.
pub fn start_metrics() -> Result<PrometheusHandle, BuildError> {
    static HANDLE: Mutex<Option<PrometheusHandle>> = Mutex::new(None);
    const SECONDS: [f64; 12] = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
    let mut handle = HANDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = handle.as_ref() {
        return Ok(handle.clone());
    }
    let installed = PrometheusBuilder::new().set_buckets(&SECONDS)?.install_recorder()?;
    tokio::spawn(upkeep(installed.clone()));
    Ok(handle.insert(installed).clone())
}

/// Moves histogram samples into their buckets. Rendering does that too, but without a scraper the samples would pile
/// up.
async fn upkeep(handle: PrometheusHandle) {
    loop {
        tokio::time::sleep(Duration::from_secs(5)).await;
        handle.run_upkeep();
    }
}

/// A W3C `traceparent`, which joins the log lines of an HTTP request and of the jobs that it causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent {
    /// Names the trace: the same in all its requests and jobs. Never 0.
    pub trace_id: u128,
    /// Names the step of the trace that caused this one. Never 0.
    pub span_id: u64,
}

impl TraceParent {
    /// A new trace with random ids.
    pub fn new() -> Self {
        // Zero is not a valid id.
        Self { trace_id: rand::random::<u128>() | 1, span_id: rand::random::<u64>() | 1 }
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
        let [version, trace, span, _flags, ..] = parts.as_slice() else { return Err(InvalidTraceParent) };
        if version.len() != 2 || trace.len() != 32 || span.len() != 16 {
            return Err(InvalidTraceParent);
        }
        let trace_id = u128::from_str_radix(trace, 16).map_err(|_| InvalidTraceParent)?;
        let span_id = u64::from_str_radix(span, 16).map_err(|_| InvalidTraceParent)?;
        if trace_id == 0 || span_id == 0 { Err(InvalidTraceParent) } else { Ok(Self { trace_id, span_id }) }
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-01", self.trace_id, self.span_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceparent_reads_back_and_a_broken_one_is_refused() {
        let trace = TraceParent::new();
        assert_eq!(trace.to_string().parse(), Ok(trace));
        for bad in ["", "00-0-0-01", "00-00000000000000000000000000000000-0000000000000001-01"] {
            assert_eq!(bad.parse::<TraceParent>(), Err(InvalidTraceParent));
        }
    }
}
