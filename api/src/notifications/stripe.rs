//! Verifies `Stripe-Signature: t=…,v1=…[,v1=…][,v0=…]`: HMAC-SHA256 of the time, a dot and the body, keyed with the
//! whole `whsec_…` text. One matching v1 is enough, because secrets rotate; v0 is a test scheme and is ignored.

use axum::http::HeaderMap;
use chrono::{DateTime, TimeDelta, Utc};

/// Older signatures are refused, as by Stripe's own libraries. Like them, this accepts times in the future: the
/// signature proves the sender, and clocks differ.
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
