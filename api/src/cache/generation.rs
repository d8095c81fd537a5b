//! The catalog generation, read through Redis client-side caching: a cached read costs no round trip, and Redis
//! pushes each change to every replica. The client library calls this feature experimental, so only this type uses
//! it.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::caching::{CacheConfig, CacheMode};
use redis::{CommandCacheConfig, ProtocolVersion, PushInfo, PushKind};
use shared::settings::RedisSettings;
use shared::tls::{TlsSettings, UrlError};
use sqlx::PgPool;

use crate::error::ApiResult;
use crate::metrics;
use shared::breaker::Breaker;

/// After this time the value is read again, because a connection that hangs unnoticed pushes no changes.
const BELIEVED: Duration = Duration::from_secs(5);

/// How often the database is read while Redis is unreachable.
const ASKED_EVERY: Duration = Duration::from_secs(1);

const SETTING: &str = "REDIS_URL";

#[derive(Clone)]
pub struct Generations {
    redis: ConnectionManager,
    key: String,
    breaker: Breaker,
    db: PgPool,
    /// The value that was last read from the database while Redis was unreachable, and when.
    fallback: Arc<Mutex<Option<(i64, Instant)>>>,
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
            // Redis has lost the key, or never had it.
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
