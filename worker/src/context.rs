//! The connections, clients and settings that every job uses.

use std::sync::Arc;

use chrono::TimeDelta;
use shared::clock::Clock;
use shared::keys::Keys;
use shared::queue::Topology;
use shared::settings::LinkSettings;
use sqlx::PgPool;
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

use crate::gateways::Gateways;
use crate::mail::Mailer;
use crate::platform::Platform;

/// What every job gets. Clones share everything.
#[derive(Clone)]
pub struct Context {
    pub db: PgPool,
    pub platform: Platform,
    pub gateways: Gateways,
    pub mailer: Mailer,
    pub links: LinkSettings,
    /// Knows how long a failed message waits for its next delivery.
    pub topology: Topology,
    /// How long a cart waits for its payment before it expires.
    pub cart_lifetime: TimeDelta,
    pub generations: Generations,
    pub clock: Clock,
    /// Tracks the jobs under way, so that a shutdown can wait for them.
    pub tasks: TaskTracker,
    /// Wakes the outbox relay after a commit, so that messages do not wait for its next poll.
    pub outbox: Arc<Notify>,
}

/// The copy of the catalog generation in Redis, which the api processes watch.
#[derive(Clone)]
pub struct Generations {
    redis: redis::Client,
    keys: Keys,
}

impl Generations {
    /// The generation under these keys; connects on first use.
    pub fn new(redis: redis::Client, keys: Keys) -> Self {
        Self { redis, keys }
    }

    /// Copies a committed generation to Redis, unless Redis has a newer one.
    ///
    /// # Errors
    /// Redis is unavailable.
    pub async fn publish(&self, generation: i64) -> Result<(), redis::RedisError> {
        let mut connection = self.redis.get_multiplexed_async_connection().await?;
        redis::Script::new(shared::keys::RAISE_GENERATION)
            .key(self.keys.generation())
            .arg(generation)
            .invoke_async::<i64>(&mut connection)
            .await?;
        Ok(())
    }
}
