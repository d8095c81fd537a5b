//! The keys that verify the platform's JWTs: JSON Web Key Sets from a setting, a file and a URL. The last two are read
//! again on SIGHUP and every few minutes, so that keys can be rotated without a restart. What cannot be used replaces
//! nothing.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{AlgorithmFamily, DecodingKey};
use reqwest::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use shared::causes::{self, causes};
use shared::settings::parse_http_url;
use shared::tls::{TlsSettings, UrlError};
use url::Url;

use crate::metrics;

/// The keys that verify the platform's JWTs, and what a token must name.
#[derive(Clone, Debug, Args)]
pub struct JwtSettings {
    /// The platform's JSON Web Key Set: RSA keys for RS256 and RS512, oct keys for HS256; without one the api accepts
    /// no JWT
    #[arg(long, env, hide_env_values = true, requires = "jwt_issuers", conflicts_with = "jwt_keys_file")]
    pub jwt_keys: Option<SecretString>,
    /// File with the platform's JSON Web Key Set; the api reads it again on SIGHUP and every 5 minutes
    #[arg(long, env, requires = "jwt_issuers")]
    pub jwt_keys_file: Option<PathBuf>,
    /// URL of the platform's JSON Web Key Set, with RSA keys alone, beside or instead of the former; begins with https://
    /// unless it is on this machine. The api fetches it at the start, on SIGHUP and every 5 minutes
    #[arg(long, env, requires = "jwt_issuers", value_parser = parse_http_url)]
    pub jwt_keys_url: Option<Url>,
    /// Issuers whose tokens the api accepts, comma-separated
    #[arg(long, env, value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub jwt_issuers: Vec<String>,
    /// Audiences, comma-separated, one of which a token must name; empty: any audience
    #[arg(long, env, value_delimiter = ',')]
    pub jwt_audiences: Vec<String>,
}

/// Time until the sets are read again; and while a set has never been read.
pub const EVERY: Duration = Duration::from_secs(300);
pub const AGAIN: Duration = Duration::from_secs(10);

const URL_SETTING: &str = "JWT_KEYS_URL";

/// Time limit of a fetch.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum size of a fetched set in bytes; a key takes less than 1 KiB.
const LARGEST: usize = 64 * 1024;

/// The minimum length of a shared secret in bytes. Tutor generates a JWT_SECRET_KEY of this length for the platform: 24
/// letters and digits hold 142 bits. An attacker could guess shorter ones.
const SHORTEST_SECRET: usize = 24;

/// The length in bytes that RFC 7518 (3.2) requires for HS256: that of the digest.
const STANDARD_SECRET: usize = 32;

/// A key with its id, if it has one.
pub type Key = (Option<String>, DecodingKey);

/// Reason why the key set of a setting cannot be used. No error repeats a part of it.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("{setting}: {fault}")]
    Set { setting: &'static str, fault: Fault },
    #[error(transparent)]
    Url(#[from] UrlError),
}

/// Fault in a key set.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error("no answer: {}", causes(.0))]
    Fetch(#[from] reqwest::Error),
    #[error("the answer has status {0}")]
    Status(StatusCode),
    #[error("the answer is larger than {LARGEST} bytes")]
    Large,
    #[error("is not a JSON Web Key Set, at line {line}, column {column}")]
    Json { line: usize, column: usize },
    #[error("key {0} is neither an RSA nor an oct key")]
    Kind(usize),
    #[error("key {0} is no RSA key: a shared secret must not be published")]
    Published(usize),
    #[error("key {0} cannot be used")]
    Unusable(usize),
    #[error(
        "key {0} is shorter than {SHORTEST_SECRET} bytes and could be guessed; let the LMS sign with RS512 instead \
            (JWT_AUTH_FORCE_CREATE_ASYMMETRIC), and give its public keys (JWT_PUBLIC_SIGNING_JWK_SET) here"
    )]
    Short(usize),
    #[error("holds no key")]
    Empty,
}

/// Source of a key set.
enum KeySource {
    Setting,
    File(PathBuf),
    Url(reqwest::Client, Url),
}

