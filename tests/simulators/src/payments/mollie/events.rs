//! Mollie's webhooks, with the full payload.

use serde_json::{Value, json};

use super::shapes;
use crate::{
    payments::{
        Payment,
        disputes::Outcome,
        events::{Event, Happened},
    },
    state::{now, random},
};

pub fn events(payment: &Payment, happened: &Happened) -> Vec<Event> {
    let whole = |kind: &str| vec![event(payment, kind, &shapes::payment(payment))];
    match happened {
        Happened::Paid => whole("payment.paid"),
        Happened::Failed => whole("payment.failed"),
        // A payment that stays open has no event.
        Happened::Waiting if shapes::is_pending(payment) => whole("payment.pending"),
        Happened::Authorized => whole("payment.authorized"),
        Happened::Expired => whole("payment.expired"),
        Happened::Waiting | Happened::PaidAgain | Happened::Nothing => Vec::new(),
        Happened::Disputed { id, is_new } => {
            let Some(dispute) = payment.dispute_with(id) else { return Vec::new() };
            let received = is_new.then_some("chargeback.received");
            let reversed = (dispute.outcome == Outcome::Won).then_some("chargeback.reversed");
            let kinds = received.into_iter().chain(reversed);
            kinds.map(|kind| event(payment, kind, &shapes::chargeback(payment, dispute))).collect()
        }
        Happened::Refunded(id) | Happened::RefundChanged(id) => {
            let Some(refund) = payment.refund_with(id) else { return Vec::new() };
            let kind = format!("refund.{}", shapes::refund_status(refund));
            vec![event(payment, &kind, &shapes::refund(payment, refund))]
        }
    }
}

fn event(payment: &Payment, kind: &str, entity: &Value) -> Event {
    let id = format!("event_{}", random(20));
    let path = shapes::link(payment, &format!("/events/{id}"));
    let documentation =
        json!({"href": "https://docs.mollie.com/reference/webhooks-new", "type": "text/html"});
    let body = json!({"resource": "event", "id": id, "type": kind, "entityId": entity.get("id"),
        "createdAt": shapes::time(now()), "_embedded": {"entity": entity},
        "_links": {"self": path, "documentation": documentation}});
    Event { id, kind: kind.to_owned(), body: body.to_string() }
}
