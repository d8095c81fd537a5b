//! Mollie's objects, with the fields of mollie-api-py 1.10. Amounts are decimal strings.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::{
    payments::{
        Payment, Status,
        refunds::{Refund, RefundStatus},
    },
    state::now,
};

/// Two decimals, or none for the two currencies without subunits.
fn digits(currency: &str) -> usize {
    if ["JPY", "ISK"].contains(&currency) { 0 } else { 2 }
}

pub fn subunits(value: &str, currency: &str) -> Option<i64> {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    (fraction.len() == digits(currency)).then(|| format!("{whole}{fraction}").parse().ok())?
}

pub fn decimal(amount: i64, currency: &str) -> String {
    match digits(currency) {
        0 => amount.to_string(),
        _ => format!("{}.{:02}", amount / 100, amount % 100),
    }
}

fn money(amount: i64, payment: &Payment) -> Value {
    json!({"currency": payment.currency, "value": decimal(amount, &payment.currency)})
}

/// `2026-01-02T03:04:05+00:00`
pub fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, false)
}

pub fn link(payment: &Payment, path: &str) -> Value {
    let base = payment.sent.get("base").and_then(Value::as_str).unwrap_or_default();
    let kind = if path.starts_with("/checkout") { "text/html" } else { "application/hal+json" };
    json!({"href": format!("{base}{path}"), "type": kind})
}

fn documentation() -> Value {
    json!({"href": "https://docs.mollie.com/reference/", "type": "text/html"})
}

pub fn payment(payment: &Payment) -> Value {
    let status = match payment.status {
        Status::Open => "open",
        Status::Paid => "paid",
        Status::Failed => "failed",
        Status::Cancelled => "canceled",
    };
    let id = &payment.reference;
    let mut object = json!({"resource": "payment", "id": id, "mode": "test", "status": status,
        "createdAt": time(payment.created), "amount": money(payment.amount, payment),
        "description": payment.sent.get("description"), "metadata": payment.sent.get("metadata"),
        "redirectUrl": payment.sent.get("redirectUrl"), "cancelUrl": payment.sent.get("cancelUrl"),
        "webhookUrl": payment.sent.get("webhookUrl"), "profileId": "pfl_simulated", "sequenceType": "oneoff",
        "isCancelable": payment.status == Status::Open,
        "_links": {"self": link(payment, &format!("/payments/{id}")),
            "dashboard": link(payment, &format!("/checkout/{id}"))}});
    if payment.status == Status::Open {
        set(&mut object, "/_links", "checkout", link(payment, &format!("/checkout/{id}")));
    }
    if payment.captured > 0 {
        let left = payment.captured - payment.refunded();
        set(&mut object, "", "paidAt", json!(time(now())));
        set(&mut object, "", "amountRefunded", money(payment.refunded(), payment));
        set(&mut object, "", "amountRemaining", money(left, payment));
    }
    object
}

fn set(object: &mut Value, place: &str, name: &str, value: Value) {
    if let Some(fields) = object.pointer_mut(place).and_then(Value::as_object_mut) {
        fields.insert(name.to_owned(), value);
    }
}

pub fn refund_status(refund: &Refund) -> &'static str {
    match refund.status {
        RefundStatus::Queued => "queued",
        RefundStatus::Pending => "pending",
        RefundStatus::Done => "refunded",
        RefundStatus::Failed => "failed",
        RefundStatus::Cancelled => "canceled",
    }
}

pub fn refund(payment: &Payment, refund: &Refund) -> Value {
    let path = format!("/payments/{}", payment.reference);
    let description = refund.sent.get("description").cloned().unwrap_or_else(|| json!(""));
    json!({"resource": "refund", "id": refund.id, "mode": "test", "description": description,
        "amount": money(refund.amount, payment), "metadata": refund.sent.get("metadata"),
        "paymentId": payment.reference, "status": refund_status(refund), "createdAt": time(refund.created),
        "_links": {"self": link(payment, &format!("{path}/refunds/{}", refund.id)), "payment": link(payment, &path),
            "documentation": documentation()}})
}

pub fn list(payment: &Payment, kind: &str, items: &[Value]) -> Value {
    let path = format!("/payments/{}/{kind}", payment.reference);
    json!({"count": items.len(), "_embedded": {kind: items},
        "_links": {"self": link(payment, &path), "previous": null, "next": null, "documentation": documentation()}})
}
