//! Verifies the course platform's JWTs by the platform's own rules (edx-drf-extensions): a static key set, the
//! algorithm fixed by the key's type, issuer, audience, times with one second of leeway, major version at most 1.

use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, Validation, decode_header};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

const LEEWAY: TimeDelta = TimeDelta::seconds(1);

#[derive(Clone, Debug, Args)]
pub struct JwtSettings {
    /// The platform's JSON Web Key Set: RSA keys for RS256 and RS512, oct keys for HS256; without one the api accepts
    /// no JWT
    #[arg(long, env, hide_env_values = true, requires = "jwt_issuers", conflicts_with = "jwt_keys_file")]
    pub jwt_keys: Option<SecretString>,
    /// File with the platform's JSON Web Key Set
    #[arg(long, env, requires = "jwt_issuers")]
    pub jwt_keys_file: Option<PathBuf>,
    /// Issuers whose tokens the api accepts, comma-separated
    #[arg(long, env, value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub jwt_issuers: Vec<String>,
    /// Audiences, comma-separated, one of which a token must name; empty: any audience
    #[arg(long, env, value_delimiter = ',')]
    pub jwt_audiences: Vec<String>,
}

/// The minimum length of a shared secret in bytes. Tutor generates a JWT_SECRET_KEY of this length for the platform: 24
/// letters and digits hold 142 bits. An attacker could guess shorter ones.
const SHORTEST_SECRET: usize = 24;

/// The length in bytes that RFC 7518 (3.2) requires for HS256: that of the digest.
const STANDARD_SECRET: usize = 32;

/// Why a key set cannot be used. No error repeats a part of it.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("JWT_KEYS_FILE: {0}")]
    File(#[from] std::io::Error),
    #[error("JWT_KEYS: is not a JSON Web Key Set, at line {line}, column {column}")]
    Json { line: usize, column: usize },
    #[error("JWT_KEYS: key {0} is neither an RSA nor an oct key")]
    Kind(usize),
    #[error("JWT_KEYS: key {0} cannot be used")]
    Unusable(usize),
    #[error(
        "JWT_KEYS: key {0} is shorter than {SHORTEST_SECRET} bytes and could be guessed; let the LMS sign with RS512 \
            instead (JWT_AUTH_FORCE_CREATE_ASYMMETRIC), and give its public keys (JWT_PUBLIC_SIGNING_JWK_SET) here"
    )]
    Short(usize),
    #[error("JWT_KEYS: holds no key")]
    Empty,
}

/// A key with its id, if it has one.
type Key = (Option<String>, DecodingKey);

fn parse_keys(text: &str) -> Result<Vec<Key>, KeyError> {
    let place = |error: serde_json::Error| KeyError::Json { line: error.line(), column: error.column() };
    let set: JwkSet = serde_json::from_str(text).map_err(place)?;
    let keys = (1..).zip(&set.keys).map(|(number, jwk)| key(number, jwk)).collect::<Result<Vec<_>, _>>()?;
    if keys.is_empty() { Err(KeyError::Empty) } else { Ok(keys) }
}

fn key(number: usize, jwk: &Jwk) -> Result<Key, KeyError> {
    let key = DecodingKey::from_jwk(jwk).map_err(|_| KeyError::Unusable(number))?;
    let secret = key.try_get_as_bytes().map_or(0, <[u8]>::len);
    match key.family() {
        AlgorithmFamily::Hmac if secret < SHORTEST_SECRET => Err(KeyError::Short(number)),
        AlgorithmFamily::Hmac if secret < STANDARD_SECRET => {
            tracing::warn!(
                key = number,
                bytes = secret,
                "JWT_KEYS: a shared secret is shorter than the {STANDARD_SECRET} bytes that HS256 requires; accepted, but it is \
                 safer to let the LMS sign with RS512 (JWT_AUTH_FORCE_CREATE_ASYMMETRIC) and to configure its public \
                 keys (JWT_PUBLIC_SIGNING_JWK_SET) here"
            );
            Ok((jwk.common.key_id.clone(), key))
        }
        AlgorithmFamily::Hmac | AlgorithmFamily::Rsa => Ok((jwk.common.key_id.clone(), key)),
        _ => Err(KeyError::Kind(number)),
    }
}

/// The claims of a token. All but `exp`, `iat`, `preferred_username` and `version` depend on its scopes.
#[derive(Clone, Deserialize)]
pub struct Claims {
    exp: i64,
    iat: i64,
    pub preferred_username: String,
    #[serde(default)]
    version: Option<String>,
    pub user_id: Option<i64>,
    pub email: Option<String>,
    pub name: Option<String>,
    pub organisations: Option<Vec<String>>,
    #[serde(default)]
    pub administrator: bool,
    #[serde(default)]
    pub email_verified: bool,
}

