//! Razorpay and Curlec: their script on the payment page, and `X-Razorpay-Signature`: HMAC-SHA256 of the body, keyed with the webhook's secret, which
//! is not the API key. The header with the event's id is unsigned and ignored: with it, an attacker could replay an
//! old body as a new event.

use axum::http::HeaderMap;
use chrono::{DateTime, Utc};

use super::{Profile, Script};

pub const PROFILE: Profile = Profile {
    // Razorpay's own plugin lists the hosts:
    // https://github.com/razorpay/razorpay-magento/blob/master/etc/csp_whitelist.xml; cdn.razorpay.com has the fraud
    // detection (https://github.com/razorpay/razorpay-magento/issues/542). The plugin does not list the script's calls to
    // api.razorpay.com, its frames from checkout.razorpay.com, and lumberjack-cx, where newer scripts send their events.
    // The script lays its frame out with a style element.
    script: Some(Script {
        url: |config| &config.page.razorpay_script_url,
        scripts: "https://checkout.razorpay.com https://cdn.razorpay.com",
        frames: "https://api.razorpay.com https://checkout.razorpay.com",
        calls: "https://api.razorpay.com https://lumberjack.razorpay.com https://lumberjack-cx.razorpay.com \
                https://lumberjack-metrics.razorpay.com",
        images: "https://cdn.razorpay.com",
        adds_styles: true,
    }),
    has_subscriptions: true,
    has_billing_portal: false,
    is_signed,
};

fn is_signed(headers: &HeaderMap, body: &[u8], secret: &[u8], _now: DateTime<Utc>) -> bool {
    let signature = super::header(headers, "x-razorpay-signature");
    signature.is_some_and(|signature| super::matches(secret, &[body], signature))
}
