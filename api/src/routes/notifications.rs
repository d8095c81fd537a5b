//! The route for notifications (webhooks) of payment providers. The api verifies the signature and hands the
//! notification to the broker; the worker processes it.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use secrecy::{ExposeSecret, SecretSlice};
use sha2::{Digest, Sha256};
use shared::gateway::Gateway;
use shared::ids::OrganisationId;
use shared::messages::{ProviderNotification, ReceivedSignature};
use shared::seal;
use shared::signature;

use crate::error::{ApiError, ApiResult};
use crate::extract::{NotificationPath, Peer, failed_from, read};
use crate::identity::counted_as;
use crate::listener::BodyKind;
use crate::metrics::{self, CredentialKind};
use crate::openapi::schemas;
use crate::queries;
use crate::request_log::{self, Sender};
use crate::state::{App, AppState};

/// Maximum size of a notification in bytes.
const MAX_NOTIFICATION: usize = 1024 * 1024;

/// Receive a webhook of a payment provider
///
/// Needs no identity: the provider signs the raw body with the secret of the gateway and organisation in the path. The
/// service answers once it has stored the event, also if the event is a repetition or of a kind that it does not use.
#[utoipa::path(
    post,
    path = "/storeapi/payment/notifications/{gateway}/{organisation}/",
    tag = "extensions",
    security(()),
    params(
        ("gateway" = inline(Gateway), Path, description = "The gateway that sends it."),
        ("organisation" = String, Path, description = "The organisation's short name."),
    ),
    operation_id = "receive_payment_notification",
    extensions(("x-problems" = json!(["invalid_request", "not_found", "request_timeout", "body_too_large", "unsupported_media_type", "rate_limited", "internal_error", "unavailable"]))),
    request_body(content(
        (inline(schemas::AnyObject) = "application/json"),
        (inline(schemas::AnyObject) = "application/x-www-form-urlencoded"),
    ), description = "The provider's event, as the provider signs it in a header; at most 1 MiB."),
    responses(
        (status = 200, description = "The event is stored."),
        (status = 400, description = "`invalid_request`: no signature, a wrong one, or no secret to verify it with."),
        (status = 404, description = "`not_found`: no such gateway."),
        (status = 429, description = "`rate_limited`: too many signatures from this address were wrong, and none was good within the last hour."),
        (status = 503, description = "`unavailable`: the event could not be stored; the provider sends it again."),
    )
)]
pub async fn receive(
    State(app): State<AppState>,
    Peer(peer): Peer,
    NotificationPath { gateway, organisation }: NotificationPath,
    request: Request,
) -> ApiResult<StatusCode> {
    let gateway: Option<Gateway> = gateway.parse().ok().filter(|gateway: &Gateway| gateway.has_provider());
    let gateway = gateway.ok_or(ApiError::NotFound("Gateway"))?;
    let handed_over = hand_over(&app, peer, gateway, &organisation, request).await;
    let status = handed_over.as_ref().map_or_else(|error| error.code().status(), |()| StatusCode::OK);
    metrics::webhook(gateway, status);
    handed_over.map(|()| StatusCode::OK)
}

/// Hands a genuine notification to the broker.
async fn hand_over(
    app: &App,
    peer: IpAddr,
    gateway: Gateway,
    organisation: &str,
    request: Request,
) -> ApiResult<()> {
    let not_genuine = || {
        failed_from(app, peer, CredentialKind::NotificationSignature);
        ApiError::invalid("signature", "is missing, or not that of this gateway and organisation")
    };
    // What cannot be genuine is refused before its body takes memory: any caller can get as far as this.
    let received_at = app.now();
    let value = signature_of(gateway, request.headers())
        .filter(|value| signature::is_plausible(gateway, value, received_at))
        .ok_or_else(not_genuine)?;
    let sender = sender(peer);
    let unproven = (!app.identities.is_known(&sender)).then(|| counted_as(peer));
    let check = async {
        let Some((organisation_id, secrets)) = secrets(app, organisation, gateway).await? else {
            return Ok(None);
        };
        let body = read(request, MAX_NOTIFICATION, BodyKind::Notification { unproven }).await?;
        let secrets: Vec<&[u8]> = secrets.iter().map(|secret| secret.expose_secret()).collect();
        let is_genuine = signature::is_genuine(gateway, &value, &body, &secrets, received_at);
        Ok(is_genuine.then_some((organisation_id, body)))
    };
    let genuine = app.identities.attempt(peer, sender, check).await?;
    let (organisation_id, body) = genuine.ok_or_else(not_genuine)?;
    request_log::sent_by(Sender::Provider);
    let body = String::from_utf8(body.into()).map_err(|_| ApiError::invalid("body", "is not UTF-8"))?;
    let signature = ReceivedSignature { value, received_at };
    let message = ProviderNotification { gateway, organisation_id, body, signature };
    app.commands.send_task(message).await.map_err(|_| ApiError::Unavailable)
}

/// The name under which a peer is known that has sent a genuine notification. A provider's servers send those of all
/// organisations: what one of them has configured wrongly must not limit the others.
fn sender(peer: IpAddr) -> [u8; 32] {
    Sha256::digest(format!("notifications from {}", counted_as(peer))).into()
}

/// The value of the gateway's signature header; None without it, or if the request sends it more than once.
fn signature_of(gateway: Gateway, headers: &HeaderMap) -> Option<String> {
    let mut values = headers.get_all(signature::header(gateway)?).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok().map(str::to_owned),
        _ => None,
    }
}

type Secrets = Vec<SecretSlice<u8>>;

/// The organisation's id and the secrets that sign its notifications; None if it has no secret for the gateway.
async fn secrets(
    app: &App,
    organisation: &str,
    gateway: Gateway,
) -> ApiResult<Option<(OrganisationId, Secrets)>> {
    let stored = queries::notifications::secrets(&app.db, organisation, gateway).await?;
    let Some(id) = stored.first().map(|secret| secret.organisation_id) else { return Ok(None) };
    let opened = stored.iter().map(|secret| {
        let place = seal::notification_place(id, gateway, &secret.slot);
        seal::open(&app.notification_keys, &place, &secret.sealed)
    });
    let opened: Result<Secrets, _> = opened.collect();
    opened.map(|secrets| Some((id, secrets))).map_err(|error| {
        // A configuration mistake: answer 503, so that the provider retries until the operator has fixed it.
        request_log::failed(format_args!(
            "cannot decrypt the webhook secret of {gateway}, organisation {id}: {error}"
        ));
        ApiError::Unavailable
    })
}
