//! Signed links: what a mail carries and the api believes, without a table. They expire and grant nothing.

use chrono::{DateTime, Utc};
use hmac::digest::Key;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Names the organisation whose registration page a link leads to.
/// As text: `{organisation}.{expires, Unix seconds}.{HMAC-SHA256 of both, hex}`.
pub fn sign_registration(secret: &SecretString, organisation: Uuid, expires: DateTime<Utc>) -> String {
    let signed = format!("{}.{}", organisation.simple(), expires.timestamp());
    let signature = mac(secret, &signed).finalize().into_bytes();
    let hex: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{signed}.{hex}")
}

/// The organisation that a link was signed for; None if it was altered or its time is over.
pub fn verify_registration(secret: &SecretString, link: &str, now: DateTime<Utc>) -> Option<Uuid> {
    let (signed, hex) = link.rsplit_once('.')?;
    mac(secret, signed).verify_slice(&decode_hex(hex)?).ok()?;
    let (organisation, expires) = signed.split_once('.')?;
    let expires: i64 = expires.parse().ok()?;
    (now.timestamp() < expires).then_some(organisation.parse().ok()?)
}

/// HMAC under the secret's digest, which has the one length that needs no error case.
fn mac(secret: &SecretString, signed: &str) -> Hmac<Sha256> {
    let mut key = Key::<Hmac<Sha256>>::default();
    key.iter_mut().zip(Sha256::digest(secret.expose_secret())).for_each(|(to, from)| *to = from);
    let mut mac = Hmac::<Sha256>::new(&key);
    mac.update(b"registration-link:");
    mac.update(signed.as_bytes());
    mac
}

fn decode_hex(hex: &str) -> Option<Vec<u8>> {
    if !hex.is_ascii() || !hex.len().is_multiple_of(2) {
        return None;
    }
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn a_link_holds_until_it_expires_and_not_if_it_is_altered() {
        let (secret, other) = (SecretString::from("one"), SecretString::from("two"));
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let organisation = Uuid::from_u128(7);
        let link = sign_registration(&secret, organisation, now + TimeDelta::days(1));
        assert_eq!(verify_registration(&secret, &link, now), Some(organisation));
        assert_eq!(verify_registration(&secret, &link, now + TimeDelta::days(1)), None);
        assert_eq!(verify_registration(&other, &link, now), None);
        assert_eq!(verify_registration(&secret, &link.replacen('7', "8", 1), now), None);
        for bad in ["", ".", "a.b.c", "é.1.é0"] {
            assert_eq!(verify_registration(&secret, bad, now), None);
        }
    }
}
