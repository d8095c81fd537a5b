//! A bound around every call to Redis. Its client waits for reconnects inside a call (seconds, measured): here an
//! outage costs one short timeout a second, not one a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Breaker {
    started: Instant,
    /// Milliseconds after `started` until which Redis is not asked.
    open_until: Arc<AtomicU64>,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { started: Instant::now(), open_until: Arc::default() }
    }
}

impl Breaker {
    pub fn is_closed(&self) -> bool {
        self.elapsed() >= self.open_until.load(Ordering::Relaxed)
    }

    /// The answer, or None when Redis is away, slow, or was so within the last second.
    pub async fn call<T>(&self, work: impl Future<Output = redis::RedisResult<T>>) -> Option<T> {
        if !self.is_closed() {
            return None;
        }
        let reason = match tokio::time::timeout(TIMEOUT, work).await {
            Ok(Ok(answer)) => return Some(answer),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no answer in time".to_owned(),
        };
        let pause = u64::try_from(PAUSE.as_millis()).unwrap_or(u64::MAX);
        self.open_until.store(self.elapsed().saturating_add(pause), Ordering::Relaxed);
        tracing::warn!(reason, "redis is away, reading from the database");
        None
    }

    fn elapsed(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
