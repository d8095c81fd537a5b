//! The month that finance closes: sums of each currency that add up, or what does not.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use shared::gateway::Gateway;
use shared::money::{Balance, Currency};
use utoipa::ToSchema;

use crate::queries::desk::owed::OwedSum;
use crate::queries::months::{
    Change, ClosedMonth, Gap, GapReason, Held, LateMovement, MissingDocument, Month, Sum,
};
use crate::words::MovementKind;

/// A month of the books, as finance looks at it before it closes it.
#[derive(Debug, Serialize, ToSchema)]
pub struct MonthReport {
    #[schema(pattern = "^\\d{4}-\\d{2}$", example = "2026-11")]
    pub month: String,
    /// Its first day, in the seller's time zone, which is UTC without a `seller`.
    pub from: NaiveDate,
    /// Its last day.
    pub to: NaiveDate,
    /// Indicates whether the month has ended, so that it can be closed.
    pub over: bool,
    /// Null while it is open.
    pub closed: Option<MonthClosing>,
    /// In the order of their codes.
    pub currencies: Vec<MonthOfCurrency>,
    /// The first 100 of each currency.
    pub missing_documents: Vec<MissingDocument>,
    /// The first 100 of each currency.
    pub late_movements: Vec<LateMovement>,
}

/// How a month was closed.
#[derive(Debug, Serialize, ToSchema)]
pub struct MonthClosing {
    /// The month that was closed: this one, or a later one, which closes all months before.
    #[schema(pattern = "^\\d{4}-\\d{2}$", example = "2026-11")]
    pub month: String,
    pub at: DateTime<Utc>,
    /// The author: `staff:` with the platform's user id, or `operator:` with a name.
    #[schema(example = "staff:42")]
    pub by: String,
    #[serde(skip)]
    pub name: Option<String>,
}

/// A month in one currency.
#[derive(Debug, Serialize, ToSchema)]
pub struct MonthOfCurrency {
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "USD")]
    pub currency: Currency,
    pub accounts: Vec<MonthOfAccount>,
    /// Transfers and invoices on account that are still unpaid, of orders that were placed until the end of the month.
    pub unpaid: MonthSum,
    /// Payments that a provider still works on, of such orders.
    pub pending: MonthSum,
    /// Invoices and credit notes that orders lack whose money moved in the month.
    pub missing_documents: MonthSum,
    /// Money that counts to the month because its own month was closed already.
    pub late_movements: MonthSum,
    /// Indicates whether the books and the provider's payouts agree: there are no `gaps`.
    pub adds_up: bool,
    pub gaps: Vec<Gap>,
}

/// A month at one provider. `opening` and all that has moved add up to `closing`.
#[derive(Debug, Serialize, ToSchema)]
pub struct MonthOfAccount {
    #[schema(value_type = Gateway)]
    pub gateway: String,
    /// What was with the provider before. Null for `external`, where nothing is with a provider, and if no month within a year before
    /// this one is closed.
    #[schema(value_type = Option<f64>, example = 120)]
    pub opening: Option<Balance>,
    /// What buyers have paid.
    #[schema(value_type = f64, example = 5000)]
    pub paid: Balance,
    /// Refunds, less those that have failed.
    #[schema(value_type = f64, example = -199)]
    pub refunded: Balance,
    /// What disputes have taken, less what they gave back.
    #[schema(value_type = f64, example = 0)]
    pub disputed: Balance,
    #[schema(value_type = f64, example = -185.8)]
    pub fees: Balance,
    #[schema(value_type = f64, example = -4615.2)]
    pub paid_out: Balance,
    /// What payouts have moved beside the books: the sum of the `gaps` that name payouts, but for `unread`.
    #[schema(value_type = f64, example = 0)]
    pub other: Balance,
    /// What is still with the provider. Null as `opening`.
    #[schema(value_type = Option<f64>, example = 120)]
    pub closing: Option<Balance>,
}

/// A number of orders, documents or movements, with their amount.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct MonthSum {
    #[schema(minimum = 0)]
    pub number: i64,
    #[schema(value_type = f64, example = 398)]
    pub amount: Balance,
}

