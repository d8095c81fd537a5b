//! Rate limits by learner, by buyer's address, by a backend's visitor, by cart, and by an organisation's key. Each replica
//! counts separately, and a restart resets its counts.
//!
//! Why: `docs/decisions/known-credentials.md`

use std::fmt::Display;
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, NotUntil, Quota};
use shared::email::Email;
use shared::organisation_key::KeyId;

use super::Identity;
use super::failures::{Failures, counted_as};
use crate::error::{ApiError, ApiResult};

/// Number of requests after which the names without recent requests are removed.
const SWEEP_EVERY: u32 = 4_096;

/// Writes that one key of an organisation may make per minute.
const KEY_WRITES: u32 = 600;

/// Failed authentications that are logged per minute; the rest is only counted.
const LOGGED_FAILURES: u32 = 60;

/// Voucher codes of one visitor that may be refused per minute: who guesses tries many, who mistypes tries few.
const REFUSED_CODES: u32 = 20;

/// The visitor for whom a backend calls, as far as the backend names one.
#[derive(Clone, Debug, Default)]
pub struct VisitorName {
    pub address: Option<IpAddr>,
    /// Whatever the backend knows its visitor by.
    pub id: Option<String>,
}

impl VisitorName {
    /// Each name by itself: a visitor who drops a cookie has another id, and still the same address.
    fn names(&self) -> impl Iterator<Item = String> {
        let address = self.address.map(|address| format!("address {}", counted_as(address)));
        let id = self.id.as_ref().map(|id| format!("visitor {id}"));
        address.into_iter().chain(id)
    }
}

/// None means no limit.
type Limiter<Name> = Option<Arc<DefaultKeyedRateLimiter<Name>>>;

#[derive(Clone)]
pub struct Limits {
    limiter: Limiter<String>,
    keys: Limiter<KeyId>,
    counted: Arc<AtomicU32>,
    logged_failures: Option<Arc<DefaultDirectRateLimiter>>,
    refused_codes: Failures<String>,
}

impl Limits {
    pub fn new(per_minute: u32) -> Self {
        let logged_failures = quota(LOGGED_FAILURES).map(DefaultDirectRateLimiter::direct).map(Arc::new);
        let (limiter, keys) = (limiter(per_minute), limiter(KEY_WRITES));
        let refused_codes = Failures::new(REFUSED_CODES);
        Self { limiter, keys, counted: Arc::default(), logged_failures, refused_codes }
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

    /// Counts a request with the token of a link, by the id for which it was signed.
    ///
    /// # Errors
    /// As [`Self::learner`].
    pub fn link(&self, id: impl Display) -> ApiResult<()> {
        self.count(id.to_string())
    }

    /// Counts a command for a visitor. One whom the backend does not name has no limit.
    ///
    /// # Errors
    /// As [`Self::learner`].
    pub fn visitor(&self, visitor: &VisitorName) -> ApiResult<()> {
        visitor.names().try_for_each(|name| self.count(name))
    }

    /// Takes a visitor's try of a voucher's code, before it is known whether the code is refused.
    ///
    /// # Errors
    /// As [`Self::learner`].
    pub fn try_code(&self, visitor: &VisitorName) -> ApiResult<()> {
        visitor.names().try_for_each(|name| self.refused_codes.take(name))
    }

    /// Gives the try of a code back that was not refused.
    pub fn give_code_back(&self, visitor: &VisitorName) {
        visitor.names().for_each(|name| self.refused_codes.give_back(&name));
    }

    /// Returns whether one more failed authentication may be logged.
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

    #[test]
    fn a_visitor_counts_by_address_and_by_id_and_only_refused_codes_count() {
        let limits = Limits::new(2);
        let visitor = |address: &str, id: &str| VisitorName {
            address: address.parse().ok(),
            id: Some(id.to_owned()).filter(|id| !id.is_empty()),
        };
        assert!((0..1000).all(|_| limits.visitor(&VisitorName::default()).is_ok()));
        for cookie in ["a", "b"] {
            assert!(limits.visitor(&visitor("2001:db8::1", cookie)).is_ok());
        }
        assert!(limits.visitor(&visitor("2001:db8::2", "c")).is_err(), "the same network of 64 bits");
        assert!(limits.visitor(&visitor("192.0.2.1", "a")).is_ok());
        assert!(limits.visitor(&visitor("192.0.2.2", "a")).is_err(), "the same id");
        let guesser = visitor("192.0.2.3", "");
        for _ in 0..100 {
            limits.try_code(&guesser).unwrap();
            limits.give_code_back(&guesser);
        }
        assert!((0..REFUSED_CODES).all(|_| limits.try_code(&guesser).is_ok()));
        assert!(matches!(limits.try_code(&guesser), Err(ApiError::RateLimited { retry_after: 1..=3 })));
        assert!(limits.try_code(&visitor("192.0.2.4", "")).is_ok());
    }
}
