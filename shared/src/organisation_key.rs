//! Keys with which a backend of one organisation calls the api: their form, their digest, and what they may do.

use std::fmt;
use std::str::FromStr;

use rand::TryRng;
use rand::rngs::SysError;
use rand::rngs::SysRng;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use strum::{IntoStaticStr, VariantArray};

const PREFIX: &str = "sk_";
const ID_DIGITS: usize = 12;
const SECRET_LETTERS: usize = 43;
const BASE64URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The public part of a key: 12 hexadecimal digits in lower case. Logs and the audit log name a key by it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyId([u8; ID_DIGITS / 2]);

/// The text is not the id of a key.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a key's id of 12 hexadecimal digits in lower case")]
pub struct InvalidKeyId;

impl FromStr for KeyId {
    type Err = InvalidKeyId;

    fn from_str(text: &str) -> Result<Self, InvalidKeyId> {
        let mut id = [0; ID_DIGITS / 2];
        let is_lower = !text.bytes().any(|digit| digit.is_ascii_uppercase());
        match hex::decode_to_slice(text, &mut id) {
            Ok(()) if is_lower => Ok(Self(id)),
            _ => Err(InvalidKeyId),
        }
    }
}

impl TryFrom<String> for KeyId {
    type Error = InvalidKeyId;

    fn try_from(text: String) -> Result<Self, InvalidKeyId> {
        text.parse()
    }
}

impl From<KeyId> for String {
    fn from(id: KeyId) -> Self {
        id.to_string()
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}

/// A group of routes that a key may open.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    strum::Display,
    strum::EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum Scope {
    /// Read orders.
    Orders,
    /// Refund orders.
    Refunds,
    /// Report payments that the organisation has taken itself.
    Payments,
    /// Make and change vouchers.
    Vouchers,
    /// Manage seats.
    Seats,
    /// Read events.
    Events,
    /// Read reports.
    Reports,
    /// Search and look at the support desk, and act there as its support does.
    Support,
    /// Report what became of the documents that another system clears or issues.
    Documents,
}

impl Scope {
    /// Every scope.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The name on the command line, in the database and in the OpenAPI document.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A whole key: `sk_{id}_{secret}`, where the secret is 256 bits as 43 characters of base64url. It has no `Debug`, so
/// that it cannot appear in logs.
pub struct OrganisationKey {
    /// The part that is no secret.
    pub id: KeyId,
    secret: SecretString,
}

/// The text is not an organisation's key.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a key of the form sk_{{id}}_{{secret}}")]
pub struct InvalidKey;

impl OrganisationKey {
    /// Makes a key from the operating system's randomness.
    ///
    /// # Errors
    /// The operating system has none.
    pub fn generate() -> Result<Self, SysError> {
        let (mut id, mut secret) = ([0; ID_DIGITS / 2], [0; SECRET_LETTERS]);
        SysRng.try_fill_bytes(&mut id)?;
        SysRng.try_fill_bytes(&mut secret)?;
        // Each letter takes 6 bits. The last one takes 4, so that the whole encodes 256 bits.
        if let Some(last) = secret.last_mut() {
            *last &= 0b11_1100;
        }
        let letters = secret.iter().filter_map(|byte| BASE64URL.get(usize::from(byte & 0b11_1111)));
        let secret: String = letters.map(|letter| char::from(*letter)).collect();
        Ok(Self { id: KeyId(id), secret: secret.into() })
    }

    /// SHA-256 of the secret, as the database stores it.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.secret.expose_secret()).into()
    }

    /// The whole key, as its holder sends it.
    pub fn expose(&self) -> SecretString {
        format!("{PREFIX}{}_{}", self.id, self.secret.expose_secret()).into()
    }
}

impl FromStr for OrganisationKey {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let rest = text.strip_prefix(PREFIX).ok_or(InvalidKey)?;
        let (id, secret) = rest.split_once('_').ok_or(InvalidKey)?;
        let id = id.parse().map_err(|_| InvalidKey)?;
        let fits = secret.len() == SECRET_LETTERS && secret.bytes().all(|letter| BASE64URL.contains(&letter));
        if fits { Ok(Self { id, secret: secret.into() }) } else { Err(InvalidKey) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_key_has_its_form_and_is_read_back_with_the_same_digest() {
        let (one, two) = (OrganisationKey::generate().unwrap(), OrganisationKey::generate().unwrap());
        let text = one.expose().expose_secret().to_owned();
        assert_eq!(text.len(), 3 + 12 + 1 + 43, "{text}");
        let read: OrganisationKey = text.parse().unwrap();
        assert_eq!((read.id, read.digest()), (one.id, one.digest()));
        assert!(one.id != two.id && one.digest() != two.digest());
        assert!(
            "AEIMQUYcgkosw048".contains(text.chars().next_back().unwrap()),
            "encodes whole bytes: {text}"
        );
    }

    #[test]
    fn other_texts_are_no_keys() {
        let secret = "x".repeat(43);
        assert!(format!("sk_0123456789ab_{secret}").parse::<OrganisationKey>().is_ok());
        for bad in [
            String::new(),
            "sk_".into(),
            format!("sk_0123456789AB_{secret}"),
            format!("sk_0123456789a_{secret}"),
            format!("sk_0123456789abc_{secret}"),
            format!("SK_0123456789ab_{secret}"),
            format!("sk_0123456789ab_{secret}x"),
            format!("sk_0123456789ab_{}", &secret[1..]),
            format!("sk_0123456789ab_{}=", &secret[1..]),
            format!(" sk_0123456789ab_{secret}"),
        ] {
            assert!(bad.parse::<OrganisationKey>().is_err(), "{bad}");
        }
    }

    #[test]
    fn an_id_is_written_as_it_is_read() {
        let id: KeyId = "0123456789ab".parse().unwrap();
        assert_eq!(
            (id.to_string(), format!("{id:?}")),
            ("0123456789ab".into(), "KeyId(0123456789ab)".into())
        );
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"0123456789ab\"");
        assert_eq!("0123456789aB".parse::<KeyId>(), Err(InvalidKeyId));
    }
}
