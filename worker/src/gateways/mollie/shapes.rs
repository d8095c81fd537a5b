//! Mollie's objects and notifications, read from its answers and webhooks, and its amounts. Pure.

use chrono::DateTime;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde_json::Value;
use shared::money::Currency;

use super::AMOUNTS;
use crate::gateways::{
    Closure, DisputeFacts, Interpretation, Outcome, PaymentSnapshot, RefundFacts, RefundStatus, Status,
    Subject, after_sale, text,
};

pub fn refund_facts(refund: &Value) -> Option<RefundFacts> {
    Some(RefundFacts {
        reference: text(refund, "/id")?.to_owned(),
        refund_id: after_sale::our_refund(refund, "/metadata/refund_id"),
        subunits: subunits(refund.get("amount")?)?.0,
        status: match text(refund, "/status")? {
            "refunded" => RefundStatus::Succeeded,
            "failed" | "canceled" => RefundStatus::Failed,
            _ => RefundStatus::Accepted,
        },
    })
}

/// Reads a chargeback of a payment. It takes the money at once, and gives it back if it is reversed. In another currency than the
/// payment's, it is a share of the payment: of its `settlementAmount`, if that is in the same currency, else all of it.
pub fn dispute_facts(chargeback: &Value, payment: &Value) -> Option<DisputeFacts> {
    let (amount, currency) = subunits(chargeback.get("amount")?)?;
    let (charge, charged_in) = subunits(payment.get("amount")?)?;
    let settled = payment.get("settlementAmount").and_then(subunits).filter(|(_, of)| *of == currency);
    let amount = match settled {
        _ if currency == charged_in => amount,
        Some((settled, _)) => after_sale::share(charge, amount, settled)?,
        None => charge,
    };
    let (created, reversed) = (text(chargeback, "/createdAt"), text(chargeback, "/reversedAt"));
    Some(DisputeFacts {
        reference: text(chargeback, "/id")?.to_owned(),
        subunits: amount,
        outcome: if reversed.is_some() { Outcome::Won } else { Outcome::Lost(amount) },
        moved_at: reversed.or(created).and_then(|at| Some(DateTime::parse_from_rfc3339(at).ok()?.to_utc())),
    })
}

/// `129.99`, or `5000` for JPY.
pub fn decimal(subunits: i64, currency: &str) -> String {
    let digits = currency.parse().map_or(2, |currency: Currency| AMOUNTS.digits(currency));
    Decimal::new(subunits, digits).to_string()
}

/// Reads a money object: its value in subunits, and its currency.
fn subunits(money: &Value) -> Option<(i64, String)> {
    let currency = text(money, "/currency")?;
    let digits = AMOUNTS.digits(currency.parse().ok()?);
    let value: Decimal = text(money, "/value")?.parse().ok()?;
    let subunits = value.checked_mul(Decimal::from(10_i64.pow(digits)))?;
    Some((subunits.is_integer().then(|| subunits.to_i64())??, currency.to_owned()))
}

/// Reads a payment from an answer or a notification.
pub fn snapshot(payment: &Value) -> Option<PaymentSnapshot> {
    let status = match text(payment, "/status")? {
        "paid" => Status::Paid,
        "failed" => Status::Closed(Closure::Failed),
        "canceled" => Status::Closed(Closure::Cancelled),
        "expired" => Status::Closed(Closure::Expired),
        "pending" | "authorized" => Status::Pending,
        // The buyer has the bank details, and 12 days to pay.
        "open" if text(payment, "/method") == Some("banktransfer") => Status::Pending,
        _ => Status::Open,
    };
    let (amount, currency) = subunits(payment.get("amount")?)?;
    // The merchant can capture a part of an authorised payment at Mollie's dashboard.
    let captured = payment.get("amountCaptured").and_then(subunits).map(|(captured, _)| captured);
    Some(PaymentSnapshot {
        reference: text(payment, "/id")?.to_owned(),
        transaction_id: text(payment, "/metadata/transaction_id").and_then(|id| id.parse().ok()),
        status,
        subunits: amount,
        currency,
        paid_less: captured.filter(|captured| status == Status::Paid && (1..amount).contains(captured)),
        after_sale: None,
    })
}

