//! The platform's limits: calls per minute for each user or address. Off until a test switches them on.

use std::collections::{HashMap, VecDeque};

use chrono::{DateTime, TimeDelta, Utc};

use crate::state::User;

const STAFF_PER_MINUTE: usize = 120;
const OTHERS_PER_MINUTE: usize = 40;
const COURSES_PER_MINUTE: usize = 40;
const TOKENS_PER_MINUTE: usize = 120;

#[derive(Default)]
pub struct Throttles {
    on: bool,
    enrollment_calls: HashMap<i64, VecDeque<DateTime<Utc>>>,
    /// All callers of a simulator have the same address.
    course_calls: VecDeque<DateTime<Utc>>,
    token_calls: VecDeque<DateTime<Utc>>,
}

impl Throttles {
    /// Resets all counters.
    pub fn switch(&mut self, on: bool) {
        *self = Self { on, ..Self::default() };
    }

    /// Counts a call of the enrollment API. If it exceeds the limit, returns the seconds until the next call may be
    /// made.
    pub fn enrollment_call(&mut self, user: &User, now: DateTime<Utc>) -> Option<i64> {
        let limit = if user.staff { STAFF_PER_MINUTE } else { OTHERS_PER_MINUTE };
        self.on.then(|| count(self.enrollment_calls.entry(user.id).or_default(), limit, now)).flatten()
    }

    /// Counts a call for a course's details, as [`Self::enrollment_call`]: each address has a limit of its own.
    pub fn course_call(&mut self, now: DateTime<Utc>) -> Option<i64> {
        self.on.then(|| count(&mut self.course_calls, COURSES_PER_MINUTE, now)).flatten()
    }

    /// Returns whether this token request exceeds the limit.
    pub fn token_call(&mut self, now: DateTime<Utc>) -> bool {
        self.on && count(&mut self.token_calls, TOKENS_PER_MINUTE, now).is_some()
    }
}

fn count(calls: &mut VecDeque<DateTime<Utc>>, limit: usize, now: DateTime<Utc>) -> Option<i64> {
    let minute = TimeDelta::minutes(1);
    while calls.front().is_some_and(|call| *call + minute <= now) {
        calls.pop_front();
    }
    if let Some(oldest) = calls.front().filter(|_| calls.len() >= limit) {
        return Some((*oldest + minute - now).num_seconds() + 1);
    }
    calls.push_back(now);
    None
}
