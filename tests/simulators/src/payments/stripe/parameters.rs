//! Stripe's parameters: forms with bracketed keys, read as strictly as Stripe reads them. It refuses names that it does
//! not know (`parameter_unknown`) and empty texts (`parameter_invalid_empty`); see
//! <https://docs.stripe.com/error-codes>. The names are those of stripe-python 16.1 (`stripe.params`).

use std::collections::BTreeMap;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::payments::Refused;

pub type Fields = BTreeMap<String, String>;

pub const CREATE_INTENT: &[&str] = &[
    "allowed_payment_method_types",
    "amount",
    "amount_details",
    "application_fee_amount",
    "automatic_payment_methods[allow_redirects]",
    "automatic_payment_methods[enabled]",
    "capture_method",
    "confirm",
    "confirmation_method",
    "confirmation_token",
    "currency",
    "customer",
    "customer_account",
    "description",
    "error_on_requires_action",
    "excluded_payment_method_types",
    "expand",
    "hooks",
    "mandate",
    "mandate_data",
    "metadata",
    "off_session",
    "on_behalf_of",
    "payment_details",
    "payment_method",
    "payment_method_configuration",
    "payment_method_data",
    "payment_method_options",
    "radar_options",
    "receipt_email",
    "return_url",
    "setup_future_usage",
    "shipping[address][city]",
    "shipping[address][country]",
    "shipping[address][line1]",
    "shipping[address][line2]",
    "shipping[address][postal_code]",
    "shipping[address][state]",
    "shipping[carrier]",
    "shipping[name]",
    "shipping[phone]",
    "shipping[tracking_number]",
    "statement_descriptor",
    "statement_descriptor_suffix",
    "transfer_data",
    "transfer_group",
    "use_stripe_sdk",
];
pub const READ_INTENT: &[&str] = &["client_secret", "expand"];
pub const CANCEL_INTENT: &[&str] = &["cancellation_reason", "expand"];
pub const CREATE_CUSTOMER: &[&str] = &[
    "address[city]",
    "address[country]",
    "address[line1]",
    "address[line2]",
    "address[postal_code]",
    "address[state]",
    "balance",
    "business_name",
    "cash_balance",
    "description",
    "email",
    "expand",
    "individual_name",
    "invoice_prefix",
    "invoice_settings",
    "metadata",
    "name",
    "next_invoice_sequence",
    "payment_method",
    "phone",
    "preferred_locales",
    "shipping",
    "source",
    "tax",
    "tax_exempt",
    "tax_id_data",
    "test_clock",
    "validate",
];
pub const UPDATE_CUSTOMER: &[&str] = &[
    "address[city]",
    "address[country]",
    "address[line1]",
    "address[line2]",
    "address[postal_code]",
    "address[state]",
    "balance",
    "business_name",
    "cash_balance",
    "default_source",
    "description",
    "email",
    "expand",
    "individual_name",
    "invoice_prefix",
    "invoice_settings",
    "metadata",
    "name",
    "next_invoice_sequence",
    "phone",
    "preferred_locales",
    "shipping",
    "source",
    "tax",
    "tax_exempt",
    "validate",
];
pub const CREATE_CUSTOMER_SESSION: &[&str] = &[
    "components[payment_element][enabled]",
    "components[payment_element][features][payment_method_allow_redisplay_filters]",
    "components[payment_element][features][payment_method_redisplay]",
    "components[payment_element][features][payment_method_redisplay_limit]",
    "components[payment_element][features][payment_method_remove]",
    "components[payment_element][features][payment_method_save]",
    "components[payment_element][features][payment_method_save_usage]",
    "customer",
    "customer_account",
    "expand",
];
pub const LIST_BALANCE_TRANSACTIONS: &[&str] = &[
    "created",
    "currency",
    "ending_before",
    "expand",
    "limit",
    "payout",
    "source",
    "starting_after",
    "type",
];
pub const LIST_PAYOUTS: &[&str] = &[
    "arrival_date",
    "created",
    "destination",
    "ending_before",
    "expand",
    "limit",
    "starting_after",
    "status",
];
pub const CREATE_REFUND: &[&str] = &[
    "amount",
    "charge",
    "currency",
    "customer",
    "expand",
    "instructions_email",
    "metadata",
    "origin",
    "payment_intent",
    "reason",
    "refund_application_fee",
    "reverse_transfer",
];
/// Refunds and disputes are listed by the same names.
pub const LIST: &[&str] =
    &["charge", "created", "ending_before", "expand", "limit", "payment_intent", "starting_after"];
pub const READ: &[&str] = &["expand"];

/// The fields of a form or a query, or Stripe's refusal of one of them.
pub fn read(text: &[u8], known: &[&str]) -> Result<Fields, Refused> {
    let fields: Fields = url::form_urlencoded::parse(text).into_owned().collect();
    for (name, value) in &fields {
        let top = name.split('[').next().unwrap_or_default();
        let lists_inner = known.iter().any(|known| known.starts_with(&format!("{top}[")));
        if !known.contains(&if lists_inner { name.as_str() } else { top }) {
            let message = format!("Received unknown parameter: {name}");
            return Err(refusal("parameter_unknown", name, &message));
        }
        if top == "metadata" {
            check_metadata(name, value)?;
        }
        // An empty value removes a key of the metadata.
        if value.is_empty() && top != "metadata" {
            let message = format!(
                "You passed an empty string for '{name}'. We assume empty values are an attempt \
                to unset a parameter; however '{name}' cannot be unset. You should remove '{name}' from your request \
                or supply a non-empty value."
            );
            return Err(refusal("parameter_invalid_empty", name, &message));
        }
    }
    let pairs = fields.keys().filter(|name| name.starts_with("metadata[")).count();
    if pairs > 50 {
        let message = format!("You can only have up to 50 metadata keys, but you passed {pairs}.");
        return Err(refusal("parameter_invalid_string", "metadata", &message));
    }
    Ok(fields)
}

/// The limits of <https://docs.stripe.com/metadata>.
fn check_metadata(name: &str, value: &str) -> Result<(), Refused> {
    let key = name.strip_prefix("metadata[").and_then(|rest| rest.strip_suffix(']')).unwrap_or_default();
    let fault = if key.is_empty() || key.contains(['[', ']']) {
        "Metadata keys cannot be empty or contain square brackets."
    } else if key.chars().count() > 40 {
        "Metadata keys must be under 40 characters."
    } else if value.chars().count() > 500 {
        "Metadata values must be under 500 characters."
    } else {
        return Ok(());
    };
    Err(refusal("parameter_invalid_string", name, fault))
}

pub fn missing(name: &str) -> Refused {
    refusal("parameter_missing", name, &format!("Missing required param: {name}."))
}

fn refusal(code: &str, param: &str, message: &str) -> Refused {
    let error = json!({"type": "invalid_request_error", "code": code, "param": param, "message": message});
    Refused::new(StatusCode::BAD_REQUEST, &json!({"error": error}))
}

/// Reads `metadata[a]=b` and similar form fields.
pub fn nested(fields: &Fields, name: &str) -> Value {
    let prefix = format!("{name}[");
    let inner = fields.iter().filter_map(|(key, value)| {
        Some((key.strip_prefix(&prefix)?.strip_suffix(']')?.to_owned(), json!(value)))
    });
    Value::Object(inner.collect())
}

/// Returns whether the request expands this object in the answer.
pub fn expands(fields: &Fields, wanted: &str) -> bool {
    fields.iter().any(|(name, value)| name.starts_with("expand[") && value == wanted)
}
