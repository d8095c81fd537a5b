//! What the API finds wrong with a request, as pages say it: in their language, by the label of the field. The API's own sentences
//! are English, and name fields of its interface.

use serde::Serialize;
use serde_json::Value;

use crate::storefront::Answer;

/// A fault of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The field of the form, which has this name; empty if the page has none.
    pub field: String,
    /// The name of its label's message.
    pub label: String,
    /// The name of the message that says what is wrong.
    pub text: &'static str,
    /// The position of the basket's item that is concerned.
    pub item: Option<usize>,
}

impl Fault {
    /// A fault of a field of the checkout's form.
    pub fn of(field: &str, text: &'static str) -> Self {
        let label = match field {
            "email" => "shop-email".to_owned(),
            "emails" => "shop-assign-emails".to_owned(),
            "voucher" => "shop-voucher".to_owned(),
            gift if gift.starts_with("gift_") => format!("shop-{}", gift.replace('_', "-")),
            address => format!("shop-field-{address}"),
        };
        Self { field: field.to_owned(), label, text, item: None }
    }

    /// A fault of an item of the basket, or of all of them.
    fn of_item(item: Option<usize>, text: &'static str) -> Self {
        Self { field: String::new(), label: "page-your-order".to_owned(), text, item }
    }
}

/// Fields that an address needs, if the API asks for one as a whole.
const WHOLE_ADDRESS: [&str; 4] = ["name", "line1", "city", "country"];

/// The faults that an answer names. Those that no form of the shop can cause are left out: the page then says that something is
/// wrong, and not what.
pub fn faults(answer: &Answer) -> Vec<Fault> {
    let errors = answer.body["errors"].as_array().into_iter().flatten();
    errors.flat_map(|error| fault(text(&error["field"]), text(&error["message"]))).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn fault(field: &str, message: &str) -> Vec<Fault> {
    if let Some(name) = field.strip_prefix("billing_address.") {
        let is_lacking = message.starts_with("is required");
        return vec![Fault::of(name, if is_lacking { "shop-error-required" } else { "shop-error-check" })];
    }
    let item = item(field);
    vec![match field {
        "billing_address" => {
            return WHOLE_ADDRESS.iter().map(|name| Fault::of(name, "shop-error-required")).collect();
        }
        "email" => Fault::of(field, "withdraw-no-email"),
        "emails" => Fault::of(field, "shop-error-emails"),
        "gift.email" => Fault::of("gift_email", "withdraw-no-email"),
        "gift.on" => Fault::of("gift_on", "shop-error-gift-on"),
        "gift.giver" => Fault::of("gift_giver", "shop-error-check"),
        "gift.message" => Fault::of("gift_message", "shop-error-check"),
        "voucher" => Fault::of(field, "shop-error-voucher"),
        _ if field.ends_with(".seats") => Fault::of_item(item, "shop-error-seats"),
        _ if item.is_some() => Fault::of_item(item, "shop-error-item"),
        "items" => Fault::of_item(None, "shop-error-items"),
        _ => return Vec::new(),
    }]
}

/// The position in `items[3].id`.
fn item(field: &str) -> Option<usize> {
    field.strip_prefix("items[")?.split(']').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_api_says_of_a_field_is_said_by_its_label() {
        let said = |field: &str, message: &str| {
            let body = json!({ "errors": [{ "field": field, "message": message }] });
            let found = faults(&Answer { status: 400, body });
            found.into_iter().map(|fault| (fault.label, fault.text, fault.item)).collect::<Vec<_>>()
        };
        let required = "is required by the organisation's payment gateway";
        assert_eq!(
            said("billing_address.city", required),
            [("shop-field-city".into(), "shop-error-required", None)]
        );
        assert_eq!(
            said("billing_address.tax_id", "has no letter or digit"),
            [("shop-field-tax_id".into(), "shop-error-check", None)]
        );
        assert_eq!(said("billing_address", required).len(), 4);
        let order = || "page-your-order".to_owned();
        let number = "must be a whole number of 1 to 1000";
        assert_eq!(said("items[2].seats", number), [(order(), "shop-error-seats", Some(2))]);
        assert_eq!(said("items[0].id", "X is not published"), [(order(), "shop-error-item", Some(0))]);
        assert_eq!(said("items", "their total is too much"), [(order(), "shop-error-items", None)]);
        assert_eq!(
            said("gift.on", "is before today, 2026-11-30"),
            [("shop-gift-on".into(), "shop-error-gift-on", None)]
        );
        assert_eq!(said("cart_id", "is not a UUID"), []);
    }
}
