//! Razorpay's and Curlec's objects and notifications, read from their answers and webhooks. Pure.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::gateways::{
    DisputeFacts, Interpretation, Outcome, PaymentSnapshot, RefundFacts, RefundStatus, Status, Subject,
    after_sale, text,
};

pub fn refund_facts(refund: &Value) -> Option<RefundFacts> {
    Some(RefundFacts {
        reference: text(refund, "/id")?.to_owned(),
        refund_id: after_sale::our_refund(refund, "/notes/refund_id"),
        subunits: refund.get("amount")?.as_i64()?,
        status: match text(refund, "/status")? {
            "processed" => RefundStatus::Succeeded,
            "failed" => RefundStatus::Failed,
            _ => RefundStatus::Accepted,
        },
    })
}

pub fn dispute_facts(dispute: &Value) -> Option<DisputeFacts> {
    let deducted = dispute.get("amount_deducted").and_then(Value::as_i64).unwrap_or(0);
    let amount = dispute.get("amount")?.as_i64()?;
    Some(DisputeFacts {
        reference: text(dispute, "/id")?.to_owned(),
        subunits: amount,
        outcome: match text(dispute, "/status")? {
            "lost" | "closed" if deducted > 0 => Outcome::Lost(deducted),
            "lost" => Outcome::Lost(amount),
            "won" | "closed" => Outcome::Won,
            _ => Outcome::Open,
        },
    })
}

/// Reads an order from an answer or a notification. A paid order is settled by its own amount: what the buyer paid for it can be
/// more, with a fee that the buyer bears and the provider keeps, or less, with an offer.
pub fn snapshot(order: &Value) -> Option<PaymentSnapshot> {
    let status = if text(order, "/status")? == "paid" { Status::Paid } else { Status::Open };
    let reference = text(order, "/id")?;
    let subunits = order.get("amount")?.as_i64()?;
    let paid = order.get("amount_paid").and_then(Value::as_i64).filter(|paid| (1..subunits).contains(paid));
    Some(PaymentSnapshot {
        reference: reference.to_owned(),
        transaction_id: text(order, "/receipt").and_then(|id| id.parse().ok()),
        status,
        subunits,
        currency: text(order, "/currency")?.to_owned(),
        paid_less: paid.filter(|_| status == Status::Paid),
        after_sale: None,
    })
}

/// Reads a payment attempt from a notification; its notes are copied from the order.
fn attempt_snapshot(payment: &Value, status: Status) -> Option<PaymentSnapshot> {
    Some(PaymentSnapshot {
        reference: text(payment, "/order_id")?.to_owned(),
        transaction_id: text(payment, "/notes/transaction_id").and_then(|id| id.parse().ok()),
        status,
        subunits: payment.get("amount")?.as_i64()?,
        currency: text(payment, "/currency")?.to_owned(),
        paid_less: None,
        after_sale: None,
    })
}

/// The header with the notification's id is not signed: an attacker could replay an old notification under the id of a new one, and hide
/// the new one.
pub fn digest_as_id(text: &str, _body: &Value) -> Result<String, String> {
    Ok(hex::encode(Sha256::digest(text)))
}

pub fn interpret(kind: &str, notification: &Value) -> Subject {
    let order = notification.pointer("/payload/order/entity").unwrap_or(&Value::Null);
    let payment = notification.pointer("/payload/payment/entity").unwrap_or(&Value::Null);
    let reference = text(order, "/id").or_else(|| text(payment, "/order_id")).map(str::to_owned);
    // Razorpay sends empty notes as a list, which has no transaction id.
    let ours = text(order, "/receipt").or_else(|| text(payment, "/notes/transaction_id"));
    let reported = |snapshot: Option<PaymentSnapshot>| {
        snapshot.map_or(Interpretation::MustRead, Interpretation::Reported)
    };
    let attempt = |status| {
        attempt_snapshot(payment, status).map_or(Interpretation::MustRead, Interpretation::AttemptOnly)
    };
    let interpretation = match kind {
        "order.paid" => reported(snapshot(order)),
        "payment.captured" => attempt(Status::Paid),
        // This attempt has failed; the buyer can still pay the order with another.
        "payment.failed" => attempt(Status::Failed),
        "payment.authorized" | "refund.processed" | "refund.failed" | "refund.created" => {
            Interpretation::MustRead
        }
        kind if kind.starts_with("payment.dispute.") => Interpretation::MustRead,
        _ => Interpretation::Nothing,
    };
    Subject { reference, transaction_id: ours.and_then(|id| id.parse().ok()), interpretation }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_status_of_a_dispute_and_a_refund_has_its_outcome() {
        for (status, deducted, expected) in [
            ("open", 0, Outcome::Open),
            ("under_review", 0, Outcome::Open),
            // Some accounts are debited when the dispute opens.
            ("open", 900, Outcome::Open),
            ("won", 0, Outcome::Won),
            ("lost", 900, Outcome::Lost(900)),
            ("lost", 700, Outcome::Lost(700)),
            ("closed", 0, Outcome::Won),
        ] {
            let dispute =
                json!({ "id": "disp_1", "amount": 900, "amount_deducted": deducted, "status": status });
            assert_eq!(dispute_facts(&dispute).unwrap().outcome, expected, "{status} {deducted}");
        }
        for (status, expected) in [
            ("pending", RefundStatus::Accepted),
            ("processed", RefundStatus::Succeeded),
            ("failed", RefundStatus::Failed),
        ] {
            let refund = json!({ "id": "rfnd_1", "amount": 900, "status": status, "notes": [] });
            assert_eq!(refund_facts(&refund).unwrap().status, expected, "{status}");
        }
    }
}
