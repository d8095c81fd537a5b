//! The connections, clients and settings that every job uses.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use redis::aio::ConnectionManager;
use redis::{Client, ProtocolVersion};
use shared::clock::Clock;
use shared::command_line::Faults;
use shared::db;
use shared::db::Db;
use shared::keys::Keys;
use shared::queue::Topology;
use shared::settings::{LinkSettings, QueueSettings, RedisSettings};
use shared::tls::{TlsSettings, UrlError};
use shared::voucher;
use texts::Texts;
use tokio::sync::{Notify, Semaphore};
use tokio_util::task::TaskTracker;

use crate::config::{Config, RetentionSettings};
use crate::gateways::Gateways;
use crate::mail::Mailer;
use crate::metrics::{self, RedisUse};
use crate::pdf::Fonts;
use crate::platform::{self, Platform, Throttle};
use crate::vies::Vies;
use crate::webhooks::Webhooks;

/// Context of every job. Clones share everything.
#[derive(Clone)]
pub struct Context {
    pub db: Db,
    pub platform: Platform,
    /// The time between two platform calls for batches; zero without a limit.
    pub batch_calls_apart: TimeDelta,
    pub gateways: Gateways,
    pub vies: Vies,
    pub mailer: Mailer,
    /// The words of mails and invoices.
    pub texts: Texts,
    /// Of invoices and credit notes.
    pub fonts: Fonts,
    /// Time that a mail waits for a document of another system.
    pub document_wait: TimeDelta,
    pub webhooks: Webhooks,
    pub links: LinkSettings,
    /// Knows how long a failed message waits for its next delivery.
    pub topology: Topology,
    /// Time that a cart waits for its payment before it expires.
    pub cart_lifetime: TimeDelta,
    /// Time after which a withdrawal without proof is carried out.
    pub withdrawal_delay: TimeDelta,
    /// Interval at which payouts are read; zero: never.
    pub read_payouts_every: TimeDelta,
    /// Time before the end of access at which its learner is reminded.
    pub access_reminder: TimeDelta,
    /// Time for which a place is held for who is next on a waiting list.
    pub place_offered_for: TimeDelta,
    /// Place of the dead letters, and how long the broker keeps them.
    pub broker: Broker,
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

/// The broker, for what needs a connection of its own.
#[derive(Clone)]
pub struct Broker {
    pub queue: QueueSettings,
    pub tls: TlsSettings,
}

impl Context {
    /// Builds what every job uses.
    ///
    /// # Errors
    /// Settings cannot be used; the error names all of them.
    pub fn new(config: &Config, clock: Clock) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        Self::open(config, clock, &mut faults).ok_or(faults)
    }

