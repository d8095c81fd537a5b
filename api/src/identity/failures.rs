//! Limits the failed attempts of one peer or visitor. An attempt takes one of the name's tries before anything is asked, and
//! gives it back if it did not fail, so that a burst is limited before the first of it is answered. (governor cannot give
//! back.) Each replica counts separately.

use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use moka::sync::Cache as Moka;

use crate::error::{ApiError, ApiResult};

/// The time in which all tries of a name come back.
const WINDOW: Duration = Duration::from_secs(60);

/// Maximum number of names that are counted; those that were not seen for longest are forgotten first.
const NAMES: u64 = 100_000;

#[derive(Clone)]
pub struct Failures<Name> {
    /// Failed attempts in a minute; 0 means no limit.
    per_minute: u32,
    names: Moka<Name, Arc<Mutex<Tries>>>,
}

/// The tries that a name has left, as of a time.
struct Tries {
    left: f64,
    as_of: Instant,
}

impl<Name: Hash + Eq + Send + Sync + 'static> Failures<Name> {
    pub fn new(per_minute: u32) -> Self {
        // After this time a name has all of its tries again, so its count may be forgotten.
        let names = Moka::builder().max_capacity(NAMES).time_to_idle(WINDOW).build();
        Self { per_minute, names }
    }

    /// Takes one try of a name.
    ///
    /// # Errors
    /// `RateLimited` if the name has none left, with the time after which it has one again.
    pub fn take(&self, name: Name) -> ApiResult<()> {
        if self.per_minute == 0 {
            return Ok(());
        }
        let all = f64::from(self.per_minute);
        let per_second = all / WINDOW.as_secs_f64();
        let fresh = || Arc::new(Mutex::new(Tries { left: all, as_of: Instant::now() }));
        let tries = self.names.get_with(name, fresh);
        let mut tries = tries.lock().unwrap_or_else(PoisonError::into_inner);
        tries.left = (tries.left + tries.as_of.elapsed().as_secs_f64() * per_second).min(all);
        tries.as_of = Instant::now();
        if tries.left >= 1.0 {
            tries.left -= 1.0;
            return Ok(());
        }
        let wait = Duration::from_secs_f64((1.0 - tries.left) / per_second);
        Err(ApiError::RateLimited { retry_after: wait.as_secs() + 1 })
    }

    /// Gives a try back: its attempt did not fail.
    pub fn give_back(&self, name: &Name) {
        if let Some(tries) = self.names.get(name) {
            tries.lock().unwrap_or_else(PoisonError::into_inner).left += 1.0;
        }
    }
}

/// The address that an address counts as. One IPv6 host may choose any address of its network of 64 bits (RFC 4291, 2.5.4).
pub fn counted_as(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(text: &str) -> IpAddr {
        counted_as(text.parse().unwrap())
    }

    #[test]
    fn only_failures_count_and_each_peer_has_its_own() {
        let failures = Failures::new(3);
        for _ in 0..100 {
            failures.take(peer("192.0.2.1")).unwrap();
            failures.give_back(&peer("192.0.2.1"));
        }
        assert!((0..3).all(|_| failures.take(peer("192.0.2.1")).is_ok()));
        let refused = failures.take(peer("::ffff:192.0.2.1"));
        assert!(matches!(refused, Err(ApiError::RateLimited { retry_after: 1..=21 })));
        assert!(failures.take(peer("192.0.2.2")).is_ok());
        failures.give_back(&peer("192.0.2.1"));
        assert!(failures.take(peer("192.0.2.1")).is_ok());
        assert!((0..1000).all(|_| Failures::new(0).take(peer("192.0.2.1")).is_ok()));
    }

    #[test]
    fn an_ipv6_network_of_64_bits_counts_as_one_peer() {
        let failures = Failures::new(2);
        assert!(["2001:db8::1", "2001:db8::ffff:2"].iter().all(|one| failures.take(peer(one)).is_ok()));
        assert!(failures.take(peer("2001:db8::3")).is_err());
        assert!(failures.take(peer("2001:db8:0:1::3")).is_ok());
    }
}
