//! Authenticates learners: verifies JWTs here and resolves sessions and opaque tokens at the course platform. Caches
//! each outcome for a minute under a hash of the credential. Does not decide what a learner may do.

mod credential;
mod jwt;
mod limits;
mod platform;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use clap::Args;
use moka::future::Cache as Moka;
use serde::{Deserialize, Serialize};
use shared::email::Email;
use shared::settings::parse_http_url;
use url::{Origin, Url};

use crate::cache::Cache;
use crate::error::{ApiError, ApiResult};
pub use credential::{Credential, Presented, cookie};
use jwt::{Claims, Verifier};
pub use jwt::{JwtSettings, KeyError};
use limits::Limits;
use platform::Platform;

/// How long an outcome is trusted, and cached.
const BELIEVED: TimeDelta = TimeDelta::seconds(60);
const LIFETIME: Duration = Duration::from_secs(60);

/// After this time the api again verifies a JWT that came with a session and was not valid, or not the session owner's.
const LOOKED_AT_AGAIN: TimeDelta = TimeDelta::seconds(5);

/// How long authenticating one request may take.
const BUDGET: Duration = Duration::from_millis(2_500);

/// Maximum number of outcomes cached in the process; the least used are evicted first.
const HELD: u64 = 50_000;

#[derive(Clone, Debug, Args)]
pub struct IdentitySettings {
    /// Base URL of the course platform, at which the api resolves sessions and opaque tokens
    #[arg(long, env, value_parser = parse_http_url, default_value = "http://127.0.0.1:8090/platform")]
    pub platform_url: Url,
    #[command(flatten)]
    pub jwt: JwtSettings,
    /// Origins whose pages may send writes that rely on a cookie, for example https://store.example; comma-separated
    #[arg(long, env, value_delimiter = ',', value_parser = parse_origin)]
    pub allowed_origins: Vec<Origin>,
    /// Requests per minute that one replica accepts from one learner or for one buyer's address; 0: no limit
    #[arg(long, env, default_value_t = 120)]
    pub rate_limit_per_minute: u32,
}

fn parse_origin(text: &str) -> Result<Origin, String> {
    match Url::parse(text) {
        Ok(url) if url.origin().is_tuple() && url.path() == "/" && url.query().is_none() => Ok(url.origin()),
        _ => Err("is not an origin like https://store.example".into()),
    }
}

/// A learner or a member of staff, as the course platform identifies them.
#[derive(Clone, Serialize, Deserialize)]
pub struct Identity {
    pub user_id: i64,
    pub username: String,
    pub email: Email,
    pub name: String,
    /// Short names of the organisations that the token claims; None if it has no such claim.
    pub organisations: Option<Vec<String>>,
    /// Whether the user is staff, with access to every organisation.
    pub administrator: bool,
    /// Whether the learner has confirmed the account's email address.
    pub is_active: bool,
    believed_until: DateTime<Utc>,
}

impl Identity {
    fn is_believed(&self, now: DateTime<Utc>) -> bool {
        self.believed_until > now
    }

