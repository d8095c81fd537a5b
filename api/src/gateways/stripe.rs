//! Stripe: its script on the payment page.

use super::{Profile, Script, Style};

pub const PROFILE: Profile = Profile {
    style: Style::Intent,
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
};
