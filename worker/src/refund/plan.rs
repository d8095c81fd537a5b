//! Plan of a refund: what it pays back and which access it ends. Pure: callers load the lines.

use shared::messages::FieldError;
use shared::money::{Currency, Money};
use store::error::{JobError, JobResult};
use store::model::allocate::allocate;
use store::money::refunds::RefundLine;
use store::money::transactions::Transaction;
use store::sales::cart_items::RefundableLine;

use crate::gateways::Amounts;

/// A refund that can be asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// In minor units; 0 if it only ends access.
    pub amount: i64,
    pub lines: Vec<RefundLine>,
}

impl Plan {
    /// Leaves out what a refund does beside paying back: a former shop has given the access.
    ///
    /// # Errors
    /// `InvalidRequest` if nothing is paid back.
    pub fn of_money_alone(self) -> JobResult<Self> {
        if self.amount == 0 {
            return Err(JobError::invalid("cart_id", "has nothing left to refund"));
        }
        let paying = self.lines.into_iter().filter(|line| line.amount > 0);
        let lines = paying.map(|line| RefundLine { ends_access: false, ..line }).collect();
        Ok(Self { lines, ..self })
    }
}

/// Request of a caller, as in `RefundOrder`.
pub struct Ask<'a> {
    pub items: Option<&'a [u32]>,
    pub amount: Option<Money>,
}

/// Returns what a payment has left to refund, in minor units: neither refunded, nor asked to be, nor taken by a dispute.
pub fn left(transaction: &Transaction, lines: &[RefundableLine]) -> i64 {
    // Refunds of the provider's dashboard can exceed the lines that they were allocated to.
    let refunded = lines.iter().map(|line| line.refunded).sum::<i64>().max(transaction.refunded);
    (transaction.total.minor() - refunded - transaction.lost).max(0)
}

/// Plans a refund of a cart's lines. `left` is what the payment has left, in minor units: less than the lines have if a
/// dispute took some. Without an amount, it gives back what the provider can pay of all that is left.
///
/// # Errors
/// Faults of the request, by its fields.
pub fn plan(
    lines: &[RefundableLine],
    left: i64,
    currency: Currency,
    amounts: &Amounts,
    ask: &Ask<'_>,
) -> Result<Plan, Vec<FieldError>> {
    let ends_access = ask.items.is_none_or(|items| !items.is_empty());
    match (ask.items, ask.amount) {
        (None, Some(_)) => {
            return fault("amount", "needs items: the lines that it is for, or [] for all of them");
        }
        (Some([]), None) => return fault("items", "is empty, so amount must say how much is given back"),
        _ => {}
    }
    let mut chosen = choose(lines, ask.items)?;
    let named = chosen.len();
    let is_rounding = |minor| amounts.payable(minor, currency) == 0;
    if ends_access && ask.amount.is_none() {
        chosen.extend(rounded_off(lines, &chosen, is_rounding));
    }
    let capacity = |line: &&RefundableLine| match line.left() - line.unused() {
        used if ends_access && !is_rounding(used) => line.unused(),
        _ => line.left(),
    };
    let capacities: Vec<i64> = chosen.iter().map(capacity).collect();
    let most = capacities.iter().sum::<i64>().min(left);
    let amount = match ask.amount.map(Money::minor) {
        None => amounts.payable(most, currency),
        Some(0) => return fault("amount", "must be above 0"),
        Some(minor) if minor > most => {
            let most = Money::from_minor(most.max(0), currency)
                .map_or_else(|_| most.to_string(), |most| most.to_string());
            return fault("amount", &format!("is more than the {most} that can be refunded"));
        }
        Some(minor) => minor,
    };
    if amount <= 0 && chosen.iter().take(named).all(|line| line.is_ended || line.seats_left == Some(0)) {
        return fault("cart_id", "has nothing left to refund");
    }
    let shares = allocate(amount, &capacities);
    let planned = chosen.iter().zip(shares).enumerate().map(|(nth, (line, amount))| RefundLine {
        position: line.position,
        amount,
        ends_access: ends_access && nth < named,
    });
    let planned = planned.filter(|line| line.ends_access || line.amount > 0).collect();
    Ok(Plan { amount: amount.max(0), lines: planned })
}

