//! A bound around every call to Redis. Its client waits for reconnects inside a call (seconds, measured): here an
//! outage costs one short timeout a second, not one a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_millis(50);
const PAUSE_MILLIS: u64 = 1_000;

#[derive(Clone)]
pub struct Breaker {
    started: Instant,
    /// Milliseconds after `started` until which Redis is not asked; 0 while it answers.
    open_until: Arc<AtomicU64>,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { started: Instant::now(), open_until: Arc::default() }
    }
}

impl Breaker {
    pub fn is_closed(&self) -> bool {
        self.open_until.load(Ordering::Relaxed) == 0
    }

    /// The answer, or None while Redis is away or slow.
    pub async fn call<T>(&self, work: impl Future<Output = redis::RedisResult<T>>) -> Option<T> {
        let open_until = self.open_until.load(Ordering::Relaxed);
        if open_until != 0 && !self.may_probe(open_until) {
            return None;
        }
        let reason = match tokio::time::timeout(TIMEOUT, work).await {
            Ok(Ok(answer)) => {
                if open_until != 0 {
                    self.open_until.store(0, Ordering::Relaxed);
                    tracing::info!("redis is back");
                }
                return Some(answer);
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no answer in time".to_owned(),
        };
        if self.open_until.swap(self.next_probe(), Ordering::Relaxed) == 0 {
            tracing::warn!(reason, "redis is away, reading from the database");
        }
        None
    }

    /// One call each second finds out whether Redis is back.
    fn may_probe(&self, open_until: u64) -> bool {
        let over = self.elapsed() >= open_until;
        let relaxed = Ordering::Relaxed;
        over && self.open_until.compare_exchange(open_until, self.next_probe(), relaxed, relaxed).is_ok()
    }

    fn next_probe(&self) -> u64 {
        self.elapsed().saturating_add(PAUSE_MILLIS)
    }

    /// Never zero, which stands for closed.
    fn elapsed(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX).max(1)
    }
}
