//! The log line of each delivery, and its span: which message it was, who caused it, how long it took, how it ended.

use std::time::Instant;

use shared::ids::CartId;
use shared::messages::Queue;
use shared::queue::{Envelope, SendingRequest};
use shared::trace_parent::TraceParent;
use shared::traces;
use tracing::field::Empty;
use tracing::{Level, Span};
use uuid::Uuid;

use super::outcome::Ended;

/// A delivery under way.
pub(super) struct JobLog {
    started: Instant,
    span: Span,
    step: TraceParent,
    queue: Queue,
    kind: String,
    id: Uuid,
    attempt: u32,
    request: Option<SendingRequest>,
}

impl JobLog {
    /// Begins the line and the span of a delivery. Returns its step of the trace, to which a message without a trace
    /// belongs from now on: its retries stay in it.
    pub fn begin(queue: Queue, envelope: &mut Envelope) -> (Self, TraceParent) {
        let span = span(queue, envelope);
        let step = traces::step(&span, envelope.trace);
        envelope.trace.get_or_insert(step);
        let log = Self {
            started: Instant::now(),
            span,
            step,
            queue,
            kind: envelope.kind.clone(),
            id: envelope.id,
            attempt: envelope.attempt,
            request: envelope.request.clone(),
        };
        (log, step)
    }

    /// The span that is exported.
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// Returns the fields that each log line of the job shows.
    pub fn context(&self) -> Span {
        tracing::info_span!(
            "message",
            kind = self.kind,
            id = %self.id,
            trace_id = %self.step.trace_hex(),
            span_id = %self.step.span_hex(),
            cart = Empty,
        )
    }

    /// Writes the line. `cart`: the order that the job was about.
    pub fn end(self, ended: &Ended, cart: Option<CartId>) {
        if ended.ending.level() != Level::INFO {
            traces::failed(&self.span);
        }
        let request_id = self.request.as_ref().map(|request| tracing::field::display(request.id));
        let cart = cart.map(tracing::field::display);
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    queue = self.queue.name(),
                    kind = self.kind,
                    id = %self.id,
                    caller = self.request.as_ref().map_or("worker", |request| request.caller.as_str()),
                    attempt = self.attempt,
                    seconds = self.started.elapsed().as_secs_f64(),
                    outcome = ended.ending.name(),
                    reason = ended.reason.as_deref(),
                    request_id,
                    cart,
                    trace_id = %self.step.trace_hex(),
                    span_id = %self.step.span_hex(),
                    "job ended"
                )
            };
        }
        match ended.ending.level() {
            Level::ERROR => line!(error),
            Level::WARN => line!(warn),
            _ => line!(info),
        }
    }
}

/// The line of a delivery that is not a storefront message.
pub(super) fn unreadable(queue: Queue, ended: &Ended) {
    let reason = ended.reason.as_deref();
    tracing::error!(
        queue = queue.name(),
        outcome = ended.ending.name(),
        reason,
        "message without an envelope"
    );
}

fn span(queue: Queue, envelope: &Envelope) -> Span {
    tracing::info_span!(
        target: traces::TARGET,
        parent: None,
        "process",
        otel.name = format!("process {}", envelope.kind),
        otel.kind = "consumer",
        otel.status_code = Empty,
        messaging.system = "rabbitmq",
        messaging.operation.type = "process",
        messaging.destination.name = queue.name(),
        messaging.message.id = %envelope.id,
        attempt = envelope.attempt,
        cart = Empty,
    )
}
