//! The route for the reports of the mail service. The api verifies them and hands them to the broker; the worker records them.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use sha2::{Digest, Sha256};
use shared::messages::ReportMails;

use crate::error::{ApiError, ApiResult};
use crate::extract::{Peer, failed_from, read};
use crate::identity::counted_as;
use crate::listener::BodyKind;
use crate::mail_reports::Unread;
use crate::metrics::CredentialKind;
use crate::openapi::schemas;
use crate::request_log::{self, Sender};
use crate::state::{App, AppState};

/// Maximum size of a request in bytes; SendGrid gathers events up to 768 KiB.
const MAX_REPORTS: usize = 1024 * 1024;

/// Receive reports of the mail service
///
/// For what `MAIL_SERVICE` names: what became of mails. Needs no identity: the service signs its reports, or sends the password of
/// `MAIL_REPORT_KEY` in basic authentication.
#[utoipa::path(
    post,
    path = "/storeapi/mail/reports/",
    tag = "extensions",
    security(()),
    operation_id = "receive_mail_reports",
    extensions(("x-problems" = json!(["invalid_request", "not_found", "request_timeout", "body_too_large", "unsupported_media_type", "rate_limited", "internal_error", "unavailable"]))),
    request_body(content(
        (inline(schemas::AnyObjects) = "application/json"),
        (String = "text/plain"),
        (String = "message/rfc822"),
    ), description = "The service's reports, or a mail that came back; at most 1 MiB."),
    responses(
        (status = 200, description = "The reports are stored. Those of other mails are ignored."),
        (status = 400, description = "`invalid_request`: not signed by the service, or not of its form."),
        (status = 404, description = "`not_found`: no `MAIL_SERVICE` is set."),
        (status = 429, description = "`rate_limited`: too many reports from this address were not genuine."),
        (status = 503, description = "`unavailable`: the reports could not be stored; the service sends them again."),
    )
)]
pub async fn receive(
    State(app): State<AppState>,
    Peer(peer): Peer,
    request: Request,
) -> ApiResult<StatusCode> {
    let service = app.mail_reports.as_ref().ok_or(ApiError::NotFound("Route"))?;
    let (received_at, headers) = (app.now(), request.headers().clone());
    // What cannot be genuine is refused before its body takes memory: any caller can get as far as this.
    if !service.is_plausible(&headers, received_at) {
        return Err(not_genuine(&app, peer));
    }
    let sender = sender(peer);
    let unproven = (!app.identities.is_known(&sender)).then(|| counted_as(peer));
    let check = async {
        let body = read(request, MAX_REPORTS, BodyKind::Notification { unproven }).await?;
        match service.read(&headers, &body, received_at).await {
            Ok(reports) => Ok(Some(reports)),
            Err(Unread::Malformed) => Err(ApiError::invalid("body", "is not of the mail service's form")),
            Err(Unread::Refused(reason)) => Err(ApiError::invalid("body", reason)),
            Err(Unread::Unanswered) => Err(ApiError::Unavailable),
            Err(Unread::Forged) => Ok(None),
        }
    };
    let reports =
        app.identities.attempt(peer, sender, check).await?.ok_or_else(|| not_genuine(&app, peer))?;
    request_log::sent_by(Sender::Provider);
    if !reports.is_empty() {
        app.commands.send_task(ReportMails { reports }).await.map_err(|_| ApiError::Unavailable)?;
    }
    Ok(StatusCode::OK)
}

fn not_genuine(app: &App, peer: IpAddr) -> ApiError {
    failed_from(app, peer, CredentialKind::NotificationSignature);
    ApiError::invalid("signature", "is missing, or not that of the mail service")
}

/// The name under which a peer is known that has sent genuine reports.
fn sender(peer: IpAddr) -> [u8; 32] {
    Sha256::digest(format!("mail reports from {}", counted_as(peer))).into()
}
