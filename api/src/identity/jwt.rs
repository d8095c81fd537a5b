//! The course platform's JWTs, judged as the platform itself does (edx-drf-extensions): a static key set, the algorithm
//! pinned to the key's type, issuer, audience, times with one second of leeway, major version at most 1.

use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use clap::Args;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, Validation, decode_header};
use serde::Deserialize;

const LEEWAY: TimeDelta = TimeDelta::seconds(1);

#[derive(Clone, Debug, Args)]
pub struct JwtSettings {
    /// The platform's JSON Web Key Set: RSA keys for RS256 and RS512, oct keys for HS256; without one no JWT is accepted
    #[arg(long, env, hide_env_values = true, value_parser = parse_keys, requires = "jwt_issuers", conflicts_with = "jwt_keys_file")]
    pub jwt_keys: Option<KeySet>,
    /// The same, in a file
    #[arg(long, env, value_parser = read_keys, requires = "jwt_issuers")]
    pub jwt_keys_file: Option<KeySet>,
    /// Issuers whose tokens are accepted
    #[arg(long, env, value_delimiter = ',')]
    pub jwt_issuers: Vec<String>,
    /// Audiences, one of which a token must name; none: any
    #[arg(long, env, value_delimiter = ',')]
    pub jwt_audiences: Vec<String>,
}

/// Keys with their ids, if they have one. Nothing of them is ever printed.
#[derive(Clone)]
pub struct KeySet(Arc<[(Option<String>, DecodingKey)]>);

impl std::fmt::Debug for KeySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeySet({} keys)", self.0.len())
    }
}

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("cannot be read: {0}")]
    File(#[from] std::io::Error),
    #[error("is not a JSON Web Key Set: {0}")]
    Json(#[from] serde_json::Error),
    #[error("key {0} is neither an RSA nor an oct key")]
    Kind(usize),
    #[error("key {0} cannot be used: {1}")]
    Key(usize, jsonwebtoken::errors::Error),
    #[error("holds no key")]
    Empty,
}

fn read_keys(path: &str) -> Result<KeySet, KeyError> {
    parse_keys(&std::fs::read_to_string(Path::new(path))?)
}

fn parse_keys(text: &str) -> Result<KeySet, KeyError> {
    let set: JwkSet = serde_json::from_str(text)?;
    let keys = (1..).zip(&set.keys).map(|(number, jwk)| key(number, jwk)).collect::<Result<Vec<_>, _>>()?;
    if keys.is_empty() { Err(KeyError::Empty) } else { Ok(KeySet(keys.into())) }
}

fn key(number: usize, jwk: &Jwk) -> Result<(Option<String>, DecodingKey), KeyError> {
    let key = DecodingKey::from_jwk(jwk).map_err(|error| KeyError::Key(number, error))?;
    match key.family() {
        AlgorithmFamily::Hmac | AlgorithmFamily::Rsa => Ok((jwk.common.key_id.clone(), key)),
        _ => Err(KeyError::Kind(number)),
    }
}

/// What a token says. Which claims there are beside the first four depends on its scopes.
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
}

impl Claims {
    /// When the token is no longer valid.
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
    keys: Option<KeySet>,
    issuers: Vec<String>,
    audiences: Vec<String>,
}

impl Verifier {
    pub fn new(settings: &JwtSettings) -> Self {
        Self {
            keys: settings.jwt_keys.clone().or_else(|| settings.jwt_keys_file.clone()),
            issuers: settings.jwt_issuers.clone(),
            audiences: settings.jwt_audiences.clone(),
        }
    }

    /// The claims of a token that holds now. Every key is tried, since the platform names none by default; a token that
    /// does name one is held to it.
    pub fn verify(&self, token: &str, now: DateTime<Utc>) -> Option<Claims> {
        let named = decode_header(token).ok()?.kid;
        let keys = self.keys.as_ref()?.0.iter();
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
        // By our own clock, in `Claims::holds`.
        validation.validate_exp = false;
        validation.validate_aud = !self.audiences.is_empty();
        if validation.validate_aud {
            validation.set_audience(&self.audiences);
            validation.required_spec_claims.insert("aud".to_owned());
        }
        Some(validation)
    }
}
