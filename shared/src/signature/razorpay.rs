//! Razorpay's and Curlec's signatures: the HMAC of the body, keyed with the webhook's secret, not the API key's.

use super::{Scheme, Signature};

pub const SCHEME: Scheme = Scheme {
    // The header with the event's id is unsigned and ignored: with it, an attacker could replay an old body as a new
    // event.
    header: "x-razorpay-signature",
    parse: |signature, _| Signature::of_body(signature),
    #[cfg(test)]
    vectors: include_str!("razorpay.json"),
};
