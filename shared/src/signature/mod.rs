//! Signatures of payment providers' notifications: HMAC-SHA256 over the raw bytes, compared in constant time. The api
//! verifies before it accepts a notification, the worker again before it settles one. The caller selects the secrets by
//! organisation and gateway, never by the body. No I/O here.

use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::gateway::Gateway;

/// Stripe's signatures that are older are refused, as by its own libraries. Like them, this accepts times in the future:
/// the signature proves the sender, and clocks differ.
const TOLERANCE: TimeDelta = TimeDelta::seconds(300);

/// The request header that holds the signature of a gateway's notifications, in lower case. Razorpay's and Curlec's header
/// with the event's id is unsigned and ignored: with it, an attacker could replay an old body as a new event.
pub fn header(gateway: Gateway) -> &'static str {
    match gateway {
        Gateway::Stripe => "stripe-signature",
        Gateway::Mollie => "x-mollie-signature",
        Gateway::Razorpay | Gateway::Curlec => "x-razorpay-signature",
    }
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
    let Some(Signature { time, macs }) = parse(gateway, signature, received_at) else { return false };
    let signed: &[&[u8]] = match time {
        Some(time) => &[time.as_bytes(), b".", body],
        None => &[body],
    };
    secrets.iter().any(|secret| macs.iter().any(|mac| matches(secret.as_ref(), signed, mac)))
}

/// Returns whether a signature has the form, and Stripe's the time, of a genuine one, whatever the body. Without a
/// secret it tells which notifications are not worth reading.
pub fn is_plausible(gateway: Gateway, signature: &str, received_at: DateTime<Utc>) -> bool {
    parse(gateway, signature, received_at).is_some()
}

/// Parts of a header of a possible form.
struct Signature<'a> {
    /// The time that was signed with the body, as the header has it; Stripe only.
    time: Option<&'a str>,
    /// At least one; a genuine notification has at least one that matches.
    macs: Vec<[u8; 32]>,
}

fn parse(gateway: Gateway, signature: &str, received_at: DateTime<Utc>) -> Option<Signature<'_>> {
    let alone = |text| decode(text).map(|mac| Signature { time: None, macs: vec![mac] });
    match gateway {
        Gateway::Stripe => parse_stripe(signature, received_at),
        // With or without the prefix. Mollie's classic webhook has no signature and is refused.
        Gateway::Mollie => alone(signature.strip_prefix("sha256=").unwrap_or(signature)),
        // The secret is the webhook's, not the API key.
        Gateway::Razorpay | Gateway::Curlec => alone(signature),
    }
}

/// `t=…,v1=…[,v1=…][,v0=…]`: the HMAC of the time, a dot and the body, keyed with the whole `whsec_…` text. One matching v1
/// is enough, because secrets rotate; v0 is a test scheme and is ignored.
fn parse_stripe(signature: &str, received_at: DateTime<Utc>) -> Option<Signature<'_>> {
    let fields = || signature.split(',').filter_map(|field| field.trim().split_once('='));
    let (_, time) = fields().find(|(name, _)| *name == "t")?;
    let signed_at = DateTime::from_timestamp(time.parse().ok()?, 0)?;
    let macs: Vec<_> =
        fields().filter(|(name, _)| *name == "v1").filter_map(|(_, mac)| decode(mac)).collect();
    let is_recent = received_at - signed_at <= TOLERANCE;
    (is_recent && !macs.is_empty()).then_some(Signature { time: Some(time), macs })
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

    #[test]
    fn what_the_providers_own_libraries_accept_is_genuine_and_nothing_else() {
        let Vectors { vectors } = serde_json::from_str(include_str!("vectors.json")).unwrap();
        assert_eq!(vectors.len(), 40);
        for vector in vectors {
            let secrets = [vec![vector.secret.clone()], vector.extra_secrets.clone()].concat();
            let now =
                vector.now.map_or(DateTime::UNIX_EPOCH, |now| DateTime::from_timestamp(now, 0).unwrap());
            let gateway: Gateway = vector.provider.parse().unwrap();
            let signature =
                vector.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(header(gateway)));
            let signature = signature.map_or("", |(_, value)| value.as_str());
            let genuine = is_genuine(gateway, signature, vector.body.as_bytes(), &secrets, now);
            // A valid signature from the checkout page does not make a notification genuine.
            let expected = vector.valid && vector.scheme == "webhook";
            assert_eq!(genuine, expected, "{}: {}", vector.provider, vector.note);
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
