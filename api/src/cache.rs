//! Caches of catalog reads: base payloads in Redis and rendered bodies in the process, both keyed by the catalog
//! generation. Losing any of them does no harm; without Redis the same requests read PostgreSQL.

mod admission;
mod bodies;
mod encoding;
mod generation;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use moka::future::Cache as Moka;
use redis::aio::ConnectionManager;
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::clock::Clock;
use shared::db::Db;
use shared::keys::Keys;
use shared::settings::RedisSettings;

use crate::error::{ApiError, ApiResult};
use crate::metrics::{self, Cached};
use crate::queries;
use crate::request_log;
use admission::Admission;
pub use admission::Cost;
pub use bodies::{Bodies, BodyKey, PlainBody, Rendered};
pub use encoding::Encoding;
use generation::Generations;
pub use generation::connect;
use shared::breaker::{Breaker, Tolerance};

/// Time that a cached value may be served after it is no longer fresh, while one request renews it.
const STALE: Duration = Duration::from_secs(300);

/// Time that the process keeps a payload after fetching it, for all bodies that are rendered from it.
const FLIGHT: Duration = Duration::from_secs(1);

/// Larger payloads are not stored in Redis: each would delay all other requests on the one connection, and a few
/// thousand of them would take its memory.
const LARGEST_SHARED: usize = 128 * 1024;

/// Time that the other replicas wait for a payload that one replica loads, before they load it themselves.
const LOCK: Duration = Duration::from_millis(500);

/// Reading PostgreSQL takes a few milliseconds, so waiting for Redis must not take much longer.
const TOLERANCE: Tolerance =
    Tolerance { timeout: Duration::from_millis(50), failures: 1, pause: Duration::from_secs(1) };

/// Time that a cached catalog answer is fresh. A catalog change replaces it at once all the same.
const FRESH: Duration = Duration::from_secs(300);

/// A connection to a replica takes longer than a call to Redis. While it is unavailable, the primary serves every read.
const REPLICA_TOLERANCE: Tolerance =
    Tolerance { timeout: Duration::from_millis(500), failures: 1, pause: Duration::from_secs(5) };

/// A read of a few rows by an index that takes the replica longer is read from the primary instead.
const REPLICA_READ: Duration = Duration::from_secs(1);

/// Database from which the catalog is read.
#[derive(Clone)]
pub struct CatalogDatabase {
    primary: Db,
    replica: Option<Replica>,
}

/// A database that follows the primary.
#[derive(Clone)]
struct Replica {
    db: Db,
    breaker: Breaker,
}

impl CatalogDatabase {
    pub fn new(primary: Db, replica: Option<Db>) -> Self {
        let breaker = || Breaker::new("catalog_replica", "CATALOG_DATABASE_URL", REPLICA_TOLERANCE);
        Self { primary, replica: replica.map(|db| Replica { db, breaker: breaker() }) }
    }

    /// Reads a payload of this generation of the catalog: from the replica, unless it lags behind, is unavailable or does not
    /// answer this read. Its older rows would be cached as those of the generation.
    async fn read<T>(
        &self,
        generation: i64,
        cost: Cost,
        load: impl AsyncFnOnce(&Db) -> ApiResult<T> + Clone,
    ) -> ApiResult<T> {
        if let Some(replica) = &self.replica
            && let Some(read) = replica.read(generation, cost, load.clone()).await
        {
            return read;
        }
        load(&self.primary).await
    }
}

impl Replica {
    /// None if the primary must be read. A replica can answer one statement and hold up another, behind a lock that it has
    /// replayed, so that each read counts for the breaker.
    async fn read<T>(
        &self,
        generation: i64,
        cost: Cost,
        load: impl AsyncFnOnce(&Db) -> ApiResult<T>,
    ) -> Option<ApiResult<T>> {
        let replicated = self.breaker.call(queries::generation(&self.db)).await?;
        if replicated < generation {
            return None;
        }
        let read = async {
            match load(&self.db).await {
                Err(error @ ApiError::Unavailable) => Err(error),
                answer => Ok(answer),
            }
        };
        let time = if cost == Cost::Scan { admission::LONGEST_QUERY } else { REPLICA_READ };
        self.breaker.call_within(time, read).await
    }
}

/// All caches of the api.
#[derive(Clone)]
pub struct Cache {
    redis: ConnectionManager,
    keys: Keys,
    breaker: Breaker,
    generations: Generations,
    catalog: CatalogDatabase,
    pub bodies: Bodies,
    admission: Admission,
    /// Payloads being fetched: concurrent requests for one key share one fetch.
    flights: Moka<String, Bytes>,
    /// Time that a payload is served without being renewed.
    clock: Clock,
}