impl KeySource {
    fn setting(&self) -> &'static str {
        match self {
            Self::Setting => "JWT_KEYS",
            Self::File(_) => "JWT_KEYS_FILE",
            Self::Url(..) => URL_SETTING,
        }
    }

    fn place(&self) -> String {
        match self {
            Self::Url(_, url) => causes::place(URL_SETTING, url),
            Self::Setting | Self::File(_) => self.setting().to_owned(),
        }
    }
}

/// A set as it was last read; before a URL has first answered, an empty one.
#[derive(Clone, Default)]
struct KeySet {
    digest: Option<[u8; 32]>,
    keys: Arc<[Key]>,
}

struct Source {
    origin: KeySource,
    read: RwLock<KeySet>,
}

impl Source {
    fn current(&self) -> KeySet {
        self.read.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes a set over if it differs from the current one, and tells whether it does.
    fn take(&self, text: &str) -> Result<bool, Fault> {
        let digest = Some(Sha256::digest(text).into());
        if self.current().digest == digest {
            return Ok(false);
        }
        let keys = parse(text, !matches!(self.origin, KeySource::Url(..)))?.into();
        *self.read.write().unwrap_or_else(PoisonError::into_inner) = KeySet { digest, keys };
        Ok(true)
    }

    /// Reads the set again.
    async fn renew(&self) -> Result<bool, Fault> {
        match &self.origin {
            KeySource::Setting => Ok(false),
            KeySource::File(file) => self.take(&tokio::fs::read_to_string(file).await?),
            KeySource::Url(http, url) => self.take(&fetch(http, url).await?),
        }
    }
}

/// All configured sets; clones share them.
#[derive(Clone)]
pub struct JwtKeys {
    sources: Arc<[Source]>,
}

impl JwtKeys {
    /// Reads the sets of the setting and the file. That of the URL is read by [`Self::renew`].
    ///
    /// # Errors
    /// One of the sets, or the URL, cannot be used.
    pub fn new(settings: &JwtSettings, tls: &TlsSettings) -> Result<Self, KeyError> {
        let mut sources = Vec::new();
        if let Some(keys) = &settings.jwt_keys {
            sources.push(source(KeySource::Setting, |source| source.take(keys.expose_secret()))?);
        }
        if let Some(file) = &settings.jwt_keys_file {
            let read = |source: &Source| source.take(&std::fs::read_to_string(file)?);
            sources.push(source(KeySource::File(file.clone()), read)?);
        }
        if let Some(url) = &settings.jwt_keys_url {
            // With another key in the answer, an attacker could sign in as any learner.
            tls.check_http(URL_SETTING, url)?;
            let origin = KeySource::Url(super::http_client(URL_SETTING, tls)?, url.clone());
            sources.push(Source { origin, read: RwLock::default() });
        }
        Ok(Self { sources: sources.into() })
    }

    /// Reads the file and the URL, for `doctor`.
    ///
    /// # Errors
    /// The setting, the URL's address, and why its keys cannot be used.
    pub async fn check(&self) -> Result<(), String> {
        for source in self.sources.iter() {
            source.renew().await.map_err(|fault| format!("{}: {fault}", source.origin.place()))?;
        }
        Ok(())
    }

    /// The keys of all sets.
    pub fn all(&self) -> Vec<Arc<[Key]>> {
        self.sources.iter().map(|source| source.current().keys).collect()
    }

    /// Returns whether a set has never been read, so that some tokens cannot be verified yet.
    pub fn are_missing(&self) -> bool {
        self.sources.iter().any(|source| source.current().digest.is_none())
    }

