//! The catalog generation, read through Redis client-side caching: a cached read costs no round trip, and Redis
//! pushes each change to every replica. The client library calls this feature experimental, so only this type uses
//! it.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::caching::{CacheConfig, CacheMode};
use redis::{CommandCacheConfig, ProtocolVersion, PushInfo, PushKind};
use shared::db::Db;
use shared::settings::RedisSettings;
use shared::tls::{TlsSettings, UrlError};

use crate::error::ApiResult;
use crate::metrics;
use shared::breaker::Breaker;

/// After this time the value is read again, because a connection that hangs unnoticed pushes no changes.
const BELIEVED: Duration = Duration::from_secs(5);

/// Interval at which the database is read while Redis is unreachable.
const ASKED_EVERY: Duration = Duration::from_secs(1);

/// Time that one reading serves all requests: far less than a change takes to arrive, and enough that a busy replica hardly
/// ever waits for a reading.
const SHARED_FOR: Duration = Duration::from_millis(5);

const SETTING: &str = "REDIS_URL";

#[derive(Clone)]
pub struct Generations {
    redis: ConnectionManager,
    key: String,
    breaker: Breaker,
    db: Db,
    /// The value that was last read from the database while Redis was unreachable, and when.
    fallback: Arc<Mutex<Option<(i64, Instant)>>>,
    latest: Arc<Latest>,
}

/// The value that this replica has used last.
struct Latest {
    generation: AtomicI64,
    started: Instant,
    /// Time when it was read, in microseconds after `started`; 0 before the first reading.
    read_at: AtomicU64,
    setting: Mutex<()>,
}

impl Latest {
    fn new() -> Self {
        Self {
            generation: AtomicI64::new(0),
            started: Instant::now(),
            read_at: AtomicU64::new(0),
            setting: Mutex::default(),
        }
    }

    fn age(&self) -> Option<Duration> {
        let read_at = self.read_at.load(Ordering::Acquire);
        (read_at > 0).then(|| self.started.elapsed().saturating_sub(Duration::from_micros(read_at)))
    }

    fn generation(&self) -> i64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Takes a value that was asked for at this time, and returns the one to use: a newer one that another request has read
    /// meanwhile stays.
    fn set(&self, generation: i64, asked_at: u64) -> i64 {
        let _setting = self.setting.lock().unwrap_or_else(PoisonError::into_inner);
        if generation < self.generation() && self.read_at.load(Ordering::Relaxed) >= asked_at {
            return self.generation();
        }
        self.generation.store(generation, Ordering::Relaxed);
        self.read_at.store(self.now(), Ordering::Release);
        generation
    }

    /// In microseconds after `started`, and never 0.
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX).max(1)
    }
}

/// A connection that reconnects by itself, and uses RESP3 to receive invalidations.
///
/// # Errors
/// The URL is not a Redis URL, or names another machine without TLS. An unreachable server is not an error.
pub fn connect(settings: &RedisSettings, tls: &TlsSettings) -> Result<ConnectionManager, UrlError> {
    let client = shared::redis::client(SETTING, &settings.redis_url, ProtocolVersion::RESP3, tls)?;
    let cache = CacheConfig::new()
        .set_mode(CacheMode::OptIn)
        .set_size(NonZeroUsize::MIN)
        .set_default_client_ttl(BELIEVED);
    let config = ConnectionManagerConfig::new()
        .set_cache_config(cache)
        .set_max_delay(Duration::from_secs(1))
        .set_push_sender(count_disconnection);
    let manager = ConnectionManager::new_lazy_with_config(client, config);
    let manager = manager.map_err(|error| UrlError::unusable(SETTING, error))?;
    // Only the calls that wait for it drive the first connection, and a request waits less than a TLS handshake may take.
    // The library drives later connections itself.
    tokio::spawn(shared::redis::report_cluster(manager.clone()));
    Ok(manager)
}

/// The library reports a lost connection as a push of its own, and then reconnects by itself.
fn count_disconnection(push: PushInfo) -> Result<(), Infallible> {
    if push.kind == PushKind::Disconnection {
        metrics::redis_disconnection();
    }
    Ok(())
}

impl Generations {
    pub fn new(redis: ConnectionManager, key: String, breaker: Breaker, db: Db) -> Self {
        Self { redis, key, breaker, db, fallback: Arc::default(), latest: Arc::new(Latest::new()) }
    }

    pub async fn current(&self) -> ApiResult<i64> {
        match self.latest.age() {
            Some(age) if age < SHARED_FOR => Ok(self.latest.generation()),
            _ => self.read().boxed().await,
        }
    }

    async fn read(&self) -> ApiResult<i64> {
        let asked_at = self.latest.now();
        let mut command = redis::cmd("GET");
        command.arg(&self.key).set_cache_config(CommandCacheConfig::new().set_enable_cache(true));
        let mut redis = self.redis.clone();
        let known =
            self.breaker.call(async move { command.query_async::<Option<i64>>(&mut redis).await }).await;
        match known {
            Some(Some(generation)) if generation >= self.latest.generation() => {
                Ok(self.latest.set(generation, asked_at))
            }
            // Redis has lost the key or never had it, or it has lost the newest value, as a replica has that becomes the
            // master.
            Some(_) => self.restore().await,
            None => self.stored().await,
        }
    }

    async fn stored(&self) -> ApiResult<i64> {
        if let Some((generation, at)) = *self.fallback.lock().unwrap_or_else(PoisonError::into_inner)
            && at.elapsed() < ASKED_EVERY
            && generation >= self.latest.generation()
        {
            return Ok(generation);
        }
        let asked_at = self.latest.now();
        let generation = self.latest.set(crate::queries::generation(&self.db).await?, asked_at);
        *self.fallback.lock().unwrap_or_else(PoisonError::into_inner) = Some((generation, Instant::now()));
        Ok(generation)
    }

    async fn restore(&self) -> ApiResult<i64> {
        let generation = self.stored().await?;
        let script = redis::Script::new(shared::keys::RAISE_GENERATION);
        let mut invocation = script.prepare_invoke();
        invocation.key(&self.key).arg(generation);
        let mut redis = self.redis.clone();
        self.breaker.call(async move { invocation.invoke_async::<i64>(&mut redis).await }).await;
        Ok(generation)
    }
}
