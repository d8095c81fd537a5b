//! The time of each test, for `tests/run`: how long it took, and how much of that its thread used a processor. The rest is
//! waiting, for servers, timers and other tests.

use std::io::Write;
use std::time::{Duration, Instant};

/// The beginning of a test.
pub struct Times {
    begun: Instant,
    used: Duration,
}

impl Times {
    pub fn begin() -> Self {
        Self { begun: Instant::now(), used: used() }
    }

    /// Appends a line to the file that `TEST_TIMES` names: seconds, seconds of its thread, name.
    pub fn record(self) {
        let Some(file) = std::env::var_os("TEST_TIMES") else { return };
        let (took, used) = (self.begun.elapsed().as_secs_f64(), (used() - self.used).as_secs_f64());
        let thread = std::thread::current();
        let line = format!("{took:.2}\t{used:.2}\t{}\n", thread.name().unwrap_or("?"));
        let file = std::fs::OpenOptions::new().create(true).append(true).open(file);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("TEST_TIMES");
    }
}

/// The processor time of this thread, as Linux counts it.
fn used() -> Duration {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(counted.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or_default())
}
