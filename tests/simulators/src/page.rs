//! `GET /_sim/`: mails, payments, enrollments and the controls as one self-contained page. Reads the state, changes nothing.

use std::{fmt::Write, sync::Arc};

use axum::{
    extract::State,
    response::{Html, IntoResponse},
};

use super::{
    mail::Email,
    state::{self, Simulation, seconds},
};

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Simulators</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem; color: #222; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd; vertical-align: top; }
details { border-bottom: 1px solid #ddd; padding: .4rem 0; }
summary { cursor: pointer; }
time, .none { color: #777; }
pre { white-space: pre-wrap; background: #f6f6f6; padding: .8rem; }
iframe { width: 100%; height: 22rem; border: 1px solid #ddd; }
</style>
</head>
<body>
<h1>Simulators</h1>
<p>What the simulated world around the storefront has received. Reload to refresh; newest first.</p>
"#;

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
        "POST /_sim/clients, /_sim/client",
        "the platform's OAuth applications; the storefront's own, and throttles",
    ],
    ["GET, PUT /_sim/jwks", "a published set of JWT keys"],
    ["GET /_sim/emails?to=", "mails"],
    ["POST /_sim/hook/{name}", "a receiver of events, for `webhooks set`"],
    ["GET /_sim/hooks?name=", "what the receivers got"],
    ["GET, POST, DELETE /_sim/faults", "makes the next calls fail, slow or lost"],
    ["POST /_sim/reset", "forgets everything"],
];

pub(super) async fn show(State(simulation): State<Arc<Simulation>>) -> impl IntoResponse {
    let state = simulation.state();
    let mut page = String::from(HEAD);
    emails(&mut page, &state.emails);
    payments(&mut page, &state);
    enrollments(&mut page, &state);
    controls(&mut page);
    page.push_str("</body>\n</html>\n");
    Html(page)
}

fn emails(page: &mut String, emails: &[Email]) {
    page.push_str("<h2>Emails</h2>\n");
    if emails.is_empty() {
        page.push_str("<p class=\"none\">No mail yet.</p>\n");
    }
    for email in emails.iter().rev() {
        let (to, subject) = (escape(&email.to), escape(&email.subject));
        push(page, format_args!("<details><summary><strong>{subject}</strong> to {to} "));
        push(page, format_args!("<time>{}</time></summary>\n", seconds(email.received_at)));
        if let Some(text) = &email.text {
            push(page, format_args!("<pre>{}</pre>\n", escape(text)));
        }
        if let Some(html) = &email.html {
            // Sandboxed: a mail's HTML can be shown and its links opened, but no script runs.
            let shown = escape(&format!("<base target=\"_blank\">{html}"));
            push(
                page,
                format_args!(
                    "<iframe sandbox=\"allow-popups allow-popups-to-escape-sandbox\" srcdoc=\"{shown}\"></iframe>\n"
                ),
            );
        }
        page.push_str("</details>\n");
    }
}

fn payments(page: &mut String, state: &state::State) {
    page.push_str("<h2>Payments</h2>\n");
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
    page.push_str("<h2>Enrollments</h2>\n");
    let rows = state.enrollments.iter().rev().map(|enrollment| {
        let email = state.user(enrollment.user_id).map(|user| user.email.clone()).unwrap_or_default();
        let active = if enrollment.is_active { "active" } else { "inactive" };
        let (course, mode) = (enrollment.course_id.clone(), enrollment.mode.clone());
        vec![email, course, mode, active.into(), enrollment.calls.to_string()]
    });
    table(page, &["Learner", "Course", "Mode", "State", "Calls"], rows.collect());
}

fn controls(page: &mut String) {
    page.push_str("<h2>Controls</h2>\n<p>Bodies are JSON; docs/try-it.md has examples.</p>\n");
    let rows = CONTROLS.iter().map(|row| row.map(str::to_owned).to_vec());
    table(page, &["Request", "What it does"], rows.collect());
}

fn table(page: &mut String, columns: &[&str], rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        page.push_str("<p class=\"none\">None yet.</p>\n");
        return;
    }
    page.push_str("<table>\n<tr>");
    for column in columns {
        push(page, format_args!("<th>{column}</th>"));
    }
    page.push_str("</tr>\n");
    for row in rows {
        page.push_str("<tr>");
        for cell in row {
            push(page, format_args!("<td>{}</td>", escape(&cell)));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n");
}

fn push(page: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = page.write_fmt(text);
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
