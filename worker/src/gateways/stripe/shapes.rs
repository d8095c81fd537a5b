//! Stripe's objects and notifications, read from its answers and webhooks. Pure.

use serde_json::Value;

use crate::gateways::{
    Closure, DisputeFacts, Interpretation, Outcome, PaymentSnapshot, RefundFacts, RefundStatus, Status,
    Subject, after_sale, text,
};
use shared::ids::TransactionId;
use shared::money::Currency;

pub fn refund_facts(refund: &Value) -> Option<RefundFacts> {
    Some(RefundFacts {
        reference: text(refund, "/id")?.to_owned(),
        refund_id: after_sale::our_refund(refund, "/metadata/refund_id"),
        subunits: refund.get("amount")?.as_i64()?,
        status: match text(refund, "/status")? {
            "succeeded" => RefundStatus::Succeeded,
            "failed" | "canceled" => RefundStatus::Failed,
            _ => RefundStatus::Accepted,
        },
    })
}

/// A lost dispute can be lost in part. The balance transactions then say how much, unless they are in another currency
/// than the charge.
pub fn dispute_facts(dispute: &Value) -> Option<DisputeFacts> {
    let amount = dispute.get("amount")?.as_i64()?;
    let currency = text(dispute, "/currency")?;
    let balance = dispute.get("balance_transactions").and_then(Value::as_array);
    let withdrawn = || {
        let sums = balance?.iter().map(|moved| {
            (text(moved, "/currency") == Some(currency)).then(|| moved.get("amount")?.as_i64()).flatten()
        });
        let sum: i64 = sums.collect::<Option<Vec<_>>>()?.iter().sum();
        (sum < 0).then_some(-sum)
    };
    Some(DisputeFacts {
        reference: text(dispute, "/id")?.to_owned(),
        subunits: amount,
        outcome: match text(dispute, "/status")? {
            "lost" => Outcome::Lost(withdrawn().unwrap_or(amount)),
            // `warning_closed` ends an inquiry that never became a dispute; `prevented` never took money.
            "won" | "warning_closed" | "prevented" => Outcome::Won,
            // Also the other `warning_*` ones, and `appeal_*` after a decision.
            _ => Outcome::Open,
        },
    })
}

/// Reads a payment intent from an answer or a notification.
pub fn snapshot(intent: &Value) -> Option<PaymentSnapshot> {
    let status = match text(intent, "/status")? {
        "succeeded" => Status::Paid,
        "canceled" => Status::Closed(Closure::Cancelled),
        "processing" | "requires_capture" => Status::Pending,
        "requires_action" if text(intent, "/next_action/type").is_some_and(is_slow) => Status::Pending,
        _ => Status::Open,
    };
    let amount = if status == Status::Paid { "amount_received" } else { "amount" };
    Some(PaymentSnapshot {
        reference: text(intent, "/id")?.to_owned(),
        transaction_id: transaction_id(intent),
        status,
        subunits: intent.get(amount)?.as_i64()?,
        currency: Currency::read(text(intent, "/currency")?).ok()?.code().to_owned(),
        paid_less: None,
        after_sale: None,
    })
}

/// Reads a charge without an intent.
pub fn charge_snapshot(charge: &Value) -> Option<PaymentSnapshot> {
    let status = match (text(charge, "/status")?, charge.get("captured")?.as_bool()?) {
        ("succeeded", true) => Status::Paid,
        ("failed", _) => Status::Failed,
        _ => Status::Pending,
    };
    let amount = if status == Status::Paid { "amount_captured" } else { "amount" };
    Some(PaymentSnapshot {
        reference: text(charge, "/id")?.to_owned(),
        transaction_id: transaction_id(charge),
        status,
        subunits: charge.get(amount)?.as_i64()?,
        currency: Currency::read(text(charge, "/currency")?).ok()?.code().to_owned(),
        paid_less: None,
        after_sale: None,
    })
}

/// Returns whether a next action shows a voucher or bank details, which the buyer takes to a shop or bank. From
/// `PaymentIntent.NextAction` of stripe-python; the other actions take the buyer a few minutes.
fn is_slow(next_action: &str) -> bool {
    [
        "boleto_display_details",
        "display_bank_transfer_instructions",
        "konbini_display_details",
        "multibanco_display_details",
        "oxxo_display_details",
    ]
    .contains(&next_action)
}

fn transaction_id(object: &Value) -> Option<TransactionId> {
    text(object, "/metadata/transaction_id")?.parse().ok()
}