pub fn interpret(kind: &str, notification: &Value) -> Subject {
    let entity = notification.pointer("/_embedded/entity").unwrap_or(&Value::Null);
    // A refund and a chargeback name their payment. The simple payload has no entity: a link to it may name the payment, and its
    // own id may be that of a refund or chargeback on record.
    let reference = text(entity, "/paymentId")
        .or_else(|| text(entity, "/id").filter(|id| id.starts_with("tr_")))
        .or_else(|| {
            text(notification, "/_links/entity/href")?.split('/').find(|part| part.starts_with("tr_"))
        })
        .or_else(|| text(notification, "/entityId"))
        .map(str::to_owned);
    let interpretation = match kind {
        "payment.paid" | "payment.failed" | "payment.canceled" | "payment.expired" => {
            // Without the payment in the notification, the worker must read it.
            snapshot(entity).map_or(Interpretation::MustRead, Interpretation::Reported)
        }
        "payment.pending" | "payment.authorized" => Interpretation::MustRead,
        kind if kind.starts_with("refund.") || kind.starts_with("chargeback.") => Interpretation::MustRead,
        _ => Interpretation::Nothing,
    };
    let transaction_id = text(entity, "/metadata/transaction_id").and_then(|id| id.parse().ok());
    Subject { reference, charge: None, transaction_id, interpretation }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_are_texts_with_their_currencys_digits() {
        for (subunits, currency, expected) in
            [(12_999, "EUR", "129.99"), (5, "EUR", "0.05"), (5000, "JPY", "5000")]
        {
            assert_eq!(decimal(subunits, currency), expected);
            let money = json!({ "currency": currency, "value": expected });
            assert_eq!(super::subunits(&money), Some((subunits, currency.to_owned())));
        }
        for (value, currency) in [("1.999", "EUR"), ("x", "EUR"), ("5.5", "JPY"), ("1", "XXX")] {
            assert_eq!(super::subunits(&json!({ "currency": currency, "value": value })), None);
        }
    }

    #[test]
    fn a_notification_names_its_payment_whichever_payload_it_has() {
        let full =
            json!({ "entityId": "re_1", "_embedded": { "entity": { "id": "re_1", "paymentId": "tr_1" } } });
        let link = "https://api.mollie.com/v2/payments/tr_1/refunds/re_1";
        let linked = json!({ "entityId": "re_1", "_links": { "entity": { "href": link } } });
        let simple = json!({ "entityId": "re_1", "_links": { "self": { "href": "https://api.mollie.com/v2/events/e" } } });
        for (notification, expected) in [(full, "tr_1"), (linked, "tr_1"), (simple, "re_1")] {
            let subject = interpret("refund.refunded", &notification);
            assert_eq!(subject.reference.as_deref(), Some(expected), "{notification}");
            assert!(matches!(subject.interpretation, Interpretation::MustRead));
        }
    }

    #[test]
    fn each_status_of_a_refund_has_its_state_and_a_reversed_chargeback_is_won() {
        for (status, expected) in [
            ("queued", RefundStatus::Accepted),
            ("pending", RefundStatus::Accepted),
            ("processing", RefundStatus::Accepted),
            ("refunded", RefundStatus::Succeeded),
            ("failed", RefundStatus::Failed),
            ("canceled", RefundStatus::Failed),
        ] {
            let amount = json!({ "currency": "EUR", "value": "9.00" });
            let refund = json!({ "id": "re_1", "amount": amount, "status": status, "metadata": null });
            assert_eq!(refund_facts(&refund).unwrap().status, expected, "{status}");
        }
        let (created, reversed) = ("2026-01-02T03:04:05+00:00", "2026-02-03T04:05:06+00:00");
        for (reversed_at, outcome, moved_at) in
            [(Value::Null, Outcome::Lost(900), created), (json!(reversed), Outcome::Won, reversed)]
        {
            let amount = json!({ "currency": "EUR", "value": "9.00" });
            let chargeback =
                json!({ "id": "chb_1", "amount": amount, "createdAt": created, "reversedAt": reversed_at });
            let facts = dispute_facts(&chargeback, &json!({ "amount": amount })).unwrap();
            assert_eq!((facts.outcome, facts.moved_at.unwrap().to_rfc3339().as_str()), (outcome, moved_at));
        }
    }

    #[test]
    fn a_chargeback_in_another_currency_is_its_share_of_the_payment() {
        let euro = |value: &str| json!({ "currency": "EUR", "value": value });
        let dollars = |value: &str| json!({ "currency": "USD", "value": value });
        for (settled, chargeback, expected) in [
            (euro("92.00"), euro("30.00"), 3_261),
            (euro("92.00"), euro("92.00"), 10_000),
            (euro("92.00"), euro("95.00"), 10_000),
            (euro("92.00"), dollars("40.00"), 4_000),
            // The field ends in 2027: what the part is of is not known then.
            (Value::Null, euro("30.00"), 10_000),
        ] {
            let payment = json!({ "amount": dollars("100.00"), "settlementAmount": settled });
            let chargeback = json!({ "id": "chb_1", "amount": chargeback });
            let facts = dispute_facts(&chargeback, &payment).unwrap();
            assert_eq!((facts.subunits, facts.outcome), (expected, Outcome::Lost(expected)), "{chargeback}");
        }
    }
}