/// The other lines' remains of earlier refunds, each less than the provider can pay. The refund that ends the last line takes them,
/// so that nothing of a refunded order is left. None if more is left of another line.
fn rounded_off<'a>(
    lines: &'a [RefundableLine],
    chosen: &[&RefundableLine],
    is_rounding: impl Fn(i64) -> bool,
) -> Vec<&'a RefundableLine> {
    let is_other = |line: &&RefundableLine| chosen.iter().all(|chosen| chosen.position != line.position);
    let others: Vec<&RefundableLine> = lines.iter().filter(is_other).filter(|line| line.left() > 0).collect();
    let is_remains = |line: &&RefundableLine| line.is_ended && is_rounding(line.left());
    if others.iter().all(is_remains) { others } else { Vec::new() }
}

fn choose<'a>(
    lines: &'a [RefundableLine],
    items: Option<&[u32]>,
) -> Result<Vec<&'a RefundableLine>, Vec<FieldError>> {
    let Some(items) = items.filter(|items| !items.is_empty()) else { return Ok(lines.iter().collect()) };
    let mut errors = Vec::new();
    let mut chosen: Vec<&RefundableLine> = Vec::new();
    for (index, position) in items.iter().enumerate() {
        let found = lines.iter().find(|line| u32::try_from(line.position) == Ok(*position));
        let error = |message: &str| FieldError::new(format!("items[{index}]"), message);
        match found {
            None => errors.push(error("is not the position of a line of this cart")),
            Some(line) if chosen.iter().any(|chosen| chosen.position == line.position) => {
                errors.push(error("is repeated"));
            }
            Some(line) => chosen.push(line),
        }
    }
    if errors.is_empty() { Ok(chosen) } else { Err(errors) }
}

fn fault<T>(field: &str, message: &str) -> Result<T, Vec<FieldError>> {
    Err(vec![FieldError::new(field, message)])
}

#[cfg(test)]
mod tests {
    use shared::gateway::Gateway;

    use super::*;
    use crate::gateways::profile;

    fn line(position: i32, charged: i64, refunded: i64) -> RefundableLine {
        RefundableLine {
            position,
            charged,
            refunded,
            tax_refunded: 0,
            seats: None,
            seats_left: None,
            is_ended: false,
            is_settled: false,
            starts_at: None,
        }
    }

    fn planned(
        left: i64,
        items: Option<&[u32]>,
        amount: Option<i64>,
    ) -> Result<Vec<(i32, i64, bool)>, String> {
        let usd: Currency = "USD".parse().unwrap();
        let lines = [line(0, 1000, 0), line(1, 0, 0), line(2, 500, 200)];
        let amount = amount.map(|minor| Money::from_minor(minor, usd).unwrap());
        let amounts = &profile(Gateway::Stripe).amounts;
        let plan = plan(&lines, left, usd, amounts, &Ask { items, amount });
        plan.map(|plan| {
            assert_eq!(plan.amount, plan.lines.iter().map(|line| line.amount).sum::<i64>());
            plan.lines.iter().map(|line| (line.position, line.amount, line.ends_access)).collect()
        })
        .map_err(|errors| errors.iter().map(|e| format!("{} {}", e.field, e.message)).collect())
    }

    #[test]
    fn the_table_of_what_can_be_asked_for() {
        assert_eq!(planned(1300, None, None).unwrap(), [(0, 1000, true), (1, 0, true), (2, 300, true)]);
        assert_eq!(planned(1300, Some(&[2]), None).unwrap(), [(2, 300, true)]);
        assert_eq!(planned(1300, Some(&[0, 2]), Some(650)).unwrap(), [(0, 500, true), (2, 150, true)]);
        assert_eq!(planned(1300, Some(&[]), Some(130)).unwrap(), [(0, 100, false), (2, 30, false)]);
        assert_eq!(planned(1300, Some(&[1]), None).unwrap(), [(1, 0, true)]);
        // A dispute took a part of the money.
        assert_eq!(planned(650, None, None).unwrap(), [(0, 500, true), (1, 0, true), (2, 150, true)]);
    }

