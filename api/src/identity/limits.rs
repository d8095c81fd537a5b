//! Rate limits by learner, by buyer's address, by cart, and by an organisation's key. Each replica counts separately, and
//! a restart resets its counts.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, NotUntil, Quota};
use shared::email::Email;
use shared::organisation_key::KeyId;
use uuid::Uuid;

use super::Identity;
use crate::error::{ApiError, ApiResult};

/// Number of requests after which the names without recent requests are removed.
const SWEEP_EVERY: u32 = 4_096;

/// Writes that one key of an organisation may make per minute.
const KEY_WRITES: u32 = 600;

/// Failed authentications that are logged per minute; the rest is only counted.
const LOGGED_FAILURES: u32 = 60;

/// None means no limit.
type Limiter<Name> = Option<Arc<DefaultKeyedRateLimiter<Name>>>;

#[derive(Clone)]
pub struct Limits {
    limiter: Limiter<String>,
    keys: Limiter<KeyId>,
    counted: Arc<AtomicU32>,
    logged_failures: Option<Arc<DefaultDirectRateLimiter>>,
}

impl Limits {
    pub fn new(per_minute: u32) -> Self {
        let logged_failures = quota(LOGGED_FAILURES).map(DefaultDirectRateLimiter::direct).map(Arc::new);
        let (limiter, keys) = (limiter(per_minute), limiter(KEY_WRITES));
        Self { limiter, keys, counted: Arc::default(), logged_failures }
    }

    /// Counts a request of a learner.
    ///
    /// # Errors
    /// `RateLimited`, with the time after which the next request is accepted.
    pub fn learner(&self, learner: &Identity) -> ApiResult<()> {
        self.count(learner.user_id.to_string())
    }

    /// Counts a request for a buyer's address.
    ///
    /// # Errors
    /// As [`Self::learner`].
    pub fn address(&self, email: &Email) -> ApiResult<()> {
        self.count(email.as_str().to_owned())
    }

    /// Counts a request with the token of a cart's payment link.
    ///
    /// # Errors
    /// As [`Self::learner`].
    pub fn cart(&self, cart_id: Uuid) -> ApiResult<()> {
        self.count(cart_id.to_string())
    }

    /// Whether one more failed authentication may be logged.
    pub fn may_log_failure(&self) -> bool {
        self.logged_failures.as_ref().is_none_or(|limiter| limiter.check().is_ok())
    }

    /// Counts a write with an organisation's key.
    ///
    /// # Errors
    /// As [`Self::learner`].
    pub fn key(&self, key: KeyId) -> ApiResult<()> {
        // Keys are few, so their counts need no sweep.
        self.keys.as_ref().map_or(Ok(()), |keys| keys.check_key(&key).map_err(rate_limited))
    }

    fn count(&self, name: String) -> ApiResult<()> {
        let Some(limiter) = &self.limiter else { return Ok(()) };
        if self.counted.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            limiter.retain_recent();
        }
        limiter.check_key(&name).map_err(rate_limited)
    }
}

fn limiter<Name: Hash + Eq + Clone>(per_minute: u32) -> Limiter<Name> {
    quota(per_minute).map(DefaultKeyedRateLimiter::keyed).map(Arc::new)
}

fn quota(per_minute: u32) -> Option<Quota> {
    NonZeroU32::new(per_minute).map(Quota::per_minute)
}

fn rate_limited(until: NotUntil<<DefaultClock as Clock>::Instant>) -> ApiError {
    let wait = until.wait_time_from(DefaultClock::default().now());
    ApiError::RateLimited { retry_after: wait.as_secs() + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_own_count_and_zero_means_none() {
        let limits = Limits::new(3);
        let (ada, bob) = (Email::parse("ada@example.com").unwrap(), Email::parse("bob@example.com").unwrap());
        for _ in 0..3 {
            assert!(limits.address(&ada).is_ok());
        }
        assert!(matches!(limits.address(&ada), Err(ApiError::RateLimited { retry_after: 1..=21 })));
        assert!(limits.address(&bob).is_ok());
        let (one, other): (KeyId, KeyId) = ("0123456789ab".parse().unwrap(), "ba9876543210".parse().unwrap());
        assert!((0..600).all(|_| limits.key(one).is_ok()));
        assert!(matches!(limits.key(one), Err(ApiError::RateLimited { .. })));
        assert!(limits.key(other).is_ok());
        assert!((0..1000).all(|_| Limits::new(0).address(&ada).is_ok()));
    }
}
