//! How a page of the console is made: the layout, the words of values, and the answers to what goes wrong.

use std::sync::LazyLock;

use axum::extract::OriginalUri;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use chrono::{DateTime, Utc};
use minijinja::{Environment, Value, context};
use serde::Serialize;
use shared::messages::FieldError;
use shared::money::Currency;
use shared::staff::Role;
use url::form_urlencoded;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, ConsoleForm};
use crate::request_log;
use crate::state::App;

/// Allows the console's own styles and forms, and no script at all.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

static TEMPLATES: LazyLock<Result<Environment<'static>, minijinja::Error>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    for (name, text) in [
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
    ] {
        templates.add_template(name, text)?;
    }
    // Each form has its own: it takes effect once, however often it is sent.
    templates.add_function("key", || Uuid::now_v7().to_string());
    templates.add_filter("when", |at: &str| {
        moment(at).map_or_else(|| at.to_owned(), |at| at.format("%-d %b %Y, %H:%M UTC").to_string())
    });
    templates.add_filter("age", |at: &str, now: &str| {
        moment(at).zip(moment(now)).map_or_else(String::new, |(at, now)| age(at, now))
    });
    templates.add_filter("money", |amount: f64, currency: &str| {
        let digits = currency.parse::<Currency>().map_or(2, Currency::digits);
        format!("{amount:.*} {currency}", usize::try_from(digits).unwrap_or(2))
    });
    templates.add_filter("plain", plain);
    templates.add_filter("urlencode", |text: &str| {
        form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>()
    });
    Ok(templates)
});

fn moment(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|at| at.to_utc())
}