/// What was read about a month.
pub struct MonthFacts {
    pub month: Month,
    pub now: DateTime<Utc>,
    pub closing: Option<ClosedMonth>,
    /// What the month has left with each provider, if it was closed itself.
    pub kept: Option<Vec<Held>>,
    /// What was there before; None if it is not known.
    pub opening: Option<Vec<Held>>,
    pub changes: Vec<Sum>,
    pub gaps: Vec<Gap>,
    pub unpaid: Vec<OwedSum>,
    pub pending: Vec<OwedSum>,
    pub missing_documents: Vec<MissingDocument>,
    pub late_movements: Vec<LateMovement>,
}

/// One account, in minor units.
#[derive(Default)]
struct Account {
    opening: i64,
    kept: i64,
    paid: i64,
    refunded: i64,
    disputed: i64,
    fees: i64,
    paid_out: i64,
    other: i64,
}

impl Account {
    fn add(&mut self, change: Change, minor: i64) {
        let sum = match change {
            Change::Moved(MovementKind::Captured) => &mut self.paid,
            Change::Moved(MovementKind::Refunded | MovementKind::RefundFailed) => &mut self.refunded,
            Change::Moved(MovementKind::Chargeback | MovementKind::ChargebackReversed) => &mut self.disputed,
            Change::Moved(MovementKind::Fee) => &mut self.fees,
            Change::Moved(MovementKind::Payout) => &mut self.paid_out,
            Change::Moved(MovementKind::Moved) => return,
            Change::Other => &mut self.other,
        };
        *sum += minor;
    }

    fn closing(&self) -> i64 {
        self.opening + self.paid + self.refunded + self.disputed + self.fees + self.paid_out + self.other
    }
}

/// The accounts of one currency, by their gateways.
struct Block {
    currency: Currency,
    accounts: BTreeMap<String, Account>,
}

