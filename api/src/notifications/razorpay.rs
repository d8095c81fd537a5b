//! Verifies `X-Razorpay-Signature`, also for Curlec: HMAC-SHA256 of the body, keyed with the webhook's secret, which
//! is not the API key. The header with the event's id is unsigned and ignored: with it, an attacker could replay an
//! old body as a new event.

use axum::http::HeaderMap;

pub fn is_genuine(headers: &HeaderMap, body: &[u8], secret: &[u8]) -> bool {
    let signature = super::header(headers, "x-razorpay-signature");
    signature.is_some_and(|signature| super::matches(secret, &[body], signature))
}