    /// As [`Self::new`], but adds to faults that were found before; None if there are any here.
    pub fn open(config: &Config, clock: Clock, faults: &mut Faults) -> Option<Self> {
        // The HTTP clients need a crypto provider. An error means that one is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let tls = &config.tls;
        let db = faults.check(db::busy_pool(&config.database, tls, "storefront-worker"));
        let redis = faults.check(redis(&config.redis, tls));
        let gateways = faults.check(Gateways::new(&config.gateways, tls));
        let vies = faults.check(Vies::client(&config.vat, tls));
        let webhooks = faults.check(Webhooks::new(&config.webhooks, &config.gateways.gateway_keys, tls));
        let fonts = faults.check(Fonts::read(&config.documents.document_fonts));
        let mailer = faults.check(Mailer::new(&config.mail, tls));
        let texts = faults.check(config.texts.read());
        let platform = faults.check(Platform::client(&config.platform, tls));
        let accounts = faults.check(platform::service_accounts(&config.platform));
        let (redis, manager) = redis?;
        tokio::spawn(shared::redis::report_cluster(manager.clone()));
        let keys = Keys::new(&config.redis.redis_prefix);
        let accounts = accounts?;
        let calls = config.platform.platform_calls_per_minute;
        let all_calls = calls.saturating_mul(u32::try_from(accounts.enrolling.max(1)).unwrap_or(u32::MAX));
        let vies = Vies::new(&config.vat, vies?, manager.clone(), keys.clone());
        let throttle = Throttle::of(manager, keys.platform_turns(), calls, &accounts);
        let topology = Topology::new(&config.queue);
        Some(Self {
            db: db?,
            platform: Platform::new(&config.platform, platform?, accounts, throttle),
            batch_calls_apart: batch_calls_apart(all_calls),
            gateways: gateways?,
            vies,
            mailer: mailer?,
            texts: texts?,
            fonts: fonts?,
            document_wait: TimeDelta::from_std(config.documents.document_wait).unwrap_or(TimeDelta::MAX),
            webhooks: webhooks?,
            links: config.links.clone(),
            mails_kept: TimeDelta::from_std(topology.longest_wait() + config.queue.dead_letters_kept)
                .unwrap_or(TimeDelta::MAX),
            topology,
            broker: Broker { queue: config.queue.clone(), tls: config.tls.clone() },
            cart_lifetime: TimeDelta::from_std(config.cart_lifetime).unwrap_or(TimeDelta::MAX),
            withdrawal_delay: TimeDelta::from_std(config.withdrawal_delay).unwrap_or(TimeDelta::MAX),
            access_reminder: TimeDelta::from_std(config.access_reminder).unwrap_or(TimeDelta::MAX),
            place_offered_for: TimeDelta::from_std(config.place_offered_for).unwrap_or(TimeDelta::MAX),
            read_payouts_every: TimeDelta::from_std(config.read_payouts_every).unwrap_or(TimeDelta::MAX),
            retention: config.retention.clone(),
            generations: Generations::new(redis, keys),
            replacements: Arc::new(Semaphore::new(usize::from(config.worker_concurrency).div_ceil(2))),
            clock,
            tasks: TaskTracker::new(),
            outbox: Arc::new(Notify::new()),
        })
    }

    /// The time since which an unpaid order may hold the use of its voucher.
    pub fn held_since(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        now - voucher::HOLD
    }

    /// The time since which a payment may have begun whose cart waits for it.
    pub fn open_since(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        now.checked_sub_signed(self.cart_lifetime).unwrap_or(DateTime::UNIX_EPOCH)
    }

    /// The time since which idempotency keys and their answers are kept.
    pub fn answers_since(&self) -> DateTime<Utc> {
        self.time_before(self.retention.retain_answers).unwrap_or(DateTime::UNIX_EPOCH)
    }

    /// The time before which data that is kept for this long may go; None if it is kept for good.
    pub fn time_before(&self, kept: Duration) -> Option<DateTime<Utc>> {
        let kept = TimeDelta::from_std(kept).ok().filter(|kept| !kept.is_zero())?;
        self.clock.now().checked_sub_signed(kept)
    }
}

/// The time between two platform calls for batches, which take three quarters of the calls at most: the others are left to buyers
/// and single grants. Zero without a limit.
fn batch_calls_apart(calls_per_minute: u32) -> TimeDelta {
    match i64::from(calls_per_minute) {
        0 => TimeDelta::zero(),
        calls => TimeDelta::microseconds(60_000_000 * 4 / (3 * calls)),
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

    /// Copies a committed generation to Redis, unless Redis has a newer one. Returns the one that Redis then has.
    ///
    /// # Errors
    /// Redis is unavailable.
    pub async fn publish(&self, generation: i64) -> Result<i64, redis::RedisError> {
        let published = self.raise(generation).await;
        published.inspect_err(|_| metrics::redis_failure(RedisUse::Generation))
    }

    async fn raise(&self, generation: i64) -> Result<i64, redis::RedisError> {
        let mut connection = self.redis.get_multiplexed_async_connection().await?;
        redis::Script::new(shared::keys::RAISE_GENERATION)
            .key(self.keys.generation())
            .arg(generation)
            .invoke_async(&mut connection)
            .await
    }
}
