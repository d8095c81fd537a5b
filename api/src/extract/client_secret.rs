//! The trusted backend's credential: the header `clientapisecret`.

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::error::ApiError;
use crate::state::AppState;

const HEADER: &str = "clientapisecret";

/// Proof that the caller sent the configured secret, or the one before it.
pub struct ClientSecret;

impl FromRequestParts<AppState> for ClientSecret {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let config = &state.config;
        let sent = sent(&parts.headers).ok_or(ApiError::Unauthenticated)?;
        // Both are compared, whatever the first one says.
        let current = matches(&config.client_api_secret, sent);
        let previous = matches(&config.client_api_secret_previous, sent);
        if current | previous { Ok(Self) } else { Err(ApiError::Unauthenticated) }
    }
}

/// The header's value; a request that sends two of them proves nothing.
fn sent(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(HEADER).iter();
    match (values.next(), values.next()) {
        (Some(value), None) if !value.is_empty() => Some(value.as_bytes()),
        _ => None,
    }
}

/// Compares digests, which have one length: neither the secret's length nor its first difference shows in the time.
/// An empty setting is no secret and matches nothing.
fn matches(secret: &SecretString, sent: &[u8]) -> bool {
    let secret = secret.expose_secret().as_bytes();
    let equal = Sha256::digest(secret).as_slice().ct_eq(Sha256::digest(sent).as_slice());
    bool::from(equal) && !secret.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_secret_matches_nothing() {
        assert!(!matches(&SecretString::from(""), b""));
        assert!(!matches(&SecretString::from(""), b"x"));
        assert!(!matches(&SecretString::from("x"), b""));
        assert!(matches(&SecretString::from("x"), b"x"));
    }
}