/// The blocks of a month, by their currencies' codes.
#[derive(Default)]
struct Blocks(BTreeMap<&'static str, Block>);

impl Blocks {
    fn of(facts: &MonthFacts) -> Self {
        let mut blocks = Self::default();
        for sum in &facts.changes {
            blocks.account(sum.currency, &sum.gateway).add(sum.change, sum.minor);
        }
        for held in facts.opening.iter().flatten().filter(|held| held.gateway != EXTERNAL) {
            blocks.account(held.currency, &held.gateway).opening += held.minor;
        }
        for held in facts.kept.iter().flatten() {
            blocks.account(held.currency, &held.gateway).kept += held.minor;
        }
        let sums = facts.unpaid.iter().chain(&facts.pending).map(|sum| sum.open.currency());
        let rows = facts.missing_documents.iter().map(|row| row.currency);
        let rows = rows.chain(facts.late_movements.iter().map(|row| row.currency));
        for currency in sums.chain(rows).chain(facts.gaps.iter().map(|gap| gap.currency)) {
            blocks.block(currency);
        }
        blocks
    }

    fn block(&mut self, currency: Currency) -> &mut Block {
        self.0.entry(currency.code()).or_insert_with(|| Block { currency, accounts: BTreeMap::new() })
    }

    fn account(&mut self, currency: Currency, gateway: &str) -> &mut Account {
        self.block(currency).accounts.entry(gateway.to_owned()).or_default()
    }
}

/// The gateway of an organisation that takes the money itself.
const EXTERNAL: &str = "external";

impl MonthReport {
    pub fn new(facts: MonthFacts) -> Self {
        let blocks = Blocks::of(&facts);
        let named = |month: NaiveDate| month.format("%Y-%m").to_string();
        let closed = facts.closing.as_ref().map(|closing| MonthClosing {
            month: named(closing.month),
            at: closing.at,
            by: closing.by.clone(),
            name: closing.name.clone(),
        });
        Self {
            month: named(facts.month.first),
            from: facts.month.first,
            to: facts.month.last(),
            over: facts.month.period.before <= facts.now,
            closed,
            currencies: blocks.0.into_values().map(|block| MonthOfCurrency::new(block, &facts)).collect(),
            missing_documents: facts.missing_documents,
            late_movements: facts.late_movements,
        }
    }
}

impl MonthOfCurrency {
    fn new(Block { currency, accounts }: Block, facts: &MonthFacts) -> Self {
        let mut gaps: Vec<Gap> = facts.gaps.iter().filter(|gap| gap.currency == currency).cloned().collect();
        if facts.kept.is_some() && facts.opening.is_some() {
            gaps.extend(
                accounts.iter().filter_map(|(gateway, account)| changed_since(gateway, account, currency)),
            );
        }
        let owed = |sums: &[OwedSum]| {
            let sum = sums.iter().find(|sum| sum.open.currency() == currency);
            MonthSum::new(sum.map(|sum| (sum.orders, sum.open.minor())), currency)
        };
        let missing = facts.missing_documents.iter().find(|row| row.currency == currency);
        let late = facts.late_movements.iter().find(|row| row.currency == currency);
        let none = MonthSum::new(None, currency);
        Self {
            currency,
            unpaid: owed(&facts.unpaid),
            pending: owed(&facts.pending),
            missing_documents: MonthSum::new(missing.map(|row| (row.number, row.sum.minor())), currency),
            late_movements: late.map_or(none, |row| MonthSum { number: row.number, amount: row.sum }),
            adds_up: gaps.is_empty(),
            gaps,
            accounts: accounts
                .into_iter()
                .map(|(gateway, account)| {
                    MonthOfAccount::new(gateway, &account, currency, facts.opening.is_some())
                })
                .collect(),
        }
    }
}

/// The gap between what a month was closed with and what its books add up to.
fn changed_since(gateway: &str, account: &Account, currency: Currency) -> Option<Gap> {
    let minor = account.kept - account.closing();
    let gap = || Gap {
        reason: GapReason::Closed,
        gateway: gateway.to_owned(),
        payout: None,
        made_on: None,
        amount: balance(minor, currency),
        currency,
    };
    (minor != 0 && gateway != EXTERNAL).then(gap)
}

impl MonthOfAccount {
    fn new(gateway: String, account: &Account, currency: Currency, knows_opening: bool) -> Self {
        let amount = |minor| balance(minor, currency);
        let held = |minor| Some(amount(minor)).filter(|_| knows_opening && gateway != EXTERNAL);
        Self {
            opening: held(account.opening),
            paid: amount(account.paid),
            refunded: amount(account.refunded),
            disputed: amount(account.disputed),
            fees: amount(account.fees),
            paid_out: amount(account.paid_out),
            other: amount(account.other),
            closing: held(account.closing()),
            gateway,
        }
    }
}

impl MonthSum {
    fn new(sum: Option<(i64, i64)>, currency: Currency) -> Self {
        let (number, minor) = sum.unwrap_or_default();
        Self { number, amount: balance(minor, currency) }
    }
}

fn balance(minor: i64, currency: Currency) -> Balance {
    Balance::new(Decimal::new(minor, currency.digits()), currency)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_moved_adds_up_to_what_is_left_and_a_move_counts_nothing() {
        let mut account = Account { opening: 700, ..Account::default() };
        for (kind, minor) in [
            (MovementKind::Captured, 19_900),
            (MovementKind::Refunded, -5_000),
            (MovementKind::RefundFailed, 1_000),
            (MovementKind::Chargeback, -2_000),
            (MovementKind::ChargebackReversed, 500),
            (MovementKind::Moved, 0),
            (MovementKind::Fee, -610),
            (MovementKind::Payout, -12_000),
        ] {
            account.add(Change::Moved(kind), minor);
        }
        account.add(Change::Other, -120);
        assert_eq!((account.refunded, account.disputed, account.other), (-4_000, -1_500, -120));
        assert_eq!(account.closing(), 2_370);
        let usd = "USD".parse().unwrap();
        let gap = |kept| changed_since("stripe", &Account { kept, paid: 100, ..Account::default() }, usd);
        assert!(gap(100).is_none());
        assert_eq!(gap(90).unwrap().amount, balance(-10, usd));
    }
}
