//! Deduction of a voucher from a basket. Pure: callers load the voucher.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use shared::access_period::AccessPeriod;
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::ids::VoucherId;
use shared::messages::BasketItem;
use shared::money::{Currency, Money};
use shared::voucher::Inapplicable;
use uuid::Uuid;

use super::allocate::allocate;
use super::line::{CartVoucher, NewLine};

/// A voucher as a quote needs it.
pub struct Voucher {
    pub id: VoucherId,
    pub code: String,
    pub value: Value,
    pub valid_from: DateTime<Utc>,
    pub valid_until: Option<DateTime<Utc>>,
    /// Of its amount, its budget and what it has spent.
    pub currency: Currency,
    /// The courses and programs that it is for; empty for all.
    pub scope: HashSet<Uuid>,
    /// Indicates whether uses are left for this buyer, as far as is known.
    pub has_uses: bool,
    /// Rest of the budget, in minor units.
    pub budget_left: Option<i64>,
    /// The address of a place, which alone can use it: of its entry of the waiting list, or who has used it; None once neither is left.
    pub owner: Option<Email>,
    /// How long a seat of the pool gives access; None: as the mode says, or it is no pool.
    pub access: Option<AccessPeriod>,
}

/// Deduction of a voucher.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// Of each line by itself: more than 0, at most 100.
    Percent(Decimal),
    /// Of all lines that it is for, in minor units.
    Amount(i64),
    /// The whole price of one item in this mode: it is a pool of seats, which are paid for.
    Seat(CourseMode),
    /// Nothing: it holds a place in a course for an address of the waiting list.
    Place,
}

impl Voucher {
    /// Returns whether it pays for these items as a seat: for one place in the item and the mode that its buyer paid for.
    pub fn is_seat_for(&self, items: &[BasketItem]) -> bool {
        match (self.value, items) {
            (Value::Seat(mode), [item]) => {
                item.mode == mode && item.seats.is_none() && self.scope.contains(&item.id)
            }
            _ => false,
        }
    }

    /// Returns it if a buyer with this address can use it.
    ///
    /// # Errors
    /// `Unknown`: the code of another address is no code for this one.
    pub fn for_buyer(self, email: &Email) -> Result<Self, Inapplicable> {
        let is_own = match (&self.value, &self.owner) {
            (Value::Place, owner) => owner.as_ref() == Some(email),
            _ => true,
        };
        if is_own { Ok(self) } else { Err(Inapplicable::Unknown) }
    }

    /// Checks that the voucher is valid at a time.
    ///
    /// # Errors
    /// `NotStarted` or `Expired`.
    pub fn check_valid(&self, now: DateTime<Utc>) -> Result<(), Inapplicable> {
        if self.valid_from > now {
            return Err(Inapplicable::NotStarted);
        }
        if self.valid_until.is_some_and(|until| until <= now) {
            return Err(Inapplicable::Expired);
        }
        Ok(())
    }

    /// Takes the voucher off the prices of the lines that it is for. It takes nothing off a basket that is free, and does not
    /// apply to another one that it takes nothing off.
    ///
    /// # Errors
    /// Why it does not apply. Whether uses are left is not asked.
    pub fn apply(&self, lines: &mut [NewLine], now: DateTime<Utc>) -> Result<(), Inapplicable> {
        self.check_valid(now)?;
        let is_free = lines.iter().all(|line| line.price.price.minor() == 0);
        let items: Vec<BasketItem> = lines.iter().map(|line| line.item).collect();
        let takes_off = matches!(self.value, Value::Percent(_) | Value::Amount(_));
        if matches!(self.value, Value::Seat(_)) && !self.is_seat_for(&items) {
            return Err(Inapplicable::NotForTheseItems);
        }
        let mut lines: Vec<&mut NewLine> = lines.iter_mut().filter(|line| self.is_for(line)).collect();
        let first = lines.first().ok_or(Inapplicable::NotForTheseItems)?;
        if takes_off && self.currency != first.price.price.currency() {
            return Err(Inapplicable::Currency);
        }
        let prices: Vec<i64> = lines.iter().map(|line| line.price.price.minor()).collect();
        let discounts: Vec<i64> = match self.value {
            Value::Percent(percent) => prices.iter().map(|price| share(*price, percent)).collect(),
            Value::Amount(amount) => allocate(amount, &prices),
            Value::Seat(_) => prices,
            Value::Place => vec![0; prices.len()],
        };
        if takes_off && !is_free && discounts.iter().all(|discount| *discount == 0) {
            return Err(Inapplicable::NotForTheseItems);
        }
        for (line, discount) in lines.iter_mut().zip(discounts) {
            let price = line.price.price;
            // Between nothing and the whole price, so it is an amount.
            line.price.price = Money::from_minor(price.minor() - discount, price.currency()).unwrap_or(price);
            line.voucher_discount = price.minor() - line.price.price.minor();
            line.access = self.access.unwrap_or(line.access);
        }
        Ok(())
    }

    /// The use that a cart takes when the voucher takes this much off, in minor units; None if the basket is free without it. A cart
    /// takes a seat or a place even if its item is free by now.
    pub fn use_with(&self, discount: i64) -> Option<CartVoucher> {
        let is_seat = matches!(self.value, Value::Seat(_));
        let place = self.scope.iter().next().copied().filter(|_| matches!(self.value, Value::Place));
        let discount = if is_seat { 0 } else { discount };
        let is_used = is_seat || place.is_some() || discount > 0;
        is_used.then_some(CartVoucher { id: self.id, discount, is_seat, place })
    }

