//! Stripe's objects, with the fields of stripe-python 16.1.

use serde_json::{Map, Value, json};

use crate::payments::{
    Payment, Status,
    refunds::{Refund, RefundStatus},
};

fn merged(mut object: Value, more: &Value) -> Value {
    if let (Some(object), Some(more)) = (object.as_object_mut(), more.as_object()) {
        object.extend(more.clone());
    }
    object
}

/// A payment intent. Its charge is only an id, unless the request expands it.
pub fn intent(payment: &Payment, expands_charge: bool) -> Value {
    let status = match payment.status {
        Status::Open | Status::Failed => "requires_payment_method",
        Status::Paid => "succeeded",
        Status::Cancelled => "canceled",
    };
    let latest_charge = match payment.charge() {
        Some(_) if expands_charge => charge(payment),
        Some(_) => json!(charge_id(payment)),
        None => Value::Null,
    };
    let intent = json!({"id": payment.reference, "object": "payment_intent", "amount": payment.amount,
        "amount_capturable": 0, "amount_received": payment.captured,
        "automatic_payment_methods": {"enabled": true, "allow_redirects": "always"},
        "capture_method": "automatic_async", "confirmation_method": "automatic",
        "client_secret": format!("{}_secret_demo", payment.reference),
        "created": payment.created.timestamp(), "currency": payment.currency.to_lowercase(),
        "latest_charge": latest_charge, "livemode": false, "payment_method_types": ["card", "customer_balance"],
        "status": status});
    merged(intent, &payment.sent)
}

fn charge_id(payment: &Payment) -> String {
    payment.reference.replacen("pi_", "ch_", 1)
}

pub fn charge(payment: &Payment) -> Value {
    let refunded = payment.refunded();
    json!({"id": charge_id(payment), "object": "charge", "amount": payment.amount,
        "amount_captured": payment.captured, "amount_refunded": refunded,
        "billing_details": {"address": null, "email": null, "name": null, "phone": null, "tax_id": null},
        "captured": true, "created": payment.created.timestamp(), "currency": payment.currency.to_lowercase(),
        "disputed": false, "livemode": false, "metadata": metadata(&payment.sent), "paid": true,
        "payment_intent": payment.reference, "refunded": refunded == payment.captured, "status": "succeeded"})
}

fn metadata(sent: &Value) -> Value {
    sent.get("metadata").cloned().unwrap_or_else(|| Value::Object(Map::new()))
}

pub fn refund(payment: &Payment, refund: &Refund) -> Value {
    let status = match refund.status {
        RefundStatus::Queued | RefundStatus::Pending => "pending",
        RefundStatus::Done => "succeeded",
        RefundStatus::Failed => "failed",
        RefundStatus::Cancelled => "canceled",
    };
    let has_failed = refund.status == RefundStatus::Failed;
    let mut object = json!({"id": refund.id, "object": "refund", "amount": refund.amount,
        "charge": charge_id(payment), "created": refund.created.timestamp(),
        "currency": payment.currency.to_lowercase(), "metadata": metadata(&refund.sent),
        "payment_intent": payment.reference, "reason": refund.sent.get("reason"), "status": status});
    if let (true, Some(object)) = (has_failed, object.as_object_mut()) {
        object.insert("failure_reason".into(), json!("unknown"));
    }
    object
}

pub fn list(url: &str, items: &[Value]) -> Value {
    json!({"object": "list", "url": url, "has_more": false, "data": items})
}
