//! A collector of traces: takes what the programs export over OTLP/HTTP, as protobuf.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
pub use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::{Span, status::StatusCode as SpanStatus};
use prost::Message;
use tokio::task::JoinHandle;

/// A span as it was received.
#[derive(Clone, Debug)]
pub struct ReceivedSpan {
    /// The name of the program that sent it.
    pub service: String,
    pub name: String,
    pub kind: SpanKind,
    pub trace_id: String,
    pub id: String,
    /// Empty for the first span of a trace.
    pub parent: String,
    pub is_error: bool,
    /// Ids of the traces with which it is linked.
    pub links: Vec<String>,
    pub attributes: BTreeMap<String, String>,
}

/// A running collector; dropping it ends it.
pub struct Collector {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<ReceivedSpan>>>,
    serving: JoinHandle<()>,
}

impl Collector {
    /// Starts a collector on a port of its own.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let received = Arc::<Mutex<Vec<ReceivedSpan>>>::default();
        let routes = axum::Router::new()
            .route("/v1/traces", axum::routing::post(receive))
            .with_state(Arc::clone(&received));
        let serving = tokio::spawn(async { axum::serve(listener, routes).await.expect("the collector") });
        Self { address, received, serving }
    }

    /// All spans that were received, in the order of their arrival.
    pub fn spans(&self) -> Vec<ReceivedSpan> {
        self.received.lock().expect("spans").clone()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn receive(
    State(received): State<Arc<Mutex<Vec<ReceivedSpan>>>>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let is_protobuf = headers.get("content-type").is_some_and(|value| value == "application/x-protobuf");
    let Some(request) = ExportTraceServiceRequest::decode(body).ok().filter(|_| is_protobuf) else {
        return StatusCode::BAD_REQUEST;
    };
    let mut received = received.lock().expect("spans");
    for resource in request.resource_spans {
        let program = attributes(resource.resource.map(|resource| resource.attributes).unwrap_or_default());
        let service = program.get("service.name").cloned().unwrap_or_default();
        let spans = resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
        received.extend(spans.map(|span| read(span, &service)));
    }
    StatusCode::OK
}

fn read(span: Span, service: &str) -> ReceivedSpan {
    ReceivedSpan {
        service: service.to_owned(),
        kind: span.kind(),
        trace_id: hex(&span.trace_id),
        id: hex(&span.span_id),
        parent: hex(&span.parent_span_id),
        is_error: span.status.is_some_and(|status| status.code() == SpanStatus::Error),
        links: span.links.iter().map(|link| hex(&link.trace_id)).collect(),
        attributes: attributes(span.attributes),
        name: span.name,
    }
}

fn attributes(all: Vec<KeyValue>) -> BTreeMap<String, String> {
    all.into_iter().map(|one| (one.key, one.value.map(text).unwrap_or_default())).collect()
}

fn text(value: AnyValue) -> String {
    match value.value {
        Some(any_value::Value::StringValue(text)) => text,
        Some(any_value::Value::IntValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
