//! Limits on odd requests: which payloads may take memory in Redis, which misses need no look-up, and how many
//! queries that no index serves may run at a time.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use moka::future::Cache as Moka;
use scopeguard::ScopeGuard;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{ApiError, ApiResult};

/// Time that a first request is remembered, and how many are.
const ASKED_FOR: Duration = Duration::from_secs(600);
const ASKED: u64 = 10_000;

/// Time that a miss is remembered, and how many are.
const MISSED_FOR: Duration = Duration::from_secs(10);
const MISSED: u64 = 10_000;

/// Number of queries without an index that may run at a time in a replica, and how long the next one waits. Each takes a
/// connection and a processor of the database for a second or two at 100,000 courses.
const TURNS: usize = 2;
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The `statement_timeout` of the api's role at the database.
pub(super) const LONGEST_QUERY: Duration = Duration::from_secs(5);

/// Demands of a read on the database and on Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// One of few payloads that many visitors share.
    Common,
    /// One of very many payloads, of which each is rarely asked for.
    Rare,
    /// As `Rare`, from a query that no index serves.
    Scan,
}

#[derive(Clone)]
pub struct Admission {
    /// Hashes of the rare payloads that were asked for.
    asked: Moka<u64, ()>,
    missed: Moka<String, ApiError>,
    turns: Arc<Semaphore>,
}

impl Admission {
    pub fn new() -> Self {
        let asked = Moka::builder().max_capacity(ASKED).time_to_live(ASKED_FOR).build();
        let missed = Moka::builder().max_capacity(MISSED).time_to_live(MISSED_FOR).build();
        Self { asked, missed, turns: Arc::new(Semaphore::new(TURNS)) }
    }

    /// Returns whether Redis may take the payload of this request: a common one at once, others from their second
    /// request on, of whatever generation.
    pub async fn is_shared(&self, cost: Cost, route: &str, query: &str) -> bool {
        if cost == Cost::Common {
            return true;
        }
        let mut hasher = DefaultHasher::new();
        (route, query).hash(&mut hasher);
        let hash = hasher.finish();
        let again = self.asked.contains_key(&hash);
        if !again {
            self.asked.insert(hash, ()).await;
        }
        again
    }

    /// The error of a payload that does not exist.
    pub async fn known_miss(&self, key: &str) -> Option<ApiError> {
        self.missed.get(key).await
    }

    /// Remembers that a payload does not exist; no other error is remembered.
    pub async fn remember_miss(&self, key: String, error: &ApiError) {
        if let ApiError::NotFound(_) = error {
            self.missed.insert(key, error.clone()).await;
        }
    }

    /// Runs a query when it is its turn; at once unless no index serves it.
    ///
    /// # Errors
    /// `Unavailable` if other queries take too long.
    pub async fn in_turn<T>(&self, cost: Cost, query: impl Future<Output = ApiResult<T>>) -> ApiResult<T> {
        if cost != Cost::Scan {
            return query.await;
        }
        let turn = tokio::time::timeout(LONGEST_WAIT, Arc::clone(&self.turns).acquire_owned()).await;
        let turn = turn.ok().and_then(Result::ok).ok_or(ApiError::Unavailable)?;
        let begun = Instant::now();
        let turn = scopeguard::guard(turn, |turn| keep(turn, LONGEST_QUERY.saturating_sub(begun.elapsed())));
        let result = query.await;
        drop(ScopeGuard::into_inner(turn));
        result
    }
}

/// Keeps the turn of a query whose caller has hung up: the database does not know, and the query can continue for this time.
fn keep(turn: OwnedSemaphorePermit, time: Duration) {
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(async move {
            tokio::time::sleep(time).await;
            drop(turn);
        });
    }
}
