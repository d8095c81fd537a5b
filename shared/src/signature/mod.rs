//! Signatures of payment providers' notifications: HMAC-SHA256 over the raw bytes, compared in constant time. The api
//! verifies before it accepts a notification, the worker again before it settles one. The caller selects the secrets by
//! organisation and gateway, never by the body. Each provider's file has its scheme and, beside it, its vectors. No I/O
//! here.

mod mollie;
mod razorpay;
mod stripe;

use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::gateway::Gateway;

/// A provider's way to sign its notifications.
struct Scheme {
    /// The request header that holds the signature, in lower case.
    header: &'static str,
    /// Reads the header's value of a notification that arrived at this time. None if it lacks the form, or the time, of
    /// a genuine one.
    parse: fn(&str, DateTime<Utc>) -> Option<Signature<'_>>,
    /// Signatures of the provider's own libraries, as JSON.
    #[cfg(test)]
    vectors: &'static str,
}

/// Parts of a header of a possible form.
struct Signature<'a> {
    /// The time that was signed with the body, as the header has it; Stripe only.
    time: Option<&'a str>,
    /// At least one; a genuine notification has at least one that matches.
    macs: Vec<[u8; 32]>,
}

impl Signature<'_> {
    /// One HMAC of the body alone.
    fn of_body(mac: &str) -> Option<Self> {
        decode(mac).map(|mac| Self { time: None, macs: vec![mac] })
    }
}

fn scheme(gateway: Gateway) -> Option<&'static Scheme> {
    match gateway {
        Gateway::Stripe => Some(&stripe::SCHEME),
        Gateway::Mollie => Some(&mollie::SCHEME),
        Gateway::Razorpay | Gateway::Curlec => Some(&razorpay::SCHEME),
        Gateway::External => None,
    }
}

/// The request header that holds the signature of a gateway's notifications, in lower case. None if it has no provider.
pub fn header(gateway: Gateway) -> Option<&'static str> {
    scheme(gateway).map(|scheme| scheme.header)
}

/// Returns whether one of the secrets of the gateway and organisation signed the notification's raw body. `signature`
/// is the value of the [`header`], `received_at` when the notification arrived. False without secrets.
pub fn is_genuine(
    gateway: Gateway,
    signature: &str,
    body: &[u8],
    secrets: &[impl AsRef<[u8]>],
    received_at: DateTime<Utc>,
) -> bool {
    let parsed = scheme(gateway).and_then(|scheme| (scheme.parse)(signature, received_at));
    let Some(Signature { time, macs }) = parsed else { return false };
    let signed: &[&[u8]] = match time {
        Some(time) => &[time.as_bytes(), b".", body],
        None => &[body],
    };
    secrets.iter().any(|secret| macs.iter().any(|mac| matches(secret.as_ref(), signed, mac)))
}

/// Returns whether a signature has the form, and Stripe's the time, of a genuine one, whatever the body. Without a
/// secret it tells which notifications are not worth reading.
pub fn is_plausible(gateway: Gateway, signature: &str, received_at: DateTime<Utc>) -> bool {
    scheme(gateway).is_some_and(|scheme| (scheme.parse)(signature, received_at).is_some())
}

/// An HMAC of 64 lower-case hexadecimal digits. Upper-case digits are refused, as by the providers' own SDKs, which
/// compare the text.
fn decode(text: &str) -> Option<[u8; 32]> {
    let mut mac = [0; 32];
    let has_upper_case = text.bytes().any(|digit| digit.is_ascii_uppercase());
    (!has_upper_case && hex::decode_to_slice(text, &mut mac).is_ok()).then_some(mac)
}

/// Returns whether `expected` is the HMAC-SHA256 of the parts.
fn matches(secret: &[u8], parts: &[&[u8]], expected: &[u8; 32]) -> bool {
    if secret.is_empty() {
        return false;
    }
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else { return false };
    parts.iter().for_each(|part| mac.update(part));
    mac.verify_slice(expected).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::HashMap;

    #[derive(Deserialize)]
    struct Vector {
        #[serde(rename = "provider")]
        gateway: Gateway,
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

    /// The vectors of a gateway.
    fn vectors(gateway: &Gateway) -> Vec<Vector> {
        let Vectors { mut vectors } = serde_json::from_str(scheme(*gateway).unwrap().vectors).unwrap();
        vectors.retain(|vector| vector.gateway == *gateway);
        assert!(vectors.iter().any(|vector| vector.valid), "{gateway}");
        vectors
    }

    #[test]
    fn what_the_providers_own_libraries_accept_is_genuine_and_nothing_else() {
        let vectors: Vec<Vector> = Gateway::PROVIDERS.iter().flat_map(vectors).collect();
        assert_eq!(vectors.len(), 40);
        for vector in vectors {
            let secrets = [vec![vector.secret.clone()], vector.extra_secrets.clone()].concat();
            let now =
                vector.now.map_or(DateTime::UNIX_EPOCH, |now| DateTime::from_timestamp(now, 0).unwrap());
            let gateway = vector.gateway;
            let signature =
                vector.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(header(gateway).unwrap()));
            let signature = signature.map_or("", |(_, value)| value.as_str());
            let genuine = is_genuine(gateway, signature, vector.body.as_bytes(), &secrets, now);
            // A valid signature from the checkout page does not make a notification genuine.
            let expected = vector.valid && vector.scheme == "webhook";
            assert_eq!(genuine, expected, "{gateway}: {}", vector.note);
            assert!(!genuine || is_plausible(gateway, signature, now));
            let none: [&str; 0] = [];
            assert!(!is_genuine(gateway, signature, vector.body.as_bytes(), &none, now));
            assert!(!is_genuine(gateway, signature, vector.body.as_bytes(), &[""], now));
        }
    }

    #[test]
    fn a_signature_of_another_form_or_time_is_not_plausible() {
        let (now, mac) = (DateTime::from_timestamp(10_000, 0).unwrap(), "0f".repeat(32));
        for (gateway, signature, expected) in [
            (Gateway::Stripe, format!("t=9700,v1={mac}"), true),
            (Gateway::Stripe, format!("t=9699,v1={mac}"), false),
            (Gateway::Stripe, format!("t=soon,v1={mac}"), false),
            (Gateway::Stripe, format!("t=10000,v0={mac}"), false),
            (Gateway::Stripe, "t=10000,v1=00".to_owned(), false),
            (Gateway::Stripe, format!("v1={mac}"), false),
            (Gateway::Mollie, format!("sha256={mac}"), true),
            (Gateway::Mollie, "sha256=".to_owned(), false),
            (Gateway::Razorpay, mac.clone(), true),
            (Gateway::Curlec, format!("{mac}0"), false),
        ] {
            assert_eq!(is_plausible(gateway, &signature, now), expected, "{gateway}: {signature}");
        }
    }
}