impl Claims {
    /// When the token expires, including the leeway.
    pub fn end(&self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.exp, 0)?.checked_add_signed(LEEWAY)
    }

    fn holds(&self, now: DateTime<Utc>) -> bool {
        let begun = DateTime::from_timestamp(self.iat, 0).is_some_and(|issued| issued <= now + LEEWAY);
        let major = self
            .version
            .as_deref()
            .map_or(Ok(1), |version| version.split('.').next().unwrap_or_default().parse::<u32>());
        begun
            && self.end().is_some_and(|end| end > now)
            && major.is_ok_and(|major| major <= 1)
            && !self.preferred_username.is_empty()
    }
}

#[derive(Clone)]
pub struct Verifier {
    keys: Arc<[Key]>,
    issuers: Vec<String>,
    audiences: Vec<String>,
}

impl Verifier {
    /// Reads the key set.
    ///
    /// # Errors
    /// The key set cannot be used.
    pub fn new(settings: &JwtSettings) -> Result<Self, KeyError> {
        let keys = match (&settings.jwt_keys, &settings.jwt_keys_file) {
            (Some(keys), _) => parse_keys(keys.expose_secret())?,
            (None, Some(file)) => parse_keys(&std::fs::read_to_string(file)?)?,
            (None, None) => Vec::new(),
        };
        let audiences = settings.jwt_audiences.iter().filter(|audience| !audience.is_empty());
        Ok(Self {
            keys: keys.into(),
            issuers: settings.jwt_issuers.clone(),
            audiences: audiences.cloned().collect(),
        })
    }

    /// The claims of a token if it is valid at `now`. By default the platform's tokens name no key, so every key is
    /// tried; a token that names a key is verified with that key and with keys without an id.
    pub fn verify(&self, token: &str, now: DateTime<Utc>) -> Option<Claims> {
        let named = decode_header(token).ok()?.kid;
        let keys = self.keys.iter();
        keys.filter(|(id, _)| named.is_none() || id.is_none() || *id == named)
            .find_map(|(_, key)| jsonwebtoken::decode::<Claims>(token, key, &self.validation(key)?).ok())
            .map(|token| token.claims)
            .filter(|claims| claims.holds(now))
    }

    fn validation(&self, key: &DecodingKey) -> Option<Validation> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.algorithms = match key.family() {
            AlgorithmFamily::Hmac => vec![Algorithm::HS256],
            AlgorithmFamily::Rsa => vec![Algorithm::RS256, Algorithm::RS512],
            _ => return None,
        };
        validation.set_required_spec_claims(&["exp", "iss"]);
        validation.set_issuer(&self.issuers);
        // `Claims::holds` checks the expiry instead, with the injected clock.
        validation.validate_exp = false;
        validation.validate_aud = !self.audiences.is_empty();
        if validation.validate_aud {
            validation.set_audience(&self.audiences);
            validation.required_spec_claims.insert("aud".to_owned());
        }
        Some(validation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_can_be_guessed_or_that_pin_no_algorithm_are_refused_without_being_repeated() {
        for (keys, reason) in [
            (r#"{"keys":[]}"#, "holds no key"),
            (r#"{"keys":[{"kty":"oct","k":""}]}"#, "shorter"),
            (r#"{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}"#, "shorter"),
            (r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"c2VjcmV0"}]}"#, "key 1"),
            (r#"{"keys":[{"kty":"oct","k":"c2VjcmV0""#, "line 1"),
            ("c2VjcmV0", "line 1"),
        ] {
            let error = parse_keys(keys).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(reason) && !error.contains("c2VjcmV0"), "{error}");
        }
    }

    #[test]
    fn a_shared_secret_as_tutor_makes_it_is_accepted_and_a_shorter_one_names_the_setting_to_use() {
        // 24 and 23 bytes.
        for (secret, is_accepted) in
            [("QWJDZEVmR2hJaktsTW5PcFFyU3RVdld4", true), ("QWJDZEVmR2hJaktsTW5PcFFyU3RVdlc", false)]
        {
            let read = parse_keys(&format!(r#"{{"keys":[{{"kty":"oct","k":"{secret}"}}]}}"#));
            assert_eq!(read.is_ok(), is_accepted);
            if let Err(error) = read {
                assert!(error.to_string().contains("JWT_AUTH_FORCE_CREATE_ASYMMETRIC"), "{error}");
            }
        }
    }
}
