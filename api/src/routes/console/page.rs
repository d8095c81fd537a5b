//! Rendering of the console's pages: the layout, and the answers to what goes wrong.

use std::sync::LazyLock;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use minijinja::{Environment, Value, context};
use serde::Serialize;
use shared::messages::FieldError;
use shared::staff::Role;
use texts::Localizer;
use url::form_urlencoded;
use uuid::Uuid;

use super::words::{Words, add_filters};
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, ConsoleForm, Visit};
use crate::request_log;
use crate::state::App;

/// Allows the console's own styles and forms, and no script at all.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// The templates by their names.
pub(super) const FILES: [(&str, &str); 25] = [
    ("layout.html", include_str!("../../pages/console/layout.html")),
    ("choose.html", include_str!("../../pages/console/choose.html")),
    ("start.html", include_str!("../../pages/console/start.html")),
    ("search.html", include_str!("../../pages/console/search.html")),
    ("order.html", include_str!("../../pages/console/order.html")),
    ("catalog.html", include_str!("../../pages/console/catalog.html")),
    ("secret.html", include_str!("../../pages/console/secret.html")),
    ("move.html", include_str!("../../pages/console/move.html")),
    ("refund.html", include_str!("../../pages/console/refund.html")),
    ("withdrawal.html", include_str!("../../pages/console/withdrawal.html")),
    ("decide.html", include_str!("../../pages/console/decide.html")),
    ("person.html", include_str!("../../pages/console/person.html")),
    ("staff.html", include_str!("../../pages/console/staff.html")),
    ("chart.html", include_str!("../../pages/console/chart.html")),
    ("pages.html", include_str!("../../pages/console/pages.html")),
    ("reports.html", include_str!("../../pages/console/reports.html")),
    ("vouchers.html", include_str!("../../pages/console/vouchers.html")),
    ("voucher.html", include_str!("../../pages/console/voucher.html")),
    ("seats.html", include_str!("../../pages/console/seats.html")),
    ("pool.html", include_str!("../../pages/console/pool.html")),
    ("batches.html", include_str!("../../pages/console/batches.html")),
    ("events.html", include_str!("../../pages/console/events.html")),
    ("rows.html", include_str!("../../pages/console/rows.html")),
    ("batch.html", include_str!("../../pages/console/batch.html")),
    ("problem.html", include_str!("../../pages/console/problem.html")),
];

static TEMPLATES: LazyLock<Result<Environment<'static>, minijinja::Error>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    for (name, text) in FILES {
        templates.add_template(name, text)?;
    }
    // Each form has its own: it takes effect once, however often it is sent.
    templates.add_function("key", || Uuid::now_v7().to_string());
    add_filters(&mut templates);
    templates.add_filter("urlencode", |text: &str| {
        form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>()
    });
    Ok(templates)
});

/// Renders a page of an organisation for a member of its staff.
pub fn show(app: &App, visit: &Visit, at: &AtConsole, template: &str, values: Value) -> ApiResult<Response> {
    let values = context! { ..values, ..common(app, visit, at) };
    respond(app, visit, StatusCode::OK, template, values)
}

/// The reader's language.
pub fn words(app: &App, visit: &Visit) -> Words {
    Words { texts: app.texts.clone(), languages: visit.languages.clone() }
}

/// Returns what the layout of each page shows, with what the last form did.
fn common(app: &App, visit: &Visit, at: &AtConsole) -> Value {
    let done = format!("done-{}", query(visit).text("done"));
    context! {
        done => words(app, visit).localizer().find(&done, &[]),
        organisation => at.organisation.as_str(),
        root => format!("/console/{}", at.short_name),
        me => at.colleague.name.as_str(),
        several => at.colleague.workplaces.len() > 1,
        now => app.now().to_rfc3339(),
        may => context! {
            support => at.desk.may(Role::Support),
            finance => at.desk.may(Role::Finance),
            manager => at.desk.may(Role::Manager),
        },
    }
}

/// Makes a page of what went wrong.
pub fn or_problem(app: &App, visit: &Visit, made: ApiResult<Response>) -> Response {
    made.unwrap_or_else(|error| problem(app, visit, error, None))
}

/// The fields of a query, which are read as those of a form.
pub fn query(visit: &Visit) -> ConsoleForm {
    let text = visit.uri.query().unwrap_or_default();
    ConsoleForm(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
}

/// The query for a list on a page, which is longer than the routes' own unless the link says otherwise.
pub fn listing(visit: &Visit) -> String {
    let asked = visit.uri.query().unwrap_or_default();
    if asked.contains("limit=") { asked.to_owned() } else { format!("{asked}&limit=50") }
}

/// Values of a page from what a route answers.
pub fn answer(body: &impl Serialize) -> Value {
    Value::from(minijinja::value::Serde(body))
}

/// Renders a page in the reader's language.
pub fn respond(
    app: &App,
    visit: &Visit,
    status: StatusCode,
    template: &str,
    values: Value,
) -> ApiResult<Response> {
    let values = context! { ..values, ..in_words(words(app, visit)) };
    let rendered = TEMPLATES.as_ref().map_err(|error| error.to_string()).and_then(|templates| {
        let rendered = templates.get_template(template).and_then(|template| template.render(values));
        rendered.map_err(|error| format!("{error:#}"))
    });
    let html = rendered.map_err(|error| {
        request_log::failed(format_args!("the page {template} cannot be rendered: {error}"));
        ApiError::Internal
    })?;
    let headers = [
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    Ok((status, headers, Html(html)).into_response())
}

fn in_words(words: Words) -> Value {
    let (lang, dir) = {
        let localizer = words.localizer();
        (localizer.language().to_string(), localizer.direction())
    };
    context! { lang, dir, t => Value::from_object(words) }
}

/// A field of a form that did not take effect, to be sent again.
#[derive(Serialize)]
struct Field {
    name: String,
    value: String,
    label: Option<String>,
}

/// The page of what went wrong, with the next step. A form comes back as it was filled.
pub fn problem(app: &App, visit: &Visit, error: ApiError, form: Option<&ConsoleForm>) -> Response {
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
    let values = context! {
        title => localizer.message(explained, &[]),
        advice => localizer.message(&format!("{explained}-text"), &[]),
        detail => error.to_string(),
        faults => faults.iter().map(|fault| fault_words(fault, &localizer)).collect::<Vec<_>>(),
        fields => answer(&fields),
        action,
        needs_waive => faults.iter().any(|fault| fault.field == "waive"),
        is_upload => action.split('/').nth(3) == Some("batches"),
        sign_in => matches!(error, ApiError::Unauthenticated).then(|| app.config.console.sign_in(&app.config)),
    };
    respond(app, visit, status, "problem.html", values).unwrap_or(response)
}

/// Describes what is wrong with a field: the words before and after what the api says, which is English.
fn fault_words(fault: &FieldError, localizer: &Localizer<'_>) -> Value {
    const PLACE: &str = "\u{fffc}";
    let field = match fault.field.as_str() {
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
        "valid_from" => "console-valid-from-utc",
        "valid_until" => "console-valid-until-utc",
        "courses" => "console-courses",
        "csv" => "console-rows",
        "course" => "console-course",
        "mode" => "console-mode",
        "campaign" => "console-campaign",
        "note" => "console-note",
        "url" => "console-url",
        "price" => "console-price",
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
        ApiError::Timeout { .. } => "problem-no-answer",
        ApiError::RateLimited { .. } => "problem-too-many",
        _ => "problem-unavailable",
    }
}
