//! Keeps all workers together within the platform's limit on calls, which counts each account by itself: each call takes the
//! next free slot of an account, kept in Redis. A pause that the platform asks for with 429 holds that account for every worker,
//! and an account that the platform rejects takes no calls but one now and then.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::aio::ConnectionManager;
use tokio::time::Instant;

use super::ServiceAccounts;
use crate::metrics::{self, RedisUse};

/// The longest time that Redis may delay a call.
const TIMEOUT: Duration = Duration::from_millis(200);

/// The scripts' common beginning. The key is a hash: for each account `slot:`, the time of its last slot or the end of its pause,
/// and `rejected:`, the time of the next trial; `written` is when any of it was. All in milliseconds since the epoch. A `written`
/// after `now` means that the clock of Redis has gone back since then, or is another server's, and all times move with it.
/// Otherwise no worker would call the platform for as long.
macro_rules! script {
    ($rest:literal) => {
        concat!(
            r"
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local function get(field) return tonumber(redis.call('HGET', KEYS[1], field) or '0') end
local function set(field, value) redis.call('HSET', KEYS[1], field, string.format('%.3f', value)) end
local ahead = get('written') - now
if ahead > 0 then
    for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do set(field, get(field) - ahead) end
end
set('written', now)
local function reject(account) set('rejected:' .. account, now + 60000) end
redis.call('EXPIRE', KEYS[1], 86400)
",
            $rest
        )
    };
}

/// Takes the next ARGV[2] slots, ARGV[1] milliseconds apart, of the account that has waited longest: ARGV[4] and the following
/// are their names. Returns its index, how many milliseconds away the last slot is, and whether the account was rejected before;
/// an index of -1 if that is more than ARGV[3] milliseconds away, if this is not negative.
const TAKE: &str = script!(
    r"
local best, best_slot, best_out
for index = 4, #ARGV do
    local slot, out = get('slot:' .. ARGV[index]), get('rejected:' .. ARGV[index]) > now
    if not best or (best_out and not out) or (best_out == out and slot < best_slot) then
        best, best_slot, best_out = index, slot, out
    end
end
local apart = tonumber(ARGV[1])
local last = math.max(now, best_slot + apart) + (ARGV[2] - 1) * apart
local wait, limit = last - now, tonumber(ARGV[3])
if limit >= 0 and wait > limit then return {-1, 0, 0} end
set('slot:' .. ARGV[best], last)
local is_trial = redis.call('HEXISTS', KEYS[1], 'rejected:' .. ARGV[best])
if is_trial == 1 then reject(ARGV[best]) end
return {best - 4, math.ceil(wait), is_trial}"
);

/// Keeps every worker from taking a slot of the account ARGV[1] for the next ARGV[2] milliseconds.
const HOLD: &str =
    script!("set('slot:' .. ARGV[1], math.max(now + ARGV[2], get('slot:' .. ARGV[1])))\nreturn {0, 0, 0}");

/// Marks the account ARGV[1] as rejected; returns whether it was not yet, or none of the accounts ARGV[2] and following is left.
const REJECT: &str = script!(
    r"local is_news = 1 - redis.call('HEXISTS', KEYS[1], 'rejected:' .. ARGV[1])
reject(ARGV[1])
local left = 0
for index = 2, #ARGV do
    left = left + 1 - redis.call('HEXISTS', KEYS[1], 'rejected:' .. ARGV[index])
end
if left == 0 then is_news = 1 end
return {0, 0, is_news}"
);

/// Takes the mark of [`REJECT`] from the account ARGV[1].
const ACCEPT: &str = script!("redis.call('HDEL', KEYS[1], 'rejected:' .. ARGV[1])\nreturn {0, 0, 0}");

