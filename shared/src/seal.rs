//! Encrypts secrets at rest: XChaCha20-Poly1305 with a key from the environment. Each secret is bound to the place
//! where it is stored, so that it cannot be decrypted from another row.

use std::str::FromStr;

use chacha20poly1305::aead::{Aead, Generate, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use secrecy::{ExposeSecret, SecretSlice, SecretString};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::gateway::Gateway;
use crate::ids::OrganisationId;

const KEY_BYTES: usize = 32;
/// A key's id is the start of its digest.
const ID_DIGITS: usize = 8;
const NONCE_BYTES: usize = 24;

/// A key and its id, which each sealed secret stores. The key itself is never printed.
#[derive(Clone)]
pub struct SealKey {
    id: String,
    cipher: XChaCha20Poly1305,
}

impl std::fmt::Debug for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SealKey({})", self.id)
    }
}

/// An encrypted secret, as the database stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The id of the key that opens it.
    pub key_id: String,
    /// The nonce, followed by the ciphertext.
    pub bytes: Vec<u8>,
}

/// Reason why a key cannot be read or a secret cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The text of a key is malformed.
    #[error("is not a key of 64 hexadecimal digits")]
    Key,
    /// The key with this id is not among the configured ones.
    #[error("no configured key opens what key {0} has sealed")]
    UnknownKey(String),
    /// The bytes or the place are not those that were sealed.
    #[error("the sealed secret is damaged, or was kept elsewhere")]
    Damaged,
}

impl FromStr for SealKey {
    type Err = SealError;

    fn from_str(digits: &str) -> Result<Self, SealError> {
        let mut key = [0; KEY_BYTES];
        hex::decode_to_slice(digits, &mut key).map_err(|_| SealError::Key)?;
        let id = hex::encode(Sha256::digest(key)).chars().take(ID_DIGITS).collect();
        Ok(Self { id, cipher: XChaCha20Poly1305::new(&key.into()) })
    }
}

/// Parses a setting's comma-separated keys: the first one seals, all of them open.
///
/// # Errors
/// One of them is not a key; the error does not repeat it.
pub fn parse_keys(setting: &SecretString) -> Result<Vec<SealKey>, SealError> {
    setting.expose_secret().split(',').map(str::trim).filter(|key| !key.is_empty()).map(str::parse).collect()
}

/// The place to which an organisation's credentials for a gateway are bound.
pub fn credentials_place(organisation: OrganisationId, gateway: Gateway) -> String {
    format!("credentials {organisation} {gateway}")
}

/// The place to which a notification's signing secret is bound; `slot` is `current` or `previous`.
pub fn notification_place(organisation: OrganisationId, gateway: Gateway, slot: &str) -> String {
    format!("notification {organisation} {gateway} {slot}")
}

/// The place to which the secrets of an endpoint for events are bound.
pub fn endpoint_place(endpoint: Uuid) -> String {
    format!("endpoint {endpoint}")
}

impl SealKey {
    /// Encrypts a secret and binds it to `place`.
    ///
    /// # Errors
    /// The secret exceeds the cipher's size limit of many gigabytes.
    pub fn seal(&self, place: &str, secret: &[u8]) -> Result<Sealed, SealError> {
        let nonce = XNonce::generate();
        let payload = Payload { msg: secret, aad: place.as_bytes() };
        let sealed = self.cipher.encrypt(&nonce, payload).map_err(|_| SealError::Damaged)?;
        Ok(Sealed { key_id: self.id.clone(), bytes: [nonce.as_slice(), &sealed].concat() })
    }
}

/// Decrypts a secret with the key that sealed it: the current key, or an earlier one during a rotation.
///
/// # Errors
/// `UnknownKey` if none of the keys sealed it; `Damaged` if it was altered or sealed for another place.
pub fn open(keys: &[SealKey], place: &str, sealed: &Sealed) -> Result<SecretSlice<u8>, SealError> {
    let key = keys.iter().find(|key| key.id == sealed.key_id);
    let key = key.ok_or_else(|| SealError::UnknownKey(sealed.key_id.clone()))?;
    let (nonce, secret) = sealed.bytes.split_at_checked(NONCE_BYTES).ok_or(SealError::Damaged)?;
    let nonce = XNonce::try_from(nonce).map_err(|_| SealError::Damaged)?;
    let payload = Payload { msg: secret, aad: place.as_bytes() };
    key.cipher.decrypt(&nonce, payload).map(SecretSlice::from).map_err(|_| SealError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(digit: &str) -> SealKey {
        digit.repeat(64).parse().unwrap()
    }

    #[test]
    fn a_secret_opens_with_its_key_in_its_place_only() {
        let (one, two) = (key("1"), key("2"));
        let sealed = one.seal("here", b"secret").unwrap();
        let keys = [two.clone(), one.clone()];
        assert_eq!(open(&keys, "here", &sealed).unwrap().expose_secret(), b"secret");
        assert!(matches!(open(&[two], "here", &sealed), Err(SealError::UnknownKey(_))));
        assert!(matches!(open(&keys, "there", &sealed), Err(SealError::Damaged)));
        let mut damaged = sealed.clone();
        damaged.bytes[NONCE_BYTES] ^= 1;
        assert!(open(&keys, "here", &damaged).is_err());
        assert!(open(&keys, "here", &Sealed { bytes: vec![1; 5], ..sealed.clone() }).is_err());
        assert_ne!(one.seal("here", b"secret").unwrap(), sealed, "each with a nonce of its own");
    }

    #[test]
    fn keys_are_64_hexadecimal_digits_and_are_not_printed() {
        for bad in ["", "1", &"1".repeat(63), &"1".repeat(65), &"g".repeat(64), &"é".repeat(32)] {
            assert!(bad.parse::<SealKey>().is_err(), "{bad}");
        }
        assert!(!format!("{:?}", key("1")).contains("1111111111"));
    }
}
