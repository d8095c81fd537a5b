//! A bound around every call to a server that may be away: an outage costs one timeout a pause, not one a request.
//! (Redis's client waits for reconnects inside a call: seconds, measured.)

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// A call that takes longer has failed.
    pub timeout: Duration,
    /// So many in a row, and the server counts as away.
    pub failures: u32,
    /// While it does, one call after each pause finds out whether it is back.
    pub pause: Duration,
}

#[derive(Clone)]
pub struct Breaker {
    server: &'static str,
    tolerance: Tolerance,
    started: Instant,
    failed: Arc<AtomicU32>,
    /// Milliseconds after `started` until which the server is not asked; 0 while it answers.
    open_until: Arc<AtomicU64>,
}

impl Breaker {
    pub fn new(server: &'static str, tolerance: Tolerance) -> Self {
        Self {
            server,
            tolerance,
            started: Instant::now(),
            failed: Arc::default(),
            open_until: Arc::default(),
        }
    }

    pub fn is_closed(&self) -> bool {
        self.open_until.load(Ordering::Relaxed) == 0
    }

    /// The answer, or None while the server is away or slow.
    pub async fn call<T, E: Display>(&self, work: impl Future<Output = Result<T, E>>) -> Option<T> {
        let open_until = self.open_until.load(Ordering::Relaxed);
        if open_until != 0 && !self.may_probe(open_until) {
            return None;
        }
        match tokio::time::timeout(self.tolerance.timeout, work).await {
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
        if open_until != 0 {
            self.open_until.store(0, Ordering::Relaxed);
            tracing::info!("{} is back", self.server);
        }
    }

    fn failed(&self, reason: &dyn Display) {
        let failures = self.failed.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if failures >= self.tolerance.failures
            && self.open_until.swap(self.next_probe(), Ordering::Relaxed) == 0
        {
            tracing::warn!(%reason, "{} is away", self.server);
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

    /// Never zero, which stands for closed.
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
        let breaker = Breaker::new("a server", tolerance);
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
