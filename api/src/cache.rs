//! Catalog reads: base payloads in Redis and rendered bodies in the process, both keyed by the catalog's generation.
//! Everything here may be lost at any time; without Redis the same requests read PostgreSQL.

mod bodies;
mod generation;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use clap::Args;
use moka::future::Cache as Moka;
use redis::aio::ConnectionManager;
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::clock::Clock;
use shared::keys::Keys;
use shared::settings::{RedisSettings, parse_duration};
use sqlx::PgPool;

use crate::error::{ApiError, ApiResult};
pub use bodies::{Bodies, BodyKey, Rendered};
use generation::Generations;
use shared::breaker::{Breaker, Tolerance};

/// What is no longer fresh is served this much longer, while one request makes the next.
const STALE: Duration = Duration::from_secs(300);

/// How long a payload that was just fetched serves the bodies that are made of it.
const FLIGHT: Duration = Duration::from_secs(1);

/// Larger payloads are not left in Redis: each would hold up everybody else's on the one connection.
const LARGEST_SHARED: usize = 1024 * 1024;

/// While one replica loads a payload, the others wait this long for it before they load it themselves.
const LOCK: Duration = Duration::from_millis(500);

/// Reading without Redis costs a few milliseconds: waiting for it must not cost more.
const TOLERANCE: Tolerance =
    Tolerance { timeout: Duration::from_millis(50), failures: 1, pause: Duration::from_secs(1) };

#[derive(Clone, Debug, Args)]
pub struct CacheSettings {
    /// How long an answer is served before it is made anew; a catalog change is seen at once all the same
    #[arg(long, env, value_parser = parse_duration, default_value = "300s")]
    pub cache_for: Duration,
    /// Memory for rendered answers, in MiB
    #[arg(long, env, default_value_t = 48)]
    pub body_cache_mib: u64,
}

#[derive(Clone)]
pub struct Cache {
    redis: ConnectionManager,
    keys: Keys,
    breaker: Breaker,
    generations: Generations,
    pub bodies: Bodies,
    /// Payloads on their way: one flight for each key.
    flights: Moka<String, Bytes>,
    /// How long a payload or a body is served without asking for a newer one.
    fresh: Duration,
    clock: Clock,
}

impl Cache {
    /// # Errors
    /// A URL that is not Redis's. A server that is away is no error.
    pub fn new(
        settings: &RedisSettings,
        db: PgPool,
        config: &CacheSettings,
        clock: Clock,
    ) -> Result<Self, redis::RedisError> {
        let redis = generation::connect(settings)?;
        let keys = Keys::new(&settings.redis_prefix);
        let breaker = Breaker::new("redis", TOLERANCE);
        let bodies = Bodies::new(config);
        let flights = Moka::builder()
            .max_capacity(8 * 1024 * 1024)
            .weigher(|key: &String, payload: &Bytes| {
                u32::try_from(key.len() + payload.len()).unwrap_or(u32::MAX)
            })
            .time_to_live(FLIGHT)
            .build();
        let generations = Generations::new(redis.clone(), keys.generation(), breaker.clone(), db);
        Ok(Self { redis, keys, breaker, generations, bodies, flights, fresh: config.cache_for, clock })
    }

