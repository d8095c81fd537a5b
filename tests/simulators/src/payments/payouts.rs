//! Payouts: what the providers pay to the sellers' banks, with the movements in each. `/_sim/payouts`, where a test makes them and moves
//! them on.

use std::{collections::HashSet, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::StatusCode,
    routing::post,
};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Account, Payment, Payments, Provider, Status,
    control::conflict,
    disputes::Dispute,
    refunds::{Refund, RefundStatus},
};
use crate::{
    control::{ControlError, ControlResult, bad, parse},
    state::{Simulation, random},
};

/// A payout. Amounts are in the provider's subunits.
#[derive(Clone, Debug)]
pub struct Payout {
    pub provider: Provider,
    pub organisation: String,
    pub id: String,
    pub amount: i64,
    /// In upper case.
    pub currency: String,
    pub status: PayoutStatus,
    pub created: DateTime<Utc>,
    /// Indicates whether the seller has asked for it: Stripe does not say what is in such a payout.
    pub is_manual: bool,
    /// Oldest first.
    pub entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayoutStatus {
    Pending,
    Paid,
    Failed,
}

/// A movement of the seller's balance.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What moved: the reference of a payment, the id of a refund or a dispute. Each is in one payout.
    pub id: String,
    pub kind: EntryKind,
    /// Without fees; below 0 if it is taken from the seller.
    pub gross: i64,
    /// The provider's fee with its tax, in hundredths of a subunit.
    pub fee: i64,
    /// The tax in the fee.
    pub tax: i64,
    /// The reference of its payment.
    pub payment: Option<String>,
    pub at: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    Payment,
    Refund,
    /// What a dispute takes, or gives back.
    Dispute,
    /// A payout whose money has come back.
    Returned,
    /// A fee that is billed apart.
    Fee,
    /// A word that the provider has added since.
    Other(String),
}

/// The fee of a provider, as an example: a share and a fixed part in subunits, and the tax on both, in percent.
pub struct Fees {
    pub permille: i64,
    pub fixed: i64,
    pub tax: i64,
    /// Indicates whether each fee is in whole subunits. Mollie adds up more decimals, and rounds the settlement.
    pub in_subunits: bool,
    /// In subunits, without tax.
    pub dispute: i64,
}

impl Fees {
    /// The fee with its tax, and the tax in it, in hundredths of a subunit.
    fn of(&self, fee: i64) -> (i64, i64) {
        let whole = |hundredths: i64| if self.in_subunits { hundredths / 100 * 100 } else { hundredths };
        let tax = whole(fee * self.tax / 100);
        (whole(fee) + tax, tax)
    }

    fn of_payment(&self, gross: i64) -> (i64, i64) {
        self.of(gross * self.permille / 10 + self.fixed * 100)
    }
}

impl Payout {
    fn shown(&self) -> Value {
        let fees: i64 = self.entries.iter().map(|entry| entry.fee).sum();
        json!({"id": self.id, "gateway": self.provider.name(), "organisation": self.organisation, "amount": self.amount,
            "currency": self.currency, "movements": self.entries.len(), "fees_in_hundredths": fees})
    }
}

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new().route("/_sim/payouts", post(make)).route("/_sim/payouts/{id}/{what}", post(steer))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewPayout {
    gateway: Provider,
    organisation: String,
    /// Sales of other shops that use the account, beside what was sold here.
    #[serde(default)]
    sales: u32,
    /// The currency of these sales.
    currency: Option<String>,
    /// Fee that is billed apart, in subunits.
    #[serde(default)]
    fee: i64,
    /// A movement of a kind that the provider has added since, in subunits, with its word.
    other: Option<(String, i64)>,
    /// Amount by which the payout differs from its movements.
    #[serde(default)]
    difference: i64,
    #[serde(default)]
    manual: bool,
    #[serde(default)]
    pending: bool,
    /// Days ago on which it was made.
    #[serde(default)]
    days_ago: i64,
}

