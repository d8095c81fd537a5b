//! HTTP calls to providers, each with a time limit and all with a common one. Safe calls are retried after a random
//! pause.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rand::RngExt;
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder, StatusCode, Url};
use serde_json::Value;
use shared::breaker::{Breaker, Tolerance};
use shared::causes::causes;
use shared::gateway::Gateway;
use shared::settings::under;
use shared::tls::{TlsSettings, UrlError};
use shared::traces;

use super::GatewayError;
use crate::http_client;

const CONNECT: Duration = Duration::from_secs(2);
const ONE_CALL: Duration = Duration::from_secs(4);

/// After this many failures the circuit breaker opens for a while, so that one provider's outage does not slow down
/// payments at the others.
pub const TOLERANCE: Tolerance =
    Tolerance { timeout: Duration::from_secs(5), failures: 8, pause: Duration::from_secs(2) };

/// Pause before a retry, in milliseconds.
const PAUSE: std::ops::Range<u64> = 100..400;

/// Time limit for all calls of one job together, and the number of retries among them.
#[derive(Clone)]
pub struct CallBudget {
    until: Instant,
    retries: Arc<AtomicU32>,
}

impl CallBudget {
    /// For a job whose caller waits for the answer.
    pub fn asked() -> Self {
        Self::new(Duration::from_secs(8), 1)
    }

    /// For a job without a waiting caller.
    pub fn background() -> Self {
        Self::new(Duration::from_secs(10), 2)
    }

    /// For a job that reads payouts, page by page.
    pub fn books() -> Self {
        Self::new(Duration::from_secs(30), 10)
    }

    fn new(time: Duration, retries: u32) -> Self {
        Self { until: Instant::now() + time, retries: Arc::new(AtomicU32::new(retries)) }
    }

    /// Returns whether the time limit has passed.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

/// The HTTP client for all providers; it follows no redirects.
pub fn client(tls: &TlsSettings) -> Result<reqwest::Client, UrlError> {
    let client = || http_client::builder(tls)?.connect_timeout(CONNECT).redirect(Policy::none()).build();
    client().map_err(|error| UrlError::caused("TLS_CA_FILE", &error))
}

/// Calls one provider for one job.
pub struct Caller {
    http: reqwest::Client,
    gateway: Gateway,
    base: String,
    breaker: Breaker,
    budget: CallBudget,
}

impl Caller {
    pub fn new(
        http: reqwest::Client,
        gateway: Gateway,
        base: &Url,
        breaker: Breaker,
        budget: CallBudget,
    ) -> Self {
        Self { http, gateway, breaker, base: under(base, ""), budget }
    }

    /// Sends a call that is safe to retry: it only reads, or carries an idempotency key.
    pub async fn repeat(
        &self,
        method: Method,
        path: &str,
        build: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Value, GatewayError> {
        loop {
            match self.send(method.clone(), path, &build).await {
                Err(Failure { again: true, .. }) if self.may_repeat().await => {}
                outcome => return outcome.map_err(|failure| failure.error),
            }
        }
    }

    /// Sends a call without retries.
    pub async fn once(
        &self,
        method: Method,
        path: &str,
        build: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Value, GatewayError> {
        self.send(method, path, &build).await.map_err(|failure| failure.error)
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        build: &impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Value, Failure> {
        let left = self.budget.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(unanswered("time limit reached; request not sent", false));
        }
        let request = self.http.request(method, format!("{}{path}", self.base)).timeout(left.min(ONE_CALL));
        let mut failed = None;
        let answer = self.breaker.call(async {
            exchange(self.gateway, build(request)).await.map_err(|failure| {
                let reason = failure.error.to_string();
                failed = Some(failure);
                reason
            })
        });
        match answer.await {
            Some(Answer { status, body }) if status.is_success() => {
                body.ok_or_else(|| unanswered("its answer is not JSON", true))
            }
            Some(Answer { status, body }) => {
                let error = GatewayError::Refused { status: status.as_u16(), code: code(body.as_ref()) };
                Err(Failure { error, again: false })
            }
            None => {
                Err(failed.unwrap_or_else(|| unanswered("circuit breaker open; request not sent", false)))
            }
        }
    }

    /// Returns whether there is time and a retry left for another attempt; pauses first if so.
    pub async fn may_repeat(&self) -> bool {
        let pause = Duration::from_millis(rand::rng().random_range(PAUSE));
        let has_time = Instant::now() + pause < self.budget.until;
        let one_less = |retries: u32| retries.checked_sub(1);
        if !has_time
            || self.budget.retries.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_err()
        {
            return false;
        }
        tokio::time::sleep(pause).await;
        true
    }
}

/// A definite answer: success or refusal.
struct Answer {
    status: StatusCode,
    body: Option<Value>,
}

/// Sends a call. An answer that does not say whether the provider acted is a failure.
async fn exchange(gateway: Gateway, request: RequestBuilder) -> Result<Answer, Failure> {
    // The trace shows the gateway instead of the path, which names payments.
    let response = traces::send(request, gateway.name()).await.map_err(broken)?;
    let status = response.status();
    // Stripe says in a header whether a retry makes sense.
    let header = |name| response.headers().get(name).map(|value| value == "true");
    let (advice, is_replayed) = (header("stripe-should-retry"), header("idempotent-replayed") == Some(true));
    let body = serde_json::from_slice(&response.bytes().await.map_err(broken)?).ok();
    let passing = [408, 409, 425, 429].contains(&status.as_u16()) && !is_duplicate(body.as_ref());
    if status.is_success() || status.is_client_error() && !passing {
        return Ok(Answer { status, body });
    }
    if is_replayed && status.is_server_error() {
        return Err(Failure { error: GatewayError::Replayed, again: false });
    }
    Err(unanswered(&format!("status {status}"), advice.unwrap_or(true)))
}

/// Returns whether Mollie refuses a refund because it had an equal one within the hour. A call under a key that is in
/// use has the same status, 409, and no other field differs.
fn is_duplicate(body: Option<&Value>) -> bool {
    let detail = body.and_then(|body| super::text(body, "/detail"));
    detail.is_some_and(|detail| detail.to_ascii_lowercase().contains("duplicate refund"))
}

/// The provider's error code and parameter. Its messages are left out: they can quote the buyer.
fn code(body: Option<&Value>) -> String {
    let found = ["/error/code", "/error/type", "/error/param", "/title", "/field"];
    let words: Vec<&str> = found.iter().filter_map(|pointer| super::text(body?, pointer)).collect();
    words.join(" ").chars().take(200).collect()
}

struct Failure {
    error: GatewayError,
    /// Indicates whether a retry of the same call can succeed.
    again: bool,
}

fn unanswered(reason: &str, again: bool) -> Failure {
    Failure { error: GatewayError::Unanswered(reason.to_owned()), again }
}

fn broken(error: reqwest::Error) -> Failure {
    unanswered(&causes(&error.without_url()), true)
}
