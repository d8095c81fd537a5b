//! The words of the support desk for what is on record: histories, actors, and what needs a person.

use serde_json::Value;
use shared::gateway::Gateway;

use crate::queries::desk::order::MomentRow;
use crate::words::AttentionKind;

/// What something is that needs a person, and what to do about it.
pub fn attention(kind: AttentionKind) -> &'static str {
    match kind {
        AttentionKind::Payment => "The payment needs a decision. Read the reason, act, then close the alert.",
        AttentionKind::Notification => {
            "The provider's notification contradicts the record. Compare it with the provider's dashboard."
        }
        AttentionKind::Access => "The order is paid, and its courses are not open yet.",
        AttentionKind::Enrollment => {
            "The course platform has refused the enrollment. Fix the reason there, then retry it here."
        }
        AttentionKind::Refund => "The provider has not answered the refund yet. It is asked again by itself.",
        AttentionKind::RefundToPay => {
            "Pay the refund back at your bank. Then report that it has arrived, or that it came back."
        }
        AttentionKind::Withdrawal => {
            "A buyer has withdrawn. Accept it, pay back a part, or refuse it with a reason; the refund is due 14 days after the declaration."
        }
        AttentionKind::Mail => "The mail server has refused the mail. Correct the address, or send it again.",
        AttentionKind::DeadLetter => {
            "A message could not be processed. Fix the reason, then have it processed again; drop it only if nothing is to happen."
        }
        AttentionKind::Endpoint => {
            "Events are no longer delivered to this address. Fix the receiver, then enable it."
        }
    }
}

/// Who did what happened.
pub fn actor(row: &MomentRow) -> String {
    let actor = row.actor.as_str();
    match actor {
        "system" => "the storefront".to_owned(),
        "client" => "the shop".to_owned(),
        "guest" => "the buyer, as a guest".to_owned(),
        "provider" => "the payment provider".to_owned(),
        _ if actor.parse::<Gateway>().is_ok() => "the payment provider".to_owned(),
        _ => match actor.split_once(':') {
            Some(("staff", id)) => row.name.clone().unwrap_or_else(|| format!("staff (account {id})")),
            Some(("operator", name)) => format!("{name} (operator)"),
            Some(("key", id)) => format!("the organisation's key {id}"),
            _ => "the buyer, signed in".to_owned(),
        },
    }
}

/// What a person wrote about it, or why it happened.
pub fn reason(row: &MomentRow) -> Option<String> {
    let text = |field: &str| row.detail.get(field).and_then(Value::as_str).map(str::to_owned);
    text("reason").or_else(|| text("why")).or_else(|| text("parked"))
}

/// What happened, as a sentence.
pub fn moment(row: &MomentRow) -> String {
    let known = match row.entity.as_str() {
        "cart" => cart(row),
        "transaction" => transaction(row),
        "refund" => refund(&row.to).map(str::to_owned),
        "enrollment" => enrollment(row),
        "withdrawal" => withdrawal(row).map(str::to_owned),
        "notification" => Some(format!("The provider reported {}.", row.to)),
        "dispute" => Some(format!("The buyer's bank opened a dispute, which is {} now.", row.to)),
        _ => None,
    };
    known.unwrap_or_else(|| match &row.from {
        Some(from) if from != &row.to => {
            format!("{}: {} became {}.", row.entity, plain(from), plain(&row.to))
        }
        _ => format!("{}: {}.", row.entity, plain(&row.to)),
    })
}

fn cart(row: &MomentRow) -> Option<String> {
    let text = |field: &str| row.detail.get(field).and_then(Value::as_str).unwrap_or_default();
    Some(match row.to.as_str() {
        "open" => "The basket was begun.".to_owned(),
        "pending_payment" => "The order was placed, and waits for its payment.".to_owned(),
        "held" => "The order was placed; its courses open once the address registers.".to_owned(),
        "paid" => "The order is paid.".to_owned(),
        "fulfilled" => "The courses were opened.".to_owned(),
        "cancelled" => "The order was cancelled.".to_owned(),
        "expired" => "The order expired unpaid.".to_owned(),
        "refunded" => "The order was refunded in full.".to_owned(),
        "mail_sent" => format!("The mail {} was sent.", mail(text("mail"))),
        "mail_again" => format!("The mail {} was sent again.", mail(text("mail"))),
        "move_asked" => format!("A move from {} to {} was asked for.", text("from"), text("to")),
        "move_withdrawn" => format!("The move to {} was withdrawn.", text("to")),
        "moved" if text("from") == text("to") => {
            format!("The access to {} went to another person.", text("to"))
        }
        "moved" => format!("The access went from {} to {}.", text("from"), text("to")),
        "address_corrected" => "The buyer's address was corrected.".to_owned(),
        _ => return None,
    })
}

fn transaction(row: &MomentRow) -> Option<String> {
    if let Some(closed) = row.detail.get("closed").and_then(Value::as_str) {
        return Some(format!("The alert was closed: {closed}."));
    }
    Some(
        match row.to.as_str() {
            "created" => "The payment was prepared.",
            "processing" => "The payment was started at the provider.",
            "succeeded" => "The payment arrived.",
            "failed" => "The payment failed.",
            "cancelled" => "The payment was cancelled.",
            "superseded" => "Another attempt replaced the payment.",
            "refunded" => "The payment was refunded in full.",
            _ => return None,
        }
        .to_owned(),
    )
}

fn refund(to: &str) -> Option<&'static str> {
    Some(match to {
        "asked" => "A refund was requested.",
        "accepted" => "The provider accepted the refund.",
        "succeeded" => "The refund is complete.",
        "failed" => "The refund failed.",
        _ => return None,
    })
}

fn withdrawal(row: &MomentRow) -> Option<&'static str> {
    if row.detail.get("objected").is_some() {
        return Some("The holder of the order's address said that the withdrawal is not theirs.");
    }
    Some(match row.to.as_str() {
        "received" => "A withdrawal was declared.",
        "unmatched" => "A withdrawal was declared under another address.",
        "accepted" => "The withdrawal was accepted.",
        "refused" => "The withdrawal was refused.",
        _ => return None,
    })
}

fn enrollment(row: &MomentRow) -> Option<String> {
    let course = row.course.as_deref().unwrap_or("The course");
    Some(match row.to.as_str() {
        "enrolled" => format!("{course}: access given."),
        "pending_registration" => format!("{course}: waits for the address to register."),
        "removed" => format!("{course}: access ended."),
        "synced" => format!("{course}: the course platform agrees."),
        "refused" => format!("{course}: the course platform refused."),
        "retried" => format!("{course}: the enrollment is tried again."),
        _ => return None,
    })
}

/// The name of a mail for people.
pub fn mail(template: &str) -> &str {
    match template {
        "receipt" => "“receipt”",
        "refund_issued" => "“refund”",
        "registration_invitation" => "“invitation”",
        "seats_ready" => "“seats”",
        "seat_assigned" => "“seat”",
        other => other,
    }
}

/// A stored word for people.
fn plain(word: &str) -> String {
    word.replace('_', " ")
}
