//! `Stripe-Signature: t=…,v1=…[,v1=…][,v0=…]`: HMAC-SHA256 of the time, a dot and the body, under the whole `whsec_…`
//! text. Any v1 will do, as secrets are rotated; v0 is a test scheme and counts for nothing.

use axum::http::HeaderMap;
use chrono::{DateTime, TimeDelta, Utc};

/// Older ones are refused, as Stripe's own libraries do. One from the future is not, as they do too: it was signed with
/// the secret, and clocks differ.
const TOLERANCE: TimeDelta = TimeDelta::seconds(300);

pub fn is_genuine(headers: &HeaderMap, body: &[u8], secret: &[u8], now: DateTime<Utc>) -> bool {
    let Some(header) = super::header(headers, "stripe-signature") else { return false };
    let fields = || header.split(',').filter_map(|field| field.trim().split_once('='));
    let Some((_, time)) = fields().find(|(name, _)| *name == "t") else { return false };
    let signed_at = time.parse().ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    if signed_at.is_none_or(|signed_at| now - signed_at > TOLERANCE) {
        return false;
    }
    fields()
        .filter(|(name, _)| *name == "v1")
        .any(|(_, signature)| super::matches(secret, &[time.as_bytes(), b".", body], signature))
}
