//! Razorpay's and Curlec's objects, with the fields of razorpay-node 2.9 and of the samples in Razorpay's
//! documentation.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::payments::{
    Attempt, AttemptStatus, Payment, Status,
    disputes::{Dispute, Outcome},
    refunds::{Refund, RefundStatus},
};

/// Razorpay answers empty notes as an empty array.
fn notes(sent: &Value) -> Value {
    let notes = sent.get("notes").filter(|notes| notes.as_object().is_some_and(|notes| !notes.is_empty()));
    notes.cloned().unwrap_or_else(|| json!([]))
}

pub fn order(payment: &Payment) -> Value {
    let status = match payment.status {
        Status::Paid => "paid",
        _ if payment.attempts.is_empty() => "created",
        _ => "attempted",
    };
    // With a fee that the buyer bears, or an offer, the buyer pays another amount. Of an order of 1000 with an offer of 100,
    // https://razorpay.com/docs/payments/offers/s2s-integration shows an `amount_paid` of 900 and an `amount_due` of 0.
    let paid = payment.charge().map_or(payment.captured, |attempt| payment.amount + attempt.fee);
    json!({"id": payment.reference, "entity": "order", "amount": payment.amount, "amount_paid": paid,
        "amount_due": payment.amount - payment.captured, "currency": payment.currency,
        "receipt": payment.our_reference, "offer_id": null, "status": status, "attempts": payment.attempts.len(),
        "notes": notes(&payment.sent), "created_at": payment.created.timestamp()})
}

/// One of the order's payments. Where the buyer bears the fee, its amount is more than the order's; with an offer it is less, and
/// no more can be refunded (<https://razorpay.com/docs/api/payments/fetch-payment-expanded-offers>).
pub fn attempt(payment: &Payment, attempt: &Attempt) -> Value {
    let is_captured = attempt.status == AttemptStatus::Captured;
    let amount = payment.amount + attempt.fee;
    let refunded = match attempt.status {
        AttemptStatus::Captured => payment.refunded_of(payment.other_than_charge(&attempt.id).as_deref()),
        AttemptStatus::Returned => amount,
        _ => 0,
    };
    let (status, refund_status) = match attempt.status {
        AttemptStatus::Created => ("created", None),
        AttemptStatus::Authorized => ("authorized", None),
        AttemptStatus::Captured if refunded == payment.paid() => ("refunded", Some("full")),
        AttemptStatus::Captured if refunded > 0 => ("captured", Some("partial")),
        AttemptStatus::Captured => ("captured", None),
        AttemptStatus::Failed => ("failed", None),
        AttemptStatus::Returned => ("refunded", Some("full")),
    };
    let failed = |text: &str| (attempt.status == AttemptStatus::Failed).then(|| text.to_owned());
    json!({"id": attempt.id, "entity": "payment", "order_id": payment.reference, "amount": amount,
        "currency": payment.currency, "status": status, "captured": is_captured, "amount_refunded": refunded,
        "refund_status": refund_status, "invoice_id": null, "international": false, "method": "card",
        "description": null, "card_id": null, "bank": null, "wallet": null, "vpa": null,
        "email": "buyer@example.com", "contact": "+919000090000", "fee": attempt.fee, "tax": 0,
        "error_code": failed("BAD_REQUEST_ERROR"), "error_description": failed("Payment failed"),
        "error_source": failed("bank"), "error_step": failed("payment_authorization"),
        "error_reason": failed("payment_failed"), "acquirer_data": {}, "notes": [],
        "created_at": attempt.created.timestamp()})
}

pub fn refund(payment: &Payment, refund: &Refund) -> Value {
    let status = match refund.status {
        RefundStatus::Queued | RefundStatus::Pending => "pending",
        RefundStatus::Done => "processed",
        RefundStatus::Failed | RefundStatus::Cancelled => "failed",
    };
    let charge = || payment.charge().map(|attempt| attempt.id.as_str());
    json!({"id": refund.id, "entity": "refund", "amount": refund.amount, "currency": payment.currency,
        "payment_id": refund.attempt.as_deref().or_else(charge), "notes": notes(&refund.sent),
        "receipt": refund.sent.get("receipt"), "acquirer_data": {"arn": null},
        "created_at": refund.created.timestamp(), "batch_id": null, "status": status,
        "speed_processed": "normal", "speed_requested": "normal"})
}

/// `amount_deducted` is 0 until the dispute is lost (<https://razorpay.com/docs/api/disputes/entity>), unless the account is debited when it
/// is raised.
pub fn dispute(payment: &Payment, dispute: &Dispute) -> Value {
    let status = match dispute.outcome {
        Outcome::Inquiry | Outcome::Opened | Outcome::Appealed => "open",
        Outcome::Won => "won",
        Outcome::Lost => "lost",
    };
    let charge = || payment.charge().map(|attempt| attempt.id.as_str());
    json!({"id": dispute.id, "entity": "dispute", "amount": dispute.amount, "currency": payment.currency,
        "payment_id": dispute.attempt.as_deref().or_else(charge), "amount_deducted": dispute.kept,
        "reason_code": "chargeback_reason", "respond_by": (dispute.created + TimeDelta::days(7)).timestamp(),
        "status": status, "phase": "chargeback", "created_at": dispute.created.timestamp(),
        "evidence": {"amount": dispute.amount, "summary": null, "submitted_at": null}})
}

pub fn collection(items: &[Value]) -> Value {
    json!({"entity": "collection", "count": items.len(), "items": items})
}
