//! Authenticates trusted backends by the header `clientapisecret`.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;

use super::failed::failed;
use super::scope::Caller;
use crate::config::SecretDigest;
use crate::error::ApiError;
use crate::metrics::CredentialKind;
use crate::request_log::{self, Sender};
use crate::state::{App, AppState};

pub(super) const HEADER: &str = "clientapisecret";

/// Proof that the caller sent an accepted client secret.
pub struct ClientSecret;

impl FromRequestParts<AppState> for ClientSecret {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        if !parts.headers.contains_key(HEADER) {
            return Err(ApiError::Unauthenticated);
        }
        if !by_backend(&parts.headers, state) {
            failed(parts, state, CredentialKind::ClientSecret).await;
            return Err(ApiError::Unauthenticated);
        }
        request_log::sent_by(Sender::Client);
        Ok(Self)
    }
}

impl Caller for ClientSecret {
    /// All storefronts with the client secret count as one caller.
    fn scope(&self) -> String {
        "client".to_owned()
    }
}

/// For learners' routes, which a backend may call on behalf of a learner.
impl OptionalFromRequestParts<AppState> for ClientSecret {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Option<Self>, ApiError> {
        if !parts.headers.contains_key(HEADER) {
            return Ok(None);
        }
        <Self as FromRequestParts<_>>::from_request_parts(parts, state).await.map(Some)
    }
}

/// Returns whether the request carries an accepted client secret. The api trusts some headers only from a trusted backend.
pub(super) fn by_backend(headers: &HeaderMap, app: &App) -> bool {
    let sent = SecretDigest::of(sent(headers).unwrap_or_default());
    app.config.client_api_secret.contains(&sent)
}

/// The header's value; None if the request sends the header more than once.
fn sent(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(HEADER).iter();
    match (values.next(), values.next()) {
        (Some(value), None) if !value.is_empty() => Some(value.as_bytes()),
        _ => None,
    }
}