    /// Reads the file and the URL again, and tells whether a set has changed. A set that cannot be read or used stays as
    /// it was, with an alert.
    pub async fn renew(&self) -> bool {
        let mut changed = false;
        for source in self.sources.iter() {
            let setting = source.origin.setting();
            match source.renew().await {
                Ok(true) => {
                    tracing::info!(setting, keys = source.current().keys.len(), "keys of JWTs have changed");
                    changed = true;
                }
                Ok(false) => {}
                Err(error) => {
                    metrics::jwt_keys_alert();
                    tracing::error!(setting, %error, "alert: the keys of JWTs cannot be read; the former ones stay");
                }
            }
        }
        changed
    }
}

/// A source after its first reading.
fn source(origin: KeySource, read: impl Fn(&Source) -> Result<bool, Fault>) -> Result<Source, KeyError> {
    let source = Source { origin, read: RwLock::default() };
    read(&source).map_err(|fault| KeyError::Set { setting: source.origin.setting(), fault })?;
    Ok(source)
}

async fn fetch(http: &reqwest::Client, url: &Url) -> Result<String, Fault> {
    let answer = http.get(url.clone()).header("accept", "application/json").timeout(TIMEOUT).send().await;
    let mut answer = answer.map_err(reqwest::Error::without_url)?;
    if answer.status() != StatusCode::OK {
        return Err(Fault::Status(answer.status()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(reqwest::Error::without_url)? {
        body.extend_from_slice(&chunk);
        if body.len() > LARGEST {
            return Err(Fault::Large);
        }
    }
    String::from_utf8(body).map_err(|_| Fault::Json { line: 1, column: 1 })
}

fn parse(text: &str, may_hold_secrets: bool) -> Result<Vec<Key>, Fault> {
    let place = |error: serde_json::Error| Fault::Json { line: error.line(), column: error.column() };
    let set: JwkSet = serde_json::from_str(text).map_err(place)?;
    let keys = (1..).zip(&set.keys).map(|(number, jwk)| key(number, jwk, may_hold_secrets));
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    if keys.is_empty() { Err(Fault::Empty) } else { Ok(keys) }
}

fn key(number: usize, jwk: &Jwk, may_be_secret: bool) -> Result<Key, Fault> {
    let key = DecodingKey::from_jwk(jwk).map_err(|_| Fault::Unusable(number))?;
    let secret = key.try_get_as_bytes().map_or(0, <[u8]>::len);
    match key.family() {
        AlgorithmFamily::Rsa => {}
        _ if !may_be_secret => return Err(Fault::Published(number)),
        AlgorithmFamily::Hmac if secret < SHORTEST_SECRET => return Err(Fault::Short(number)),
        AlgorithmFamily::Hmac if secret < STANDARD_SECRET => tracing::warn!(
            key = number,
            bytes = secret,
            "JWT_KEYS: a shared secret is shorter than the {STANDARD_SECRET} bytes that HS256 requires; accepted, but it is \
             safer to let the LMS sign with RS512 (JWT_AUTH_FORCE_CREATE_ASYMMETRIC) and to configure its public \
             keys (JWT_PUBLIC_SIGNING_JWK_SET) here"
        ),
        AlgorithmFamily::Hmac => {}
        _ => return Err(Fault::Kind(number)),
    }
    Ok((jwk.common.key_id.clone(), key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_can_be_guessed_or_that_pin_no_algorithm_are_refused_without_being_repeated() {
        for (keys, reason) in [
            (r#"{"keys":[]}"#, "holds no key"),
            (r#"{"keys":[{"kty":"oct","k":""}]}"#, "cannot be used"),
            (r#"{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}"#, "shorter"),
            (r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"c2VjcmV0"}]}"#, "key 1"),
            (r#"{"keys":[{"kty":"oct","k":"c2VjcmV0""#, "line 1"),
            ("c2VjcmV0", "line 1"),
        ] {
            let error = parse(keys, true).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(reason) && !error.contains("c2VjcmV0"), "{error}");
        }
    }

    #[test]
    fn a_shared_secret_as_tutor_makes_it_is_accepted_and_a_shorter_one_names_the_setting_to_use() {
        // 24 and 23 bytes.
        for (secret, is_accepted) in
            [("QWJDZEVmR2hJaktsTW5PcFFyU3RVdld4", true), ("QWJDZEVmR2hJaktsTW5PcFFyU3RVdlc", false)]
        {
            let text = format!(r#"{{"keys":[{{"kty":"oct","k":"{secret}"}}]}}"#);
            let read = parse(&text, true);
            assert_eq!(read.is_ok(), is_accepted);
            if let Err(error) = read {
                assert!(error.to_string().contains("JWT_AUTH_FORCE_CREATE_ASYMMETRIC"), "{error}");
            }
            assert!(matches!(parse(&text, false), Err(Fault::Published(1))));
        }
    }
}
