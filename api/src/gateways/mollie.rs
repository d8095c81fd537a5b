//! Mollie: buyers pay on its own page. `X-Mollie-Signature`: HMAC-SHA256 of the body, with or without the prefix `sha256=`. Mollie's classic
//! webhook has no signature and is refused.

use axum::http::HeaderMap;
use chrono::{DateTime, Utc};

use super::Profile;

pub const PROFILE: Profile =
    Profile { script: None, has_subscriptions: true, has_billing_portal: false, is_signed };

fn is_signed(headers: &HeaderMap, body: &[u8], secret: &[u8], _now: DateTime<Utc>) -> bool {
    let signature = super::header(headers, "x-mollie-signature");
    signature.is_some_and(|signature| {
        super::matches(secret, &[body], signature.strip_prefix("sha256=").unwrap_or(signature))
    })
}
