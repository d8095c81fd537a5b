//! Stripe's objects, with the fields of stripe-python 16.1.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value, json};

use crate::payments::{
    Method, Payment, Status,
    disputes::{Dispute, Outcome},
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
        Status::Waiting(Method::Debit) => "processing",
        Status::Waiting(_) => "requires_action",
        Status::Authorized => "requires_capture",
        Status::Paid => "succeeded",
        Status::Cancelled | Status::Expired => "canceled",
    };
    let latest_charge = match payment.charge() {
        Some(_) if expands_charge => charge(payment),
        Some(_) => json!(charge_id(payment)),
        None => Value::Null,
    };
    let is_authorized = payment.status == Status::Authorized;
    let failure = json!({"type": "card_error", "code": "card_declined", "decline_code": "generic_decline",
        "message": "Your card was declined."});
    let ended = matches!(payment.status, Status::Cancelled | Status::Expired);
    let intent = json!({"id": payment.reference, "object": "payment_intent", "amount": payment.amount,
        "amount_capturable": if is_authorized { payment.amount } else { 0 }, "amount_received": payment.captured,
        "automatic_payment_methods": {"enabled": true, "allow_redirects": "always"},
        "canceled_at": ended.then(|| payment.since.timestamp()),
        "cancellation_reason": (payment.status == Status::Expired).then_some("expired"),
        "capture_method": "automatic_async", "confirmation_method": "automatic",
        "client_secret": format!("{}_secret_demo", payment.reference),
        "created": payment.created.timestamp(), "currency": payment.currency.to_lowercase(),
        "last_payment_error": (payment.status == Status::Failed).then_some(failure),
        "latest_charge": latest_charge, "livemode": false, "next_action": next_action(payment),
        "payment_method_types": ["card", "customer_balance", "boleto", "sepa_debit"], "status": status});
    merged(intent, &payment.sent)
}

/// Returns what the buyer has to do for `requires_action`.
fn next_action(payment: &Payment) -> Value {
    let page = "https://payments.stripe.test/instructions";
    match payment.status {
        Status::Waiting(Method::Voucher) => {
            let end = (payment.since + TimeDelta::days(3)).timestamp();
            json!({"type": "boleto_display_details", "boleto_display_details":
                {"expires_at": end, "hosted_voucher_url": page, "number": "01010101", "pdf": page}})
        }
        Status::Waiting(Method::BankTransfer) => json!({"type": "display_bank_transfer_instructions",
            "display_bank_transfer_instructions": {"amount_remaining": payment.amount,
                "currency": payment.currency.to_lowercase(), "hosted_instructions_url": page,
                "reference": "SIMULATED", "type": "eu_bank_transfer"}}),
        Status::Waiting(Method::Redirect) => {
            json!({"type": "redirect_to_url", "redirect_to_url": {"return_url": page, "url": page}})
        }
        _ => Value::Null,
    }
}

/// The id of the payment's intent. Charges that were made without one have none:
/// <https://docs.stripe.com/api/charges/object#charge_object-payment_intent>.
pub fn intent_id(payment: &Payment) -> Option<&str> {
    Some(payment.reference.as_str()).filter(|reference| reference.starts_with("pi_"))
}

pub fn charge_id(payment: &Payment) -> String {
    payment.reference.replacen("pi_", "ch_", 1)
}

pub fn charge(payment: &Payment) -> Value {
    let refunded = payment.refunded();
    json!({"id": charge_id(payment), "object": "charge", "amount": payment.amount,
        "amount_captured": payment.captured, "amount_refunded": refunded,
        "billing_details": {"address": null, "email": null, "name": null, "phone": null, "tax_id": null},
        "captured": true, "created": payment.created.timestamp(), "currency": payment.currency.to_lowercase(),
        "disputed": !payment.disputes.is_empty(), "livemode": false, "metadata": metadata(&payment.sent),
        "paid": true, "payment_intent": intent_id(payment), "refunded": refunded == payment.captured,
        "status": "succeeded"})
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
        "payment_intent": intent_id(payment), "reason": refund.sent.get("reason"), "status": status});
    if let (true, Some(object)) = (has_failed, object.as_object_mut()) {
        object.insert("failure_reason".into(), json!("unknown"));
    }
    object
}

/// A dispute has "zero, one, or two balance transactions that show funds withdrawn and reinstated" (`Dispute` of stripe-python): none
/// while it is an inquiry; the withdrawal from the day on which it is opened; and what came back when it was won or lost in part
/// (`charge.dispute.funds_reinstated`, "including partially refunded payments").
pub fn dispute(payment: &Payment, dispute: &Dispute) -> Value {
    let status = match dispute.outcome {
        Outcome::Inquiry => "warning_needs_response",
        Outcome::Opened => "needs_response",
        Outcome::Won if dispute.taken.is_none() => "warning_closed",
        Outcome::Won => "won",
        Outcome::Lost => "lost",
        Outcome::Appealed => "appeal_under_review",
    };
    let withdrawn = dispute.taken.map(|at| balance_transaction(payment, dispute, -dispute.amount, at));
    let back = dispute.amount - dispute.kept;
    let reinstated = dispute.ended.filter(|_| dispute.taken.is_some() && back > 0);
    let reinstated = reinstated.map(|at| balance_transaction(payment, dispute, back, at));
    let balance: Vec<Value> = withdrawn.into_iter().chain(reinstated).collect();
    let due_by = (dispute.created + TimeDelta::days(9)).timestamp();
    json!({"id": dispute.id, "object": "dispute", "amount": dispute.amount, "balance_transactions": balance,
        "charge": charge_id(payment), "created": dispute.created.timestamp(),
        "currency": payment.currency.to_lowercase(), "enhanced_eligibility_types": [],
        "evidence": {"enhanced_evidence": {}},
        "evidence_details": {"due_by": due_by, "enhanced_eligibility": {}, "has_evidence": false, "past_due": false,
            "submission_count": 0, "submission_method": "not_submitted"},
        "is_charge_refundable": dispute.taken.is_none(), "livemode": false, "metadata": {}, "payment_intent": intent_id(payment),
        "reason": "fraudulent", "status": status})
}

fn balance_transaction(payment: &Payment, dispute: &Dispute, amount: i64, at: DateTime<Utc>) -> Value {
    let (at, kind) = (at.timestamp(), if amount < 0 { "dispute" } else { "dispute_reversal" });
    let id = format!("txn_{kind}_{}", dispute.id);
    json!({"id": id, "object": "balance_transaction", "amount": amount, "available_on": at,
        "balance_type": "payments", "created": at, "currency": payment.currency.to_lowercase(), "description": null,
        "fee": 0, "fee_details": [], "net": amount, "reporting_category": kind, "source": dispute.id,
        "status": "available", "type": "adjustment"})
}

pub fn list(url: &str, items: &[Value]) -> Value {
    json!({"object": "list", "url": url, "has_more": false, "data": items})
}