    /// The owner of a session, with the claims of the JWT that came with it. A JWT of another user, or one that is not
    /// valid, adds nothing; the api verifies it again after a few seconds, because it may not be valid yet.
    fn with(self, claims: Option<Claims>, now: DateTime<Utc>) -> Self {
        let own = claims.filter(|claims| match claims.user_id {
            Some(user_id) => user_id == self.user_id,
            None => claims.preferred_username == self.username,
        });
        match own {
            Some(claims) => Self {
                believed_until: self.believed_until.min(believed_until(Some(&claims), now)),
                administrator: claims.administrator,
                organisations: claims.organisations,
                ..self
            },
            None => Self { believed_until: self.believed_until.min(now + LOOKED_AT_AGAIN), ..self },
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    #[error(transparent)]
    Keys(#[from] KeyError),
    #[error("PLATFORM_URL: {0}")]
    Platform(#[from] reqwest::Error),
}

#[derive(Clone)]
pub struct Identities {
    pub limits: Limits,
    verifier: Verifier,
    platform: Platform,
    cache: Cache,
    /// The outcome for each credential; None if the platform does not know it. Concurrent requests share one lookup.
    held: Moka<[u8; 32], Option<Arc<Identity>>>,
}

impl Identities {
    /// # Errors
    /// The JWT keys or this machine's TLS configuration cannot be used.
    pub fn new(settings: &IdentitySettings, cache: Cache) -> Result<Self, IdentityError> {
        Ok(Self {
            limits: Limits::new(settings.rate_limit_per_minute),
            verifier: Verifier::new(&settings.jwt)?,
            platform: Platform::new(settings.platform_url.clone())?,
            cache,
            held: Moka::builder().max_capacity(HELD).time_to_live(LIFETIME).build(),
        })
    }

    /// The owner of a credential.
    ///
    /// # Errors
    /// `Unauthenticated` if it has no owner, `Unavailable` while the platform does not answer.
    pub async fn resolve(&self, credential: &Credential) -> ApiResult<Arc<Identity>> {
        // One limit over all attempts: if the request that runs a shared lookup is cancelled, another starts it again.
        let resolved = tokio::time::timeout(BUDGET, self.resolve_at_leisure(credential));
        resolved.await.map_err(|_| ApiError::Unavailable)?
    }

    async fn resolve_at_leisure(&self, credential: &Credential) -> ApiResult<Arc<Identity>> {
        let key = credential.digest();
        // The second round runs only if the cached outcome was too old.
        for _ in 0..2 {
            let found = self.held.try_get_with(key, self.find(credential)).await;
            match found.map_err(|error: Arc<ApiError>| ApiError::clone(&error))? {
                None => return Err(ApiError::Unauthenticated),
                Some(identity) if identity.is_believed(self.cache.now()) => return Ok(identity),
                Some(_) => self.held.invalidate(&key).await,
            }
        }
        Err(ApiError::Unauthenticated)
    }

    async fn find(&self, credential: &Credential) -> ApiResult<Option<Arc<Identity>>> {
        let now = self.cache.now();
        let found = match credential {
            Credential::Jwt(token) => {
                // Return an error, which is not cached: a token may become valid within a second.
                let claims = self.verifier.verify(token, now).ok_or(ApiError::Unauthenticated)?;
                match from_claims(&claims, now) {
                    Some(identity) => Some(identity),
                    None => self.ask(credential, Some(&claims)).await?,
                }
            }
            Credential::Session { token: Some(token), .. } => {
                let identity = self.ask(credential, None).await?;
                identity.map(|identity| identity.with(self.verifier.verify(token, now), now))
            }
            Credential::Session { token: None, .. } | Credential::Bearer(_) => {
                self.ask(credential, None).await?
            }
        };
        Ok(found.map(Arc::new))
    }

    /// The platform's answer: from the replicas' shared cache, else from the platform itself.
    async fn ask(&self, credential: &Credential, claimed: Option<&Claims>) -> ApiResult<Option<Identity>> {
        let (now, key) = (self.cache.now(), credential.asked_digest());
        if let Some(kept) = self.cache.identity(&key).await
            && Identity::is_believed(&kept, now)
        {
            return Ok(Some(kept));
        }
        let Some(account) = self.platform.who(credential).await? else { return Ok(None) };
        let identity = Identity {
            user_id: account.id,
            username: account.username,
            email: account.email,
            name: account.name.unwrap_or_default(),
            organisations: claimed.and_then(|claims| claims.organisations.clone()),
            administrator: claimed.is_some_and(|claims| claims.administrator),
            is_active: account.is_active,
            believed_until: believed_until(claimed, now),
        };
        self.cache.keep_identity(&key, &identity, LIFETIME).await;
        Ok(Some(identity))
    }
}

/// The identity that a token claims; None if claims are missing, which depends on its scopes. The platform is then
/// asked.
fn from_claims(claims: &Claims, now: DateTime<Utc>) -> Option<Identity> {
    Some(Identity {
        user_id: claims.user_id?,
        username: claims.preferred_username.clone(),
        email: Email::parse(claims.email.as_deref()?).ok()?,
        name: claims.name.clone()?,
        organisations: claims.organisations.clone(),
        administrator: claims.administrator,
        is_active: claims.email_verified,
        believed_until: believed_until(Some(claims), now),
    })
}

fn believed_until(claims: Option<&Claims>, now: DateTime<Utc>) -> DateTime<Utc> {
    let end = claims.and_then(|claims| claims.end());
    end.map_or(now + BELIEVED, |end| end.min(now + BELIEVED))
}