pub fn interpret(kind: &str, notification: &Value) -> Subject {
    let Some(object) = notification.pointer("/data/object") else { return Subject::NOTHING };
    // Charges, refunds and disputes name their intent; those of a charge without one name the charge.
    let reference = ["/payment_intent", "/charge", "/id"].into_iter().find_map(|name| text(object, name));
    let interpretation = match kind {
        "payment_intent.succeeded" | "payment_intent.canceled" => {
            snapshot(object).map(Interpretation::Reported)
        }
        "payment_intent.payment_failed" => snapshot(object)
            .map(|snapshot| Interpretation::Reported(PaymentSnapshot { status: Status::Failed, ..snapshot })),
        // Ask: such a notification may come after the one that ended the attempt.
        "payment_intent.processing"
        | "payment_intent.requires_action"
        | "payment_intent.amount_capturable_updated"
        | "charge.refunded" => Some(Interpretation::MustRead),
        kind if kind.starts_with("refund.") || kind.starts_with("charge.dispute.") => {
            Some(Interpretation::MustRead)
        }
        _ => None,
    };
    Subject {
        reference: reference.map(str::to_owned),
        transaction_id: transaction_id(object),
        interpretation: interpretation.unwrap_or(Interpretation::Nothing),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_status_of_a_dispute_has_its_outcome() {
        let read = |status: &str, balance: &[i64]| {
            let balance = balance.iter().map(|amount| json!({ "amount": amount, "currency": "usd" }));
            let dispute = json!({ "id": "du_1", "amount": 900, "currency": "usd", "status": status,
                "balance_transactions": balance.collect::<Vec<_>>() });
            dispute_facts(&dispute).unwrap().outcome
        };
        for status in ["needs_response", "under_review", "warning_needs_response", "warning_under_review"] {
            assert_eq!(read(status, &[-900]), Outcome::Open, "{status}");
        }
        for status in ["appeal_needs_response", "appeal_under_review"] {
            assert_eq!(read(status, &[-900]), Outcome::Open, "{status}");
        }
        for status in ["won", "warning_closed", "prevented"] {
            assert_eq!(read(status, &[-900, 900]), Outcome::Won, "{status}");
        }
        assert_eq!(read("lost", &[-900]), Outcome::Lost(900));
        assert_eq!(read("lost", &[-900, 200]), Outcome::Lost(700));
        assert_eq!(read("lost", &[]), Outcome::Lost(900));
    }

    #[test]
    fn each_status_of_a_charge_without_an_intent_has_its_status() {
        for (status, captured, expected) in [
            ("succeeded", true, (Status::Paid, 900)),
            ("succeeded", false, (Status::Pending, 1_000)),
            ("pending", false, (Status::Pending, 1_000)),
            ("failed", false, (Status::Failed, 1_000)),
        ] {
            let charge = json!({ "id": "ch_1", "object": "charge", "amount": 1_000, "amount_captured": 900, "currency": "usd",
                "captured": captured, "status": status, "payment_intent": null, "metadata": { "order_number": "OLD-1" } });
            let read = charge_snapshot(&charge).unwrap();
            assert_eq!((read.status, read.subunits), expected, "{status}");
            assert_eq!(
                (read.reference.as_str(), read.currency.as_str(), read.transaction_id),
                ("ch_1", "USD", None)
            );
        }
    }

    #[test]
    fn a_notification_names_the_intent_or_else_the_charge() {
        let refund =
            |intent: Value| json!({ "id": "re_1", "charge": "ch_1", "payment_intent": intent, "amount": 1 });
        let charge = json!({ "id": "ch_1", "payment_intent": null });
        for (kind, object, expected) in [
            ("refund.created", refund(json!("pi_1")), "pi_1"),
            ("refund.created", refund(Value::Null), "ch_1"),
            ("charge.refunded", charge.clone(), "ch_1"),
            ("charge.dispute.created", json!({ "id": "du_1", "charge": "ch_1" }), "ch_1"),
            ("payment_intent.succeeded", json!({ "id": "pi_1", "latest_charge": "ch_1" }), "pi_1"),
        ] {
            let subject = interpret(kind, &json!({ "data": { "object": object } }));
            assert_eq!(subject.reference.as_deref(), Some(expected), "{kind}");
        }
    }

    #[test]
    fn each_status_of_a_refund_has_its_state() {
        for (status, expected) in [
            ("pending", RefundStatus::Accepted),
            ("requires_action", RefundStatus::Accepted),
            ("succeeded", RefundStatus::Succeeded),
            ("failed", RefundStatus::Failed),
            ("canceled", RefundStatus::Failed),
        ] {
            let refund = json!({ "id": "re_1", "amount": 900, "status": status, "metadata": {} });
            assert_eq!(refund_facts(&refund).unwrap().status, expected, "{status}");
        }
    }
}
