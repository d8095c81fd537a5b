//! Books a payment's disputes as its provider lists them. An open one raises an alert, and takes the money if the provider does so. A
//! lost one has taken it, and once all is gone, it takes the access; one that is won gives both back.

use shared::money::Money;
use sqlx::PgConnection;
use store::access::bought_access::{self, Ended};
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::money::attention;
use store::money::disputes::{self, Dispute, State};
use store::money::ledger::{self, Kind, Movement};
use store::money::transactions::{self, Transaction};
use store::plumbing::audit::Cause;
use store::sales::carts;

use crate::gateways::{DisputeFacts, Outcome, profile};
use crate::refund::{booking, restore};

/// Books the disputes of a locked transaction. Returns the alerts to raise after the commit.
pub async fn settle(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    listed: &[DisputeFacts],
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let mut alerts = Vec::new();
    // What one gives back makes room for what another one took beyond the payment.
    let (back, rest): (Vec<_>, Vec<_>) = listed.iter().partition(|facts| facts.outcome.taken() == 0);
    for facts in back.into_iter().chain(rest) {
        if transaction.was_charged() {
            alerts.extend(settle_one(db, transaction, facts, cause).await?);
        }
    }
    Ok(alerts)
}

async fn settle_one(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    facts: &DisputeFacts,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let state = match facts.outcome {
        Outcome::Open(_) => State::Open,
        Outcome::Won => State::Won,
        Outcome::Lost(_) => State::Lost,
    };
    let mut alerts = Vec::new();
    let (open, booked) = (open_alert(facts), lost_alert(facts));
    let stored = match disputes::find(db, transaction.id, &facts.reference).await? {
        // An appeal opens it again, and leaves the money where the decision has put it.
        Some(stored) if state == State::Open && stored.state != State::Open => return Ok(alerts),
        Some(stored) => stored,
        None => {
            let amount = Money::from_minor(minor(transaction, facts.subunits), transaction.total.currency())
                .map_err(|error| JobError::dead(format!("a dispute's amount {error}")))?;
            let reason = match state {
                State::Open => Some(&open),
                State::Lost => Some(&booked),
                State::Won => None,
            };
            if let Some(reason) = reason {
                alerts.extend(attention::alert(db, transaction.id, reason, cause.now).await?);
            }
            disputes::insert(db, transaction.id, &facts.reference, amount, cause).await?
        }
    };
    // Nobody can answer a dispute that is decided, and a loss that is reversed is none.
    let over = [(state != State::Open).then_some(open), (state == State::Won).then_some(booked)];
    for reason in over.into_iter().flatten() {
        attention::end(db, transaction.id, &reason, &format!("the dispute is {state}"), cause).await?;
    }
    alerts.extend(book(db, transaction, &stored, state, facts, cause).await?);
    Ok(alerts)
}

/// Books what a dispute has taken or given back since it was stored, and what its decision does to the access.
async fn book(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    stored: &Dispute,
    state: State,
    facts: &DisputeFacts,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    // Of what exceeds the payment, nothing was taken, and nothing can come back.
    let room = transaction.total.minor() - transaction.lost + stored.lost;
    // Until the decision, only an older reading that is booked later has less.
    let least = if state == State::Open { stored.lost } else { 0 };
    let lost = minor(transaction, facts.outcome.taken()).min(room).max(least);
    if (stored.state, stored.lost) == (state, lost) {
        return Ok(Vec::new());
    }
    disputes::update(db, stored.id, state, lost, cause).await?;
    let was_refunded = transaction.state == transactions::State::Refunded;
    let (kind, moved) = match lost >= stored.lost {
        true => (Kind::Chargeback, lost - stored.lost),
        false => (Kind::ChargebackReversed, stored.lost - lost),
    };
    let (reference, bank_at) = (Some(facts.reference.as_str()), facts.moved_at);
    let movement = Movement { kind, minor: moved, refund_id: None, reference, bank_at };
    ledger::book(db, transaction, movement, cause).await?;
    let is_refunded = transaction.state == transactions::State::Refunded;
    if is_refunded && !was_refunded {
        return booking::end_cart(db, transaction.cart_id, Ended::ChargedBack, cause).await;
    }
    if kind == Kind::ChargebackReversed && !is_refunded && (was_refunded || stored.state == State::Lost) {
        restore(db, transaction, was_refunded, cause).await?;
    }
    Ok(Vec::new())
}

/// An amount of the provider in minor units of the payment's currency.
fn minor(transaction: &Transaction, subunits: i64) -> i64 {
    profile(transaction.gateway).amounts.minor(subunits, transaction.total.currency())
}

/// The alert of a dispute that waits for an answer.
fn open_alert(facts: &DisputeFacts) -> String {
    format!("the buyer disputes the payment ({})", facts.reference)
}

/// The alert of one that was lost before anybody could answer it: Mollie's chargebacks have no open state.
fn lost_alert(facts: &DisputeFacts) -> String {
    format!("the buyer disputes the payment, and the loss is booked ({})", facts.reference)
}

/// The money is back, and so is the access that the dispute ended. A refund that failed may have brought the first part of
/// the money back before; access that a refund ended stays ended.
async fn restore(
    db: &mut PgConnection,
    transaction: &Transaction,
    was_refunded: bool,
    cause: Cause,
) -> JobResult<()> {
    let cart = carts::lock(db, transaction.cart_id).await?;
    transactions::lock_upgrades_of(db, cart.id).await?;
    bought_access::reopen_lines(db, cart.id, false).await?;
    let restored = bought_access::restore(db, cart.id, Ended::ChargedBack, cause).await?;
    if restored > 0 || was_refunded { restore::reopen(db, &cart, cause).await } else { Ok(()) }
}