/// Pays out what no earlier payout has.
async fn make(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<Json<Value>> {
    let new: NewPayout = parse(&body)?;
    let mut state = simulation.state();
    let own =
        |account: &&Account| account.provider == new.gateway && account.organisation == new.organisation;
    let account = state.accounts.iter().find(own).cloned();
    let account = account.ok_or_else(|| bad("the organisation has no account with this provider"))?;
    let payout = state.payments.pay_out(&account, new)?;
    let shown = payout.shown();
    state.payments.payouts.push(payout);
    Ok(Json(shown))
}

/// Ends a payout. One that was paid can fail later.
async fn steer(
    State(simulation): State<Arc<Simulation>>,
    Path((id, what)): Path<(String, String)>,
) -> ControlResult<Json<Value>> {
    let mut state = simulation.state();
    let payout = state.payments.payouts.iter_mut().find(|payout| payout.id == id);
    let payout = payout.ok_or_else(|| ControlError(StatusCode::NOT_FOUND, "no such payout".into()))?;
    payout.status = match what.as_str() {
        "pay" => PayoutStatus::Paid,
        "fail" => PayoutStatus::Failed,
        _ => return Err(ControlError(StatusCode::NOT_FOUND, "nothing like this can happen to it".into())),
    };
    Ok(Json(payout.shown()))
}

impl Payments {
    /// The payouts of an account, newest first.
    pub fn payouts_of(&self, account: &Account) -> impl Iterator<Item = &Payout> {
        let own = |payout: &&Payout| {
            payout.provider == account.provider && payout.organisation == account.organisation
        };
        self.payouts.iter().rev().filter(move |payout| own(payout))
    }

    fn pay_out(&self, account: &Account, new: NewPayout) -> ControlResult<Payout> {
        let at = self.now() - chrono::TimeDelta::days(new.days_ago);
        let fees = &account.provider.profile().fees;
        let mut due = self.due(account);
        let sold = due.first().map(|(_, currency)| currency.clone());
        let currency = sold.or(new.currency).unwrap_or_else(|| "EUR".to_owned());
        due.retain(|(_, other)| *other == currency);
        let mut entries: Vec<Entry> = due.into_iter().map(|(entry, _)| entry).collect();
        let entry =
            |kind, gross, (fee, tax)| Entry { id: random(24), kind, gross, fee, tax, payment: None, at };
        let sales = (0..i64::from(new.sales)).map(|nth| 5_000 + nth);
        entries.extend(sales.map(|gross| entry(EntryKind::Payment, gross, fees.of_payment(gross))));
        entries.extend((new.fee > 0).then(|| entry(EntryKind::Fee, 0, fees.of(new.fee * 100))));
        entries.extend(new.other.map(|(word, gross)| entry(EntryKind::Other(word), gross, (0, 0))));
        if entries.is_empty() {
            return Err(conflict("nothing is left to be paid out"));
        }
        let hundredths: i64 = entries.iter().map(|entry| entry.gross * 100 - entry.fee).sum();
        Ok(Payout {
            provider: account.provider,
            organisation: account.organisation.clone(),
            id: format!("{}{}", account.provider.profile().payout_prefix, random(16)),
            amount: (hundredths + 50).div_euclid(100) + new.difference,
            currency,
            status: if new.pending { PayoutStatus::Pending } else { PayoutStatus::Paid },
            created: at,
            is_manual: new.manual,
            entries,
        })
    }

    /// Movements that no payout has yet, with their currencies.
    fn due(&self, account: &Account) -> Vec<(Entry, String)> {
        let paid_out = self.payouts_of(account).flat_map(|payout| &payout.entries);
        let paid_out: HashSet<&str> = paid_out.map(|entry| entry.id.as_str()).collect();
        let is_paid = |payment: &&Payment| payment.is_of(account) && payment.status == Status::Paid;
        let moved = self.all.iter().filter(is_paid);
        let moved = moved.flat_map(|payment| {
            movements(payment).into_iter().map(|entry| (entry, payment.currency.clone()))
        });
        let returned = self.payouts_of(account).filter(|payout| {
            payout.status == PayoutStatus::Failed && payout.provider.profile().returns_failed_payouts
        });
        let returned = returned.map(|payout| {
            let entry = Entry {
                id: format!("{}_returned", payout.id),
                kind: EntryKind::Returned,
                gross: payout.amount,
                fee: 0,
                tax: 0,
                payment: None,
                at: payout.created,
            };
            (entry, payout.currency.clone())
        });
        moved.chain(returned).filter(|(entry, _)| !paid_out.contains(entry.id.as_str())).collect()
    }
}

/// What a paid payment, its refunds and its disputes move.
fn movements(payment: &Payment) -> Vec<Entry> {
    let fees = &payment.provider.profile().fees;
    let entry = |id: String, kind, gross, (fee, tax), at| Entry {
        id,
        kind,
        gross,
        fee,
        tax,
        payment: Some(payment.reference.clone()),
        at,
    };
    let paid = payment.paid();
    let charge =
        entry(payment.reference.clone(), EntryKind::Payment, paid, fees.of_payment(paid), payment.since);
    let done = payment.refunds.iter().filter(|refund| refund.status == RefundStatus::Done);
    // None of the providers gives its fee back with a refund.
    let refund =
        |refund: &Refund| entry(refund.id.clone(), EntryKind::Refund, -refund.amount, (0, 0), refund.created);
    let dispute = |dispute: &Dispute| {
        let taken = dispute.taken.map(|at| {
            entry(dispute.id.clone(), EntryKind::Dispute, -dispute.amount, fees.of(fees.dispute * 100), at)
        });
        let back = dispute.amount - dispute.kept;
        let ended = dispute.ended.filter(|_| dispute.taken.is_some() && back > 0);
        let back =
            ended.map(|at| entry(format!("{}_back", dispute.id), EntryKind::Dispute, back, (0, 0), at));
        [taken, back].into_iter().flatten()
    };
    let moved = std::iter::once(charge).chain(done.map(refund));
    moved.chain(payment.disputes.iter().flat_map(dispute)).collect()
}
