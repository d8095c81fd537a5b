//! Traces: spans that are exported to an OpenTelemetry collector. They have a target of their own, so that no log line
//! shows them, and a span costs next to nothing while traces are off. Which request or message a span belongs to travels
//! as a [`TraceParent`].

use std::time::{Duration, SystemTime};

use clap::Args;
use opentelemetry::trace::{
    SpanBuilder, SpanContext, SpanId, SpanKind, TraceContextExt, TraceFlags, TraceId, TraceState, Tracer,
    TracerProvider,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider};
use reqwest::{RequestBuilder, Response};
use tracing::field::{Empty, Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Instrument, Level, Metadata, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::filter::FilterFn;
use tracing_subscriber::{Layer, Registry, layer};
use url::Url;

use crate::about;
use crate::settings::{parse_http_url, under};
use crate::tls::{TlsSettings, UrlError};
use crate::trace_parent::TraceParent;

/// The target of spans that are exported and not logged.
pub const TARGET: &str = "storefront::trace";

/// Spans of this prefix are both: the worker's jobs, whose fields the log lines within them show, too.
const JOBS: &str = "job.";

/// The target of the events with which sqlx reports statements.
const STATEMENTS: &str = "sqlx::query";

const SETTING: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

/// Time that an export may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Destination and selection of traces.
#[derive(Clone, Debug, Args)]
pub struct TraceSettings {
    /// Base URL of an OpenTelemetry collector, which gets the traces over OTLP/HTTP at the path /v1/traces; https://
    /// unless it is on this machine; unset: no traces
    #[arg(long, env, value_parser = parse_endpoint, default_value = "")]
    pub otel_exporter_otlp_endpoint: Endpoint,
    /// Share of the traces that start here which are sampled, from 0 to 1; requests and messages with a traceparent keep
    /// its decision
    #[arg(long, env, value_parser = parse_share, default_value_t = 1.0)]
    pub otel_traces_sampler_arg: f64,
    /// Level of detail of a trace
    #[arg(long, env, value_enum, default_value_t = TraceLevel::Info)]
    pub trace_level: TraceLevel,
}

/// The collector's URL; None if there is none.
#[derive(Clone, Debug, Default)]
pub struct Endpoint(pub Option<Url>);

/// Level of detail of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TraceLevel {
    /// Requests, messages, jobs, and calls to other servers
    Info,
    /// SQL statements as well
    Debug,
}

fn parse_endpoint(text: &str) -> Result<Endpoint, String> {
    if text.is_empty() { Ok(Endpoint(None)) } else { parse_http_url(text).map(|url| Endpoint(Some(url))) }
}

/// Reads a number from 0 to 1.
///
/// # Errors
/// Any other text.
pub fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!("{text:?} is not a number from 0 to 1")),
    }
}

/// The export of traces.
#[derive(Debug)]
pub struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    level: TraceLevel,
}

/// A part of the log subscriber.
pub(crate) type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

impl Traces {
    /// Prepares the export for the program `service`. None if no collector is set.
    ///
    /// # Errors
    /// The collector is on another machine and its URL without TLS, or a standard OTEL variable has an unusable value.
    pub async fn start(
        settings: &TraceSettings,
        tls: &TlsSettings,
        service: &'static str,
    ) -> Result<Option<Self>, UrlError> {
        let Endpoint(Some(url)) = &settings.otel_exporter_otlp_endpoint else { return Ok(None) };
        tls.check_http(SETTING, url)?;
        let (settings, url, tls) = (settings.clone(), url.clone(), tls.clone());
        // The exporter's client blocks its thread, and may neither be made nor be dropped on one of the runtime's.
        let started = tokio::task::spawn_blocking(move || {
            let exporter = exporter(&url, &tls)?;
            let sampler = Sampler::TraceIdRatioBased(settings.otel_traces_sampler_arg);
            let provider = SdkTracerProvider::builder()
                .with_batch_exporter(exporter)
                .with_sampler(Sampler::ParentBased(Box::new(sampler)))
                .with_resource(resource(service))
                .build();
            Ok(Self { tracer: provider.tracer("storefront"), provider, level: settings.trace_level })
        });
        started.await.map_err(|error| UrlError::unusable(SETTING, error))?.map(Some)
    }

