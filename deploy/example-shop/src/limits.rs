//! Limits on one network address in a minute. The API exempts a backend's reads from its limits, and counts its
//! visitors as the backend names them, so the shop has limits of its own.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::peer::counted_as;

const MINUTE: Duration = Duration::from_secs(60);

/// With more counts than this, those of past minutes are forgotten, and then all.
const MOST: usize = 100_000;

/// Actions that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Attempt {
    /// A session that is not a learner's.
    BadSession,
    SignIn,
    Quote,
    /// A voucher that is not accepted: codes are found by trying.
    BadVoucher,
    Checkout,
    /// A refund, or a change of seats.
    Change,
}

impl Attempt {
    fn per_minute(self) -> u32 {
        match self {
            Self::Quote => 120,
            Self::BadSession | Self::SignIn | Self::Checkout | Self::Change => 30,
            Self::BadVoucher => 10,
        }
    }
}

/// The acts of each address in its current minute.
#[derive(Default)]
pub struct Limits {
    counts: Mutex<HashMap<(Attempt, IpAddr), (Instant, u32)>>,
}

impl Limits {
    /// Counts an act, before anything is asked. False if the address has done it too often.
    pub fn take(&self, act: Attempt, address: IpAddr) -> bool {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() > MOST {
            counts.retain(|_, (begun, _)| begun.elapsed() < MINUTE);
        }
        if counts.len() > MOST {
            counts.clear();
        }
        let (begun, done) = counts.entry((act, counted_as(address))).or_insert((Instant::now(), 0));
        if begun.elapsed() >= MINUTE {
            (*begun, *done) = (Instant::now(), 0);
        }
        *done += 1;
        *done <= act.per_minute()
    }

    /// Takes back what turned out not to count.
    pub fn give_back(&self, act: Attempt, address: IpAddr) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, done)) = counts.get_mut(&(act, counted_as(address))) {
            *done = done.saturating_sub(1);
        }
    }
}
