//! Verifies the course platform's JWTs by the platform's own rules (edx-drf-extensions): configured key sets, the
//! algorithm fixed by the key's type, issuer, audience, times with one second of leeway, major version at most 1.
//!
//! Why: `docs/decisions/limited-applications.md`

use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, Validation, decode_header};
use serde::Deserialize;
use shared::tls::TlsSettings;

use super::jwt_keys::{JwtKeys, JwtSettings, KeyError};

/// The scopes of the JWT cookies that the platform's own sign-in sets (openedx-platform, user_authn/cookies.py).
const SIGN_IN: [&str; 3] = ["user_id", "email", "profile"];

const LEEWAY: TimeDelta = TimeDelta::seconds(1);

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
    /// Indicates whether the platform calls the application restricted.
    #[serde(default)]
    is_restricted: bool,
    /// Limits on the application's access, such as `content_org:Acme`; `user:me` for every application that acts
    /// for a learner.
    filters: Option<Vec<String>>,
    scopes: Option<Vec<String>>,
    grant_type: Option<String>,
}

impl Claims {
    /// Returns whether the token was issued to an application that may not act for the learner everywhere. Any
    /// application has the scope `write` unless it asked for less (`OAUTH2_DEFAULT_SCOPES` of openedx-platform), apart
    /// from the platform's own sign-in.
    pub fn is_limited(&self) -> bool {
        let filtered = self.filters.iter().flatten().any(|filter| filter != "user:me");
        self.is_restricted || filtered || !self.may_write()
    }

    fn may_write(&self) -> bool {
        // The platform names the scopes in each of its tokens; another issuer may not know them.
        let Some(scopes) = &self.scopes else { return true };
        let has = |scope: &&str| scopes.iter().any(|held| held == scope);
        let signed_in = self.grant_type.as_deref() == Some("password") && scopes.len() == SIGN_IN.len();
        has(&"write") || signed_in && SIGN_IN.iter().all(has)
    }

    /// Returns the expiry of the token, including the leeway.
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
    pub keys: JwtKeys,
    issuers: Vec<String>,
    audiences: Vec<String>,
}

impl Verifier {
    /// Reads the key sets.
    ///
    /// # Errors
    /// One of them cannot be used.
    pub fn new(settings: &JwtSettings, tls: &TlsSettings) -> Result<Self, KeyError> {
        let audiences = settings.jwt_audiences.iter().filter(|audience| !audience.is_empty());
        Ok(Self {
            keys: JwtKeys::new(settings, tls)?,
            issuers: settings.jwt_issuers.clone(),
            audiences: audiences.cloned().collect(),
        })
    }

    /// The claims of a token if it is valid at `now`. By default the platform's tokens name no key, so every key is
    /// tried; a token that names a key is verified with that key and with keys without an id.
    pub fn verify(&self, token: &str, now: DateTime<Utc>) -> Option<Claims> {
        let named = decode_header(token).ok()?.kid;
        let sets = self.keys.all();
        let keys = sets.iter().flat_map(|set| set.iter());
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