    /// The number of the last catalog change that this process knows of.
    ///
    /// # Errors
    /// Neither Redis nor PostgreSQL can be asked.
    pub async fn generation(&self) -> ApiResult<i64> {
        self.generations.current().await
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Whether Redis answered lately.
    pub fn is_up(&self) -> bool {
        self.breaker.is_closed()
    }

    /// A base payload: from Redis, else loaded and left there for all replicas.
    pub async fn base<T: Serialize + DeserializeOwned>(
        &self,
        generation: i64,
        route: &str,
        query: &str,
        load: impl Future<Output = ApiResult<T>>,
    ) -> ApiResult<T> {
        let key = self.keys.base(generation, route, query);
        let fetched = self.flights.try_get_with_by_ref(&key, self.fetch(&key, load)).await;
        let payload = fetched.map_err(|error: Arc<ApiError>| ApiError::clone(&error))?;
        serde_json::from_slice(payload_of(&payload)).map_err(|error| {
            tracing::error!(%error, key, "a cached payload cannot be read");
            ApiError::Internal
        })
    }

    async fn fetch<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
        load: impl Future<Output = ApiResult<T>>,
    ) -> ApiResult<Bytes> {
        // What another version of this program has left there may have another shape.
        let readable = |kept: &Bytes| serde_json::from_slice::<T>(payload_of(kept)).is_ok();
        let kept = self.get(key).await.filter(readable);
        if let Some(kept) = &kept
            && self.is_fresh(kept)
        {
            return Ok(kept.clone());
        }
        let locked = self.lock(key).await;
        if !locked {
            // Another replica is at it: the last payload will do, or a short wait for its.
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

    /// Values of many keys that are loaded together: `lifetime` is each one's in Redis.
    pub async fn each<T: Serialize + DeserializeOwned + Clone>(
        &self,
        generation: i64,
        route: &str,
        ids: &[String],
        lifetime: Duration,
        load: impl AsyncFnOnce(&[String]) -> ApiResult<HashMap<String, T>>,
    ) -> ApiResult<HashMap<String, T>> {
        let keys: Vec<String> = ids.iter().map(|id| self.keys.base(generation, route, id)).collect();
        let kept = self.get_many(&keys).await;
        let mut known: HashMap<String, T> = ids
            .iter()
            .zip(kept)
            .filter_map(|(id, kept)| Some((id.clone(), serde_json::from_slice(&kept?).ok()?)))
            .collect();
        let missing: Vec<String> = ids.iter().filter(|id| !known.contains_key(*id)).cloned().collect();
        if missing.is_empty() {
            return Ok(known);
        }
        let loaded = load(&missing).await?;
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

    /// A learner's identity that a replica has resolved lately, by the hash of its credential.
    pub async fn identity<T: DeserializeOwned>(&self, credential: &[u8; 32]) -> Option<T> {
        let kept = self.get(&self.keys.identity(credential)).await?;
        serde_json::from_slice(&kept).ok()
    }

    pub async fn keep_identity(&self, credential: &[u8; 32], identity: &impl Serialize, lifetime: Duration) {
        let Ok(identity) = serde_json::to_vec(identity) else { return };
        self.put(&self.keys.identity(credential), &identity, lifetime).await;
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
        self.put(key, payload, self.fresh + STALE).await;
    }

    async fn put(&self, key: &str, value: &[u8], lifetime: Duration) {
        let mut redis = self.redis.clone();
        let mut command = redis::cmd("SET");
        command.arg(key).arg(value).arg("EX").arg(lifetime.as_secs());
        self.breaker.call(async move { command.query_async::<()>(&mut redis).await }).await;
    }

    /// Whether this replica is the one to load a payload; without Redis each is.
    async fn lock(&self, key: &str) -> bool {
        let mut redis = self.redis.clone();
        let mut command = redis::cmd("SET");
        command.arg(lock_of(key)).arg(1).arg("NX").arg("PX").arg(LOCK.as_millis().to_string());
        let taken =
            self.breaker.call(async move { command.query_async::<Option<String>>(&mut redis).await }).await;
        taken.is_none_or(|answer| answer.is_some())
    }

    /// Nothing came of the load: nobody need wait for it.
    async fn unlock(&self, key: &str) {
        let mut redis = self.redis.clone();
        let command = redis::cmd("DEL").arg(lock_of(key)).to_owned();
        self.breaker.call(async move { command.query_async::<()>(&mut redis).await }).await;
    }

    /// The payload that another replica loads; None once it has given up or takes too long.
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

    /// A payload behind the second in which it was made, as ten digits.
    fn stamped(&self, base: &impl Serialize) -> ApiResult<Bytes> {
        let mut payload = format!("{:010}", self.clock.now().timestamp()).into_bytes();
        serde_json::to_writer(&mut payload, base).map_err(|_| ApiError::Internal)?;
        Ok(payload.into())
    }

    fn is_fresh(&self, payload: &[u8]) -> bool {
        let made =
            payload.get(..STAMP).and_then(|stamp| std::str::from_utf8(stamp).ok()?.parse::<i64>().ok());
        let age = made.map(|made| self.clock.now().timestamp() - made);
        age.is_some_and(|age| age < i64::try_from(self.fresh.as_secs()).unwrap_or(i64::MAX))
    }
}

const STAMP: usize = 10;

fn lock_of(key: &str) -> String {
    format!("{key}:lock")
}

fn payload_of(stamped: &[u8]) -> &[u8] {
    stamped.get(STAMP..).unwrap_or_default()
}
