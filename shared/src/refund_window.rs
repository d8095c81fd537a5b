//! Until when a learner may ask for a refund. Pure: callers load the dates; no I/O here.

use chrono::{DateTime, TimeDelta, Utc};

/// The end of the time in which a learner may refund a line of an order: so many days after the payment, or after the
/// latest start of the line's courses if that is later. None if the order is not paid, or if the organisation offers
/// learners no refunds.
pub fn refundable_until(
    paid_at: Option<DateTime<Utc>>,
    latest_start: Option<DateTime<Utc>>,
    refund_days: Option<i32>,
) -> Option<DateTime<Utc>> {
    let begins = paid_at?.max(latest_start.unwrap_or(DateTime::<Utc>::MIN_UTC));
    begins.checked_add_signed(TimeDelta::days(refund_days?.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Option<DateTime<Utc>> {
        Some(format!("{text}T10:00:00Z").parse().unwrap())
    }

    #[test]
    fn the_window_begins_with_the_later_of_payment_and_start() {
        let paid = day("2026-03-01");
        assert_eq!(refundable_until(paid, None, Some(14)), day("2026-03-15"));
        assert_eq!(refundable_until(paid, day("2026-02-01"), Some(14)), day("2026-03-15"));
        assert_eq!(refundable_until(paid, day("2026-04-01"), Some(14)), day("2026-04-15"));
        assert_eq!(refundable_until(paid, day("2026-04-01"), Some(0)), day("2026-04-01"));
    }

    #[test]
    fn there_is_no_window_without_a_payment_or_without_an_offer() {
        assert_eq!(refundable_until(None, day("2026-04-01"), Some(14)), None);
        assert_eq!(refundable_until(day("2026-03-01"), day("2026-04-01"), None), None);
    }
}