impl Cache {
    pub fn new(
        redis: ConnectionManager,
        settings: &RedisSettings,
        catalog: CatalogDatabase,
        clock: Clock,
    ) -> Self {
        let keys = Keys::new(&settings.redis_prefix);
        let breaker = Breaker::new("redis", "redis", TOLERANCE);
        let bodies = Bodies::new();
        let flights = Moka::builder()
            .max_capacity(8 * 1024 * 1024)
            .weigher(|key: &String, payload: &Bytes| {
                u32::try_from(key.len() + payload.len()).unwrap_or(u32::MAX)
            })
            .time_to_live(FLIGHT)
            .build();
        let generations =
            Generations::new(redis.clone(), keys.generation(), breaker.clone(), catalog.primary.clone());
        let admission = Admission::new();
        Self { redis, keys, breaker, generations, catalog, bodies, admission, flights, clock }
    }

    /// The catalog generation: the number of the last catalog change that this process knows of.
    ///
    /// # Errors
    /// Neither Redis nor PostgreSQL answers.
    pub async fn generation(&self) -> ApiResult<i64> {
        self.generations.current().await
    }

    /// The replica for catalog reads, if one is configured.
    pub fn catalog_replica(&self) -> Option<&Db> {
        self.catalog.replica.as_ref().map(|replica| &replica.db)
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Returns whether Redis answered the latest calls.
    pub fn is_up(&self) -> bool {
        self.breaker.is_closed()
    }

    /// A base payload from Redis, else from `load`, which gets the database to read, and a second one if the first does not answer;
    /// the loaded payload is stored in Redis for all replicas, a rare one from its second request on.
    pub async fn base<T: Serialize + DeserializeOwned>(
        &self,
        generation: i64,
        route: &str,
        query: &str,
        cost: Cost,
        load: impl AsyncFnOnce(&Db) -> ApiResult<T> + Clone,
    ) -> ApiResult<T> {
        let key = self.keys.base(generation, route, query);
        if let Some(miss) = self.admission.known_miss(&key).await {
            return Err(miss);
        }
        let load = self.admission.in_turn(cost, self.catalog.read(generation, cost, load));
        let fetch = async {
            let is_shared = self.admission.is_shared(cost, route, query).await;
            self.fetch(&key, is_shared, load).await
        };
        let payload = match self.flights.try_get_with_by_ref(&key, fetch).await {
            Ok(payload) => payload,
            Err(error) => {
                self.admission.remember_miss(key, &error).await;
                return Err(ApiError::clone(&error));
            }
        };
        serde_json::from_slice(payload_of(&payload)).map_err(|error| {
            request_log::failed(format_args!("unreadable cached payload {key}: {error}"));
            ApiError::Internal
        })
    }

    async fn fetch<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
        is_shared: bool,
        load: impl Future<Output = ApiResult<T>>,
    ) -> ApiResult<Bytes> {
        // Another version of this program may have stored a payload of another shape.
        let readable = |kept: &Bytes| serde_json::from_slice::<T>(payload_of(kept)).is_ok();
        let kept = self.get(key).await.filter(readable);
        let fresh = kept.as_ref().filter(|kept| self.is_fresh(kept));
        metrics::cached(Cached::Payloads, fresh.is_some());
        if let Some(fresh) = fresh {
            return Ok(fresh.clone());
        }
        if !is_shared && kept.is_none() {
            return self.stamped(&load.await?);
        }
        let locked = self.lock(key).await;
        if !locked {
            // Another replica loads the payload: serve the stale one, or wait shortly for the new one.
            match kept {
                Some(stale) => return Ok(stale),
                None => {
                    if let Some(payload) = self.wait_for(key).await.filter(readable) {
                        return Ok(payload);
                    }
                }
            }
        }
        match load.await {
            Ok(base) => {
                let payload = self.stamped(&base)?;
                self.set(key, &payload).await;
                Ok(payload)
            }
            Err(error) => {
                if locked {
                    self.unlock(key).await;
                }
                kept.ok_or(error)
            }
        }
    }

    /// The values of many ids, from Redis where possible. `load` gets the missing ids; each loaded value stays in
    /// Redis for `lifetime`.
    pub async fn each<T: Serialize + DeserializeOwned + Clone>(
        &self,
        generation: i64,
        route: &str,
        ids: &[String],
        lifetime: Duration,
        load: impl AsyncFnOnce(&Db, &[String]) -> ApiResult<HashMap<String, T>> + Clone,
    ) -> ApiResult<HashMap<String, T>> {
        let keys: Vec<String> = ids.iter().map(|id| self.keys.base(generation, route, id)).collect();
        let kept = self.get_many(&keys).await;
        let mut known: HashMap<String, T> = ids
            .iter()
            .zip(kept)
            .filter_map(|(id, kept)| Some((id.clone(), serde_json::from_slice(&kept?).ok()?)))
            .collect();
        let missing: Vec<String> = ids.iter().filter(|id| !known.contains_key(*id)).cloned().collect();
        metrics::items_cached(known.len(), missing.len());
        if missing.is_empty() {
            return Ok(known);
        }
        let load = async |db: &Db| load.clone()(db, &missing).await;
        let loaded = self.catalog.read(generation, Cost::Common, load).await?;
        let mut pipeline = redis::pipe();
        for (id, value) in &loaded {
            let value = serde_json::to_vec(value).map_err(|_| ApiError::Internal)?;
            pipeline.set_ex(self.keys.base(generation, route, id), value, lifetime.as_secs()).ignore();
        }
        let mut redis = self.redis.clone();
        self.breaker.call(async move { pipeline.query_async::<()>(&mut redis).await }).await;
        known.extend(loaded);
        Ok(known)
    }

