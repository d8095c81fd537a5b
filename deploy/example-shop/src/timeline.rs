//! The timeline of an order: placed, paid, access given, documents sent. It words the order's standing, which the API derives.

use serde::Serialize;
use serde_json::Value;

/// A step of an order. `state` is a class of the style sheet; `name` and `text` are the ends of messages' names.
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

/// Standing of an order for its visitor: summary, payment and access. A visitor who has only its id must not learn whether its address has
/// an account.
pub fn standing(status: &Value, is_own: bool) -> (&str, &str, &str) {
    let word = |name: &str| status["standing"][name].as_str().unwrap_or_default();
    let (summary, payment, access) = (word("summary"), word("payment"), word("access"));
    let tells = ["opening", "registration", "open", "refused"].contains(&access);
    match (is_own || !tells, payment) {
        (true, _) => (summary, payment, access),
        (false, "free" | "paid") => ("complete", payment, "account"),
        (false, "on_account" | "overdue" | "partly_refunded") => (payment, payment, "account"),
        (false, _) => (summary, payment, "account"),
    }
}

/// The steps, from an order's status and, for its learner alone, its details.
pub fn steps(status: &Value, order: Option<&Value>) -> Vec<Step> {
    let (_, payment, access) = standing(status, order.is_some());
    let mut steps = vec![match order {
        Some(order) => Step::at("placed", &order["placed_at"]),
        None => Step::new("placed", "done", ""),
    }];
    let paid_at = order.map(|order| &order["paid_at"]).filter(|at| at.is_string());
    match (payment, paid_at) {
        ("free", _) => {}
        ("cancelled" | "expired" | "replaced", _) => {
            steps.push(Step::new("paid", "bad", "closed"));
            return steps;
        }
        ("transfer" | "on_account" | "overdue", _) => steps.push(Step::new("paid", "now", "transfer")),
        ("open" | "waiting" | "at_bank", _) => steps.push(Step::new("paid", "now", "waiting")),
        (_, Some(paid_at)) => steps.push(Step::at("paid", paid_at)),
        (_, None) => steps.push(Step::new("paid", "done", "")),
    }
    steps.push(match access {
        "opening" => Step::new("access", "now", "working"),
        "registration" => Step::new("access", "now", "account"),
        "account" => Step::new("access", "done", "account"),
        "open" => Step::new("access", "done", "enrolled"),
        "seats" => Step::new("access", "done", "seats"),
        "refused" => Step::new("access", "bad", "refused"),
        "ended" => Step::new("access", "done", "ended"),
        _ => Step::new("access", "todo", ""),
    });
    let documents = order.and_then(|order| order["documents"].as_array());
    steps.push(match documents.and_then(|documents| documents.first()) {
        Some(document) => Step::at("invoice", &document["issued_at"]),
        None if ["on_account", "overdue"].contains(&payment) => Step::new("invoice", "done", "mail"),
        None if access == "none" => Step::new("receipt", "todo", ""),
        None => Step::new("receipt", "done", "mail"),
    });
    steps
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use texts::{Language, Texts};

    use super::*;

    const PAYMENTS: [&str; 15] = [
        "open",
        "free",
        "waiting",
        "at_bank",
        "transfer",
        "on_account",
        "overdue",
        "paid",
        "partly_refunded",
        "refunded",
        "disputed",
        "lost",
        "cancelled",
        "expired",
        "replaced",
    ];
    const ACCESSES: [&str; 7] = ["none", "opening", "registration", "open", "seats", "refused", "ended"];

    fn status(summary: &str, payment: &str, access: &str) -> Value {
        json!({ "standing": { "summary": summary, "payment": payment, "access": access } })
    }

    #[test]
    fn each_standing_has_its_sentences_in_each_language() {
        let texts = Texts::bundled().unwrap();
        let languages: Vec<Language> = texts.languages().cloned().collect();
        assert_eq!(languages.len(), 9);
        for language in &languages {
            let words = texts.localizer(language, &[]);
            for (payment, access) in
                PAYMENTS.iter().flat_map(|payment| ACCESSES.map(|access| (payment, access)))
            {
                for is_own in [false, true] {
                    let status = status("complete", payment, access);
                    let (summary, payment, access) = standing(&status, is_own);
                    let mut keys = vec![
                        format!("standing-{}", summary.replace('_', "-")),
                        format!("standing-payment-{}", payment.replace('_', "-")),
                    ];
                    keys.extend((access != "none").then(|| format!("standing-access-{access}")));
                    for step in steps(&status, is_own.then_some(&json!({}))) {
                        keys.push(format!("shop-step-{}", step.name));
                        keys.extend((!step.text.is_empty()).then(|| format!("shop-step-{}", step.text)));
                    }
                    for key in keys {
                        assert!(words.find(&key, &[]).is_some(), "{language}: {key}");
                    }
                }
            }
        }
    }

    #[test]
    fn who_has_only_an_orders_id_does_not_learn_whether_its_address_has_an_account() {
        for payment in PAYMENTS {
            let seen = |access| {
                let status = status(access, payment, access);
                format!("{:?} {:?}", standing(&status, false), steps(&status, None))
            };
            if !["free", "paid", "on_account", "overdue", "partly_refunded"].contains(&payment) {
                continue;
            }
            assert_eq!(seen("registration"), seen("open"), "{payment}");
            assert_eq!(seen("refused"), seen("open"), "{payment}");
        }
    }

    #[test]
    fn what_was_not_paid_promises_no_receipt_and_no_access() {
        for payment in ["open", "waiting", "at_bank", "transfer", "cancelled", "expired", "replaced"] {
            let steps = steps(&status(payment, payment, "none"), None);
            assert!(steps.iter().all(|step| step.name == "placed" || step.state != "done"), "{steps:?}");
        }
    }
}