    /// Returns whether a use with this discount is left, as far as is known: only taking one decides. A basket that it
    /// takes nothing off needs none.
    pub fn has_uses_for(&self, discount: i64) -> bool {
        self.use_with(discount).is_none()
            || self.has_uses && self.budget_left.is_none_or(|left| discount <= left)
    }

    fn is_for(&self, line: &NewLine) -> bool {
        if matches!(self.value, Value::Place) && line.item.seats.is_some() {
            return false;
        }
        self.scope.is_empty() || self.scope.contains(&line.item.id)
    }
}

/// A percentage of a price, rounded half-up to the minor unit.
fn share(price: i64, percent: Decimal) -> i64 {
    // Hundredths of a percent are whole numbers.
    let hundredths = i128::try_from((percent * Decimal::ONE_HUNDRED).trunc()).unwrap_or_default();
    let share = (i128::from(price) * hundredths + 5_000) / 10_000;
    i64::try_from(share).unwrap_or(price).clamp(0, price)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use shared::messages::ItemKind;
    use shared::pricing::RegionalPrice;

    use super::*;

    fn line(id: u128, minor: i64, currency: &str) -> NewLine {
        let price = Money::from_minor(minor, currency.parse().unwrap()).unwrap();
        NewLine {
            item: BasketItem {
                kind: ItemKind::Course,
                id: Uuid::from_u128(id),
                mode: CourseMode::Verified,
                seats: None,
            },
            openedx_course_id: None,
            price_name: None,
            access: AccessPeriod::default(),
            name: "Rust".into(),
            price: RegionalPrice { price, original: price, discount_pct: Decimal::ZERO },
            voucher_discount: 0,
            tax: None,
            upgrade_from: None,
            rests_on: None,
        }
    }

    fn voucher(value: Value, scope: &[u128]) -> Voucher {
        Voucher {
            id: VoucherId(Uuid::nil()),
            code: "SPRING".into(),
            value,
            valid_from: DateTime::UNIX_EPOCH,
            valid_until: None,
            currency: "USD".parse().unwrap(),
            scope: scope.iter().map(|id| Uuid::from_u128(*id)).collect(),
            has_uses: true,
            owner: None,
            access: None,
            budget_left: None,
        }
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_000_000, 0).unwrap()
    }

    fn prices(lines: &[NewLine]) -> Vec<(i64, i64)> {
        lines.iter().map(|line| (line.price.price.minor(), line.voucher_discount)).collect()
    }

    #[test]
    fn a_percentage_is_taken_off_each_line_and_an_amount_is_allocated() {
        let mut lines = [line(1, 1_001, "USD"), line(2, 333, "USD"), line(3, 50, "USD")];
        voucher(Value::Percent(Decimal::new(1250, 2)), &[1, 2]).apply(&mut lines, now()).unwrap();
        assert_eq!(prices(&lines), [(876, 125), (291, 42), (50, 0)]);
        let mut lines = [line(1, 100, "USD"), line(2, 50, "USD")];
        voucher(Value::Amount(1_000), &[]).apply(&mut lines, now()).unwrap();
        assert_eq!(prices(&lines), [(0, 100), (0, 50)]);
    }

    #[test]
    fn what_does_not_apply_says_why_and_changes_nothing() {
        let (percent, mut lines) = (Value::Percent(Decimal::TEN), [line(1, 1_000, "USD")]);
        let later = Voucher { valid_from: now() + chrono::TimeDelta::seconds(1), ..voucher(percent, &[]) };
        let over = Voucher { valid_until: Some(now()), ..voucher(percent, &[]) };
        let euros = Voucher { currency: "EUR".parse().unwrap(), ..voucher(percent, &[]) };
        for (voucher, reason) in [
            (later, Inapplicable::NotStarted),
            (over, Inapplicable::Expired),
            (voucher(percent, &[2]), Inapplicable::NotForTheseItems),
            (euros, Inapplicable::Currency),
        ] {
            assert_eq!(voucher.apply(&mut lines, now()), Err(reason));
            assert_eq!(prices(&lines), [(1_000, 0)]);
        }
    }

    #[test]
    fn no_line_costs_less_than_nothing_and_an_amount_is_used_up() {
        let mut random = rand::rng();
        for round in 0..3_000 {
            let code = ["JPY", "USD", "KWD"][round % 3];
            let minors: Vec<i64> =
                (0..random.random_range(1..8)).map(|_| random.random_range(0..10_000_000)).collect();
            let hundredths = random.random_range(1..=10_000);
            let amount = random.random_range(1..20_000_000);
            for value in [Value::Percent(Decimal::new(hundredths, 2)), Value::Amount(amount)] {
                let mut lines: Vec<NewLine> =
                    minors.iter().zip(0..).map(|(minor, id)| line(id, *minor, code)).collect();
                let voucher = Voucher { currency: code.parse().unwrap(), ..voucher(value, &[]) };
                if voucher.apply(&mut lines, now()).is_err() {
                    // It would take less than half a minor unit off.
                    assert!(matches!(value, Value::Percent(_)));
                    continue;
                }
                for (line, minor) in lines.iter().zip(&minors) {
                    assert!(line.price.price.minor() >= 0 && line.voucher_discount >= 0);
                    assert_eq!(line.price.price.minor() + line.voucher_discount, *minor);
                    if let Value::Percent(percent) = value {
                        let exact = Decimal::from(*minor) * percent / Decimal::ONE_HUNDRED;
                        assert!((Decimal::from(line.voucher_discount) - exact).abs() <= Decimal::new(5, 1));
                    }
                }
                if let Value::Amount(amount) = value {
                    let taken: i64 = lines.iter().map(|line| line.voucher_discount).sum();
                    assert_eq!(taken, amount.min(minors.iter().sum()));
                }
            }
        }
    }
}