    #[test]
    fn a_share_that_the_provider_cannot_pay_exactly_is_rounded_down() {
        let kwd: Currency = "KWD".parse().unwrap();
        let lines = [line(0, 3_334, 0), line(1, 3_333, 0), line(2, 3_333, 0)];
        let of = |items: Option<&[u32]>| {
            let ask = Ask { items, amount: None };
            plan(&lines, 10_000, kwd, &profile(Gateway::Stripe).amounts, &ask).unwrap().amount
        };
        assert_eq!((of(Some(&[0])), of(Some(&[1, 2])), of(None)), (3_330, 6_660, 10_000));
    }

    #[test]
    fn the_refund_that_ends_the_last_line_takes_what_rounding_has_left() {
        let kwd: Currency = "KWD".parse().unwrap();
        let ended = |position, charged, refunded| RefundableLine {
            is_ended: true,
            ..line(position, charged, refunded)
        };
        let of = |lines: &[RefundableLine], items: &[u32], amount: Option<i64>| {
            let left = lines.iter().map(RefundableLine::left).sum();
            let amount = amount.map(|minor| Money::from_minor(minor, kwd).unwrap());
            let ask = Ask { items: Some(items), amount };
            let plan = plan(lines, left, kwd, &profile(Gateway::Stripe).amounts, &ask).unwrap();
            let lines = plan.lines.iter().map(|line| (line.position, line.amount, line.ends_access));
            (plan.amount, lines.collect::<Vec<_>>())
        };
        let lines = [ended(0, 3_334, 3_330), ended(1, 3_333, 3_330), line(2, 3_333, 0)];
        let all = vec![(2, 3_333, true), (0, 4, false), (1, 3, false)];
        assert_eq!(of(&lines, &[2], None), (3_340, all));
        assert_eq!(of(&lines, &[2], Some(3_330)), (3_330, vec![(2, 3_330, true)]));
        // Another line is open still.
        let lines = [ended(0, 3_334, 3_330), line(1, 3_333, 0), line(2, 3_333, 0)];
        assert_eq!(of(&lines, &[2], None), (3_330, vec![(2, 3_330, true)]));
        // So does the last of a line's seats.
        let seats = |refunded, left| RefundableLine {
            seats: Some(3),
            seats_left: Some(left),
            ..line(0, 10_000, refunded)
        };
        assert_eq!(of(&[seats(0, 2)], &[0], None), (6_660, vec![(0, 6_660, true)]));
        assert_eq!(of(&[seats(6_660, 1)], &[0], None), (3_340, vec![(0, 3_340, true)]));
        // Their tax was refunded before.
        let untaxed = RefundableLine { tax_refunded: 1_000, ..seats(1_000, 2) };
        assert_eq!(of(&[untaxed], &[0], None), (6_000, vec![(0, 6_000, true)]));
        // The organisation has kept a part of the first.
        let lines = [ended(0, 3_334, 3_000), ended(1, 3_333, 3_330), line(2, 3_333, 0)];
        assert_eq!(of(&lines, &[2], None), (3_330, vec![(2, 3_330, true)]));
    }

    #[test]
    fn each_fault_names_its_field() {
        for (items, amount, expected) in [
            (None, Some(5), "amount needs items"),
            (Some(&[][..]), None, "items is empty"),
            (Some(&[3][..]), None, "items[0] is not the position"),
            (Some(&[0, 0][..]), None, "items[1] is repeated"),
            (Some(&[2][..]), Some(0), "amount must be above 0"),
            (Some(&[2][..]), Some(301), "amount is more than the 3.00 USD"),
            (Some(&[][..]), Some(1301), "amount is more than the 13.00 USD"),
        ] {
            let refused = planned(1300, items, amount).unwrap_err();
            assert!(refused.starts_with(expected), "{refused}");
        }
    }
}
