//! A circuit breaker around calls to a server: during an outage one call in each pause times out, not every request.
//! (The Redis client waits for a reconnect inside a call: seconds, measured.)

use std::fmt::Display;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When a breaker opens, and how often it lets a probe through.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// A call that takes longer counts as a failure.
    pub timeout: Duration,
    /// The breaker opens after this many failures in a row.
    pub failures: u32,
    /// While the breaker is open, one call after each pause probes whether the server answers again.
    pub pause: Duration,
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The server does not answer.
    #[error("{0}")]
    Server(String),
    /// The server answered, but failed to process this request; other requests may succeed.
    #[error("{0}")]
    Request(String),
}

/// The digest of what a request is about, for example its caller's credential.
type Subject = [u8; 32];

/// The state of one server's breaker; clones share it.
#[derive(Clone)]
pub struct Breaker {
    server: Arc<str>,
    tolerance: Tolerance,
    started: Instant,
    failed: Arc<AtomicU32>,
    /// The subjects of the requests that failed since the last success.
    subjects: Arc<Mutex<Vec<Subject>>>,
    /// Milliseconds after `started` until which no request is sent; 0 while the breaker is closed.
    open_until: Arc<AtomicU64>,
}

impl Breaker {
    /// A closed breaker; `server` is the name that log messages use.
    pub fn new(server: impl Into<Arc<str>>, tolerance: Tolerance) -> Self {
        Self {
            server: server.into(),
            tolerance,
            started: Instant::now(),
            failed: Arc::default(),
            subjects: Arc::default(),
            open_until: Arc::default(),
        }
    }

    /// Whether the server answered the latest calls, so that requests are sent.
    pub fn is_closed(&self) -> bool {
        self.open_until.load(Ordering::Relaxed) == 0
    }

    /// Runs `work` unless the breaker is open. None if it is open, or if `work` fails or times out.
    pub async fn call<T, E: Display>(&self, work: impl Future<Output = Result<T, E>>) -> Option<T> {
        self.judged(work, |_| true).await
    }

    /// As [`Self::call`], for servers that fail on the requests of one subject only: however many of its requests fail,
    /// they count as one failure.
    pub async fn call_for<T>(
        &self,
        subject: Subject,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Option<T> {
        let counts = |failure: &Failure| match failure {
            Failure::Server(_) => true,
            Failure::Request(_) => self.is_first_failure_of(subject),
        };
        self.judged(work, counts).await
    }

    async fn judged<T, E: Display>(
        &self,
        work: impl Future<Output = Result<T, E>>,
        counts: impl Fn(&E) -> bool,
    ) -> Option<T> {
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
                if counts(&error) {
                    self.failed(&error);
                } else {
                    tracing::warn!(reason = %error, "request to {} failed again; not counted", self.server);
                }
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
            self.subjects().clear();
        }
        if open_until != 0 {
            self.open_until.store(0, Ordering::Relaxed);
            tracing::info!("circuit breaker closed: {} answers again", self.server);
        }
    }

    fn is_first_failure_of(&self, subject: Subject) -> bool {
        let mut subjects = self.subjects();
        let is_first = !subjects.contains(&subject);
        // Once enough subjects failed to open the breaker, no more need to be stored.
        if is_first && subjects.len() < usize::try_from(self.tolerance.failures).unwrap_or(usize::MAX) {
            subjects.push(subject);
        }
        is_first
    }

    fn subjects(&self) -> std::sync::MutexGuard<'_, Vec<Subject>> {
        self.subjects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, reason: &dyn Display) {
        let failures = self.failed.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if failures >= self.tolerance.failures
            && self.open_until.swap(self.next_probe(), Ordering::Relaxed) == 0
        {
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

    #[tokio::test]
    async fn one_subject_that_a_server_fails_at_does_not_make_it_away_and_several_do() {
        let tolerance =
            Tolerance { timeout: Duration::from_secs(5), failures: 3, pause: Duration::from_secs(60) };
        let breaker = Breaker::new("a server", tolerance);
        let fails = |subject: u8| {
            breaker.call_for([subject; 32], async { Err::<(), _>(Failure::Request("status 500".into())) })
        };
        for _ in 0..10 {
            fails(1).await;
        }
        fails(2).await;
        assert!(breaker.is_closed());
        assert_eq!(breaker.call_for([9; 32], async { Ok(7) }).await, Some(7));
        // A successful answer resets the count.
        fails(1).await;
        fails(2).await;
        assert!(breaker.is_closed());
        fails(3).await;
        assert!(!breaker.is_closed());
        let away = Breaker::new("a server", tolerance);
        for _ in 0..3 {
            away.call_for([1; 32], async { Err::<(), _>(Failure::Server("refused".into())) }).await;
        }
        assert!(!away.is_closed());
    }
}
