//! A circuit breaker around calls to a server: during an outage one call in each pause times out, not every request.
//! (The Redis client waits for a reconnect inside a call: seconds, measured.)

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::metrics;

/// Thresholds of a breaker: when it opens, and how often it lets a probe through.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// A call that takes longer counts as a failure.
    pub timeout: Duration,
    /// The breaker opens after this many failures in a row.
    pub failures: u32,
    /// While the breaker is open, one call after each pause probes whether the server answers again.
    pub pause: Duration,
}

/// The state of one server's breaker; clones share it.
#[derive(Clone)]
pub struct Breaker {
    /// The label of the metrics.
    kind: &'static str,
    server: Arc<str>,
    tolerance: Tolerance,
    started: Instant,
    failed: Arc<AtomicU32>,
    /// Milliseconds after `started` until which no request is sent; 0 while the breaker is closed.
    open_until: Arc<AtomicU64>,
}

impl Breaker {
    /// A closed breaker. `kind` is the label of its metrics, which breakers may share; `server` is the name that log
    /// messages use.
    pub fn new(kind: &'static str, server: impl Into<Arc<str>>, tolerance: Tolerance) -> Self {
        metrics::breaker(kind);
        Self {
            kind,
            server: server.into(),
            tolerance,
            started: Instant::now(),
            failed: Arc::default(),
            open_until: Arc::default(),
        }
    }

    /// Returns whether the server answered the latest calls, so that requests are sent.
    pub fn is_closed(&self) -> bool {
        self.open_until.load(Ordering::Relaxed) == 0
    }

    /// Runs `work` unless the breaker is open. None if it is open, or if `work` fails or times out.
    pub async fn call<T, E: Display>(&self, work: impl Future<Output = Result<T, E>>) -> Option<T> {
        self.call_within(self.tolerance.timeout, work).await
    }

    /// As [`Self::call`], for work that takes this long at most.
    pub async fn call_within<T, E: Display>(
        &self,
        time: Duration,
        work: impl Future<Output = Result<T, E>>,
    ) -> Option<T> {
        let open_until = self.open_until.load(Ordering::Relaxed);
        if open_until != 0 && !self.may_probe(open_until) {
            return None;
        }
        match tokio::time::timeout(time, work).await {
            Ok(Ok(answer)) => {
                self.succeeded(open_until);
                Some(answer)
            }
            Ok(Err(error)) => {
                self.failed(&error);
                None
            }
            Err(_) => {
                self.failed(&"no answer in time");
                None
            }
        }
    }

    fn succeeded(&self, open_until: u64) {
        if self.failed.load(Ordering::Relaxed) != 0 {
            self.failed.store(0, Ordering::Relaxed);
        }
        // Only one of the calls that succeed at the same moment closes the breaker.
        if open_until != 0 && self.open_until.swap(0, Ordering::Relaxed) != 0 {
            metrics::breakers_open(self.kind, -1.0);
            tracing::info!("circuit breaker closed: {} answers again", self.server);
        }
    }

    fn failed(&self, reason: &dyn Display) {
        metrics::breaker_failure(self.kind);
        let failures = self.failed.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if failures >= self.tolerance.failures
            && self.open_until.swap(self.next_probe(), Ordering::Relaxed) == 0
        {
            metrics::breakers_open(self.kind, 1.0);
            tracing::warn!(%reason, "circuit breaker open: requests to {} are not sent", self.server);
        }
    }

    fn may_probe(&self, open_until: u64) -> bool {
        let over = self.elapsed() >= open_until;
        let relaxed = Ordering::Relaxed;
        over && self.open_until.compare_exchange(open_until, self.next_probe(), relaxed, relaxed).is_ok()
    }

    fn next_probe(&self) -> u64 {
        let pause = u64::try_from(self.tolerance.pause.as_millis()).unwrap_or(u64::MAX);
        self.elapsed().saturating_add(pause)
    }

    /// Milliseconds since `started`, at least 1: zero means that the breaker is closed.
    fn elapsed(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_that_fails_is_asked_once_a_pause_until_it_is_back() {
        let tolerance =
            Tolerance { timeout: Duration::from_millis(20), failures: 2, pause: Duration::from_millis(60) };
        let breaker = Breaker::new("test", "a server", tolerance);
        let fails = || async { Err::<(), _>("no") };
        let hangs = || async {
            std::future::pending::<()>().await;
            Ok::<(), &str>(())
        };
        assert_eq!((breaker.call(fails()).await, breaker.is_closed()), (None, true));
        assert_eq!((breaker.call(hangs()).await, breaker.is_closed()), (None, false));
        let asked = AtomicU32::new(0);
        let answers = || async {
            asked.fetch_add(1, Ordering::Relaxed);
            Ok::<_, &str>(7)
        };
        assert_eq!((breaker.call(answers()).await, asked.load(Ordering::Relaxed)), (None, 0));
        tokio::time::sleep(Duration::from_millis(80)).await;
        assert_eq!((breaker.call(answers()).await, breaker.is_closed()), (Some(7), true));
        assert_eq!((breaker.call(fails()).await, breaker.is_closed()), (None, true));
    }
}
