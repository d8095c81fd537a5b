//! `X-Razorpay-Signature`, for Curlec too: HMAC-SHA256 of the body under the webhook's secret, which is not the API key.
//! The header with the event's id is unsigned: an old body under a new id would be a new event, so it is not believed.

use axum::http::HeaderMap;

pub fn is_genuine(headers: &HeaderMap, body: &[u8], secret: &[u8]) -> bool {
    let signature = super::header(headers, "x-razorpay-signature");
    signature.is_some_and(|signature| super::matches(secret, &[body], signature))
}
