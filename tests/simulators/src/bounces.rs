//! Mails that come back: the simulated mail server has accepted a mail, and learns that the mailbox does not exist. It writes to the mail's
//! own sender as Postfix 3.7 does (RFC 3464), and what arrives there goes to the api, as docs/mails.md sets it up.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Redirect;
use axum::routing::post;

use super::control::{ControlError, ControlResult, bad};
use super::mail::Email;
use super::state::Simulation;

pub(super) fn routes() -> Router<Arc<Simulation>> {
    Router::new().route("/_sim/mails/{number}/bounce", post(bounce))
}

/// Lets a mail come back. Leads on to the mail.
async fn bounce(
    State(simulation): State<Arc<Simulation>>,
    Path(number): Path<usize>,
) -> ControlResult<Redirect> {
    let Some(url) = simulation.config.mail_report_url.clone() else {
        return Err(bad("the simulators were not told where reports of mails go"));
    };
    let mail = simulation.state().emails.get(number).map(report);
    let mail = mail.ok_or_else(|| ControlError(StatusCode::NOT_FOUND, "no mail has this number".into()))?;
    // reqwest needs a TLS provider even for plain HTTP; this fails if one is installed already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let sent =
        reqwest::Client::new().post(url).header("content-type", "message/rfc822").body(mail).send().await;
    match sent.and_then(reqwest::Response::error_for_status) {
        Ok(_) => Ok(Redirect::to(&format!("/_sim/?mail={number}#mail"))),
        Err(error) => {
            let reason = format!("the api did not take the report: {}", error.without_url());
            Err(ControlError(StatusCode::BAD_GATEWAY, reason))
        }
    }
}

/// A report of non-delivery, as it arrives at the mail's own sender.
fn report(email: &Email) -> String {
    let Email { to, return_path, subject, .. } = email;
    let message_id = email.message_id.as_deref().unwrap_or_default();
    let date = email.received_at.to_rfc2822();
    let lines = [
        "Return-Path: <>",
        &format!("Delivered-To: {return_path}"),
        "From: MAILER-DAEMON@simulators (Mail Delivery System)",
        "Subject: Undelivered Mail Returned to Sender",
        &format!("To: {return_path}"),
        "Auto-Submitted: auto-replied",
        "MIME-Version: 1.0",
        "Content-Type: multipart/report; report-type=delivery-status; boundary=\"report\"",
        "",
        "--report",
        "Content-Description: Notification",
        "Content-Type: text/plain; charset=us-ascii",
        "",
        &format!(
            "<{to}>: host mx.simulators said: 550 5.1.1 <{to}>: Recipient address rejected: User unknown"
        ),
        "",
        "--report",
        "Content-Description: Delivery report",
        "Content-Type: message/delivery-status",
        "",
        "Reporting-MTA: dns; simulators",
        &format!("Arrival-Date: {date}"),
        "",
        &format!("Final-Recipient: rfc822; {to}"),
        &format!("Original-Recipient: rfc822;{to}"),
        "Action: failed",
        "Status: 5.1.1",
        "Remote-MTA: dns; mx.simulators",
        &format!("Diagnostic-Code: smtp; 550 5.1.1 <{to}>: Recipient address rejected: User unknown"),
        "",
        "--report",
        "Content-Description: Undelivered Message Headers",
        "Content-Type: text/rfc822-headers",
        "",
        &format!("Message-ID: <{message_id}>"),
        &format!("To: {to}"),
        &format!("Subject: {}", subject.replace(|c: char| !c.is_ascii(), "?")),
        "",
        "--report--",
        "",
    ];
    lines.join("\r\n")
}
