//! Routes around registration on the course platform: the link in the storefront's invitations, and the platform's
//! webhook about a registration. Neither proves a registration: the worker asks the platform before it makes a
//! waiting grant.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use shared::email::Email;
use shared::ids::OrganisationId;
use shared::link::{self, Purpose};
use shared::messages::RegistrationHint;

use crate::config::SecretDigest;
use crate::error::{ApiError, ApiResult};
use crate::extract::{MAX_BODY, Peer, TextPath, WantsPage, failed_from, read};
use crate::listener::BodyKind;
use crate::metrics::CredentialKind;
use crate::openapi::schemas;
use crate::queries::organisations;
use crate::request_log::{self, Sender};
use crate::state::{App, AppState};
use crate::views::pages;

/// Follow a mailed registration link
///
/// For browsers. Needs no identity: the link is signed. It leads to a public page, so it never ends: for a buyer without an account
/// it may be the only way to the course.
#[utoipa::path(
    get,
    path = "/storeapi/registrations/{signed}/",
    tag = "extensions",
    security(()),
    params(("signed" = String, Path, description = "The signed part of the mailed link.")),
    operation_id = "follow_registration_link",
    extensions(("x-problems" = json!(["invalid_request", "not_found", "internal_error", "unavailable"])), ("x-pages" = json!(true))),
    responses(
        (status = 302, description = "Leads to the organisation's registration page.", headers(
            ("Location" = String, description = "The registration page."),
        )),
        (status = 404, description = "`not_found`: the link was altered."),
    )
)]
pub async fn follow(
    State(app): State<AppState>,
    wants_page: WantsPage,
    Peer(peer): Peer,
    TextPath(signed): TextPath,
) -> ApiResult<Response> {
    match lead(&app, peer, &signed).await {
        Err(error) if wants_page.is_wanted => {
            Ok(pages::broken_invitation(error, &wants_page.localizer(&app.texts, None)))
        }
        answer => answer,
    }
}

async fn lead(app: &App, peer: IpAddr, signed: &str) -> ApiResult<Response> {
    let organisation = link::subject(&app.config.links.link_secret, Purpose::Registration, signed);
    let organisation = organisation.ok_or_else(|| {
        failed_from(app, peer, CredentialKind::RegistrationLink);
        ApiError::NotFound("Link")
    })?;
    let url = organisations::registration_url(&app.db, OrganisationId(organisation))
        .await?
        .ok_or(ApiError::NotFound("Link"))?;
    let location = HeaderValue::try_from(url).map_err(|_| ApiError::Internal)?;
    Ok((StatusCode::FOUND, [(header::LOCATION, location)]).into_response())
}

/// The fields in which the platform's webhook plugin (openedx-webhooks) sends the address, in JSON and in forms.
const USER_DATA: &str = "openedx_events.learning.data.UserData";
const FORM_EMAIL: &str = "openedx_events.learning.data.UserData_pii_email";

/// Receive a webhook about a registration
///
/// For the course platform's webhook plugin. Its calls carry no signature; the token in the path identifies it.
#[utoipa::path(
    post,
    path = "/storeapi/platform/registrations/{token}/",
    tag = "extensions",
    security(()),
    params(("token" = String, Path, description = "The operator's `REGISTRATION_HINT_TOKEN`.")),
    operation_id = "receive_registration",
    extensions(("x-problems" = json!(["invalid_request", "not_found", "request_timeout", "body_too_large", "unsupported_media_type", "internal_error", "unavailable"]))),
    request_body(content(
        (inline(schemas::AnyObject) = "application/json"),
        (inline(schemas::AnyObject) = "application/x-www-form-urlencoded"),
    ), description = "The plugin's event. The service reads only its email address."),
    responses(
        (status = 202, description = "The service will look the address up at the course platform."),
        (status = 400, description = "`invalid_request`: the event names no email address."),
        (status = 404, description = "`not_found`: the token is not the configured one."),
        (status = 503, description = "`unavailable`: the broker is unavailable, and the event is not stored."),
    )
)]
pub async fn hint(
    State(app): State<AppState>,
    Peer(peer): Peer,
    TextPath(token): TextPath,
    request: Request,
) -> ApiResult<StatusCode> {
    if !app.config.registration_hint_token.contains(&SecretDigest::of(token.as_bytes())) {
        failed_from(&app, peer, CredentialKind::HintToken);
        return Err(ApiError::NotFound("Route"));
    }
    request_log::sent_by(Sender::Platform);
    let body = read(request, MAX_BODY, BodyKind::Other).await?;
    let email = announced(&body).ok_or_else(|| ApiError::invalid("body", "names no email address"))?;
    app.commands.send_task(RegistrationHint { email }).await.map_err(|_| ApiError::Unavailable)?;
    Ok(StatusCode::ACCEPTED)
}

/// The address of the user in an event, from JSON or from a form.
fn announced(body: &[u8]) -> Option<Email> {
    let email = match serde_json::from_slice::<Value>(body) {
        Ok(event) => event.get(USER_DATA)?.get("pii")?.get("email")?.as_str()?.to_owned(),
        Err(_) => {
            let mut fields = url::form_urlencoded::parse(body);
            fields.find(|(name, _)| name == FORM_EMAIL)?.1.into_owned()
        }
    };
    Email::parse(&email).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_json_and_from_forms() {
        let json = br#"{"openedx_events.learning.data.UserData":{"id":42,"is_active":false,
            "pii":{"username":"ada","email":"Ada@example.com","name":"Ada L"}},"event_metadata":{"minorversion":0}}"#;
        let form = b"openedx_events.learning.data.UserData_id=42&\
            openedx_events.learning.data.UserData_pii_email=ada%2Bx%40example.com&event_metadata_event_type=x";
        assert_eq!(announced(json), Email::parse("ada@example.com").ok());
        assert_eq!(announced(form), Email::parse("ada+x@example.com").ok());
        for nothing in
            [&b""[..], b"{}", b"[]", b"\xff", b"email=ada@example.com", br#"{"email":"ada@example.com"}"#]
        {
            assert_eq!(announced(nothing), None);
        }
    }
}
