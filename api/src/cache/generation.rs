//! The catalog's generation, through Redis client-side caching: a warm read costs no round trip, and a change is pushed
//! to every replica. The client calls that feature experimental, so it stays behind this one type.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::caching::{CacheConfig, CacheMode};
use redis::{CommandCacheConfig, IntoConnectionInfo, ProtocolVersion};
use secrecy::ExposeSecret;
use shared::settings::RedisSettings;
use sqlx::PgPool;

use crate::error::ApiResult;
use shared::breaker::Breaker;

/// A connection that hangs unseen cannot push: after this the value is asked for again.
const BELIEVED: Duration = Duration::from_secs(5);

/// While Redis is away, the database is asked this often.
const ASKED_EVERY: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Generations {
    redis: ConnectionManager,
    key: String,
    breaker: Breaker,
    db: PgPool,
    /// What the database said while Redis could not, and when.
    fallback: Arc<Mutex<Option<(i64, Instant)>>>,
}

/// A connection that reconnects by itself, and speaks RESP3 for the invalidations.
pub fn connect(settings: &RedisSettings) -> Result<ConnectionManager, redis::RedisError> {
    let info = settings.redis_url.expose_secret().into_connection_info()?;
    let resp3 = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
    let client = redis::Client::open(info.set_redis_settings(resp3))?;
    let cache = CacheConfig::new()
        .set_mode(CacheMode::OptIn)
        .set_size(NonZeroUsize::MIN)
        .set_default_client_ttl(BELIEVED);
    let config = ConnectionManagerConfig::new().set_cache_config(cache).set_max_delay(Duration::from_secs(1));
    ConnectionManager::new_lazy_with_config(client, config)
}

impl Generations {
    pub fn new(redis: ConnectionManager, key: String, breaker: Breaker, db: PgPool) -> Self {
        Self { redis, key, breaker, db, fallback: Arc::default() }
    }

    pub async fn current(&self) -> ApiResult<i64> {
        let mut command = redis::cmd("GET");
        command.arg(&self.key).set_cache_config(CommandCacheConfig::new().set_enable_cache(true));
        let mut redis = self.redis.clone();
        let known =
            self.breaker.call(async move { command.query_async::<Option<i64>>(&mut redis).await }).await;
        match known {
            Some(Some(generation)) => Ok(generation),
            // Redis has lost it, or never had it.
            Some(None) => self.restore().boxed().await,
            None => self.stored().boxed().await,
        }
    }

    async fn stored(&self) -> ApiResult<i64> {
        if let Some((generation, at)) = *self.fallback.lock().unwrap_or_else(PoisonError::into_inner)
            && at.elapsed() < ASKED_EVERY
        {
            return Ok(generation);
        }
        let generation = crate::queries::generation(&self.db).await?;
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
