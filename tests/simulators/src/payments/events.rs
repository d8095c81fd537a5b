//! The webhooks that a change causes at each provider: their types and bodies. Delivery and signature are elsewhere.

use serde_json::{Value, json};

use super::{
    AttemptStatus, Method, Payment, Provider, Status,
    disputes::{Dispute, Outcome},
    mollie::shapes as mollie,
    razorpay::shapes as razorpay,
    refunds::{Refund, RefundStatus},
    stripe::shapes as stripe,
};
use crate::state::{now, random};

/// A change that providers report.
pub enum Happened {
    Paid,
    /// Another payment of a paid order was captured, which Razorpay and Curlec alone can do.
    PaidAgain,
    Failed,
    Waiting,
    Authorized,
    Expired,
    /// A change without a webhook.
    Nothing,
    /// A dispute was opened, closed, or both.
    Disputed {
        id: String,
        is_new: bool,
    },
    /// A refund was made; its id.
    Refunded(String),
    /// A refund has another state; its id.
    RefundChanged(String),
}

pub struct Event {
    pub id: String,
    pub kind: String,
    pub body: String,
}

impl Event {
    /// Turns Mollie's full payload into its simple one, without the entity (the first example of
    /// <https://docs.mollie.com/reference/webhooks-new>).
    pub fn simplify(&mut self) {
        let mut body: Value = serde_json::from_str(&self.body).unwrap_or_default();
        if let Some(fields) = body.as_object_mut() {
            fields.remove("_embedded");
        }
        self.body = body.to_string();
    }
}

/// The provider's events about the change, in the order in which it sends them.
pub fn events(payment: &Payment, happened: &Happened) -> Vec<Event> {
    match payment.provider {
        Provider::Stripe => of_stripe(payment, happened),
        Provider::Mollie => of_mollie(payment, happened),
        Provider::Razorpay | Provider::Curlec => of_razorpay(payment, happened),
    }
}

fn of_stripe(payment: &Payment, happened: &Happened) -> Vec<Event> {
    let event = |kind: &str, object: Value| {
        let id = format!("evt_{}", random(24));
        let body = json!({"id": id, "object": "event", "api_version": "2026-10-28.endive", "type": kind,
            "created": now().timestamp(), "livemode": false, "pending_webhooks": 1, "request": null,
            "data": {"object": object}});
        Event { id, kind: kind.to_owned(), body: body.to_string() }
    };
    let intent = || stripe::intent(payment, false);
    let refund =
        |id: &str| payment.refund_with(id).map_or(Value::Null, |refund| stripe::refund(payment, refund));
    match happened {
        Happened::Paid => vec![event("payment_intent.succeeded", intent())],
        Happened::Failed => vec![event("payment_intent.payment_failed", intent())],
        Happened::Waiting if payment.status == Status::Waiting(Method::Debit) => {
            vec![event("payment_intent.processing", intent())]
        }
        Happened::Waiting => vec![event("payment_intent.requires_action", intent())],
        Happened::Authorized => vec![event("payment_intent.amount_capturable_updated", intent())],
        Happened::Expired => vec![event("payment_intent.canceled", intent())],
        Happened::PaidAgain | Happened::Nothing => Vec::new(),
        Happened::Disputed { id, is_new } => {
            let Some(dispute) = payment.dispute_with(id) else { return Vec::new() };
            let kinds = dispute_kinds(dispute, *is_new).into_iter();
            kinds.map(|kind| event(kind, stripe::dispute(payment, dispute))).collect()
        }
        // Stripe sends both from the creation on, also while the refund is pending.
        Happened::Refunded(id) => {
            vec![event("refund.created", refund(id)), event("charge.refunded", stripe::charge(payment))]
        }
        Happened::RefundChanged(id) => {
            let has_failed = payment.refund_with(id).is_some_and(|refund| !refund.is_live());
            let mut events = vec![event("refund.updated", refund(id))];
            events.extend(has_failed.then(|| event("refund.failed", refund(id))));
            events
        }
    }
}

/// Stripe's events about a dispute: the money moves apart from the decision.
fn dispute_kinds(dispute: &Dispute, is_new: bool) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    if is_new {
        kinds.extend(["charge.dispute.created", "charge.dispute.funds_withdrawn"]);
    }
    if dispute.outcome == Outcome::Appealed {
        kinds.push("charge.dispute.updated");
    } else if dispute.outcome != Outcome::Opened {
        kinds.push("charge.dispute.closed");
        kinds.extend((dispute.kept < dispute.amount).then_some("charge.dispute.funds_reinstated"));
    }
    kinds
}

