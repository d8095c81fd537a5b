//! The console's page of what went wrong: in words, with the form as it was filled and the way on.

use axum::response::{IntoResponse, Response};
use minijinja::{Value, context};
use serde::Serialize;
use shared::messages::FieldError;
use texts::Localizer;
use uuid::Uuid;

use super::page::{answer, respond, words};
use crate::error::ApiError;
use crate::extract::{ConsoleForm, Visit, hyphenated};
use crate::state::App;

/// A field of a form that did not take effect, to be sent again.
#[derive(Serialize)]
struct Field {
    name: String,
    value: String,
    label: Option<String>,
}

/// The page of what went wrong, with the next step. A form comes back as it was filled.
pub fn show(app: &App, visit: &Visit, error: ApiError, form: Option<&ConsoleForm>) -> Response {
    let response = error.clone().into_response();
    let status = response.status();
    let words = words(app, visit);
    let localizer = words.localizer();
    // Nothing is shown again of a form that no page of the console has sent.
    let form = form.filter(|_| !matches!(error, ApiError::Forbidden(_)));
    let fields: Vec<Field> = form.into_iter().flat_map(|form| kept(form, &error, &localizer)).collect();
    let faults: &[FieldError] = match &error {
        ApiError::InvalidRequest(faults) => faults,
        _ => &[],
    };
    let explained = explained(&error);
    let action = visit.uri.path();
    let said = error.to_string();
    let values = context! {
        title => localizer.message(explained, &[]),
        advice => localizer.message(&format!("{explained}-text"), &[]),
        detail_in_words => refusal(&said, "", &localizer),
        detail => said,
        faults => faults.iter().map(|fault| fault_words(fault, &localizer)).collect::<Vec<_>>(),
        fields => answer(&fields),
        action,
        needs_waive => faults.iter().any(|fault| fault.field == "waive"),
        is_upload => action.split('/').nth(3) == Some("batches"),
        sign_in => matches!(error, ApiError::Unauthenticated).then(|| app.config.console.sign_in(&app.config)),
        ..frame(action, &error)
    };
    respond(app, visit, status, "problem.html", values).unwrap_or(response)
}

/// Frame of a page about a problem, for a member of the staff: the search, and the way back to the order that
/// its path names.
fn frame(path: &str, error: &ApiError) -> Value {
    let mut parts = path.trim_start_matches("/console").split('/').skip(1);
    let organisation = parts.next().filter(|part| !part.is_empty());
    let is_known = !matches!(error, ApiError::Unauthenticated | ApiError::Forbidden(_));
    let Some(organisation) = organisation.filter(|_| is_known) else { return context! {} };
    let root = format!("/console/{organisation}");
    let order = match (parts.next(), parts.next()) {
        (Some("orders"), Some(id)) if !matches!(error, ApiError::NotFound(_)) => {
            hyphenated(id).map(|id| format!("{root}/orders/{id}/"))
        }
        _ => None,
    };
    context! { organisation, root, order_link => order, may => context! {} }
}

/// A refusal as a sentence in the reader's language; None if it is not translated. Its message has the English words in its key.
fn refusal(said: &str, field: &str, localizer: &Localizer<'_>) -> Option<String> {
    localizer.find(&refusal_key(said), &[("field", field.into())])
}

/// The key of the message about a refusal.
pub fn refusal_key(said: &str) -> String {
    let words = said.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.fold("refusal".to_owned(), |key, word| format!("{key}-{}", word.to_ascii_lowercase()))
}