/// A limit on calls that all workers share. Clones share this worker's pauses.
#[derive(Clone)]
pub struct Throttle {
    redis: ConnectionManager,
    key: String,
    /// The distance between two calls of one account; None: no limit.
    apart: Option<Duration>,
    accounts: Arc<Vec<String>>,
    /// The number of accounts, of the first ones, that take the calls for which no account is named.
    sharing: usize,
    /// The end of the pause that the platform asked this worker for, by account; it counts even without Redis and without a limit.
    held_until: Arc<Mutex<Vec<Option<Instant>>>>,
    /// Number of slots that were taken without Redis.
    taken: Arc<AtomicUsize>,
}

/// Slots of an account that a call may use now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub account: usize,
    /// Indicates whether the platform has rejected the account before.
    pub is_trial: bool,
}

enum Reserved {
    /// The slot, and the time until it comes.
    In(Slot, Duration),
    TooLate,
    /// There is no limit, or Redis does not answer.
    Unlimited,
}

impl Throttle {
    /// `calls_per_minute` of each service account for all workers that share `key`; 0: no limit.
    pub fn of(
        redis: ConnectionManager,
        key: String,
        calls_per_minute: u32,
        accounts: &ServiceAccounts,
    ) -> Self {
        let names = accounts.all.iter().map(|account| account.client_id.clone()).collect();
        Self { sharing: accounts.enrolling, ..Self::new(redis, key, calls_per_minute, names) }
    }

    /// `calls_per_minute` for all workers that share `key`, whatever account calls; 0: no limit.
    pub fn of_all(redis: ConnectionManager, key: String, calls_per_minute: u32) -> Self {
        Self::new(redis, key, calls_per_minute, vec!["all".to_owned()])
    }

    fn new(redis: ConnectionManager, key: String, calls_per_minute: u32, accounts: Vec<String>) -> Self {
        let apart = (calls_per_minute > 0).then(|| Duration::from_secs(60) / calls_per_minute);
        let held_until = Arc::new(Mutex::new(vec![None; accounts.len()]));
        let sharing = accounts.len();
        Self { redis, key, apart, accounts: Arc::new(accounts), sharing, held_until, taken: Arc::default() }
    }

    /// Waits for slots for this many calls, of one account; of this one, if it is named. Without Redis calls do not wait: the
    /// platform then answers 429 to excess calls.
    pub async fn take(&self, calls: i32, account: Option<usize>) -> Slot {
        let asked = Instant::now();
        let slot = loop {
            let slot = match self.reserve(calls, account, None).await {
                Reserved::In(slot, wait) => {
                    tokio::time::sleep(wait).await;
                    slot
                }
                Reserved::TooLate | Reserved::Unlimited => self.take_locally(account),
            };
            // The platform has asked for a pause of this account meanwhile, and another one may call.
            if account.is_none() && self.is_held(slot.account) && !self.are_all_held() {
                continue;
            }
            break slot;
        };
        self.wait_while_held(slot.account).await;
        metrics::throttle_waited(asked.elapsed());
        slot
    }

    /// Like [`Self::take`] for one call, if a slot comes within `limit`; otherwise takes none and returns None at once.
    pub async fn take_within(&self, limit: Duration) -> Option<Slot> {
        let asked = Instant::now();
        let (slot, wait) = match self.reserve(1, None, Some(limit)).await {
            Reserved::In(slot, wait) => (slot, wait),
            Reserved::TooLate => return None,
            Reserved::Unlimited => (self.take_locally(None), Duration::ZERO),
        };
        let is_too_late = || self.held(slot.account).is_some_and(|held| held > asked + limit);
        if is_too_late() {
            return None;
        }
        tokio::time::sleep(wait).await;
        // The platform may have asked for a pause meanwhile.
        if is_too_late() {
            return None;
        }
        self.wait_while_held(slot.account).await;
        metrics::throttle_waited(asked.elapsed());
        Some(slot)
    }

