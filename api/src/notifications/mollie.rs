//! Verifies `X-Mollie-Signature`: HMAC-SHA256 of the body, with or without the prefix `sha256=`. Mollie's classic
//! webhook has no signature and is refused.

use axum::http::HeaderMap;

pub fn is_genuine(headers: &HeaderMap, body: &[u8], secret: &[u8]) -> bool {
    let signature = super::header(headers, "x-mollie-signature");
    signature.is_some_and(|signature| {
        super::matches(secret, &[body], signature.strip_prefix("sha256=").unwrap_or(signature))
    })
}
