//! Books a payment's disputes as its provider lists them. An open one raises an alert, a lost one takes money and, once
//! all is gone, the access; one that is won after that gives both back.

use shared::money::Money;
use sqlx::PgConnection;
use store::access::bought_access::{self, Ended};
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::money::attention;
use store::money::disputes::{self, State};
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
    for facts in listed {
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
    let currency = transaction.total.currency();
    let minor = |subunits| profile(transaction.gateway).amounts.minor(subunits, currency);
    let (state, lost) = match facts.outcome {
        Outcome::Open => (State::Open, 0),
        Outcome::Won => (State::Won, 0),
        Outcome::Lost(subunits) => (State::Lost, minor(subunits)),
    };
    let mut alerts = Vec::new();
    let (open, booked) = (open_alert(facts), lost_alert(facts));
    let stored = match disputes::find(db, transaction.id, &facts.reference).await? {
        // An appeal opens it again, and leaves the money where the decision has put it.
        Some(stored) if state == State::Open && stored.state != State::Open => return Ok(alerts),
        Some(stored) => stored,
        None => {
            let amount = Money::from_minor(minor(facts.subunits), currency)
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
    if (stored.state, stored.lost) == (state, lost) {
        return Ok(alerts);
    }
    let was_refunded = transaction.state == transactions::State::Refunded;
    let (kind, moved) = match lost >= stored.lost {
        true => (Kind::Chargeback, lost - stored.lost),
        false => (Kind::ChargebackReversed, stored.lost - lost),
    };
    let movement = Movement { kind, minor: moved, refund_id: None, reference: Some(&facts.reference) };
    let booked = ledger::book(db, transaction, movement, cause).await?;
    // Of a loss that exceeds the payment, only what is booked can come back.
    let lost = if kind == Kind::Chargeback { stored.lost + booked } else { stored.lost - booked };
    disputes::update(db, stored.id, state, lost, cause).await?;
    let is_refunded = transaction.state == transactions::State::Refunded;
    if is_refunded && !was_refunded {
        alerts.extend(booking::end_cart(db, transaction.cart_id, Ended::ChargedBack, cause).await?);
    } else if kind == Kind::ChargebackReversed && !is_refunded {
        restore(db, transaction, was_refunded, cause).await?;
    }
    Ok(alerts)
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
