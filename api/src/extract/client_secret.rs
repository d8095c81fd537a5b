//! Authenticates trusted backends by the header `clientapisecret`.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::error::ApiError;
use crate::state::AppState;

pub(super) const HEADER: &str = "clientapisecret";

/// Proof that the caller sent the current or the previous client secret. Also stored in the request's extensions: later
/// extractors trust some headers only from a trusted backend.
#[derive(Clone, Copy)]
pub struct ClientSecret;

impl FromRequestParts<AppState> for ClientSecret {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let sent = SecretDigest::of(sent(&parts.headers).ok_or(ApiError::Unauthenticated)?);
        // Compare both in every case, so that the time taken does not tell which one matched.
        let current = state.config.client_api_secret.equals(&sent);
        let previous = state.config.client_api_secret_previous.equals(&sent);
        if !(current | previous) {
            return Err(ApiError::Unauthenticated);
        }
        parts.extensions.insert(Self);
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

/// The SHA-256 of a secret. All digests have the same length, so a comparison in constant time reveals nothing about
/// the secrets, and the secret itself is not stored. An empty secret equals nothing.
#[derive(Clone)]
pub struct SecretDigest(Option<[u8; 32]>);

impl SecretDigest {
    fn of(secret: &[u8]) -> Self {
        Self((!secret.is_empty()).then(|| Sha256::digest(secret).into()))
    }

    /// Whether a value is this secret.
    pub fn is(&self, value: &str) -> bool {
        self.equals(&Self::of(value.as_bytes()))
    }

    fn equals(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => bool::from(a.ct_eq(b)),
            _ => false,
        }
    }
}

impl FromStr for SecretDigest {
    type Err = Infallible;

    fn from_str(secret: &str) -> Result<Self, Infallible> {
        Ok(Self::of(secret.as_bytes()))
    }
}

impl fmt::Debug for SecretDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretDigest(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_secret_equals_nothing() {
        let (empty, secret) = (SecretDigest::of(b""), SecretDigest::of(b"x"));
        assert!(secret.equals(&SecretDigest::of(b"x")) && !secret.equals(&SecretDigest::of(b"y")));
        assert!(!empty.equals(&empty) && !empty.equals(&secret) && !secret.equals(&empty));
    }
}
