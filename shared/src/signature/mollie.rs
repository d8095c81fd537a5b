//! Mollie's signatures: the HMAC of the body, with or without a prefix. Mollie's classic webhook has no signature and is
//! refused.

use super::{Scheme, Signature};

pub const SCHEME: Scheme = Scheme {
    header: "x-mollie-signature",
    parse: |signature, _| Signature::of_body(signature.strip_prefix("sha256=").unwrap_or(signature)),
    #[cfg(test)]
    vectors: include_str!("mollie.json"),
};
