//! Keeps all workers together within the platform's limit on staff calls (120 a minute): each call takes the next free
//! slot, kept in Redis, and a pause that the platform asks for with 429 holds for every worker.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use redis::aio::ConnectionManager;
use tokio::time::Instant;

use crate::metrics::{self, RedisUse};

/// The longest time that Redis may delay a call.
const TIMEOUT: Duration = Duration::from_millis(200);

/// The scripts' common beginning: the time `now`, in milliseconds since the epoch, and `slot`, the last slot taken or the end of a
/// pause. The second key holds when the first was written: a time after `now` means that the clock of Redis has gone back since
/// then, or is another server's, and the slot moves with it. Otherwise nobody would call the platform for as long.
macro_rules! script {
    ($rest:literal) => {
        concat!(
            r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local slot = tonumber(redis.call('GET', KEYS[1]) or '0')
local written = tonumber(redis.call('GET', KEYS[2]) or '0')
if written > now then slot = slot - (written - now) end
local function take(next)
    redis.call('SET', KEYS[1], next, 'PX', next - now + 60000)
    redis.call('SET', KEYS[2], now, 'PX', next - now + 60000)
    return next - now
end
",
            $rest
        )
    };
}

/// Takes the next slot and returns how many milliseconds away it is. ARGV[1] is the distance between slots in milliseconds.
const TAKE: &str = script!("return take(math.max(now, slot + tonumber(ARGV[1])))");

/// Like [`TAKE`], but returns -1 and takes no slot if the next one is more than ARGV[2] milliseconds away.
const TAKE_WITHIN: &str = script!(
    r"local next = math.max(now, slot + tonumber(ARGV[1]))
if next - now > tonumber(ARGV[2]) then return -1 end
return take(next)"
);

/// Keeps every worker from taking a slot for the next ARGV[1] milliseconds.
const HOLD: &str = script!("return take(math.max(now + tonumber(ARGV[1]), slot))");

/// A limit on calls that all workers share. Clones share this worker's pause.
#[derive(Clone)]
pub struct Throttle {
    redis: ConnectionManager,
    key: String,
    /// The distance between two calls; None: no limit.
    apart: Option<Duration>,
    /// The end of the pause that the platform asked this worker for; it counts even without Redis and without a limit.
    held_until: Arc<Mutex<Option<Instant>>>,
}

impl Throttle {
    /// `calls_per_minute` for all workers that share `key`; 0: no limit.
    pub fn new(redis: ConnectionManager, key: String, calls_per_minute: u32) -> Self {
        let apart = (calls_per_minute > 0).then(|| Duration::from_secs(60) / calls_per_minute);
        Self { redis, key, apart, held_until: Arc::default() }
    }

    /// Waits for this call's slot. Without Redis calls do not wait: the platform then answers 429 to excess calls.
    pub async fn turn(&self) {
        let asked = Instant::now();
        if let Some(apart) = self.apart
            && let Some(wait) = self.run(TAKE, &[apart]).await
        {
            tokio::time::sleep(millis(Some(wait))).await;
        }
        self.wait_while_held().await;
        metrics::throttle_waited(asked.elapsed());
    }

    /// A call that already has its slot also waits for a pause that the platform asked for meanwhile.
    async fn wait_while_held(&self) {
        while let Some(held) = self.held().filter(|held| *held > Instant::now()) {
            tokio::time::sleep_until(held).await;
        }
    }

    /// Like [`Self::turn`] if this call's slot comes within `limit`; otherwise takes no slot and returns false at once.
    pub async fn turn_within(&self, limit: Duration) -> bool {
        let asked = Instant::now();
        if self.held().is_some_and(|held| held > asked + limit) {
            return false;
        }
        if let Some(apart) = self.apart {
            match self.run(TAKE_WITHIN, &[apart, limit]).await {
                Some(wait) if wait < 0 => return false,
                wait => tokio::time::sleep(millis(wait)).await,
            }
        }
        self.wait_while_held().await;
        metrics::throttle_waited(asked.elapsed());
        true
    }

    fn held(&self) -> Option<Instant> {
        *self.held_until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pauses the calls of every worker, after a 429.
    pub async fn hold(&self, pause: Duration) {
        metrics::throttle_held();
        let until = self.held().max(Some(Instant::now() + pause));
        *self.held_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
        if self.apart.is_some() {
            self.run(HOLD, &[pause]).await;
        }
    }

    /// Runs a script and returns its answer in milliseconds; None if Redis does not answer.
    async fn run(&self, script: &'static str, arguments: &[Duration]) -> Option<i64> {
        let script = redis::Script::new(script);
        let mut invocation = script.prepare_invoke();
        invocation.key(&self.key).key(format!("{}:written", self.key));
        for argument in arguments {
            invocation.arg(u64::try_from(argument.as_millis()).unwrap_or(u64::MAX));
        }
        let mut redis = self.redis.clone();
        match tokio::time::timeout(TIMEOUT, invocation.invoke_async::<i64>(&mut redis)).await {
            Ok(Ok(millis)) => Some(millis),
            Ok(Err(error)) => {
                metrics::redis_failure(RedisUse::Throttle);
                tracing::warn!(%error, "Redis did not answer; platform call not throttled");
                None
            }
            Err(_) => {
                metrics::redis_failure(RedisUse::Throttle);
                None
            }
        }
    }
}

fn millis(wait: Option<i64>) -> Duration {
    Duration::from_millis(wait.and_then(|wait| u64::try_from(wait).ok()).unwrap_or(0))
}
