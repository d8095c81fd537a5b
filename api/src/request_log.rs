//! The middleware around every request: assigns the request id and the trace, writes one log line, and records metrics.
//! Notes of a request's extractors and handler for its line.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use shared::about;
use shared::queue::SendingRequest;
use shared::trace_parent::TraceParent;
use shared::traces;
use tracing::field::Empty;
use tracing::{Instrument, Level, Span};
use uuid::Uuid;

use crate::metrics;

tokio::task_local! {
    /// The request that the current task answers.
    static REQUEST: Noted;
}

/// Known facts about a request under way.
struct Noted {
    id: Uuid,
    step: TraceParent,
    caller: Cell<Sender>,
    failure: RefCell<Option<String>>,
}

/// Sender of a request, by the credential that was accepted.
#[derive(Clone, Copy, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Sender {
    Anonymous,
    /// A trusted backend, by the client secret.
    Client,
    /// Also by a backend that sends the learner's credential.
    Learner,
    OrganisationKey,
    /// A payment provider, by its signature.
    Provider,
    /// The course platform, by the token in the URL.
    Platform,
}

/// Notes who has sent the request. The last one counts.
pub fn sent_by(sender: Sender) {
    // Outside of a request, in tests of an extractor, there is no line.
    let _ = REQUEST.try_with(|request| request.caller.set(sender));
}

/// Notes why the request fails. The first reason counts: it is the cause of the others.
pub fn failed(reason: impl fmt::Display) {
    let noted = REQUEST.try_with(|request| {
        request.failure.borrow_mut().get_or_insert_with(|| reason.to_string());
    });
    if noted.is_err() {
        tracing::warn!(%reason, "failed outside of a request");
    }
}

/// The request under way, for the messages that it sends.
pub fn origin() -> Option<(TraceParent, SendingRequest)> {
    let origin = |request: &Noted| {
        let caller: &'static str = request.caller.get().into();
        (request.step, SendingRequest { id: request.id, caller: caller.to_owned() })
    };
    REQUEST.try_with(origin).ok()
}

/// The id of the request under way.
pub fn id() -> Option<Uuid> {
    REQUEST.try_with(|request| request.id).ok()
}

/// Answers a request and logs it; of the reads, `share`.
pub async fn log(share: f64, request: Request, answer: impl AsyncFnOnce(Request) -> Response) -> Response {
    let method = request.method().clone();
    let matched = request.extensions().get::<MatchedPath>().cloned();
    // The route pattern instead of the path: it contains no course key and no token.
    let route = matched.as_ref().map_or("unknown", MatchedPath::as_str);
    let parent = parent(request.headers());
    let span = span(&method, route);
    let step = traces::step(&span, parent);
    let id = Uuid::now_v7();
    let noted = Noted { id, step, caller: Cell::new(Sender::Anonymous), failure: RefCell::default() };
    let is_logged = !method.is_safe() || is_drawn(id, share);
    let answering = async {
        let mut line =
            Line { method: &method, route, started: Instant::now(), span: &span, is_logged, status: None };
        let response = answer(request).instrument(span.clone()).await;
        line.status = Some(response.status());
        metrics::request(route, &method, response.status(), line.started.elapsed());
        named(response, id)
    };
    about::scope(vec![span.clone()], REQUEST.scope(noted, answering)).await.0
}

/// Draws this share of all requests, by the random end of their ids.
fn is_drawn(id: Uuid, share: f64) -> bool {
    let [.., a, b, c, d] = id.into_bytes();
    f64::from(u32::from_be_bytes([a, b, c, d])) < share * f64::from(u32::MAX)
}

fn parent(headers: &HeaderMap) -> Option<TraceParent> {
    headers.get("traceparent")?.to_str().ok()?.parse().ok()
}

fn span(method: &Method, route: &str) -> Span {
    tracing::info_span!(
        target: traces::TARGET,
        parent: None,
        "request",
        otel.name = format!("{} {route}", metrics::label(method)),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = metrics::label(method),
        http.route = route,
        http.response.status_code = Empty,
        caller = Empty,
        cart = Empty,
    )
}

/// The log line of a request. Written when it is dropped: also if the caller hangs up, which ends the request.
struct Line<'a> {
    method: &'a Method,
    route: &'a str,
    started: Instant,
    span: &'a Span,
    is_logged: bool,
    /// None if there was no answer.
    status: Option<StatusCode>,
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        // It is dropped within the request's scope.
        let _ = REQUEST.try_with(|request| self.end(request));
    }
}

impl Line<'_> {
    fn end(&self, request: &Noted) {
        let caller: &'static str = request.caller.get().into();
        if !self.span.is_disabled() {
            self.span.record("caller", caller);
            self.span.record("http.response.status_code", self.status.map(|status| status.as_u16()));
            if self.status.is_none_or(|status| status.is_server_error()) {
                traces::failed(self.span);
            }
        }
        let level = self.level(request);
        // Reads are frequent, and metrics count them: those that are not drawn are logged at debug level only.
        if level == Level::DEBUG && !tracing::enabled!(Level::DEBUG) {
            return;
        }
        let (reason, cart) = (request.failure.borrow(), about::current().map(tracing::field::display));
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    method = %self.method,
                    route = self.route,
                    status = self.status.map(|status| status.as_u16()),
                    caller,
                    seconds = self.started.elapsed().as_secs_f64(),
                    outcome = self.outcome(),
                    reason = reason.as_deref(),
                    request_id = %request.id,
                    cart,
                    trace_id = %request.step.trace_hex(),
                    span_id = %request.step.span_hex(),
                    "request ended"
                )
            };
        }
        match level {
            Level::ERROR => line!(error),
            Level::WARN => line!(warn),
            Level::INFO => line!(info),
            _ => line!(debug),
        }
    }

    fn outcome(&self) -> &'static str {
        match self.status {
            None => "abandoned",
            Some(status) if status.is_server_error() => "failed",
            Some(status) if status.is_client_error() => "refused",
            Some(_) => "answered",
        }
    }

    /// Failures are always logged. Errors need an operator; warnings are those of other servers.
    fn level(&self, request: &Noted) -> Level {
        match self.status {
            Some(StatusCode::INTERNAL_SERVER_ERROR) => Level::ERROR,
            Some(status) if status.is_server_error() => Level::WARN,
            _ if request.failure.borrow().is_some() => Level::WARN,
            _ if self.is_logged => Level::INFO,
            _ => Level::DEBUG,
        }
    }
}

/// Adds the request's id to an answer.
fn named(mut response: Response, id: Uuid) -> Response {
    let mut text = Uuid::encode_buffer();
    if let Ok(id) = HeaderValue::from_str(id.hyphenated().encode_lower(&mut text)) {
        response.headers_mut().insert("x-request-id", id);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_logged_reads_is_as_set() {
        let drawn = |share| (0..10_000).filter(|_| is_drawn(Uuid::now_v7(), share)).count();
        assert_eq!((drawn(0.0), drawn(1.0)), (0, 10_000));
        let tenth = drawn(0.1);
        assert!((800..1200).contains(&tenth), "{tenth} of 10,000");
    }
}
