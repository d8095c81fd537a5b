//! Durations of the events of a run, by second.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Event that a duration belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Read,
    ReadFailed,
    /// A checkout that was answered with a payment.
    Checkout,
    /// A checkout that was refused with 503 and `Retry-After`.
    Refused,
    /// A checkout that was answered with 504, or not at all.
    TimedOut,
    /// A checkout with any other answer.
    OtherError,
}

const KINDS: usize = 6;

/// Durations by second and kind, in milliseconds.
pub struct Seconds {
    start: Instant,
    length: Duration,
    durations: Mutex<Vec<[Vec<f32>; KINDS]>>,
}

impl Seconds {
    pub fn start(length: Duration) -> Self {
        let count = usize::try_from(length.as_secs()).expect("few") + 1;
        let durations = std::iter::repeat_with(Default::default).take(count).collect();
        Self { start: Instant::now(), length, durations: Mutex::new(durations) }
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub fn are_over(&self) -> bool {
        self.elapsed() >= self.length
    }

    /// Adds something that ends now.
    pub fn add(&self, kind: Kind, duration: Duration) {
        let second = usize::try_from(self.elapsed().as_secs()).expect("few");
        let mut all = self.durations.lock().expect("durations");
        if let Some(second) = all.get_mut(second) {
            second[kind as usize].push(duration.as_secs_f32() * 1000.0);
        }
    }

    /// The sorted durations of a kind in these seconds.
    pub fn of(&self, kind: Kind, seconds: std::ops::Range<usize>) -> Vec<f32> {
        let all = self.durations.lock().expect("durations");
        let chosen = all.iter().take(seconds.end).skip(seconds.start);
        let mut durations: Vec<f32> =
            chosen.flat_map(|second| second[kind as usize].iter().copied()).collect();
        durations.sort_by(f32::total_cmp);
        durations
    }
}

/// A quantile of sorted durations; 0 of none.
pub fn quantile(sorted: &[f32], part: f64) -> f32 {
    let at = (sorted.len() as f64 * part) as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}
