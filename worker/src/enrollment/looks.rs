//! Times at which the platform is asked about an address that waits for its registration: more rarely the longer it has waited. Pure
//! arithmetic.

use chrono::{DateTime, TimeDelta, Utc};

/// Each search includes an address until it has waited for this long.
const YOUNG: TimeDelta = TimeDelta::minutes(4);

/// Part of the time that an address has waited, after which it is looked for again.
const PART: i32 = 8;

/// The longest time between two looks.
pub const LONGEST: TimeDelta = TimeDelta::days(1);

/// Addresses that wait since a time after the first one and not after the second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    pub after: DateTime<Utc>,
    pub until: DateTime<Utc>,
}

/// The addresses that are due in a search at `now`, if the one before was at `before` and the oldest one waits since `oldest`: newest
/// first, and none twice.
pub fn due(before: DateTime<Utc>, now: DateTime<Utc>, oldest: DateTime<Utc>) -> Vec<Since> {
    let mut last = Since { after: before - YOUNG, until: now };
    let (mut due, mut age) = (Vec::new(), YOUNG);
    while last.after >= oldest {
        age += (age / PART).min(LONGEST);
        let next = Since { after: before - age, until: now - age };
        if next.until >= last.after {
            last.after = next.after;
        } else {
            due.push(last);
            last = next;
        }
    }
    due.push(last);
    due
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND: TimeDelta = TimeDelta::seconds(30);

    fn start() -> DateTime<Utc> {
        "2026-11-28T00:00:00Z".parse().unwrap()
    }

    /// The waits at which rounds of this length look for an address that waits since the start.
    fn looks(days: i64, round: TimeDelta) -> Vec<TimeDelta> {
        let (mut looks, mut wait) = (Vec::new(), TimeDelta::zero());
        while wait < TimeDelta::days(days) {
            let now = start() + wait;
            let due = due(now - round, now, start());
            let found = due.iter().filter(|since| since.after < start() && start() <= since.until).count();
            assert!(found <= 1, "twice in one search: {due:?}");
            looks.extend((found == 1).then_some(wait));
            wait += round;
        }
        looks
    }

    #[test]
    fn an_address_is_looked_for_after_an_eighth_of_its_wait_and_each_day_at_least() {
        let looks = looks(30, ROUND);
        for pair in looks.windows(2) {
            let (wait, next) = (pair[0], pair[1] - pair[0]);
            let expected = (wait / PART).clamp(ROUND, LONGEST);
            assert!((expected - next).abs() <= ROUND * 2, "{next} after {wait}, instead of {expected}");
        }
        // In each of the first eight rounds, then 60 times in 8 days, then daily.
        assert!((80..=105).contains(&looks.len()), "{}", looks.len());
    }

    #[test]
    fn an_outage_leaves_nothing_out_and_what_waits_longest_comes_once() {
        let (now, oldest) = (start(), start() - TimeDelta::days(3650));
        assert_eq!(due(now - LONGEST, now, oldest).len(), 1);
        for since in [TimeDelta::zero(), TimeDelta::hours(5), TimeDelta::days(40), TimeDelta::days(3650)] {
            let all = due(now - LONGEST, now, oldest);
            assert!(all.iter().any(|due| due.after < now - since && now - since <= due.until), "{since}");
        }
        // A worker whose clock is behind.
        assert_eq!(due(now, now, now), vec![Since { after: now - YOUNG, until: now }]);
    }
}