/// Describes what is wrong with a field: a sentence, or the words before and after what the api says, which is English.
fn fault_words(fault: &FieldError, localizer: &Localizer<'_>) -> Value {
    const PLACE: &str = "\u{fffc}";
    let name = fault.field.strip_prefix("billing_address.").unwrap_or(&fault.field);
    let field = match name {
        "cart_id" => Some("fault-order"),
        "email" | "to.email" => Some("fault-address"),
        "reason" => Some("fault-reason"),
        "amount" => Some("fault-amount"),
        "reference" => Some("fault-reference"),
        "received_at" => Some("fault-day"),
        "enrollment_id" => Some("fault-enrollment"),
        "mail_id" => Some("fault-mail"),
        "message_id" => Some("fault-message"),
        "endpoint_id" => Some("fault-endpoint"),
        "event_id" => Some("fault-event"),
        "position" => Some("fault-line"),
        "openedx_course_id" | "to.openedx_course_id" => Some("fault-course"),
        "waive" => Some("fault-waive"),
        "body" | "csv" | "rows" => Some("fault-file"),
        other => label(other),
    };
    let field = field.map_or_else(|| fault.field.clone(), |key| localizer.message(key, &[]));
    if let Some(sentence) = refusal(&fault.message, &field, localizer) {
        return context! { sentence };
    }
    let words = localizer.message("problem-fault", &[("field", field.into()), ("fault", PLACE.into())]);
    let (before, after) = words.split_once(PLACE).unwrap_or((&words, ""));
    context! { before, message => fault.message.as_str(), after }
}

/// The fields of a form to be sent again. A refusal is remembered under the form's key, so that its corrected form needs a new one;
/// whether a form without an answer took effect is only known under the same.
fn kept(form: &ConsoleForm, error: &ApiError, localizer: &Localizer<'_>) -> Vec<Field> {
    let keeps_key = matches!(
        error,
        ApiError::Unauthenticated
            | ApiError::Timeout { .. }
            | ApiError::Unavailable
            | ApiError::Busy { .. }
            | ApiError::InProgress
            | ApiError::RateLimited { .. }
    );
    let value = |name: &str, value: &str| match name {
        "key" if !keeps_key => Uuid::now_v7().to_string(),
        _ => value.to_owned(),
    };
    let fields = form.0.iter().map(|(name, sent)| Field {
        value: value(name, sent),
        label: label(name).map(|key| localizer.message(key, &[])),
        name: name.clone(),
    });
    fields.collect()
}

/// The message that names a field as its page does; None if its sender chooses it there.
fn label(field: &str) -> Option<&'static str> {
    Some(match field {
        "email" => "problem-email",
        "emails" => "console-addresses",
        "reason" => "console-reason",
        "amount" => "console-amount",
        "reference" => "order-payment-reference",
        "received_on" => "order-payment-day",
        "code" => "console-code",
        "count" => "vouchers-count",
        "value" => "vouchers-how-much",
        "max_uses" => "console-uses-in-all",
        "max_uses_per_buyer" => "console-uses-by-one",
        "budget" => "console-budget",
        "valid_from" => "console-valid-from",
        "valid_until" => "console-valid-until",
        "name" => "buyer-name",
        "company" => "buyer-company",
        "tax_id" => "buyer-tax-id",
        "line1" => "buyer-line1",
        "line2" => "buyer-line2",
        "postal_code" => "buyer-postal-code",
        "city" => "buyer-city",
        "state" => "buyer-state",
        "country" => "buyer-country",
        "billing_address" => "invoice-buyer",
        "courses" => "console-courses",
        "csv" => "console-rows",
        "course" => "console-course",
        "mode" => "console-mode",
        "campaign" => "console-campaign",
        "note" => "console-note",
        "number" => "order-document-number",
        "issued_on" => "order-document-day",
        "total" => "order-document-total",
        "url" => "console-url",
        "price" => "console-price",
        "dated_prices" => "catalog-dated",
        "from" => "console-valid-from",
        "until" => "console-valid-until",
        "percent_off" => "catalog-dated-percent",
        "month" => "month-month",
        _ => return None,
    })
}

/// The message of what went wrong; the one of the next step ends in `-text`.
fn explained(error: &ApiError) -> &'static str {
    match error {
        ApiError::Unauthenticated => "problem-signed-out",
        ApiError::Forbidden(_) | ApiError::Refused(_) => "problem-not-allowed",
        ApiError::NotFound(_) => "problem-not-found",
        ApiError::BodyTooLarge(_) | ApiError::MediaType(_) => "problem-file",
        ApiError::IdempotencyMismatch => "problem-sent-before",
        ApiError::InvalidRequest(_) => "problem-invalid",
        ApiError::InProgress => "problem-running",
        ApiError::Contradiction(_) => "problem-contradiction",
        ApiError::Timeout { .. } => "problem-no-answer",
        ApiError::RateLimited { .. } => "problem-too-many",
        _ => "problem-unavailable",
    }
}
