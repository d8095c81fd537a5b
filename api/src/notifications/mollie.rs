//! `X-Mollie-Signature`: HMAC-SHA256 of the body, bare or behind `sha256=`. The classic ping has none and proves nothing.

use axum::http::HeaderMap;

pub fn is_genuine(headers: &HeaderMap, body: &[u8], secret: &[u8]) -> bool {
    let signature = super::header(headers, "x-mollie-signature");
    signature.is_some_and(|signature| {
        super::matches(secret, &[body], signature.strip_prefix("sha256=").unwrap_or(signature))
    })
}
