//! `GET /_sim/`: mails, payments, enrollments and the controls as one self-contained page. Reads the state, changes nothing.

use std::{
    collections::HashMap,
    fmt::{self, Display, Formatter, Write},
    sync::Arc,
};

use axum::{
    extract::{Path, Query, State},
    http::{HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};

use super::{
    mailbox::{self, View},
    state::{self, Simulation},
};

const STYLE: &str = include_str!("../assets/style.css");

/// A page of the simulators, with a body of markup.
pub(super) fn layout(title: &str, body: &str) -> Html<String> {
    let title = Escaped(title);
    Html(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    ))
}

/// A page with nothing but a card, such as those of the course platform and of Mollie.
pub(super) fn card(title: &str, body: &str) -> Html<String> {
    layout(title, &format!("<main class=\"card\"><section>{body}</section></main>\n"))
}

/// Every control, with what it does. `docs/try-it.md` has examples of their bodies.
const CONTROLS: &[[&str; 2]] = &[
    ["GET /_sim/payments?our_reference=&gateway=", "payments with their references"],
    [
        "POST /_sim/payments/{reference}/{what}",
        "what happens to a payment: pay, fail, pending, authorize, expire, refund, dispute",
    ],
    ["GET /_sim/refunds?our_reference=", "refunds"],
    ["POST /_sim/refunds", "whether new refunds wait for their end"],
    ["POST /_sim/refunds/{id}/{what}", "what happens to a refund: succeed, fail, pend, cancel"],
    ["POST /_sim/clock", "moves the providers' clock forward"],
    ["GET /_sim/notifications?reference=", "the providers' webhooks, and how they were answered"],
    ["GET /_sim/customers", "Stripe's customers"],
    ["GET, POST /_sim/accounts", "the organisations' accounts with the providers; opens one"],
    ["POST /_sim/users", "registers a learner; answers session, token and JWT"],
    ["POST /_sim/users/activate", "confirms a learner's address"],
    ["POST /_sim/users/change", "changes, disables or retires an account"],
    ["GET /_sim/login, /_sim/logout", "sign-in and sign-out, for browsers"],
    ["GET /_sim/enrollments?email=", "a learner's enrollments at the course platform"],
    ["POST /_sim/certificates", "gives a learner a certificate"],
    ["POST /_sim/courses", "modes, places and state of a course at the platform"],
    ["GET, POST /_sim/catalog", "the platform's courses, for catalog sync"],
    [
        "POST /_sim/clients, /_sim/client, /_sim/platform",
        "the platform's OAuth applications; the storefront's own, throttles, and the enrollment API's versions",
    ],
    [
        "POST /_sim/payouts, /_sim/payouts/{id}/{what}",
        "payouts to sellers' banks: makes one, pays it or lets it fail",
    ],
    ["GET, PUT /_sim/jwks", "a published set of JWT keys"],
    ["GET /_sim/emails?to=", "mails"],
    ["GET /_sim/mails/{number}/{position}", "a mail's attachment, by their numbers in the order of arrival"],
    ["POST /_sim/mails/{number}/bounce", "lets a mail come back as undeliverable, if reports are taken"],
    [
        "GET /_sim/assets/{organisation}/{file}",
        "logos of the demo's organisations, which mails and shop show, and terms of sale",
    ],
    ["POST /_sim/hook/{name}", "a receiver of events, for `webhooks set`"],
    ["GET /_sim/hooks?name=", "what the receivers got"],
    [
        "GET, POST /_sim/partner, POST /_sim/partner/events",
        "a partner that has documents cleared, or issues them: where it reports, and an endpoint for `webhooks set`",
    ],
    ["GET /_sim/vies", "what VIES was asked; the number 100 is valid, as in DE100"],
    ["POST /_sim/vies/lies", "the body of VIES's next answer"],
    ["GET, POST, DELETE /_sim/faults", "makes the next calls fail, slow or lost"],
    ["POST /_sim/reset", "forgets everything"],
];

