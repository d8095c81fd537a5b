//! Catalog reads: base payloads in Redis and rendered bodies in the process, both keyed by the catalog's generation.
//! Everything here may be lost at any time; without Redis the same requests read PostgreSQL.

mod breaker;
mod generation;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use moka::future::Cache as Moka;
use redis::aio::ConnectionManager;
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::keys::Keys;
use shared::settings::RedisSettings;
use sqlx::PgPool;

use crate::error::{ApiError, ApiResult};
use breaker::Breaker;
use generation::Generations;

/// How long a base payload or a rendered body may be served without a catalog change.
pub const LIFETIME: Duration = Duration::from_secs(300);

#[derive(Clone)]
pub struct Cache {
    redis: ConnectionManager,
    keys: Keys,
    breaker: Breaker,
    generations: Generations,
    bodies: Moka<BodyKey, Rendered>,
}

/// What a rendered body depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BodyKey {
    pub generation: i64,
    pub route: &'static str,
    pub query: String,
    pub country: Option<shared::region::Country>,
    pub gzip: bool,
}

/// An answer, ready to be written.
#[derive(Clone, Debug)]
pub struct Rendered {
    pub body: Bytes,
    pub etag: axum::http::HeaderValue,
    pub gzip: bool,
}

impl Cache {
    /// # Errors
    /// A URL that is not Redis's. A server that is away is no error.
    pub fn new(settings: &RedisSettings, db: PgPool, body_cache_mib: u64) -> Result<Self, redis::RedisError> {
        let redis = generation::connect(settings)?;
        let keys = Keys::new(&settings.redis_prefix);
        let breaker = Breaker::default();
        let bodies = Moka::builder()
            .max_capacity(body_cache_mib * 1024 * 1024)
            .weigher(|key: &BodyKey, value: &Rendered| {
                // What an entry takes beside its body: keys, headers, the cache's own records.
                u32::try_from(value.body.len() + key.query.len() + 512).unwrap_or(u32::MAX)
            })
            .time_to_live(LIFETIME)
            .build();
        let generations = Generations::new(redis.clone(), keys.generation(), breaker.clone(), db);
        Ok(Self { redis, keys, breaker, generations, bodies })
    }

    /// The number of the last catalog change that this process knows of.
    ///
    /// # Errors
    /// Neither Redis nor PostgreSQL can be asked.
    pub async fn generation(&self) -> ApiResult<i64> {
        self.generations.current().await
    }

    /// Whether Redis answered lately.
    pub fn is_up(&self) -> bool {
        self.breaker.is_closed()
    }

    /// A rendered body, made once however many ask for it at the same time.
    pub async fn body(
        &self,
        key: BodyKey,
        render: impl Future<Output = ApiResult<Vec<u8>>>,
    ) -> ApiResult<Rendered> {
        if let Some(rendered) = self.bodies.get(&key).await {
            return Ok(rendered);
        }
        let gzip = key.gzip;
        let made = async { Rendered::new(render.await?, gzip) };
        self.bodies.try_get_with(key, made).await.map_err(|error: Arc<ApiError>| ApiError::clone(&error))
    }

    /// A base payload: from Redis, else loaded and left there.
    pub async fn base<T: Serialize + DeserializeOwned>(
        &self,
        generation: i64,
        route: &str,
        query: &str,
        load: impl Future<Output = ApiResult<T>>,
    ) -> ApiResult<T> {
        let key = self.keys.base(generation, route, query);
        if let Some(bytes) = self.get(&key).await {
            match serde_json::from_slice(&bytes) {
                Ok(base) => return Ok(base),
                // Written by another version of this program: read anew, and replaced.
                Err(error) => tracing::debug!(%error, "a cached payload has another shape"),
            }
        }
        let base = load.await?;
        self.set(&key, &base).await;
        Ok(base)
    }

    async fn get(&self, key: &str) -> Option<Vec<u8>> {
        let mut redis = self.redis.clone();
        let command = redis::cmd("GET").arg(key).to_owned();
        self.breaker
            .call(async move { command.query_async::<Option<Vec<u8>>>(&mut redis).await })
            .await
            .flatten()
    }

    async fn set(&self, key: &str, base: &impl Serialize) {
        let Ok(bytes) = serde_json::to_vec(base) else { return };
        let mut redis = self.redis.clone();
        let command = redis::cmd("SET").arg(key).arg(bytes).arg("EX").arg(LIFETIME.as_secs()).to_owned();
        self.breaker.call(async move { command.query_async::<()>(&mut redis).await }).await;
    }
}

impl Rendered {
    fn new(body: Vec<u8>, gzip: bool) -> ApiResult<Self> {
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        // A strong validator names the bytes on the wire, so each encoding has its own.
        let etag = format!("\"{:016x}{}\"", hasher.finish(), if gzip { "-gzip" } else { "" });
        let etag = etag.parse().map_err(|_| ApiError::Internal)?;
        let body = if gzip { compress(&body)? } else { body };
        Ok(Self { body: body.into(), etag, gzip })
    }
}

fn compress(body: &[u8]) -> ApiResult<Vec<u8>> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(body).and_then(|()| encoder.finish()).map_err(|error| {
        tracing::error!(%error, "cannot compress");
        ApiError::Internal
    })
}
