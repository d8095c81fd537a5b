//! The timeline of an order: placed, paid, access given, documents sent.

use serde::Serialize;
use serde_json::Value;

/// A step of an order. `state` is a class of the style sheet; `text` is the end of a message's name.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    name: &'static str,
    state: &'static str,
    text: &'static str,
    at: Option<String>,
}

impl Step {
    fn new(name: &'static str, state: &'static str, text: &'static str) -> Self {
        Self { name, state, text, at: None }
    }

    fn at(name: &'static str, time: &Value) -> Self {
        Self { at: time.as_str().map(str::to_owned), ..Self::new(name, "done", "") }
    }
}

/// The steps, from an order's status and, for its learner alone, its details. Without those, the steps say nothing about the
/// account of its address.
pub fn steps(status: &Value, order: Option<&Value>) -> Vec<Step> {
    let state = status["status"].as_str().unwrap_or_default();
    let is_over = ["cancelled", "expired"].contains(&state);
    let is_bought = ["paid", "fulfilled", "held", "refunded"].contains(&state);
    let mut steps = vec![match order {
        Some(order) => Step::at("placed", &order["placed_at"]),
        None => Step::new("placed", "done", ""),
    }];
    if status["gateway"].is_string() {
        steps.push(match order.map(|order| &order["paid_at"]) {
            Some(paid_at) if paid_at.is_string() => Step::at("paid", paid_at),
            // An order on account is open before it is paid.
            _ if is_bought && status["waiting_for_bank"] != true => Step::new("paid", "done", ""),
            _ if is_over => Step::new("paid", "bad", "closed"),
            _ if status["gateway"] == "external" => Step::new("paid", "now", "transfer"),
            _ => Step::new("paid", "now", "waiting"),
        });
    }
    steps.push(match order {
        _ if !is_bought => Step::new("access", "todo", ""),
        None => Step::new("access", "done", "account"),
        Some(_) if state == "refunded" => Step::new("access", "done", "ended"),
        Some(_) => access(&status["items"]),
    });
    let documents = order.and_then(|order| order["documents"].as_array());
    steps.push(match documents.and_then(|documents| documents.first()) {
        Some(document) => Step::at("invoice", &document["issued_at"]),
        None if is_bought => Step::new("receipt", "done", "mail"),
        None => Step::new("receipt", "todo", ""),
    });
    steps
}

fn access(items: &Value) -> Step {
    let own = || items.as_array().into_iter().flatten().filter(|item| item["seats"].is_null());
    let is = |state: &str| own().all(|item| item["enrollment_state"] == state);
    let has = |state: &str| own().any(|item| item["enrollment_state"] == state);
    match () {
        () if own().next().is_none() => Step::new("access", "done", "seats"),
        () if is("enrolled") => Step::new("access", "done", "enrolled"),
        () if has("pending_registration") => Step::new("access", "now", "account"),
        () if has("refused") => Step::new("access", "bad", "refused"),
        () if has("removed") => Step::new("access", "done", "ended"),
        () => Step::new("access", "now", "working"),
    }
}
