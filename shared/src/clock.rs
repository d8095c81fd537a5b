//! The time, injected: every part asks a `Clock`, so that a test can stand at a moment of its choice.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};

/// The system's clock, moved by an offset that tests may change while everything runs.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    offset_seconds: Arc<AtomicI64>,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the system's clock")]
    pub fn now(&self) -> DateTime<Utc> {
        Utc::now() + TimeDelta::seconds(self.offset_seconds.load(Ordering::Relaxed))
    }

    /// Moves this clock, and all its clones, forward (or back).
    pub fn advance(&self, by: TimeDelta) {
        self.offset_seconds.fetch_add(by.num_seconds(), Ordering::Relaxed);
    }
}
