//! Razorpay's and Curlec's objects and notifications, read from their answers and webhooks. Pure.

use chrono::DateTime;
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

/// Reads a dispute of a payment. `amount_deducted` says what was taken: with the loss
/// (<https://razorpay.com/docs/api/disputes/entity>), or when the dispute was raised, from accounts with "deduct at onset"
/// (<https://razorpay.com/docs/payments/disputes/chargeback-fees-and-penalties>). In another currency than the payment's, it is a
/// share of the payment: of its `base_amount`, if that is in the same currency, else of the disputed amount.
pub fn dispute_facts(dispute: &Value, payment: &Value) -> Option<DisputeFacts> {
    let amount = dispute.get("amount")?.as_i64()?;
    let (currency, charge) = (text(dispute, "/currency"), payment.get("amount")?.as_i64()?);
    let is_base = currency.is_some() && text(payment, "/base_currency") == currency;
    let base = payment.get("base_amount").and_then(Value::as_i64).filter(|_| is_base);
    let of_charge = |subunits| match currency == text(payment, "/currency") {
        true => Some(subunits),
        false => after_sale::share(charge, subunits, base.unwrap_or(amount)),
    };
    let disputed = of_charge(amount)?;
    let deducted = of_charge(dispute.get("amount_deducted").and_then(Value::as_i64).unwrap_or(0))?;
    let outcome = match text(dispute, "/status")? {
        "lost" | "closed" if deducted > 0 => Outcome::Lost(deducted),
        "lost" => Outcome::Lost(disputed),
        "won" | "closed" => Outcome::Won,
        _ => Outcome::Open(deducted),
    };
    // It does not say when it was decided.
    let opened =
        dispute.get("created_at").and_then(Value::as_i64).filter(|_| outcome == Outcome::Open(deducted));
    Some(DisputeFacts {
        reference: text(dispute, "/id")?.to_owned(),
        subunits: disputed,
        outcome,
        moved_at: opened.and_then(|at| DateTime::from_timestamp(at, 0)),
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
    Subject { reference, charge: None, transaction_id: ours.and_then(|id| id.parse().ok()), interpretation }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_status_of_a_dispute_and_a_refund_has_its_outcome() {
        for (status, deducted, expected) in [
            ("open", 0, Outcome::Open(0)),
            ("under_review", 0, Outcome::Open(0)),
            // Some accounts are debited when the dispute opens.
            ("open", 900, Outcome::Open(900)),
            ("under_review", 900, Outcome::Open(900)),
            ("won", 0, Outcome::Won),
            ("lost", 900, Outcome::Lost(900)),
            ("lost", 700, Outcome::Lost(700)),
            ("closed", 0, Outcome::Won),
        ] {
            let dispute = json!({ "id": "disp_1", "amount": 900, "currency": "INR", "amount_deducted": deducted,
                "status": status, "created_at": 1_700_000_000 });
            let facts = dispute_facts(&dispute, &json!({ "amount": 900, "currency": "INR" })).unwrap();
            let opened = matches!(expected, Outcome::Open(_)).then_some(1_700_000_000);
            let moved_at = facts.moved_at.map(|at| at.timestamp());
            assert_eq!((facts.outcome, moved_at), (expected, opened), "{status} {deducted}");
        }
        for (currency, amount, deducted, expected) in [
            ("USD", 5_000, 2_000, (5_000, 2_000)),
            ("INR", 415_000, 166_000, (5_000, 2_000)),
            ("INR", 850_000, 850_000, (10_000, 10_000)),
            // What the part is of is not known.
            ("EUR", 9_000, 3_000, (10_000, 3_333)),
        ] {
            let payment = json!({ "amount": 10_000, "currency": "USD", "base_amount": 830_000, "base_currency": "INR" });
            let dispute = json!({ "id": "disp_1", "amount": amount, "currency": currency,
                "amount_deducted": deducted, "status": "lost" });
            let facts = dispute_facts(&dispute, &payment).unwrap();
            assert_eq!((facts.subunits, facts.outcome), (expected.0, Outcome::Lost(expected.1)), "{dispute}");
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
