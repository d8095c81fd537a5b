//! The platform's own limit on staff calls (120 a minute), kept by all workers together: each call takes the next free
//! moment, and what the platform asks for with 429 holds for everybody.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use redis::aio::ConnectionManager;
use tokio::time::Instant;

/// Redis must not hold up a call for longer.
const TIMEOUT: Duration = Duration::from_millis(200);

/// Takes the next moment and returns how many milliseconds it is away. The key is the last moment that was taken.
const TAKE: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local next = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0') + tonumber(ARGV[1]))
redis.call('SET', KEYS[1], next, 'PX', next - now + 60000)
return next - now";

/// As [`TAKE`], unless the moment is more than ARGV[2] milliseconds away: then -1.
const TAKE_WITHIN: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local next = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0') + tonumber(ARGV[1]))
if next - now > tonumber(ARGV[2]) then return -1 end
redis.call('SET', KEYS[1], next, 'PX', next - now + 60000)
return next - now";

/// Lets nobody take a moment before so many milliseconds have gone by.
const HOLD: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local next = math.max(now + tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1]) or '0'))
redis.call('SET', KEYS[1], next, 'PX', next - now + 60000)
return next";

#[derive(Clone)]
pub struct Throttle {
    redis: ConnectionManager,
    key: String,
    /// Between two calls; None: as fast as they come.
    apart: Option<Duration>,
    /// What this worker was told itself, for when Redis is away or nothing is held apart.
    held_until: Arc<Mutex<Option<Instant>>>,
}

impl Throttle {
    pub fn new(redis: ConnectionManager, key: String, calls_per_minute: u32) -> Self {
        let apart = (calls_per_minute > 0).then(|| Duration::from_secs(60) / calls_per_minute);
        Self { redis, key, apart, held_until: Arc::default() }
    }

    /// Waits for this call's moment. Without Redis nobody waits: the platform then says itself what is too much.
    pub async fn turn(&self) {
        if let Some(apart) = self.apart
            && let Some(wait) = self.run(TAKE, &[apart]).await
        {
            tokio::time::sleep(millis(Some(wait))).await;
        }
        // Also who had a moment already when the platform asked for a pause.
        while let Some(held) = self.held().filter(|held| *held > Instant::now()) {
            tokio::time::sleep_until(held).await;
        }
    }

    /// As [`Self::turn`], if this call's moment comes within `limit`; else false at once, and no moment is taken.
    pub async fn turn_within(&self, limit: Duration) -> bool {
        if self.held().is_some_and(|held| held > Instant::now() + limit) {
            return false;
        }
        if let Some(apart) = self.apart {
            match self.run(TAKE_WITHIN, &[apart, limit]).await {
                Some(wait) if wait < 0 => return false,
                wait => tokio::time::sleep(millis(wait)).await,
            }
        }
        true
    }

    fn held(&self) -> Option<Instant> {
        *self.held_until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The platform has asked everybody to wait.
    pub async fn hold(&self, pause: Duration) {
        let until = self.held().max(Some(Instant::now() + pause));
        *self.held_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
        if self.apart.is_some() {
            self.run(HOLD, &[pause]).await;
        }
    }

    /// A script's answer in milliseconds; None without Redis.
    async fn run(&self, script: &'static str, arguments: &[Duration]) -> Option<i64> {
        let script = redis::Script::new(script);
        let mut invocation = script.prepare_invoke();
        invocation.key(&self.key);
        for argument in arguments {
            invocation.arg(u64::try_from(argument.as_millis()).unwrap_or(u64::MAX));
        }
        let mut redis = self.redis.clone();
        match tokio::time::timeout(TIMEOUT, invocation.invoke_async::<i64>(&mut redis)).await {
            Ok(Ok(millis)) => Some(millis),
            Ok(Err(error)) => {
                tracing::warn!(%error, "platform throttle skipped: Redis does not answer");
                None
            }
            Err(_) => None,
        }
    }
}

fn millis(wait: Option<i64>) -> Duration {
    Duration::from_millis(wait.and_then(|wait| u64::try_from(wait).ok()).unwrap_or(0))
}
