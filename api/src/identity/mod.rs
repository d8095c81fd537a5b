//! Who a learner is: tokens are verified here, sessions are resolved at the course platform, and the outcome is believed
//! for a minute, under a hash of the credential. What a learner may do is decided elsewhere.

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

/// How long an outcome is believed, and kept.
const BELIEVED: TimeDelta = TimeDelta::seconds(60);
const LIFETIME: Duration = Duration::from_secs(60);

/// When a JWT beside a session, which did not count, is judged again.
const LOOKED_AT_AGAIN: TimeDelta = TimeDelta::seconds(5);

/// What finding out may take.
const BUDGET: Duration = Duration::from_millis(2_500);

/// Outcomes held in the process; the least used go first.
const HELD: u64 = 50_000;

#[derive(Clone, Debug, Args)]
pub struct IdentitySettings {
    /// The course platform's base URL: it says whose a session or an opaque token is
    #[arg(long, env, value_parser = parse_http_url, default_value = "http://127.0.0.1:8090/platform")]
    pub platform_url: Url,
    #[command(flatten)]
    pub jwt: JwtSettings,
    /// Origins whose pages may change something with a cookie alone, https://store.example say
    #[arg(long, env, value_delimiter = ',', value_parser = parse_origin)]
    pub allowed_origins: Vec<Origin>,
    /// Requests a minute that one learner or one buyer's address may make of one api; 0: any number
    #[arg(long, env, default_value_t = 120)]
    pub rate_limit_per_minute: u32,
}

fn parse_origin(text: &str) -> Result<Origin, String> {
    match Url::parse(text) {
        Ok(url) if url.origin().is_tuple() && url.path() == "/" && url.query().is_none() => Ok(url.origin()),
        _ => Err("is not an origin like https://store.example".into()),
    }
}

/// A learner, or a member of staff, as the course platform knows them.
#[derive(Clone, Serialize, Deserialize)]
pub struct Identity {
    pub user_id: i64,
    pub username: String,
    pub email: Email,
    pub name: String,
    /// Short names of the organisations that the token claims; None if it claims nothing of the sort.
    pub organisations: Option<Vec<String>>,
    /// Staff: has every organisation's claim.
    pub administrator: bool,
    /// Whether the account has proved its address.
    pub is_active: bool,
    believed_until: DateTime<Utc>,
}

impl Identity {
    fn is_believed(&self, now: DateTime<Utc>) -> bool {
        self.believed_until > now
    }

    /// A session's owner with what the JWT beside it claims for the same user. Another user's, or one that does not hold,
    /// changes nothing, and is looked at again soon: it may have been too young.
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
    /// None for what the platform does not know. One flight for each credential.
    held: Moka<[u8; 32], Option<Arc<Identity>>>,
}

impl Identities {
    /// # Errors
    /// Keys that cannot be used, or this machine's TLS configuration.
    pub fn new(settings: &IdentitySettings, cache: Cache) -> Result<Self, IdentityError> {
        Ok(Self {
            limits: Limits::new(settings.rate_limit_per_minute),
            verifier: Verifier::new(&settings.jwt)?,
            platform: Platform::new(settings.platform_url.clone())?,
            cache,
            held: Moka::builder().max_capacity(HELD).time_to_live(LIFETIME).build(),
        })
    }

    /// Whose credential it is.
    ///
    /// # Errors
    /// `Unauthenticated` if it is nobody's, `Unavailable` while the platform cannot say.
    pub async fn resolve(&self, credential: &Credential) -> ApiResult<Arc<Identity>> {
        // In all: whoever leads a flight may leave it, and the next one begins anew.
        let resolved = tokio::time::timeout(BUDGET, self.resolve_at_leisure(credential));
        resolved.await.map_err(|_| ApiError::Unavailable)?
    }

    async fn resolve_at_leisure(&self, credential: &Credential) -> ApiResult<Arc<Identity>> {
        let key = credential.digest();
        // The second time only if the first outcome was too old.
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
                // An error and not an outcome, so that it is not kept: a token can be too young for a second.
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

    /// As a replica has heard of the platform lately, else as it says now.
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

/// None if the token does not say enough: its scopes decide what it tells, and the platform knows the rest.
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
