//! Cookies that only the shop reads, such as a typed address: encrypted with a key that follows from the client secret, and bound
//! to the visitor and to what they are for.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, Generate, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

const NONCE_BYTES: usize = 24;

/// The key. It changes with the client secret; sealed cookies of before are then as if there were none.
pub struct Seal(XChaCha20Poly1305);

impl Seal {
    pub fn new(client_secret: &str) -> Self {
        let key = Sha256::new().chain_update("cookies of the example shop\0").chain_update(client_secret);
        Self(XChaCha20Poly1305::new(&key.finalize()))
    }

    /// The value of a cookie; None if it cannot be sealed.
    pub fn close(&self, place: &str, value: &impl Serialize) -> Option<String> {
        let text = serde_json::to_vec(value).ok()?;
        let nonce = XNonce::generate();
        let sealed = self.0.encrypt(&nonce, Payload { msg: &text, aad: place.as_bytes() }).ok()?;
        Some(BASE64_URL_SAFE_NO_PAD.encode([nonce.as_slice(), &sealed].concat()))
    }

    /// What was sealed for this place; None for all else.
    pub fn open<T: DeserializeOwned>(&self, place: &str, cookie: &str) -> Option<T> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(cookie).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_BYTES)?;
        let nonce = XNonce::try_from(nonce).ok()?;
        let text = self.0.decrypt(&nonce, Payload { msg: sealed, aad: place.as_bytes() }).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_opens_for_its_visitor_and_purpose_alone() {
        let (seal, other) = (Seal::new("one"), Seal::new("two"));
        let cookie = seal.close("draft ada", &"12 St James's Square").unwrap();
        assert!(!cookie.contains("James"));
        assert_eq!(seal.open::<String>("draft ada", &cookie).as_deref(), Some("12 St James's Square"));
        for (seal, place, cookie) in [
            (&seal, "draft eve", cookie.as_str()),
            (&seal, "payment ada", &cookie),
            (&other, "draft ada", &cookie),
            (&seal, "draft ada", &cookie[1..]),
            (&seal, "draft ada", "AAAA"),
            (&seal, "draft ada", "no base64!"),
        ] {
            assert_eq!(seal.open::<String>(place, cookie), None, "{place} {cookie}");
        }
    }
}
