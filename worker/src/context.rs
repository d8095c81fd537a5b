//! What every job works with.

use std::sync::Arc;

use chrono::TimeDelta;
use shared::clock::Clock;
use shared::keys::Keys;
use shared::settings::LinkSettings;
use sqlx::PgPool;
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

use crate::gateways::Gateways;
use crate::mail::Mailer;
use crate::platform::Platform;

#[derive(Clone)]
pub struct Context {
    pub db: PgPool,
    pub platform: Platform,
    pub gateways: Gateways,
    pub mailer: Mailer,
    pub links: LinkSettings,
    /// How long a cart waits for its payment.
    pub cart_lifetime: TimeDelta,
    pub generations: Generations,
    pub clock: Clock,
    /// Counts the work under way, so that a shutdown can wait for it.
    pub tasks: TaskTracker,
    /// Wakes the outbox relay after a commit, so that nothing waits for its next poll.
    pub outbox: Arc<Notify>,
}

/// The copy of the catalog generation in Redis, which the apis watch.
#[derive(Clone)]
pub struct Generations {
    redis: redis::Client,
    keys: Keys,
}

impl Generations {
    pub fn new(redis: redis::Client, keys: Keys) -> Self {
        Self { redis, keys }
    }

    /// Copies a committed generation; an older one changes nothing.
    ///
    /// # Errors
    /// Redis is away.
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
