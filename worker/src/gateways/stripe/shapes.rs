//! Stripe's objects and notifications, read from its answers and webhooks. Pure.

use chrono::DateTime;
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

/// Reads a dispute of a charge. Its balance transactions are what was withdrawn, on the day on which it was opened, and reinstated, if
/// it was won or lost in part (`charge.dispute.funds_withdrawn`, `charge.dispute.funds_reinstated`). An inquiry has none. In a
/// balance of another currency than the charge's, they say which share of the disputed amount is gone.
pub fn dispute_facts(dispute: &Value, charge: &PaymentSnapshot) -> Option<DisputeFacts> {
    let amount = dispute.get("amount")?.as_i64()?;
    let moves: Vec<Move<'_>> = match dispute.get("balance_transactions").and_then(Value::as_array) {
        Some(listed) => listed.iter().map(Move::read).collect::<Option<_>>()?,
        None => Vec::new(),
    };
    let are_all_in = |currency: &str| moves.iter().all(|moved| moved.currency.eq_ignore_ascii_case(currency));
    let withdrawn: i64 = moves.iter().map(|moved| moved.subunits.min(0)).sum();
    let net: i64 = moves.iter().map(|moved| moved.subunits).sum();
    // A dispute in the currency of the buyer's card does not say what it is in the charge's.
    let disputed = match text(dispute, "/currency")?.eq_ignore_ascii_case(&charge.currency) {
        true => amount,
        false if !moves.is_empty() && are_all_in(&charge.currency) => -withdrawn,
        false => charge.subunits,
    };
    let taken = match moves.first() {
        None => None,
        Some(_) if are_all_in(&charge.currency) => Some((-net).max(0)),
        Some(first) if are_all_in(first.currency) => after_sale::share(disputed, -net, -withdrawn),
        Some(_) => Some(disputed),
    };
    let outcome = match text(dispute, "/status")? {
        "lost" => Outcome::Lost(taken.unwrap_or(disputed)),
        // `warning_closed` ends an inquiry that never became a dispute; `prevented` never took money.
        "won" | "warning_closed" | "prevented" => Outcome::Won,
        // Also the other `warning_*` ones, and `appeal_*` after a decision.
        _ => Outcome::Open(taken.unwrap_or(0)),
    };
    let is_last = |moved: &&Move<'_>| outcome != Outcome::Won || moved.subunits > 0;
    let moved_at = moves.iter().filter(is_last).map(|moved| moved.at).max();
    Some(DisputeFacts {
        reference: text(dispute, "/id")?.to_owned(),
        subunits: disputed,
        outcome,
        moved_at: moved_at.and_then(|at| DateTime::from_timestamp(at, 0)),
    })
}

/// A balance transaction of a dispute.
struct Move<'a> {
    /// Below 0 if it was withdrawn.
    subunits: i64,
    currency: &'a str,
    /// In seconds.
    at: i64,
}

impl<'a> Move<'a> {
    fn read(moved: &'a Value) -> Option<Self> {
        Some(Self {
            subunits: moved.get("amount")?.as_i64()?,
            currency: text(moved, "/currency")?,
            at: moved.get("created")?.as_i64()?,
        })
    }
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
    let charge = text(object, "/charge").or_else(|| text(object, "/id"));
    Subject {
        reference: reference.map(str::to_owned),
        charge: charge.map(str::to_owned),
        transaction_id: transaction_id(object),
        interpretation: interpretation.unwrap_or(Interpretation::Nothing),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A charge of 100.00 EUR.
    fn charge() -> PaymentSnapshot {
        let intent =
            json!({ "id": "pi_1", "status": "succeeded", "amount_received": 10_000, "currency": "eur" });
        snapshot(&intent).unwrap()
    }

    /// A dispute of an amount in one currency, with what was moved of a balance.
    fn disputed(status: &str, (amount, currency): (i64, &str), moves: &[(i64, &str)]) -> DisputeFacts {
        let moves = moves
            .iter()
            .zip(1_700_000_000..)
            .map(|((amount, currency), at)| json!({ "amount": amount, "currency": currency, "created": at }));
        let dispute = json!({ "id": "du_1", "amount": amount, "currency": currency, "status": status,
            "balance_transactions": moves.collect::<Vec<_>>() });
        dispute_facts(&dispute, &charge()).unwrap()
    }

    #[test]
    fn each_status_of_a_dispute_has_its_outcome() {
        let read = |status: &str, moved: &[i64]| {
            let moved: Vec<_> = moved.iter().map(|amount| (*amount, "eur")).collect();
            disputed(status, (900, "eur"), &moved).outcome
        };
        for status in ["needs_response", "under_review", "appeal_needs_response", "appeal_under_review"] {
            assert_eq!(read(status, &[-900]), Outcome::Open(900), "{status}");
        }
        // The funds are withdrawn a moment after it is opened. From an inquiry they never are.
        for status in ["needs_response", "warning_needs_response", "warning_under_review"] {
            assert_eq!(read(status, &[]), Outcome::Open(0), "{status}");
        }
        for status in ["won", "warning_closed", "prevented"] {
            assert_eq!(read(status, &[-900, 900]), Outcome::Won, "{status}");
            assert_eq!(read(status, &[]), Outcome::Won, "{status}");
        }
        assert_eq!(read("lost", &[-900]), Outcome::Lost(900));
        assert_eq!(read("lost", &[-900, 200]), Outcome::Lost(700));
        assert_eq!(read("lost", &[]), Outcome::Lost(900));
    }

    #[test]
    fn what_a_balance_in_another_currency_has_lost_is_its_share_of_the_charge() {
        for (amount, moves, expected) in [
            ((10_000, "eur"), &[(-10_800, "usd")][..], (10_000, 10_000)),
            ((10_000, "eur"), &[(-10_800, "usd"), (3_600, "usd")], (10_000, 6_667)),
            ((5_000, "eur"), &[(-5_500, "usd"), (2_200, "usd")], (5_000, 3_000)),
            // The dispute is in the currency of the buyer's card.
            ((11_000, "usd"), &[(-10_000, "eur"), (2_500, "eur")], (10_000, 7_500)),
            ((11_000, "usd"), &[(-9_000, "gbp"), (4_500, "gbp")], (10_000, 5_000)),
            ((11_000, "usd"), &[], (10_000, 10_000)),
            ((10_000, "eur"), &[(-10_800, "usd"), (3_600, "gbp")], (10_000, 10_000)),
        ] {
            let facts = disputed("lost", amount, moves);
            let expected = (expected.0, Outcome::Lost(expected.1));
            assert_eq!((facts.subunits, facts.outcome), expected, "{amount:?} {moves:?}");
        }
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
    fn money_moves_at_the_time_of_its_last_balance_transaction() {
        let moved_at = |status: &str, moves: &[(i64, &str)]| {
            disputed(status, (900, "eur"), moves).moved_at.map(|at| at.timestamp() - 1_700_000_000)
        };
        assert_eq!(moved_at("needs_response", &[(-900, "eur")]), Some(0));
        assert_eq!(moved_at("lost", &[(-900, "eur"), (200, "eur")]), Some(1));
        assert_eq!(moved_at("won", &[(-900, "eur"), (900, "eur")]), Some(1));
        // It was not given back yet.
        assert_eq!(moved_at("won", &[(-900, "eur")]), None);
        assert_eq!(moved_at("warning_needs_response", &[]), None);
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
