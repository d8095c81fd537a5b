//! The words of the support desk for what is on record: histories, actors, and what needs a person. The console has them in the
//! language of its reader, the routes in English.

use serde_json::Value as Json;
use shared::gateway::Gateway;
use shared::money::Money;
use texts::{Localizer, Value};

use crate::queries::desk::order::MomentRow;
use crate::words::AttentionKind;

/// Describes something that needs a person, and what to do about it.
pub fn attention(kind: AttentionKind, localizer: &Localizer<'_>) -> String {
    localizer.message(&key("waiting", <&str>::from(kind)), &[])
}

/// Translates a stored word by the message of its kind. Without one, the word stays as it is stored.
pub fn plain(localizer: &Localizer<'_>, word: &str, kind: &str) -> String {
    localizer.find(&key(kind, word), &[]).unwrap_or_else(|| word.replace('_', " "))
}

/// The key of the message about a stored word.
fn key(kind: &str, word: &str) -> String {
    format!("{kind}-{}", word.replace('_', "-"))
}

/// Names the person or system behind what happened.
pub fn actor(row: &MomentRow, localizer: &Localizer<'_>) -> String {
    author(&row.actor, row.name.as_deref(), localizer)
}

/// Names an author as it is stored; of a member of the staff, `name` is known.
pub fn author(actor: &str, name: Option<&str>, localizer: &Localizer<'_>) -> String {
    let by = |key: &str, name: &'static str, value: &str| {
        localizer.message(&format!("timeline-by-{key}"), &[(name, value.into())])
    };
    match actor {
        actor @ ("system" | "client" | "guest" | "provider") => by(actor, "name", ""),
        actor if actor.parse::<Gateway>().is_ok() => by("provider", "name", ""),
        actor => match actor.split_once(':') {
            Some(("staff", id)) => name.map_or_else(|| by("staff", "id", id), str::to_owned),
            Some(("operator", name)) => by("operator", "name", name),
            Some(("key", id)) => by("key", "id", id),
            Some(("shop", site)) => site.to_owned(),
            _ => by("learner", "name", ""),
        },
    }
}

/// Returns what a person wrote about it, or why it happened.
pub fn reason(row: &MomentRow) -> Option<String> {
    let reason = ["reason", "why", "parked"].into_iter().find_map(|field| text(row, field));
    reason.map(str::to_owned)
}

fn text<'a>(row: &'a MomentRow, field: &str) -> Option<&'a str> {
    row.detail.get(field).and_then(Json::as_str)
}

/// Describes what happened, as a sentence.
pub fn moment(row: &MomentRow, localizer: &Localizer<'_>) -> String {
    let detail = |field| Value::from(text(row, field).unwrap_or_default());
    match (row.entity.as_str(), row.to.as_str()) {
        ("transaction", _) if text(row, "closed").is_some() => {
            localizer.message("timeline-alert-closed", &[("alert", detail("closed"))])
        }
        ("withdrawal", _) if row.detail.get("objected").is_some() => {
            localizer.message("timeline-withdrawal-objected", &[])
        }
        ("notification", what) => localizer.message("timeline-notification", &[("what", what.into())]),
        ("cart", "moved") if text(row, "from") == text(row, "to") => {
            localizer.message("timeline-cart-moved-to-person", &[("to", detail("to"))])
        }
        _ => {
            let mail = plain(localizer, text(row, "mail").unwrap_or_default(), "mail-kind");
            let course = row.course.clone().unwrap_or_else(|| localizer.message("timeline-the-course", &[]));
            let values = [
                ("mail", mail.into()),
                ("course", course.into()),
                ("from", detail("from")),
                ("to", detail("to")),
                ("amount", amount(row, localizer).into()),
                ("refunded", money(row, "refunded_minor", localizer).into()),
                ("lost", money(row, "lost_minor", localizer).into()),
            ];
            localizer.find(&change(row), &values).unwrap_or_else(|| stored(row, localizer))
        }
    }
}

/// The message about a change. The state that it led to is not enough: what leaves the state as it was has its own words.
fn change(row: &MomentRow) -> String {
    let minor = |field| row.detail.get(field).and_then(Json::as_i64);
    let is_same = row.from.as_ref() == Some(&row.to);
    let what = match (row.entity.as_str(), minor("refunded_minor"), minor("lost_minor")) {
        ("transaction", Some(0), Some(0)) => "nothing-back",
        ("transaction", Some(0), Some(_)) if is_same => "held",
        ("transaction", Some(0), Some(_)) => "lost",
        ("transaction", Some(_), Some(0)) if is_same => "partly-refunded",
        ("transaction", Some(_), Some(0)) => row.to.as_str(),
        ("transaction", Some(_), Some(_)) => "refunded-and-lost",
        ("transaction", ..) if row.detail.get("charged").is_some() => "charged",
        ("cart", ..) if text(row, "grant") == Some("blocked") => "access-blocked",
        ("cart", ..) if text(row, "grant") == Some("restored") => "access-restored",
        // Without words of its own, it is shown as it is stored.
        _ if is_same => "same",
        _ => row.to.as_str(),
    };
    key(&key("timeline", &row.entity), what)
}

/// An amount of the order in minor units, as the reader writes it; empty without one.
fn money(row: &MomentRow, field: &str, localizer: &Localizer<'_>) -> String {
    let minor = row.detail.get(field).and_then(Json::as_i64);
    let money =
        minor.zip(row.currency.parse().ok()).and_then(|(minor, of)| Money::from_minor(minor, of).ok());
    money.map_or_else(String::new, |money| localizer.money(money.major(), money.currency().code()))
}

/// The amount that an entry names, as the reader writes it; empty without one.
fn amount(row: &MomentRow, localizer: &Localizer<'_>) -> String {
    let amount = row.detail.get("amount").map(Json::to_string).and_then(|amount| amount.parse().ok());
    let currency = text(row, "currency").and_then(|code| code.parse().ok());
    let money = amount.zip(currency).and_then(|(amount, currency)| Money::from_major(amount, currency).ok());
    money.map_or_else(String::new, |money| localizer.money(money.major(), money.currency().code()))
}

/// Describes what happened, in the words in which it is stored.
fn stored(row: &MomentRow, localizer: &Localizer<'_>) -> String {
    let plain = |word: &str| Value::from(word.replace('_', " "));
    let (what, to) = (("what", plain(&row.entity)), ("to", plain(&row.to)));
    match &row.from {
        Some(from) if from != &row.to => {
            localizer.message("timeline-became", &[what, ("from", plain(from)), to])
        }
        _ => localizer.message("timeline-other", &[what, to]),
    }
}