    /// Takes slots without waiting for them.
    async fn reserve(&self, calls: i32, account: Option<usize>, limit: Option<Duration>) -> Reserved {
        if self.accounts.is_empty() || (self.apart.is_none() && self.accounts.len() == 1) {
            return Reserved::Unlimited;
        }
        let account = account.filter(|account| *account < self.accounts.len());
        let names = account.and_then(|account| self.accounts.get(account..=account));
        let names = names.unwrap_or_else(|| self.shared());
        let apart = self.apart.unwrap_or_default().as_millis().to_string();
        let limit = limit.map_or_else(|| "-1".to_owned(), |limit| limit.as_millis().to_string());
        let mut arguments = vec![apart, calls.to_string(), limit];
        arguments.extend(names.iter().cloned());
        let Some((index, wait, is_trial)) = self.run(TAKE, &arguments).await else {
            return Reserved::Unlimited;
        };
        let Ok(index) = usize::try_from(index) else { return Reserved::TooLate };
        let slot = Slot { account: account.unwrap_or(index), is_trial: is_trial == 1 };
        Reserved::In(slot, Duration::from_millis(u64::try_from(wait).unwrap_or(0)))
    }

    fn take_locally(&self, account: Option<usize>) -> Slot {
        let (taken, count) = (self.taken.fetch_add(1, Ordering::Relaxed), self.sharing.max(1));
        let mut order = (0..count).map(|offset| taken.wrapping_add(offset) % count);
        let free = order.find(|account| !self.is_held(*account));
        Slot { account: account.or(free).unwrap_or(taken % count), is_trial: false }
    }

    /// A call that already has its slot also waits for a pause that the platform asked for meanwhile.
    async fn wait_while_held(&self, account: usize) {
        while let Some(held) = self.held(account).filter(|held| *held > Instant::now()) {
            tokio::time::sleep_until(held).await;
        }
    }

    fn is_held(&self, account: usize) -> bool {
        self.held(account) > Some(Instant::now())
    }

    fn are_all_held(&self) -> bool {
        (0..self.sharing).all(|account| self.is_held(account))
    }

    fn held(&self, account: usize) -> Option<Instant> {
        self.pauses().get(account).copied().flatten()
    }

    fn pauses(&self) -> MutexGuard<'_, Vec<Option<Instant>>> {
        self.held_until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pauses the calls of an account for every worker, after a 429.
    pub async fn hold(&self, account: usize, pause: Duration) {
        metrics::throttle_held();
        if let Some(held) = self.pauses().get_mut(account) {
            *held = (*held).max(Some(Instant::now() + pause));
        }
        if self.apart.is_some() || self.accounts.len() > 1 {
            self.run(HOLD, &[self.name(account), pause.as_millis().to_string()]).await;
        }
    }

    /// Prefers other accounts for a while, for every worker. Returns whether an operator should hear of it: it is new, or there are
    /// no others. True also without Redis.
    pub async fn reject(&self, account: usize) -> bool {
        let mut arguments = vec![self.name(account)];
        let peers = if account < self.sharing { self.shared() } else { &self.accounts };
        arguments.extend(peers.iter().cloned());
        self.run(REJECT, &arguments).await.is_none_or(|(_, _, is_news)| is_news == 1)
    }

    /// Ends what [`Self::reject`] began.
    pub async fn accept(&self, account: usize) {
        self.run(ACCEPT, &[self.name(account)]).await;
    }

    fn shared(&self) -> &[String] {
        self.accounts.get(..self.sharing).unwrap_or_default()
    }

    fn name(&self, account: usize) -> String {
        self.accounts.get(account).cloned().unwrap_or_default()
    }

    /// Runs a script and returns its answer; None if Redis does not answer.
    async fn run(&self, script: &'static str, arguments: &[String]) -> Option<(i64, i64, i64)> {
        let script = redis::Script::new(script);
        let mut invocation = script.prepare_invoke();
        invocation.key(&self.key);
        for argument in arguments {
            invocation.arg(argument);
        }
        let mut redis = self.redis.clone();
        match tokio::time::timeout(TIMEOUT, invocation.invoke_async(&mut redis)).await {
            Ok(Ok(answer)) => Some(answer),
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
