//! What differs by gateway on the api's side: how its notifications are signed, and what the payment page loads. Each
//! provider's file has the values. Signatures are verified over the raw bytes, in constant time, before anything is
//! parsed. No I/O here; the caller selects the secrets by the path, never by the body.

mod mollie;
mod razorpay;
mod stripe;

use axum::http::HeaderMap;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use shared::gateway::Gateway;
use url::Url;

use crate::config::Config;

/// How a gateway differs from the others.
pub struct Profile {
    /// The script that the payment page loads; None if buyers pay on the provider's own page.
    pub script: Option<Script>,
    /// Whether the storefront offers subscriptions through it.
    pub has_subscriptions: bool,
    /// Whether the provider hosts a page where buyers manage their payments.
    pub has_billing_portal: bool,
    /// Whether a secret signed a notification, of which it takes the headers and the raw body, at this time.
    is_signed: fn(&HeaderMap, &[u8], &[u8], DateTime<Utc>) -> bool,
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
    /// Whether it adds style elements to the page.
    pub adds_styles: bool,
}

/// The profile of a gateway.
pub fn profile(gateway: Gateway) -> &'static Profile {
    match gateway {
        Gateway::Stripe => &stripe::PROFILE,
        Gateway::Mollie => &mollie::PROFILE,
        Gateway::Razorpay | Gateway::Curlec => &razorpay::PROFILE,
    }
}

/// Whether one of the secrets of the gateway and organisation signed the notification; false without secrets.
pub fn is_genuine(
    gateway: Gateway,
    headers: &HeaderMap,
    body: &[u8],
    secrets: &[impl AsRef<[u8]>],
    now: DateTime<Utc>,
) -> bool {
    let is_signed = profile(gateway).is_signed;
    secrets.iter().any(|secret| is_signed(headers, body, secret.as_ref(), now))
}

/// The value of a header; None if the request sends the header more than once.
fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Whether a signature is the HMAC-SHA256 of the parts, as 64 lower-case hexadecimal digits. Upper-case digits are
/// refused, as by the providers' own SDKs, which compare the text.
fn matches(secret: &[u8], parts: &[&[u8]], signature: &str) -> bool {
    let mut bytes = [0; 32];
    let has_upper_case = signature.bytes().any(|digit| digit.is_ascii_uppercase());
    if secret.is_empty() || has_upper_case || hex::decode_to_slice(signature, &mut bytes).is_err() {
        return false;
    }
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return false };
    parts.iter().for_each(|part| mac.update(part));
    mac.verify_slice(&bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::HashMap;

    #[derive(Deserialize)]
    struct Vector {
        provider: String,
        scheme: String,
        secret: String,
        #[serde(default)]
        extra_secrets: Vec<String>,
        headers: HashMap<String, String>,
        #[serde(default)]
        body: String,
        valid: bool,
        now: Option<i64>,
        note: String,
    }

    #[derive(Deserialize)]
    struct Vectors {
        vectors: Vec<Vector>,
    }

    fn headers(vector: &Vector) -> HeaderMap {
        let headers = vector.headers.iter();
        headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn what_the_providers_own_libraries_accept_is_genuine_and_nothing_else() {
        let Vectors { vectors } = serde_json::from_str(include_str!("vectors.json")).unwrap();
        assert_eq!(vectors.len(), 40);
        for vector in vectors {
            let secrets = [vec![vector.secret.clone()], vector.extra_secrets.clone()].concat();
            let now =
                vector.now.map_or(DateTime::UNIX_EPOCH, |now| DateTime::from_timestamp(now, 0).unwrap());
            let gateway: Gateway = vector.provider.parse().unwrap();
            let genuine = is_genuine(gateway, &headers(&vector), vector.body.as_bytes(), &secrets, now);
            // A valid signature from the checkout page does not make a notification genuine.
            let expected = vector.valid && vector.scheme == "webhook";
            assert_eq!(genuine, expected, "{}: {}", vector.provider, vector.note);
            let none: [&str; 0] = [];
            assert!(!is_genuine(gateway, &headers(&vector), vector.body.as_bytes(), &none, now));
            assert!(!is_genuine(gateway, &headers(&vector), vector.body.as_bytes(), &[""], now));
        }
    }

    #[test]
    fn a_signature_that_is_sent_twice_proves_nothing() {
        let Vectors { vectors } = serde_json::from_str(include_str!("vectors.json")).unwrap();
        for vector in vectors.iter().filter(|vector| vector.valid && vector.scheme == "webhook") {
            let mut twice = headers(vector);
            for (name, value) in headers(vector) {
                twice.append(name.unwrap(), value);
            }
            let now =
                vector.now.map_or(DateTime::UNIX_EPOCH, |now| DateTime::from_timestamp(now, 0).unwrap());
            let gateway = vector.provider.parse().unwrap();
            assert!(!is_genuine(gateway, &twice, vector.body.as_bytes(), &[&vector.secret], now));
        }
    }
}