fn of_mollie(payment: &Payment, happened: &Happened) -> Vec<Event> {
    let event = |kind: &str, entity: Value| {
        let id = format!("event_{}", random(20));
        let path = mollie::link(payment, &format!("/events/{id}"));
        let documentation =
            json!({"href": "https://docs.mollie.com/reference/webhooks-new", "type": "text/html"});
        let body = json!({"resource": "event", "id": id, "type": kind, "entityId": entity.get("id"),
            "createdAt": mollie::time(now()), "_embedded": {"entity": entity},
            "_links": {"self": path, "documentation": documentation}});
        Event { id, kind: kind.to_owned(), body: body.to_string() }
    };
    let whole = || mollie::payment(payment);
    match happened {
        Happened::Paid => vec![event("payment.paid", whole())],
        Happened::Failed => vec![event("payment.failed", whole())],
        // A payment that stays open has no event.
        Happened::Waiting => match mollie::is_pending(payment) {
            true => vec![event("payment.pending", whole())],
            false => Vec::new(),
        },
        Happened::Authorized => vec![event("payment.authorized", whole())],
        Happened::Expired => vec![event("payment.expired", whole())],
        Happened::PaidAgain | Happened::Nothing => Vec::new(),
        Happened::Disputed { id, is_new } => {
            let Some(dispute) = payment.dispute_with(id) else { return Vec::new() };
            let received = is_new.then_some("chargeback.received");
            let reversed = (dispute.outcome == Outcome::Won).then_some("chargeback.reversed");
            let kinds = received.into_iter().chain(reversed);
            kinds.map(|kind| event(kind, mollie::chargeback(payment, dispute))).collect()
        }
        Happened::Refunded(id) | Happened::RefundChanged(id) => {
            let refund = payment.refund_with(id);
            let about = |refund: &Refund| {
                let kind = format!("refund.{}", mollie::refund_status(refund));
                event(&kind, mollie::refund(payment, refund))
            };
            refund.map(about).into_iter().collect()
        }
    }
}

fn of_razorpay(payment: &Payment, happened: &Happened) -> Vec<Event> {
    let event = |kind: &str, entities: Vec<(&str, Value)>| {
        let names: Vec<&str> = entities.iter().map(|(name, _)| *name).collect();
        let payload = entities.iter().map(|(name, entity)| ((*name).to_owned(), json!({"entity": entity})));
        let payload = Value::Object(payload.collect());
        let body = json!({"entity": "event", "account_id": format!("acc_{}", payment.organisation), "event": kind,
            "contains": names, "payload": payload, "created_at": now().timestamp()});
        // The id is only a header, and not signed.
        Event { id: format!("evt_{}", random(14)), kind: kind.to_owned(), body: body.to_string() }
    };
    let newest = |status: AttemptStatus| {
        let attempt = payment.attempts.iter().rev().find(|attempt| attempt.status == status);
        vec![("payment", attempt.map_or(Value::Null, |attempt| razorpay::attempt(payment, attempt)))]
    };
    let charge = || payment.charge().map_or(Value::Null, |attempt| razorpay::attempt(payment, attempt));
    let paid = |attempt: Option<&String>| {
        let other = attempt.and_then(|id| payment.attempts.iter().find(|one| one.id == *id));
        other.map_or_else(charge, |attempt| razorpay::attempt(payment, attempt))
    };
    let refund = |kind: &str, id: &str| {
        let Some(refund) = payment.refund_with(id) else { return event(kind, Vec::new()) };
        event(
            kind,
            vec![("refund", razorpay::refund(payment, refund)), ("payment", paid(refund.attempt.as_ref()))],
        )
    };
    match happened {
        Happened::PaidAgain => {
            let newest = payment.attempts.last();
            let again = newest.map_or(Value::Null, |attempt| razorpay::attempt(payment, attempt));
            vec![event("payment.captured", vec![("payment", again)])]
        }
        Happened::Paid => vec![
            event("payment.captured", vec![("payment", charge())]),
            event("order.paid", vec![("payment", charge()), ("order", razorpay::order(payment))]),
        ],
        Happened::Failed => vec![event("payment.failed", newest(AttemptStatus::Failed))],
        Happened::Authorized => vec![event("payment.authorized", newest(AttemptStatus::Authorized))],
        Happened::Waiting | Happened::Expired | Happened::Nothing => Vec::new(),
        Happened::Disputed { id, is_new } => {
            let Some(dispute) = payment.dispute_with(id) else { return Vec::new() };
            let created = is_new.then_some("payment.dispute.created");
            let ended = match dispute.outcome {
                Outcome::Opened | Outcome::Appealed => None,
                Outcome::Won => Some("payment.dispute.won"),
                Outcome::Lost => Some("payment.dispute.lost"),
            };
            let of = dispute.attempt.as_ref();
            let entities = || vec![("payment", paid(of)), ("dispute", razorpay::dispute(payment, dispute))];
            created.into_iter().chain(ended).map(|kind| event(kind, entities())).collect()
        }
        Happened::Refunded(id) | Happened::RefundChanged(id) => {
            let is_new = matches!(happened, Happened::Refunded(_));
            let ended = match payment.refund_with(id).map(|refund| refund.status) {
                Some(RefundStatus::Done) => Some("refund.processed"),
                Some(RefundStatus::Failed) => Some("refund.failed"),
                _ => None,
            };
            is_new.then_some("refund.created").into_iter().chain(ended).map(|kind| refund(kind, id)).collect()
        }
    }
}
