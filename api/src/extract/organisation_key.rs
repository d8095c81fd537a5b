//! Authenticates backends of one organisation by the header `organisationapikey`.

use std::net::IpAddr;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use shared::ids::OrganisationId;
use shared::organisation_key::{KeyId, OrganisationKey, Scope};
use subtle::ConstantTimeEq;

use super::client_secret::ClientSecret;
use super::failed::failed;
use super::peer::Peer;
use crate::error::{ApiError, ApiResult};
use crate::metrics::CredentialKind;
use crate::queries::organisation_keys::{self, StoredKey};
use crate::request_log::{self, Sender};
use crate::state::{App, AppState};

const HEADER: &str = "organisationapikey";

/// The holder of a valid key.
#[derive(Clone, Copy, Debug)]
pub struct KeyHolder {
    pub id: KeyId,
    pub organisation_id: OrganisationId,
}

/// The name of a key's holder as a [`Caller`].
pub(super) fn key_scope(id: KeyId) -> String {
    format!("key {id}")
}

/// The holder of the request's key; None if the request carries no key. A client secret beside the key must be valid too.
///
/// # Errors
/// `Unauthenticated` for a key that is unknown, malformed or revoked; `Forbidden` if it lacks the scope; `RateLimited`
/// for too many writes, or if too many keys of the peer have failed.
pub async fn holder(parts: &mut Parts, app: &AppState, scope: Scope) -> ApiResult<Option<KeyHolder>> {
    if !parts.headers.contains_key(HEADER) {
        return Ok(None);
    }
    <ClientSecret as OptionalFromRequestParts<_>>::from_request_parts(parts, app).await?;
    let Ok(Peer(peer)) = Peer::from_request_parts(parts, app).await;
    let Some((key, stored)) = genuine(&parts.headers, app, peer).await? else {
        failed(parts, app, CredentialKind::OrganisationKey).await;
        return Err(ApiError::Unauthenticated);
    };
    if !stored.scopes.iter().any(|held| held == scope.name()) {
        return Err(ApiError::Forbidden(missing(scope)));
    }
    // No limit on reads: one backend reads for its whole organisation.
    if !parts.method.is_safe() {
        app.identities.limits.key(key.id)?;
    }
    request_log::sent_by(Sender::OrganisationKey);
    Ok(Some(KeyHolder { id: key.id, organisation_id: stored.organisation_id }))
}

/// The header's key with what is stored of it; None if it is unknown, malformed or revoked.
async fn genuine(
    headers: &HeaderMap,
    app: &App,
    peer: IpAddr,
) -> ApiResult<Option<(OrganisationKey, StoredKey)>> {
    let Some(key) = sent(headers) else { return Ok(None) };
    let digest = key.digest();
    let check = async {
        let stored = organisation_keys::find(&app.db, key.id).await?;
        Ok(stored.filter(|stored| bool::from(digest.as_slice().ct_eq(&stored.secret_hash))))
    };
    let stored = app.identities.attempt(peer, digest, check).await?;
    Ok(stored.map(|stored| (key, stored)))
}

/// The header's key; None if it is malformed, or if the request sends the header more than once.
fn sent(headers: &HeaderMap) -> Option<OrganisationKey> {
    let mut values = headers.get_all(HEADER).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok()?.parse().ok(),
        _ => None,
    }
}

fn missing(scope: Scope) -> &'static str {
    match scope {
        Scope::Orders => "The key lacks the scope orders.",
        Scope::Refunds => "The key lacks the scope refunds.",
        Scope::Payments => "The key lacks the scope payments.",
        Scope::Vouchers => "The key lacks the scope vouchers.",
        Scope::Seats => "The key lacks the scope seats.",
        Scope::Events => "The key lacks the scope events.",
        Scope::Reports => "The key lacks the scope reports.",
        Scope::Support => "The key lacks the scope support.",
        Scope::Documents => "The key lacks the scope documents.",
    }
}
