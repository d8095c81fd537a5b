//! Authenticates trusted backends by the header `clientapisecret`.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;

use super::failed::failed;
use crate::config::SecretDigest;
use crate::error::ApiError;
use crate::identity::CredentialKind;
use crate::request_log::{self, Caller};
use crate::state::AppState;

pub(super) const HEADER: &str = "clientapisecret";

/// Proof that the caller sent an accepted client secret. Also stored in the request's extensions: later
/// extractors trust some headers only from a trusted backend.
#[derive(Clone, Copy)]
pub struct ClientSecret;

impl FromRequestParts<AppState> for ClientSecret {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let sent = match sent(&parts.headers) {
            Some(sent) => SecretDigest::of(sent),
            None if !parts.headers.contains_key(HEADER) => return Err(ApiError::Unauthenticated),
            None => SecretDigest::of(b""),
        };
        // Both in every case, as within each of them.
        let current = state.config.client_api_secret.contains(&sent);
        let previous = state.config.client_api_secret_previous.contains(&sent);
        if !(current | previous) {
            failed(parts, state, CredentialKind::ClientSecret).await;
            return Err(ApiError::Unauthenticated);
        }
        parts.extensions.insert(Self);
        request_log::called_by(Caller::Client);
        Ok(Self)
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

/// The header's value; None if the request sends the header more than once.
fn sent(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(HEADER).iter();
    match (values.next(), values.next()) {
        (Some(value), None) if !value.is_empty() => Some(value.as_bytes()),
        _ => None,
    }
}