    /// The sealed identity that a replica has stored, by the SHA-256 of its credential.
    pub async fn identity(&self, credential: &[u8; 32]) -> Option<Bytes> {
        self.get(&self.keys.identity(credential)).await
    }

    /// Stores a sealed identity for all replicas.
    pub async fn keep_identity(&self, credential: &[u8; 32], sealed: &[u8], lifetime: Duration) {
        self.put(&self.keys.identity(credential), sealed, lifetime).await;
    }

    async fn get_many(&self, keys: &[String]) -> Vec<Option<Vec<u8>>> {
        if keys.is_empty() {
            return Vec::new();
        }
        let mut redis = self.redis.clone();
        let command = redis::cmd("MGET").arg(keys).to_owned();
        let values = self.breaker.call(async move { command.query_async(&mut redis).await }).await;
        values.unwrap_or_else(|| vec![None; keys.len()])
    }

    async fn get(&self, key: &str) -> Option<Bytes> {
        let mut redis = self.redis.clone();
        let command = redis::cmd("GET").arg(key).to_owned();
        let kept =
            self.breaker.call(async move { command.query_async::<Option<Vec<u8>>>(&mut redis).await }).await;
        kept.flatten().map(Bytes::from)
    }

    async fn set(&self, key: &str, payload: &[u8]) {
        if payload.len() > LARGEST_SHARED {
            return self.unlock(key).await;
        }
        self.put(key, payload, FRESH + STALE).await;
    }

    async fn put(&self, key: &str, value: &[u8], lifetime: Duration) {
        let mut redis = self.redis.clone();
        let mut command = redis::cmd("SET");
        command.arg(key).arg(value).arg("EX").arg(lifetime.as_secs());
        self.breaker.call(async move { command.query_async::<()>(&mut redis).await }).await;
    }

    /// Takes the lock on loading a payload, and tells whether this replica has it. Without Redis every replica loads.
    async fn lock(&self, key: &str) -> bool {
        let mut redis = self.redis.clone();
        let mut command = redis::cmd("SET");
        command.arg(lock_of(key)).arg(1).arg("NX").arg("PX").arg(LOCK.as_millis().to_string());
        let taken =
            self.breaker.call(async move { command.query_async::<Option<String>>(&mut redis).await }).await;
        taken.is_none_or(|answer| answer.is_some())
    }

    /// Releases the lock after a load that stored no payload, so that other replicas stop waiting.
    async fn unlock(&self, key: &str) {
        let mut redis = self.redis.clone();
        let command = redis::cmd("DEL").arg(lock_of(key)).to_owned();
        self.breaker.call(async move { command.query_async::<()>(&mut redis).await }).await;
    }

    /// Waits for the payload that another replica loads; None if that replica gives up or takes too long.
    async fn wait_for(&self, key: &str) -> Option<Bytes> {
        let start = Instant::now();
        let watched = [key.to_owned(), lock_of(key)];
        while start.elapsed() < LOCK {
            tokio::time::sleep(Duration::from_millis(10)).await;
            let mut seen = self.get_many(&watched).await;
            let (lock, payload) = (seen.pop().flatten(), seen.pop().flatten());
            if payload.is_some() || lock.is_none() {
                return payload.map(Bytes::from);
            }
        }
        None
    }

    /// The payload, preceded by its creation time in Unix seconds as ten digits.
    fn stamped(&self, base: &impl Serialize) -> ApiResult<Bytes> {
        let mut payload = format!("{:010}", self.clock.now().timestamp()).into_bytes();
        serde_json::to_writer(&mut payload, base).map_err(|_| ApiError::Internal)?;
        Ok(payload.into())
    }

    fn is_fresh(&self, payload: &[u8]) -> bool {
        let made =
            payload.get(..STAMP).and_then(|stamp| std::str::from_utf8(stamp).ok()?.parse::<i64>().ok());
        let age = made.map(|made| self.clock.now().timestamp() - made);
        age.is_some_and(|age| age < i64::try_from(FRESH.as_secs()).unwrap_or(i64::MAX))
    }
}

const STAMP: usize = 10;

fn lock_of(key: &str) -> String {
    format!("{key}:lock")
}

fn payload_of(stamped: &[u8]) -> &[u8] {
    stamped.get(STAMP..).unwrap_or_default()
}
