//! The connections, clients and settings that every job uses.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use redis::aio::ConnectionManager;
use redis::{Client, ProtocolVersion};
use shared::clock::Clock;
use shared::keys::Keys;
use shared::queue::Topology;
use shared::settings::{LinkSettings, RedisSettings};
use shared::tls::{TlsSettings, UrlError};
use sqlx::PgPool;
use tokio::sync::{Notify, Semaphore};
use tokio_util::task::TaskTracker;

use crate::config::RetentionSettings;
use crate::documents::Fonts;
use crate::gateways::Gateways;
use crate::mail::Mailer;
use crate::metrics::{self, RedisUse};
use crate::platform::Platform;
use crate::webhooks::Webhooks;

/// Context of every job. Clones share everything.
#[derive(Clone)]
pub struct Context {
    pub db: PgPool,
    pub platform: Platform,
    /// The time between two platform calls for lists, which take three quarters of the calls at most; zero without a limit.
    pub list_calls_apart: TimeDelta,
    pub gateways: Gateways,
    pub mailer: Mailer,
    /// Of invoices and credit notes.
    pub fonts: Fonts,
    pub webhooks: Webhooks,
    pub links: LinkSettings,
    /// Knows how long a failed message waits for its next delivery.
    pub topology: Topology,
    /// Time that a cart waits for its payment before it expires.
    pub cart_lifetime: TimeDelta,
    /// Time that an unpaid order holds the use of its voucher.
    pub voucher_hold: TimeDelta,
    /// Time that a mail may wait for its message, which is retried and then a dead letter.
    pub mails_kept: TimeDelta,
    /// Time that data on people is kept.
    pub retention: RetentionSettings,
    pub generations: Generations,
    /// Permits for carts whose payment must end at its provider before they change. There are fewer than the page
    /// queue's jobs, so that a slow provider leaves some for carts and pages that wait for no provider.
    pub replacements: Arc<Semaphore>,
    pub clock: Clock,
    /// Tracks the jobs under way, so that a shutdown can wait for them.
    pub tasks: TaskTracker,
    /// Wakes the outbox relay after a commit, so that messages do not wait for its next poll.
    pub outbox: Arc<Notify>,
}

impl Context {
    /// The time since which an unpaid order may hold the use of its voucher.
    pub fn held_since(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        now.checked_sub_signed(self.voucher_hold).unwrap_or(DateTime::UNIX_EPOCH)
    }
}

/// A client of Redis, and a connection that reconnects by itself. Both connect on first use.
///
/// # Errors
/// The URL is not one of Redis, or names another machine without TLS.
pub fn redis(settings: &RedisSettings, tls: &TlsSettings) -> Result<(Client, ConnectionManager), UrlError> {
    const SETTING: &str = "REDIS_URL";
    let client = shared::redis::client(SETTING, &settings.redis_url, ProtocolVersion::RESP2, tls)?;
    let manager = ConnectionManager::new_lazy_with_config(client.clone(), Default::default());
    Ok((client, manager.map_err(|error| UrlError::unusable(SETTING, error))?))
}

/// The copy of the catalog generation in Redis, which the api processes watch.
#[derive(Clone)]
pub struct Generations {
    redis: Client,
    keys: Keys,
}

impl Generations {
    /// The generation under these keys; connects on first use.
    pub fn new(redis: Client, keys: Keys) -> Self {
        Self { redis, keys }
    }

    /// Copies a committed generation to Redis, unless Redis has a newer one.
    ///
    /// # Errors
    /// Redis is unavailable.
    pub async fn publish(&self, generation: i64) -> Result<(), redis::RedisError> {
        let published = self.raise(generation).await;
        published.inspect_err(|_| metrics::redis_failure(RedisUse::Generation))
    }

    async fn raise(&self, generation: i64) -> Result<(), redis::RedisError> {
        let mut connection = self.redis.get_multiplexed_async_connection().await?;
        redis::Script::new(shared::keys::RAISE_GENERATION)
            .key(self.keys.generation())
            .arg(generation)
            .invoke_async::<i64>(&mut connection)
            .await?;
        Ok(())
    }
}
