//! Mollie's objects, with the fields of mollie-api-py 1.10. Amounts are decimal strings.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::payments::{
    Method, Payment, Status,
    disputes::Dispute,
    refunds::{Refund, RefundStatus},
};

/// Two decimals, or none for the two currencies without subunits.
pub fn digits(currency: &str) -> usize {
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

/// Returns when the payment expires by itself: 15 minutes, and for a bank transfer 12 days
/// (<https://docs.mollie.com/docs/status-change>).
pub fn expires(payment: &Payment) -> Option<DateTime<Utc>> {
    match payment.status {
        Status::Open | Status::Waiting(Method::Redirect) => Some(payment.created + TimeDelta::minutes(15)),
        Status::Waiting(Method::BankTransfer) => Some(payment.created + TimeDelta::days(12)),
        _ => None,
    }
}

/// Returns whether Mollie calls it pending: the buyer has paid, and the bank has not answered.
pub fn is_pending(payment: &Payment) -> bool {
    matches!(payment.status, Status::Waiting(Method::Debit | Method::Voucher))
}

/// Not while the buyer is at their bank's page, nor while the bank works.
pub fn is_cancelable(payment: &Payment) -> bool {
    matches!(payment.status, Status::Open | Status::Waiting(Method::BankTransfer) | Status::Authorized)
}

pub fn payment(payment: &Payment) -> Value {
    let (status, since) = match payment.status {
        Status::Open | Status::Waiting(Method::BankTransfer | Method::Redirect) => ("open", None),
        Status::Waiting(_) => ("pending", None),
        Status::Authorized => ("authorized", Some("authorizedAt")),
        Status::Paid => ("paid", Some("paidAt")),
        Status::Failed => ("failed", Some("failedAt")),
        Status::Cancelled => ("canceled", Some("canceledAt")),
        Status::Expired => ("expired", Some("expiredAt")),
    };
    let id = &payment.reference;
    let mut object = json!({"resource": "payment", "id": id, "mode": "test", "status": status,
        "createdAt": time(payment.created), "amount": money(payment.amount, payment), "method": method(payment),
        "description": payment.sent.get("description"), "metadata": payment.sent.get("metadata"),
        "redirectUrl": payment.sent.get("redirectUrl"), "cancelUrl": payment.sent.get("cancelUrl"),
        "webhookUrl": payment.sent.get("webhookUrl"), "profileId": "pfl_simulated", "sequenceType": "oneoff",
        "isCancelable": is_cancelable(payment),
        "_links": {"self": link(payment, &format!("/payments/{id}")),
            "dashboard": link(payment, &format!("/checkout/{id}"))}});
    if let Some(since) = since {
        set(&mut object, "", since, json!(time(payment.since)));
    }
    if let Some(end) = expires(payment) {
        set(&mut object, "", "expiresAt", json!(time(end)));
    }
    if status == "open" {
        set(&mut object, "/_links", "checkout", link(payment, &format!("/checkout/{id}")));
    }
    if payment.captured > 0 {
        give_backs(&mut object, payment);
    }
    object
}

/// The sums and links that only a paid payment has.
fn give_backs(object: &mut Value, payment: &Payment) {
    let (refunded, charged_back) = (payment.refunded(), payment.charged_back());
    let path = format!("/payments/{}", payment.reference);
    // "Only available when this payment supports captures": a part, if the merchant has captured no more.
    let missing = payment.charge().map_or(0, |charge| charge.fee.min(0));
    if missing < 0 {
        set(object, "", "amountCaptured", money(payment.captured + missing, payment));
    }
    set(object, "", "amountRefunded", money(refunded, payment));
    set(object, "", "amountRemaining", money(payment.captured + missing - refunded - charged_back, payment));
    if !payment.refunds.is_empty() {
        set(object, "/_links", "refunds", link(payment, &format!("{path}/refunds")));
    }
    // "Only available when the total charged back amount is not zero."
    if charged_back > 0 {
        set(object, "", "amountChargedBack", money(charged_back, payment));
    }
    if !payment.disputes.is_empty() {
        set(object, "/_links", "chargebacks", link(payment, &format!("{path}/chargebacks")));
    }
}

/// Known once the buyer has chosen.
fn method(payment: &Payment) -> Option<&'static str> {
    match payment.status {
        Status::Open | Status::Cancelled | Status::Expired => None,
        Status::Waiting(Method::Debit) => Some("directdebit"),
        Status::Waiting(Method::BankTransfer) => Some("banktransfer"),
        Status::Waiting(Method::Voucher) => Some("multibanco"),
        Status::Waiting(Method::Redirect) => Some("ideal"),
        Status::Authorized | Status::Paid | Status::Failed => Some("creditcard"),
    }
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

pub fn chargeback(payment: &Payment, dispute: &Dispute) -> Value {
    let path = format!("/payments/{}", payment.reference);
    // A chargeback that was not reversed stays as it is: Mollie has no word for a lost one.
    let reversed = dispute.ended.filter(|_| dispute.kept == 0).map(time);
    json!({"resource": "chargeback", "id": dispute.id, "amount": money(dispute.amount, payment), "reason": null,
        "paymentId": payment.reference, "createdAt": time(dispute.created), "reversedAt": reversed,
        "_links": {"self": link(payment, &format!("{path}/chargebacks/{}", dispute.id)),
            "payment": link(payment, &path), "documentation": documentation()}})
}

/// In lists, an entity has no link to its documentation.
pub fn list(payment: &Payment, kind: &str, mut items: Vec<Value>) -> Value {
    let links = items.iter_mut().filter_map(|item| item.pointer_mut("/_links")?.as_object_mut());
    for links in links {
        links.remove("documentation");
    }
    let path = format!("/payments/{}/{kind}", payment.reference);
    json!({"count": items.len(), "_embedded": {kind: items},
        "_links": {"self": link(payment, &path), "previous": null, "next": null, "documentation": documentation()}})
}