pub(super) async fn show(
    State(simulation): State<Arc<Simulation>>,
    Query(params): Query<HashMap<String, String>>,
) -> Html<String> {
    let state = simulation.state();
    let mut page = String::from(
        "<header><h1>Simulators</h1>\n<p class=\"soft\">What the world around the storefront has received, newest first. Reload to refresh.</p>\n\
         <nav aria-label=\"Parts\"><a href=\"#mail\">Mails</a><a href=\"#payments\">Payments</a><a href=\"#enrollments\">Enrollments</a>\
         <a href=\"#controls\">Controls</a></nav></header>\n<main>\n",
    );
    let is_reported = simulation.config.mail_report_url.is_some();
    mailbox::show(&mut page, &state.emails, &View::new(|name| params.get(name).cloned()), is_reported);
    payments(&mut page, &state);
    enrollments(&mut page, &state);
    controls(&mut page);
    page.push_str("</main>\n");
    layout("Simulators", &page)
}

/// An attachment of a mail.
pub(super) async fn attachment(
    State(simulation): State<Arc<Simulation>>,
    Path((number, position)): Path<(usize, usize)>,
) -> Response {
    let state = simulation.state();
    let found = state.emails.get(number).and_then(|email| email.attachments.get(position));
    let Some(attachment) = found else { return StatusCode::NOT_FOUND.into_response() };
    let kind = HeaderValue::try_from(&attachment.content_type);
    let kind = kind.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    ([(header::CONTENT_TYPE, kind)], attachment.body.clone()).into_response()
}

/// What the organisations of the demo have on the web.
pub(super) async fn asset(Path((organisation, file)): Path<(String, String)>) -> Response {
    let logo: &[u8] = match (&*organisation, &*file) {
        ("northwind", "logo.png") => include_bytes!("../assets/northwind.png"),
        ("lindgren", "logo.png") => include_bytes!("../assets/lindgren.png"),
        ("saraswati", "logo.png") => include_bytes!("../assets/saraswati.png"),
        ("kinabalu", "logo.png") => include_bytes!("../assets/kinabalu.png"),
        ("lindgren", "terms.html") => return card("Terms of sale", TERMS).into_response(),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    let headers = [(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, "public, max-age=3600")];
    (headers, logo).into_response()
}

const TERMS: &str = "<h1>Terms of sale</h1><p>Lindgren Akademi, version 2026-06.</p>\
    <p>This is a demonstration: here a shop has the terms to which its buyers agree.</p>";

fn payments(page: &mut String, state: &state::State) {
    page.push_str("<section id=\"payments\"><h2>Payments</h2>\n");
    let columns = ["Gateway", "Reference", "Our reference", "Amount", "Currency", "Status"];
    let rows = state.payments.all.iter().rev().map(|payment| {
        let shown = payment.shown();
        let text = |name: &str| match shown.get(name) {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(serde_json::Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        };
        ["gateway", "reference", "our_reference", "amount", "currency", "status"].map(text).to_vec()
    });
    table(page, &columns, rows.collect());
}

fn enrollments(page: &mut String, state: &state::State) {
    page.push_str("<section id=\"enrollments\"><h2>Enrollments</h2>\n");
    let rows = state.enrollments.iter().rev().map(|enrollment| {
        let email = state.user(enrollment.user_id).map(|user| user.email.clone()).unwrap_or_default();
        let active = if enrollment.is_active { "active" } else { "inactive" };
        let (course, mode) = (enrollment.course_id.clone(), enrollment.mode.clone());
        vec![email, course, mode, active.into(), enrollment.calls.to_string()]
    });
    table(page, &["Learner", "Course", "Mode", "State", "Calls"], rows.collect());
}

fn controls(page: &mut String) {
    page.push_str(
        "<section id=\"controls\"><h2>Controls</h2>\n<p class=\"soft\">Bodies are JSON; docs/try-it.md has examples.</p>\n",
    );
    let rows = CONTROLS.iter().map(|row| row.map(str::to_owned).to_vec());
    table(page, &["Request", "What it does"], rows.collect());
}

fn table(page: &mut String, columns: &[&str], rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        page.push_str("<p class=\"soft\">None yet.</p></section>\n");
        return;
    }
    page.push_str("<div class=\"scroll\" tabindex=\"0\"><table>\n<tr>");
    for column in columns {
        push(page, format_args!("<th scope=\"col\">{column}</th>"));
    }
    page.push_str("</tr>\n");
    for row in rows {
        page.push_str("<tr>");
        for cell in row {
            push(page, format_args!("<td>{}</td>", Escaped(&cell)));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div></section>\n");
}

pub(super) fn push(page: &mut String, text: fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = page.write_fmt(text);
}

/// Text in markup.
pub(super) struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}
