//! Caches rendered bodies in the process, with regional prices, entity tag and compression. A hit costs one look-up.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::http::HeaderValue;
use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use moka::Expiry;
use moka::future::Cache as Moka;
use shared::region::Country;

use super::{Encoding, FRESH, STALE};
use crate::error::{ApiError, ApiResult};
use crate::metrics::{self, Cached};
use crate::request_log;

/// Larger bodies are compressed on a blocking thread, not on the threads that answer requests.
const LARGEST_COMPRESSED_HERE: usize = 256 * 1024;

/// Takes about as long as gzip at its default level. Greater ones take several times as long, which a cold read would wait
/// for.
const BROTLI_QUALITY: i32 = 5;

/// Everything that a rendered body depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BodyKey {
    pub generation: i64,
    pub route: &'static str,
    pub query: String,
    pub country: Option<Country>,
    pub encoding: Encoding,
}

/// An answer that is ready to be sent.
#[derive(Clone, Debug)]
pub struct Rendered {
    pub body: Bytes,
    pub etag: HeaderValue,
    pub encoding: Encoding,
    /// When the body is another by the clock. None if no such time is known.
    pub until: Option<Instant>,
}

/// A body that is not compressed yet.
pub struct PlainBody {
    pub bytes: Bytes,
    /// The time until it is another by the clock. None if no such time is known.
    pub holds_for: Option<Duration>,
}

/// Lets an entry expire when its body is another by the clock, so that no request gets it from then on.
struct WhileItHolds;

impl Expiry<BodyKey, Entry> for WhileItHolds {
    fn expire_after_create(&self, _: &BodyKey, entry: &Entry, _: Instant) -> Option<Duration> {
        Some(entry.rendered.holds_for(FRESH + STALE))
    }

    fn expire_after_update(
        &self,
        _: &BodyKey,
        entry: &Entry,
        _: Instant,
        _: Option<Duration>,
    ) -> Option<Duration> {
        Some(entry.rendered.holds_for(FRESH + STALE))
    }
}

#[derive(Clone)]
struct Entry {
    rendered: Rendered,
    made: Instant,
    /// Indicates whether a request is renewing the entry. If that request is cancelled, the entry is served until it
    /// expires.
    renewing: Arc<AtomicBool>,
}

/// The memory that rendered answers may take.
const MOST_BYTES: u64 = 48 * 1024 * 1024;

#[derive(Clone)]
pub struct Bodies {
    held: Moka<BodyKey, Entry>,
}

impl Bodies {
    pub(super) fn new() -> Self {
        let held = Moka::builder()
            .max_capacity(MOST_BYTES)
            .weigher(|key: &BodyKey, entry: &Entry| {
                // 512 bytes stand for everything else that an entry takes: key, headers, the cache's own records.
                u32::try_from(entry.rendered.body.len() + key.query.len() + 512).unwrap_or(u32::MAX)
            })
            .expire_after(WhileItHolds)
            .build();
        Self { held }
    }

    /// A rendered body; concurrent requests share one rendering. The renderer's future is boxed, and only when it is
    /// needed: nearly all requests are hits, and their future stays small and cheap to move.
    pub async fn get<'a>(
        &'a self,
        key: BodyKey,
        render: impl FnOnce() -> BoxFuture<'a, ApiResult<PlainBody>>,
    ) -> ApiResult<Rendered> {
        match self.held.get(&key).await {
            Some(entry) if entry.made.elapsed() < FRESH || entry.renewing.swap(true, Ordering::Relaxed) => {
                metrics::cached(Cached::Bodies, true);
                Ok(entry.rendered)
            }
            kept => {
                metrics::cached(Cached::Bodies, false);
                match kept {
                    Some(entry) => self.renew(key, entry, render()).boxed().await,
                    None => self.make(key, render()).boxed().await,
                }
            }
        }
    }

    async fn make(&self, key: BodyKey, render: BoxFuture<'_, ApiResult<PlainBody>>) -> ApiResult<Rendered> {
        let encoding = key.encoding;
        let made = async { Ok(Entry::new(Rendered::of(render.await?, encoding).await?)) };
        let made = self.held.try_get_with(key, made).await;
        made.map(|entry| entry.rendered).map_err(|error: Arc<ApiError>| ApiError::clone(&error))
    }

    async fn renew(
        &self,
        key: BodyKey,
        last: Entry,
        render: BoxFuture<'_, ApiResult<PlainBody>>,
    ) -> ApiResult<Rendered> {
        let rendered = async { Rendered::of(render.await?, key.encoding).await };
        match rendered.await {
            Ok(rendered) => {
                self.held.insert(key, Entry::new(rendered.clone())).await;
                Ok(rendered)
            }
            Err(error) => {
                request_log::failed(format_args!("rendering failed, the previous answer is served: {error}"));
                last.renewing.store(false, Ordering::Relaxed);
                Ok(last.rendered)
            }
        }
    }
}

impl Entry {
    fn new(rendered: Rendered) -> Self {
        Self { rendered, made: Instant::now(), renewing: Arc::default() }
    }
}

impl Rendered {
    /// The rest of the time until the body is another by the clock, at most `most`.
    pub fn holds_for(&self, most: Duration) -> Duration {
        self.until.map_or(most, |until| until.saturating_duration_since(Instant::now()).min(most))
    }

    async fn of(body: PlainBody, encoding: Encoding) -> ApiResult<Self> {
        let until = body.holds_for.and_then(|rest| Instant::now().checked_add(rest));
        Ok(Self { until, ..Self::new(body.bytes, encoding).await? })
    }

    /// Compresses a body, and computes its entity tag.
    pub async fn new(body: Bytes, encoding: Encoding) -> ApiResult<Self> {
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        // A strong validator identifies the bytes on the wire, so each encoding needs its own.
        let suffix = encoding.name().map(|name| format!("-{name}")).unwrap_or_default();
        let etag = format!("\"{:016x}{suffix}\"", hasher.finish());
        let etag = etag.parse().map_err(|_| ApiError::Internal)?;
        let body = match encoding {
            Encoding::Identity => body,
            _ if body.len() <= LARGEST_COMPRESSED_HERE => compress(&body, encoding)?.into(),
            _ => {
                let compressed = tokio::task::spawn_blocking(move || compress(&body, encoding)).await;
                compressed.map_err(|_| ApiError::Internal)??.into()
            }
        };
        Ok(Self { body, etag, encoding, until: None })
    }
}

fn compress(body: &[u8], encoding: Encoding) -> ApiResult<Vec<u8>> {
    let compressed = match encoding {
        Encoding::Identity => Ok(body.to_vec()),
        Encoding::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(body).and_then(|()| encoder.finish())
        }
        Encoding::Brotli => {
            let parameters =
                BrotliEncoderParams { quality: BROTLI_QUALITY, ..BrotliEncoderParams::default() };
            let mut compressed = Vec::new();
            brotli::BrotliCompress(&mut &*body, &mut compressed, &parameters).map(|_| compressed)
        }
    };
    compressed.map_err(|error| {
        request_log::failed(format_args!("compression failed: {error}"));
        ApiError::Internal
    })
}
