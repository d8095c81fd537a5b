//! Differences between gateways on the api's side: above all what the payment page loads. Each provider's file has the
//! values.
//! No I/O here.

mod external;
mod mollie;
mod razorpay;
mod stripe;

use shared::gateway::Gateway;
use url::Url;

use crate::config::Config;

/// Differences between a gateway and the others.
pub struct Profile {
    /// Means by which the buyer pays.
    pub style: Style,
    /// The script that the payment page loads; None if buyers pay on the provider's own page.
    pub script: Option<Script>,
    /// Indicates whether the storefront offers subscriptions through it.
    pub has_subscriptions: bool,
    /// Indicates whether the provider hosts a page where buyers manage their payments.
    pub has_billing_portal: bool,
}

/// Means to pay that a checkout's answer gives the buyer: the variants of `PaymentStart`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Intent,
    Redirect,
    Order,
    Transfer,
}

/// A provider's script, and what it needs beyond its own host. Each provider's file names the source.
pub struct Script {
    /// The URL of the script.
    pub url: fn(&Config) -> &Url,
    /// Hosts of further scripts.
    pub scripts: &'static str,
    /// Hosts of its frames.
    pub frames: &'static str,
    /// Hosts that it calls.
    pub calls: &'static str,
    /// Hosts of its images.
    pub images: &'static str,
    /// Indicates whether it adds style elements to the page.
    pub adds_styles: bool,
}

/// The profile of a gateway.
pub fn profile(gateway: Gateway) -> &'static Profile {
    match gateway {
        Gateway::Stripe => &stripe::PROFILE,
        Gateway::Mollie => &mollie::PROFILE,
        Gateway::Razorpay | Gateway::Curlec => &razorpay::PROFILE,
        Gateway::External => &external::PROFILE,
    }
}
