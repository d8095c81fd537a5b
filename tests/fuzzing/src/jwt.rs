//! No token, no signed claims and no cookies make the verification of JWTs panic.
#![no_main]

use std::sync::LazyLock;

use api::fuzzing::{JwtSettings, Jwts, credential};
use axum::http::{HeaderMap, HeaderValue, header};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use libfuzzer_sys::fuzz_target;
use sha2::Sha256;

/// The secret of the key set below, and the time at which tokens are judged, in Unix seconds.
const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";
const NOW: i64 = 1_795_000_000;

static JWTS: LazyLock<Jwts> = LazyLock::new(|| {
    let key = URL_SAFE_NO_PAD.encode(SECRET);
    Jwts::new(&JwtSettings {
        jwt_keys: Some(format!(r#"{{"keys":[{{"kty":"oct","k":"{key}"}}]}}"#).into()),
        jwt_keys_file: None,
        jwt_keys_url: None,
        jwt_issuers: vec!["https://lms.example/oauth2".to_owned()],
        jwt_audiences: Vec::new(),
    })
    .expect("a key set")
});

/// A token whose signature is right, so that the claims are parsed.
fn signed(claims: &[u8]) -> String {
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET).expect("any length is a key");
    mac.update(signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

fuzz_target!(|input: &[u8]| {
    let Some((kind, rest)) = input.split_first() else { return };
    match kind % 4 {
        0 => {
            JWTS.verify(&signed(rest), NOW);
        }
        1 => {
            if let Ok(token) = std::str::from_utf8(rest) {
                assert!(!JWTS.verify(token, NOW), "a token without the secret is valid");
            }
        }
        kind => {
            let name = if kind == 2 { header::COOKIE } else { header::AUTHORIZATION };
            if let Ok(value) = HeaderValue::from_bytes(rest) {
                credential(&HeaderMap::from_iter([(name, value)]));
            }
        }
    }
});
