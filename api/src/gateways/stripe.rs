//! Stripe: its script on the payment page, and `Stripe-Signature: t=…,v1=…[,v1=…][,v0=…]`: HMAC-SHA256 of the time, a dot and the body, keyed with the
//! whole `whsec_…` text. One matching v1 is enough, because secrets rotate; v0 is a test scheme and is ignored.

use axum::http::HeaderMap;
use chrono::{DateTime, TimeDelta, Utc};

use super::{Profile, Script};

pub const PROFILE: Profile = Profile {
    // https://docs.stripe.com/security/guide#content-security-policy, for Stripe.js without its address search. What its
    // frames load, such as m.stripe.network, is subject to their own policy.
    script: Some(Script {
        url: |config| &config.page.stripe_script_url,
        scripts: "https://js.stripe.com https://*.js.stripe.com",
        frames: "https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
        calls: "https://api.stripe.com",
        images: "",
        adds_styles: false,
    }),
    has_subscriptions: true,
    has_billing_portal: true,
    is_signed,
};

/// Older signatures are refused, as by Stripe's own libraries. Like them, this accepts times in the future: the
/// signature proves the sender, and clocks differ.
const TOLERANCE: TimeDelta = TimeDelta::seconds(300);

fn is_signed(headers: &HeaderMap, body: &[u8], secret: &[u8], now: DateTime<Utc>) -> bool {
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
