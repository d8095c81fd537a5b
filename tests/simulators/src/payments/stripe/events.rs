//! Stripe's webhooks.

use serde_json::{Value, json};

use super::shapes;
use crate::{
    payments::{
        Method, Payment, Status,
        disputes::{Dispute, Outcome},
        events::{Event, Happened},
    },
    state::{now, random},
};

pub fn events(payment: &Payment, happened: &Happened) -> Vec<Event> {
    let intent = |kind: &str| vec![event(kind, &shapes::intent(payment, false))];
    match happened {
        Happened::Paid => intent("payment_intent.succeeded"),
        Happened::Failed => intent("payment_intent.payment_failed"),
        Happened::Waiting if payment.status == Status::Waiting(Method::Debit) => {
            intent("payment_intent.processing")
        }
        Happened::Waiting => intent("payment_intent.requires_action"),
        Happened::Authorized => intent("payment_intent.amount_capturable_updated"),
        Happened::Expired => intent("payment_intent.canceled"),
        Happened::PaidAgain | Happened::Nothing => Vec::new(),
        Happened::Disputed { id, is_new } => {
            let Some(dispute) = payment.dispute_with(id) else { return Vec::new() };
            let kinds = dispute_kinds(dispute, *is_new).into_iter();
            kinds.map(|kind| event(kind, &shapes::dispute(payment, dispute))).collect()
        }
        // Stripe sends both from the creation on, also while the refund is pending.
        Happened::Refunded(id) => {
            vec![refund("refund.created", payment, id), event("charge.refunded", &shapes::charge(payment))]
        }
        Happened::RefundChanged(id) => {
            let has_failed = payment.refund_with(id).is_some_and(|refund| !refund.is_live());
            let mut events = vec![refund("refund.updated", payment, id)];
            events.extend(has_failed.then(|| refund("refund.failed", payment, id)));
            events
        }
    }
}

fn event(kind: &str, object: &Value) -> Event {
    let id = format!("evt_{}", random(24));
    let body = json!({"id": id, "object": "event", "api_version": "2026-10-28.endive", "type": kind,
        "created": now().timestamp(), "livemode": false, "pending_webhooks": 1, "request": null,
        "data": {"object": object}});
    Event { id, kind: kind.to_owned(), body: body.to_string() }
}

fn refund(kind: &str, payment: &Payment, id: &str) -> Event {
    let refund = payment.refund_with(id).map(|refund| shapes::refund(payment, refund));
    event(kind, &refund.unwrap_or_default())
}

/// The events about a dispute: the money moves apart from the decision.
fn dispute_kinds(dispute: &Dispute, is_new: bool) -> Vec<&'static str> {
    let withdrawn = dispute.taken.is_some().then_some("charge.dispute.funds_withdrawn");
    let mut kinds = Vec::new();
    if is_new {
        kinds.push("charge.dispute.created");
        kinds.extend(withdrawn);
    }
    match dispute.outcome {
        // An inquiry has become a dispute.
        Outcome::Opened if !is_new => {
            kinds.push("charge.dispute.updated");
            kinds.extend(withdrawn);
        }
        Outcome::Inquiry | Outcome::Opened => {}
        Outcome::Appealed => kinds.push("charge.dispute.updated"),
        Outcome::Won | Outcome::Lost => {
            kinds.push("charge.dispute.closed");
            let is_back = withdrawn.is_some() && dispute.kept < dispute.amount;
            kinds.extend(is_back.then_some("charge.dispute.funds_reinstated"));
        }
    }
    kinds
}
