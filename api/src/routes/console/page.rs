//! Rendering of the console's pages, with their layout.

use std::sync::LazyLock;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use minijinja::{Environment, Value, context};
use serde::Serialize;
use shared::staff::Role;
use url::form_urlencoded;
use uuid::Uuid;

use super::times;
use super::words::{Words, add_filters};
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, ConsoleForm, Visit};
use crate::request_log;
use crate::state::App;

/// Allows the console's own styles and forms, and no script at all.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// The templates by their names.
pub(super) const FILES: [(&str, &str); 33] = [
    ("layout.html", include_str!("../../pages/console/layout.html")),
    ("choose.html", include_str!("../../pages/console/choose.html")),
    ("start.html", include_str!("../../pages/console/start.html")),
    ("search.html", include_str!("../../pages/console/search.html")),
    ("order.html", include_str!("../../pages/console/order.html")),
    ("catalog.html", include_str!("../../pages/console/catalog.html")),
    ("secret.html", include_str!("../../pages/console/secret.html")),
    ("runs.html", include_str!("../../pages/console/runs.html")),
    ("invoice.html", include_str!("../../pages/console/invoice.html")),
    ("owed.html", include_str!("../../pages/console/owed.html")),
    ("month.html", include_str!("../../pages/console/month.html")),
    ("payouts.html", include_str!("../../pages/console/payouts.html")),
    ("codes.html", include_str!("../../pages/console/codes.html")),
    ("move.html", include_str!("../../pages/console/move.html")),
    ("refund.html", include_str!("../../pages/console/refund.html")),
    ("withdrawal.html", include_str!("../../pages/console/withdrawal.html")),
    ("document.html", include_str!("../../pages/console/document.html")),
    ("decide.html", include_str!("../../pages/console/decide.html")),
    ("access.html", include_str!("../../pages/console/access.html")),
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
    times::add_filters(&mut templates);
    templates.add_filter("urlencode", |text: &str| {
        form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>()
    });
    Ok(templates)
});

/// Renders a page of an organisation for a member of its staff.
pub async fn show(
    app: &App,
    visit: &Visit,
    at: &AtConsole,
    template: &str,
    values: Value,
) -> ApiResult<Response> {
    let values = context! { ..values, ..common(app, visit, at) };
    let html = render(app, visit, template, values)?;
    let html = times::write(app, at, &html, &words(app, visit).localizer()).await?;
    Ok(answered(StatusCode::OK, html))
}

/// The reader's language.
pub fn words(app: &App, visit: &Visit) -> Words {
    Words { texts: app.texts.clone(), languages: visit.languages.clone() }
}

/// Returns what the layout of each page shows, with what the last form did, and to how many.
fn common(app: &App, visit: &Visit, at: &AtConsole) -> Value {
    let query = query(visit);
    let done = format!("done-{}", query.text("done"));
    let number: i64 = query.text("n").parse().unwrap_or_default();
    context! {
        done => words(app, visit).localizer().find(&done, &[("n", number.into())]),
        zone => at.zone.as_str(),
        sign_out => app.config.console.sign_out(&app.config),
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

/// Renders a page without times in the reader's language.
pub fn respond(
    app: &App,
    visit: &Visit,
    status: StatusCode,
    template: &str,
    values: Value,
) -> ApiResult<Response> {
    render(app, visit, template, values).map(|html| answered(status, html))
}

fn render(app: &App, visit: &Visit, template: &str, values: Value) -> ApiResult<String> {
    let values = context! { ..values, ..in_words(words(app, visit)) };
    let rendered = TEMPLATES.as_ref().map_err(|error| error.to_string()).and_then(|templates| {
        let rendered = templates.get_template(template).and_then(|template| template.render(values));
        rendered.map_err(|error| format!("{error:#}"))
    });
    rendered.map_err(|error| {
        request_log::failed(format_args!("the page {template} cannot be rendered: {error}"));
        ApiError::Internal
    })
}

fn answered(status: StatusCode, html: String) -> Response {
    let headers = [
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (status, headers, Html(html)).into_response()
}

fn in_words(words: Words) -> Value {
    let (lang, dir) = {
        let localizer = words.localizer();
        (localizer.language().to_string(), localizer.direction())
    };
    context! { lang, dir, t => Value::from_object(words) }
}
