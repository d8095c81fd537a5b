//! The current time, injected: all code reads it from a `Clock`, so that a test can choose it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};

/// The system clock plus an offset that tests may change at run time.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    offset_seconds: Arc<AtomicI64>,
}

impl Clock {
    /// The current time: the system clock plus the offset.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the system's clock")]
    pub fn now(&self) -> DateTime<Utc> {
        Utc::now() + TimeDelta::seconds(self.offset_seconds.load(Ordering::Relaxed))
    }

    /// Moves this clock and all its clones forward, or back if `by` is negative; whole seconds only.
    pub fn advance(&self, by: TimeDelta) {
        self.offset_seconds.fetch_add(by.num_seconds(), Ordering::Relaxed);
    }
}
