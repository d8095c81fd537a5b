//! Razorpay's and Curlec's webhooks.

use serde_json::{Map, Value, json};

use super::shapes;
use crate::{
    payments::{
        Attempt, AttemptStatus, Payment,
        disputes::Outcome,
        events::{Event, Happened},
        refunds::RefundStatus,
    },
    state::{now, random},
};

pub fn events(payment: &Payment, happened: &Happened) -> Vec<Event> {
    let newest = |status: AttemptStatus| {
        let attempt = payment.attempts.iter().rev().find(|attempt| attempt.status == status);
        [("payment", shown(payment, attempt))]
    };
    match happened {
        Happened::Paid => {
            let charge = shown(payment, payment.charge());
            vec![
                event(payment, "payment.captured", [("payment", charge.clone())]),
                event(payment, "order.paid", [("payment", charge), ("order", shapes::order(payment))]),
            ]
        }
        Happened::PaidAgain => {
            let again = shown(payment, payment.attempts.last());
            vec![event(payment, "payment.captured", [("payment", again)])]
        }
        Happened::Failed => vec![event(payment, "payment.failed", newest(AttemptStatus::Failed))],
        Happened::Authorized => {
            vec![event(payment, "payment.authorized", newest(AttemptStatus::Authorized))]
        }
        Happened::Waiting | Happened::Expired | Happened::Nothing => Vec::new(),
        Happened::Disputed { id, is_new } => of_dispute(payment, id, *is_new),
        Happened::Refunded(id) => of_refund(payment, id, Some("refund.created")),
        Happened::RefundChanged(id) => of_refund(payment, id, None),
    }
}

fn of_dispute(payment: &Payment, id: &str, is_new: bool) -> Vec<Event> {
    let Some(dispute) = payment.dispute_with(id) else { return Vec::new() };
    let created = is_new.then_some("payment.dispute.created");
    let ended = match dispute.outcome {
        Outcome::Inquiry | Outcome::Opened | Outcome::Appealed => None,
        Outcome::Won => Some("payment.dispute.won"),
        Outcome::Lost => Some("payment.dispute.lost"),
    };
    let entities = || {
        let paid = paid(payment, dispute.attempt.as_deref());
        [("payment", paid), ("dispute", shapes::dispute(payment, dispute))]
    };
    created.into_iter().chain(ended).map(|kind| event(payment, kind, entities())).collect()
}

fn of_refund(payment: &Payment, id: &str, created: Option<&str>) -> Vec<Event> {
    let Some(refund) = payment.refund_with(id) else { return Vec::new() };
    let ended = match refund.status {
        RefundStatus::Done => Some("refund.processed"),
        RefundStatus::Failed => Some("refund.failed"),
        RefundStatus::Queued | RefundStatus::Pending | RefundStatus::Cancelled => None,
    };
    let entities = || {
        let paid = paid(payment, refund.attempt.as_deref());
        [("refund", shapes::refund(payment, refund)), ("payment", paid)]
    };
    created.into_iter().chain(ended).map(|kind| event(payment, kind, entities())).collect()
}

fn event<const COUNT: usize>(payment: &Payment, kind: &str, entities: [(&str, Value); COUNT]) -> Event {
    let names = entities.each_ref().map(|(name, _)| *name);
    let payload = entities.iter().map(|(name, entity)| ((*name).to_owned(), json!({"entity": entity})));
    let body = json!({"entity": "event", "account_id": format!("acc_{}", payment.organisation), "event": kind,
        "contains": names.as_slice(), "payload": Map::from_iter(payload), "created_at": now().timestamp()});
    // The id is only a header, and not signed.
    Event { id: format!("evt_{}", random(14)), kind: kind.to_owned(), body: body.to_string() }
}

/// The attempt with this id, or the charge.
fn paid(payment: &Payment, attempt: Option<&str>) -> Value {
    let other = attempt.and_then(|id| payment.attempts.iter().find(|one| one.id == id));
    shown(payment, other.or_else(|| payment.charge()))
}

fn shown(payment: &Payment, attempt: Option<&Attempt>) -> Value {
    attempt.map_or(Value::Null, |attempt| shapes::attempt(payment, attempt))
}