/// The time since then, in its largest unit.
fn age(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let minutes = (now - at).num_minutes();
    if minutes < 1 {
        return "less than a minute".to_owned();
    }
    let (number, unit) = match minutes {
        0..60 => (minutes, "minute"),
        60..1_440 => (minutes / 60, "hour"),
        _ => (minutes / 1_440, "day"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

/// A stored word for people.
fn plain(word: &str) -> String {
    match word {
        "pending_payment" => "waits for payment",
        "held" => "waits for registration",
        "paid" => "paid, not open yet",
        "fulfilled" => "complete",
        "pending_registration" => "waits for registration",
        "queued" => "not told yet",
        "synced" => "agrees",
        "receipt" => "receipt",
        "received" => "waits",
        "unmatched" => "matches no order",
        "dead_letter" => "message",
        "refund_issued" => "refund",
        "registration_invitation" => "invitation",
        other => return other.replace('_', " "),
    }
    .to_owned()
}

/// Renders a page of an organisation for a member of its staff.
pub fn show(app: &App, at: &AtConsole, template: &str, values: Value) -> ApiResult<Response> {
    let values = context! { ..values, ..common(app, at) };
    respond(StatusCode::OK, template, values)
}

/// What the layout of each page shows.
fn common(app: &App, at: &AtConsole) -> Value {
    context! {
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
pub fn or_problem(app: &App, uri: &OriginalUri, made: ApiResult<Response>) -> Response {
    made.unwrap_or_else(|error| problem(app, error, uri.path(), None))
}

/// The fields of a query, which are read as those of a form.
pub fn query(uri: &OriginalUri) -> ConsoleForm {
    let text = uri.query().unwrap_or_default();
    ConsoleForm(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
}

/// What the last form did, in words.
pub fn done(uri: &OriginalUri) -> Option<&'static str> {
    Some(match query(uri).text("done") {
        "receipt" => "The receipt is on its way.",
        "address" => "The address was corrected. What waited for it has moved.",
        "alert" => "The alert is closed.",
        "refund" => "The refund is under way. Its status is below.",
        "endpoint-changed" => "The endpoint is changed. If you have not seen its secret, make a new one.",
        "catalog" => "The course is changed. The shop shows it within seconds.",
        "move" => {
            "The move is under way. The old access ends once the course platform has confirmed the new one."
        }
        "mails" => "The mail is on its way.",
        "enrollments" => "The course platform is asked again.",
        "withdrawal" => "The withdrawal is decided.",
        "dead-letters" => "The message is dealt with. If it fails again, it comes back to this list.",
        "staff" => "The staff was changed.",
        "vouchers" => "The vouchers are ready.",
        "voucher" => "The voucher was changed.",
        "assigned" => "The addresses are stored, and get their seats one by one.",
        "freed" => "The seat is free again.",
        "revoked" => "The access has ended. The seat stays spent.",
        "no-seat" => "The address had no seat any more. Nothing was done.",
        "reminded" => "Those who have not registered, and got no mail within a day, are reminded.",
        "none-reminded" => "No address was reminded: each has registered, or got a mail within a day.",
        "endpoints" => "The endpoint is enabled. It gets the events that it has missed.",
        "deliveries" => "The event is on its way again.",
        "batch" => "The rows are stored, and done one by one.",
        _ => return None,
    })
}

/// The query for a list on a page, which is longer than the routes' own unless the link says otherwise.
pub fn listing(uri: &OriginalUri) -> String {
    let asked = uri.query().unwrap_or_default();
    if asked.contains("limit=") { asked.to_owned() } else { format!("{asked}&limit=50") }
}

/// Values of a page from what a route answers.
pub fn answer(body: &impl Serialize) -> Value {
    Value::from(minijinja::value::Serde(body))
}

pub fn respond(status: StatusCode, template: &str, values: Value) -> ApiResult<Response> {
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

/// A field of a form that did not take effect, to be sent again.
#[derive(Serialize)]
struct Field {
    name: String,
    value: String,
    label: Option<&'static str>,
}

/// The page of what went wrong, with the next step. A form comes back as it was filled.
pub fn problem(app: &App, error: ApiError, action: &str, form: Option<&ConsoleForm>) -> Response {
    let response = error.clone().into_response();
    let status = response.status();
    // Nothing is shown again of a form that no page of the console has sent.
    let form = form.filter(|_| !matches!(error, ApiError::Forbidden(_)));
    let fields: Vec<Field> = form.into_iter().flat_map(|form| kept(form, &error)).collect();
    let faults: &[FieldError] = match &error {
        ApiError::InvalidRequest(faults) => faults,
        _ => &[],
    };
    let (title, advice) = explained(&error);
    let values = context! {
        title,
        advice,
        detail => error.to_string(),
        faults => faults.iter().map(fault_words).collect::<Vec<_>>(),
        fields => answer(&fields),
        action,
        needs_waive => faults.iter().any(|fault| fault.field == "waive"),
        is_upload => action.split('/').nth(3) == Some("batches"),
        sign_in => matches!(error, ApiError::Unauthenticated).then(|| app.config.console.sign_in(&app.config)),
    };
    respond(status, "problem.html", values).unwrap_or(response)
}

fn fault_words(fault: &FieldError) -> String {
    let field = match fault.field.as_str() {
        "cart_id" => "The order",
        "email" => "The address",
        "reason" => "The reason",
        "amount" => "The amount",
        "enrollment_id" => "The enrollment",
        "mail_id" => "The mail",
        "message_id" => "The message",
        "endpoint_id" => "The endpoint",
        "event_id" => "The event",
        "position" => "The line",
        "to.openedx_course_id" => "The course",
        "to.email" => "The address",
        "waive" => "The tick for another price",
        "openedx_course_id" => "The course",
        "body" | "csv" | "rows" => "The file",
        other => label(other).unwrap_or(other),
    };
    format!("{field} {}.", fault.message)
}

/// The fields of a form to be sent again. A refusal is remembered under the form's key, so that its corrected form needs a new one;
/// whether a form without an answer took effect is only known under the same.
fn kept(form: &ConsoleForm, error: &ApiError) -> Vec<Field> {
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
        label: label(name),
        name: name.clone(),
    });
    fields.collect()
}

/// What a field is called on its page; None if its sender chooses it there.
fn label(field: &str) -> Option<&'static str> {
    Some(match field {
        "email" => "Email address",
        "emails" => "Addresses",
        "reason" => "Reason",
        "amount" => "Amount",
        "code" => "Code",
        "count" => "Number of codes",
        "value" => "How much",
        "max_uses" => "Uses in all",
        "max_uses_per_buyer" => "Uses by one buyer",
        "budget" => "Budget",
        "valid_from" => "Valid from (UTC)",
        "valid_until" => "Valid until (UTC)",
        "courses" => "Courses",
        "csv" => "Rows",
        "course" => "Course",
        "mode" => "Mode",
        "campaign" => "Campaign",
        "note" => "Note",
        "url" => "URL",
        "price" => "Price",
        _ => return None,
    })
}

fn explained(error: &ApiError) -> (&'static str, &'static str) {
    match error {
        ApiError::Unauthenticated => (
            "You are signed out",
            "Sign in in another tab of this browser, then come back here. Nothing was done yet.",
        ),
        ApiError::Forbidden(_) | ApiError::Refused(_) => {
            ("You are not allowed to do this", "Ask a manager of your organisation for the role, or go back.")
        }
        ApiError::NotFound(_) => ("Not found", "Check the link, or search again."),
        ApiError::BodyTooLarge(_) | ApiError::MediaType(_) => {
            ("This did not work", "Nothing was done. Go back and send a smaller file, as CSV.")
        }
        ApiError::IdempotencyMismatch => (
            "This form was sent before",
            "It was sent with other fields then. Look at what it did first; sending the form again from here does it anew.",
        ),
        ApiError::InvalidRequest(_) => {
            ("This did not work", "Correct what is named below and send it again, or go back.")
        }
        ApiError::InProgress => {
            ("This action is already running", "Wait a moment, then look again before you repeat anything.")
        }
        ApiError::Timeout { .. } => {
            ("No answer yet", "It may still happen. Look again; sending this form again does nothing twice.")
        }
        ApiError::RateLimited { .. } => ("Too many requests", "Wait a moment, then send it again."),
        _ => (
            "This does not work now",
            "Nothing was done. Try again in a moment; sending this form again does nothing twice.",
        ),
    }
}
