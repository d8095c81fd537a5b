//! How long a purchase gives access.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The period of access that a mode or a program is sold with. The database computes its end, in `grant_ends`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessPeriod {
    /// Days at the seller after that of the grant, to the end of the last; None: they do not count.
    #[serde(default, rename = "access_days", skip_serializing_if = "Option::is_none")]
    pub days: Option<i32>,
    /// The latest end; None: there is none.
    #[serde(default, rename = "access_until", skip_serializing_if = "Option::is_none")]
    pub until: Option<DateTime<Utc>>,
}

impl AccessPeriod {
    /// The longest period, in days.
    pub const MOST_DAYS: i32 = 36_500;

    /// Returns whether a new period ends later than access that ends at this time, so that it can be bought again.
    pub fn extends(self, ends_at: DateTime<Utc>) -> bool {
        self.until.is_none_or(|until| until > ends_at)
    }

    /// Returns whether no access is left to sell.
    pub fn is_over(self, now: DateTime<Utc>) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// Checks the days.
    ///
    /// # Errors
    /// They are not a number of days of a period.
    pub fn check(self) -> Result<(), String> {
        match self.days {
            Some(days) if !(1..=Self::MOST_DAYS).contains(&days) => {
                Err(format!("days of access {days} are not 1 to {}", Self::MOST_DAYS))
            }
            _ => Ok(()),
        }
    }
}
