//! Razorpay and Curlec: their script on the payment page.

use super::{Profile, Script, Style};

pub const PROFILE: Profile = Profile {
    style: Style::Order,
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
};
