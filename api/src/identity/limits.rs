//! Rate limits by learner, by buyer's address, and by an organisation's key. Each replica counts separately, and a restart resets its counts.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, NotUntil, Quota};
use shared::email::Email;
use shared::organisation_key::KeyId;

use super::Identity;
use crate::error::{ApiError, ApiResult};

/// Number of requests after which the names without recent requests are removed.
const SWEEP_EVERY: u32 = 4_096;

/// Writes that one key of an organisation may make per minute.
const KEY_WRITES: u32 = 600;

/// None means no limit.
type Limiter<Name> = Option<Arc<DefaultKeyedRateLimiter<Name>>>;

#[derive(Clone)]
pub struct Limits {
    limiter: Limiter<String>,
    keys: Limiter<KeyId>,
    counted: Arc<AtomicU32>,
}

impl Limits {
    pub fn new(per_minute: u32) -> Self {
        Self { limiter: limiter(per_minute), keys: limiter(KEY_WRITES), counted: Arc::default() }
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
    let quota = NonZeroU32::new(per_minute).map(Quota::per_minute)?;
    Some(Arc::new(DefaultKeyedRateLimiter::keyed(quota)))
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