    /// Returns the layer that turns spans into those of the collector.
    pub(crate) fn layers(&self) -> Vec<BoxedLayer> {
        let spans = tracing_opentelemetry::layer()
            .with_tracer(self.tracer.clone())
            .with_location(false)
            .with_target(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(FilterFn::new(is_exported).with_max_level_hint(LevelFilter::INFO));
        let mut layers = vec![spans.boxed()];
        if self.level == TraceLevel::Debug {
            let is_statement = |metadata: &Metadata<'_>| metadata.target() == STATEMENTS;
            let filter = FilterFn::new(is_statement).with_max_level_hint(LevelFilter::DEBUG);
            layers.push(Statements { tracer: self.tracer.clone() }.with_filter(filter).boxed());
        }
        layers
    }

    /// Exports what has not been exported yet. Call it after the last request or job.
    pub async fn end(self) {
        let ended = tokio::task::spawn_blocking(move || self.provider.shutdown()).await;
        if let Ok(Err(error)) = ended {
            tracing::warn!(%error, "not all traces were exported");
        }
    }
}

/// Spans alone: what happens within them is in the log, under the same trace id.
fn is_exported(metadata: &Metadata<'_>) -> bool {
    let is_ours = metadata.target() == TARGET || metadata.name().starts_with(JOBS);
    metadata.is_span() && *metadata.level() <= Level::INFO && is_ours
}

/// Speaks to the collector over the same TLS as to every other server.
fn exporter(url: &Url, tls: &TlsSettings) -> Result<SpanExporter, UrlError> {
    // The client needs a crypto provider. An error means that one is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let unusable = |error: reqwest::Error| UrlError::caused(SETTING, &error);
    let authorities = tls.authorities().unwrap_or_default();
    let client = reqwest::blocking::Client::builder()
        .timeout(TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("storefront/", env!("CARGO_PKG_VERSION")))
        .tls_certs_merge(reqwest::Certificate::from_pem_bundle(authorities.as_bytes()).map_err(unusable)?)
        .build()
        .map_err(unusable)?;
    SpanExporter::builder()
        .with_http()
        .with_http_client(client)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(under(url, "/v1/traces"))
        .build()
        .map_err(|error| UrlError::unusable(SETTING, error))
}

/// Returns the sender of the spans. The standard variables `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` come first.
fn resource(service: &'static str) -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder_empty()
        .with_attributes([KeyValue::new("service.name", service), version])
        .with_detectors(&[Box::new(TelemetryResourceDetector), Box::new(EnvResourceDetector::new())]);
    match std::env::var("OTEL_SERVICE_NAME") {
        Ok(name) if !name.is_empty() => resource.with_service_name(name),
        _ => resource,
    }
    .build()
}

/// Sends a request to another server, in a span of its own. `endpoint` is what the trace shows of the path: a pattern
/// without ids and names.
///
/// # Errors
/// As [`reqwest::RequestBuilder::send`].
pub async fn send(request: RequestBuilder, endpoint: &str) -> reqwest::Result<Response> {
    let (client, request) = request.build_split();
    let request = request?;
    let span = tracing::info_span!(
        target: TARGET,
        "call",
        otel.name = format!("{} {endpoint}", request.method()),
        otel.kind = "client",
        otel.status_code = Empty,
        http.request.method = request.method().as_str(),
        http.response.status_code = Empty,
        server.address = request.url().host_str(),
        url.template = endpoint,
        cart = about::current().map(tracing::field::display),
    );
    let sent = client.execute(request).instrument(span.clone()).await;
    let status = sent.as_ref().ok().map(Response::status);
    span.record("http.response.status_code", status.map(|status| status.as_u16()));
    // By OpenTelemetry's conventions a client counts every status from 400 on as an error.
    if status.is_none_or(|status| status.is_client_error() || status.is_server_error()) {
        failed(&span);
    }
    sent
}

/// Marks a span, which must have been made with the field, as failed.
pub fn failed(span: &Span) {
    span.record("otel.status_code", "ERROR");
}

/// Puts a span that was just made below `parent`; a new trace begins with it if there is none. Returns what names the
/// span: towards other programs, and in logs. Without traces it names a step of the same trace that nothing records.
pub fn step(span: &Span, parent: Option<TraceParent>) -> TraceParent {
    let unrecorded = || parent.map_or_else(TraceParent::new, TraceParent::next);
    if span.is_disabled() {
        return unrecorded();
    }
    if let Some(parent) = parent {
        // Without an export, in tests, there is nothing to put anywhere.
        let _ = span.set_parent(Context::new().with_remote_span_context(remote(parent)));
    }
    let context = span.context();
    let context = context.span().span_context().clone();
    if context.is_valid() { local(&context) } else { unrecorded() }
}

/// Returns whether a span is exported.
pub fn is_sampled(span: &Span) -> bool {
    span.context().span().span_context().is_sampled()
}

/// Links a span with a step of another trace, such as that of a payment's notification with the checkout. Does nothing for a step of the
/// span's own trace.
pub fn link(span: &Span, step: TraceParent) {
    let context = span.context();
    let other = remote(step);
    if other.trace_id() != context.span().span_context().trace_id() {
        span.add_link(other);
    }
}

fn remote(parent: TraceParent) -> SpanContext {
    SpanContext::new(
        TraceId::from(parent.trace_id),
        SpanId::from(parent.span_id),
        if parent.is_sampled { TraceFlags::SAMPLED } else { TraceFlags::NOT_SAMPLED },
        true,
        TraceState::NONE,
    )
}

fn local(context: &SpanContext) -> TraceParent {
    TraceParent {
        trace_id: u128::from_be_bytes(context.trace_id().to_bytes()),
        span_id: u64::from_be_bytes(context.span_id().to_bytes()),
        is_sampled: context.is_sampled(),
    }
}

/// Makes a span of each SQL statement, below the span that ran it. Statements hold no values: those are bound.
struct Statements {
    tracer: SdkTracer,
}

impl<S: Subscriber> Layer<S> for Statements {
    fn on_event(&self, event: &Event<'_>, _: layer::Context<'_, S>) {
        let parent = Context::current();
        // Without a recorded parent it is the poll of a timer.
        if !parent.span().span_context().is_sampled() {
            return;
        }
        let mut statement = Statement::default();
        event.record(&mut statement);
        let took = Duration::try_from_secs_f64(statement.seconds).unwrap_or_default();
        let now = SystemTime::now();
        let text = if statement.text.is_empty() { statement.summary.clone() } else { statement.text };
        let span = SpanBuilder::from_name(statement.summary)
            .with_kind(SpanKind::Client)
            .with_start_time(now.checked_sub(took).unwrap_or(now))
            .with_attributes([
                KeyValue::new("db.system.name", "postgresql"),
                KeyValue::new("db.query.text", text.trim().to_owned()),
            ]);
        // It ends when it is dropped, which is now.
        drop(self.tracer.build_with_context(span, &parent));
    }
}

/// Facts that sqlx's event gives about a statement.
#[derive(Default)]
struct Statement {
    summary: String,
    /// Empty if the summary is all of it.
    text: String,
    seconds: f64,
}

impl Visit for Statement {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "elapsed_secs" {
            self.seconds = value;
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => value.clone_into(&mut self.summary),
            "db.statement" => value.clone_into(&mut self.text),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_number_from_0_to_1() {
        assert_eq!(parse_share("0.25"), Ok(0.25));
        for bad in ["", "-0.1", "1.1", "NaN", "half"] {
            assert!(parse_share(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_step_without_traces_stays_in_its_trace() {
        let parent = TraceParent::new();
        let step = step(&Span::none(), Some(parent));
        assert_eq!((step.trace_id, step.is_sampled), (parent.trace_id, parent.is_sampled));
        assert_ne!(step.span_id, parent.span_id);
    }
}
