//! Authenticates learners: verifies JWTs here and resolves sessions and opaque tokens at the course platform. Caches
//! each outcome for a minute under a hash of the credential. Does not decide what a learner may do.

mod credential;
mod failures;
mod jwt;
mod jwt_keys;
mod kept;
mod limits;
mod platform;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use clap::Args;
use moka::future::Cache as Moka;
use reqwest::Certificate;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use shared::command_line::Faults;
use shared::doctor::{Checks, Status};
use shared::email::Email;
use shared::seal::{self, SealKey};
use shared::settings::parse_http_url;
use shared::tls::{TlsSettings, UrlError};
use texts::Language;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use url::{Origin, Url};

use crate::cache::Cache;
use crate::error::{ApiError, ApiResult};
use crate::metrics::{self, Cached};
use crate::request_log;
pub use credential::{Credential, Presented, cookie};
use failures::Failures;
pub use failures::counted_as;
use jwt::Claims;
pub use jwt::Verifier;
pub use jwt_keys::JwtSettings;
use kept::KeptIdentities;
use limits::Limits;
pub use limits::VisitorName;
use platform::{NoOwner, Platform, PlatformAccount};

/// Time that an outcome is trusted, and cached.
const BELIEVED: TimeDelta = TimeDelta::seconds(60);
const LIFETIME: Duration = Duration::from_secs(60);

/// Time that a credential counts as known after it was good, so that failures of other credentials do not hold it up.
const KNOWN: Duration = Duration::from_secs(3_600);

/// After this time the api again verifies a JWT that came with a session and was not valid, or not the session owner's.
const LOOKED_AT_AGAIN: TimeDelta = TimeDelta::seconds(5);

/// Time that authenticating one request may take.
const BUDGET: Duration = Duration::from_millis(2_500);

/// Maximum number of outcomes, and of known credentials, cached in the process; the least used are evicted first.
const HELD: u64 = 50_000;

#[derive(Clone, Debug, Args)]
pub struct IdentitySettings {
    /// Base URL of the course platform, at which the api resolves sessions and opaque tokens
    #[arg(long, env, value_parser = parse_http_url)]
    pub platform_url: Url,
    #[command(flatten)]
    pub jwt: JwtSettings,
    /// Origins whose pages may send writes that rely on a cookie, for example https://store.example; comma-separated
    #[arg(long, env, value_delimiter = ',', value_parser = parse_origin)]
    pub allowed_origins: Vec<Origin>,
    /// Requests per minute that one replica accepts from one learner, for one buyer's address, for one visitor whom a
    /// backend names, or with the links of one cart's payment page; 0: no limit
    #[arg(long, env, default_value_t = 120)]
    pub rate_limit_per_minute: u32,
    /// Sessions, opaque tokens, organisations' keys and signatures of notifications that are not accepted, per minute and caller's
    /// address (or IPv6 network of 64 bits), after which one replica refuses further unknown ones from there with 429; 0: no
    /// limit. Sessions and tokens beside the client secret are exempt
    #[arg(long, env, default_value_t = 60)]
    pub failed_credentials_per_minute: u32,
    /// Keys under which the replicas share identities through Redis: 64 hexadecimal digits each, comma-separated, the
    /// first one seals; empty: each replica asks the course platform itself
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub identity_keys: SecretString,
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
    /// Indicates whether the user is staff, with access to every organisation.
    pub administrator: bool,
    /// Indicates whether the learner has confirmed the account's email address.
    pub is_active: bool,
    /// Indicates whether the token belongs to an application that may read for the learner and not write.
    pub is_limited: bool,
    /// The first language of the learner's profile; None if the profile has none, or the platform was not asked.
    pub language: Option<Language>,
    believed_until: DateTime<Utc>,
}

impl Identity {
    /// No end is later than [`BELIEVED`] from now: one that is was noted before a clock went back, or by another clock.
    fn is_believed(&self, now: DateTime<Utc>) -> bool {
        now < self.believed_until && self.believed_until <= now + BELIEVED
    }

    /// The owner of a session, with the claims of the JWT that came with it. A JWT of another user or of a limited
    /// application, or one that is not valid, adds nothing; the api verifies it again after a few seconds, because it may
    /// not be valid yet.
    fn with(self, claims: Option<Claims>, now: DateTime<Utc>) -> Self {
        let own = claims.filter(|claims| match claims.user_id {
            _ if claims.is_limited() => false,
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

/// Authenticators of credentials, from the settings.
pub struct Credentials {
    verifier: Verifier,
    platform: Platform,
    sealing: Vec<SealKey>,
}

impl Credentials {
    /// Adds a fault if the JWT keys, the sealing keys, the platform's URL or this machine's TLS configuration cannot be
    /// used.
    pub fn check(settings: &IdentitySettings, tls: &TlsSettings, faults: &mut Faults) -> Option<Self> {
        let verifier = faults.check(Verifier::new(&settings.jwt, tls));
        let platform = faults.check(Platform::new(settings.platform_url.clone(), tls));
        let sealing =
            seal::parse_keys(&settings.identity_keys).map_err(|error| format!("IDENTITY_KEYS: {error}"));
        Some(Self { sealing: faults.check(sealing)?, verifier: verifier?, platform: platform? })
    }
}

/// A client for the server of a setting. It follows no redirects: the platform answers an expired session with one to its
/// login page.
fn http_client(setting: &'static str, tls: &TlsSettings) -> Result<reqwest::Client, UrlError> {
    let unusable = |error| UrlError::caused(setting, &error);
    let authorities = Certificate::from_pem_bundle(tls.authorities().unwrap_or_default().as_bytes());
    reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(1))
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("storefront-api/", env!("CARGO_PKG_VERSION")))
        .tls_certs_merge(authorities.map_err(unusable)?)
        .build()
        .map_err(unusable)
}

#[derive(Clone)]
pub struct Identities {
    pub limits: Limits,
    verifier: Verifier,
    platform: Platform,
    cache: Cache,
    kept: KeptIdentities,
    failures: Failures<IpAddr>,
    /// The outcome for each credential; None if the platform does not know it. Concurrent requests share one lookup.
    held: Moka<[u8; 32], Option<Arc<Identity>>>,
    /// The credentials that were good within the last hour, and the peers that have sent genuine notifications.
    known: Moka<[u8; 32], ()>,
}

impl Identities {
    pub fn new(credentials: Credentials, settings: &IdentitySettings, cache: Cache) -> Self {
        let Credentials { verifier, platform, sealing } = credentials;
        Self {
            limits: Limits::new(settings.rate_limit_per_minute),
            verifier,
            platform,
            kept: KeptIdentities::new(cache.clone(), sealing),
            cache,
            failures: Failures::new(settings.failed_credentials_per_minute),
            held: Moka::builder().max_capacity(HELD).time_to_live(LIFETIME).build(),
            known: Moka::builder().max_capacity(HELD).time_to_live(KNOWN).build(),
        }
    }

    /// Returns whether a credential was good within the last hour, by its digest.
    pub fn is_known(&self, credential: &[u8; 32]) -> bool {
        self.known.contains_key(credential)
    }

    /// Runs a peer's check of a credential that costs a query. One that was not good within the last hour, by its digest,
    /// takes one of the peer's tries first. `check` finds what the credential proves; None if it proves nothing.
    ///
    /// # Errors
    /// `RateLimited` if the peer has no try left; those of the check.
    pub async fn attempt<T>(
        &self,
        peer: IpAddr,
        credential: [u8; 32],
        check: impl Future<Output = ApiResult<Option<T>>>,
    ) -> ApiResult<Option<T>> {
        let limited = (!self.is_known(&credential)).then(|| counted_as(peer));
        limited.map_or(Ok(()), |peer| self.failures.take(peer))?;
        // As for sessions, a check that is cancelled counts as failed.
        let checked = check.await;
        if let Ok(Some(_)) | Err(ApiError::Unavailable | ApiError::Internal) = checked {
            limited.inspect(|peer| self.failures.give_back(peer));
        }
        if let Ok(Some(_)) = checked {
            self.known.insert(credential, ()).await;
        }
        checked
    }

    /// Checks the course platform and the keys of JWTs, for `doctor`.
    pub async fn check(&self, checks: &mut Checks) {
        let keys = &self.verifier.keys;
        let read = keys.check().await;
        match (read, keys.all().iter().map(|set| set.len()).sum::<usize>()) {
            (Err(reason), _) => checks.add("JWT keys", Status::Failed, reason),
            (Ok(()), 0) => {
                let what = "none: JWTs are refused; sessions and opaque tokens are resolved at the platform";
                checks.add("JWT keys", Status::Warning, what);
            }
            (Ok(()), count) => checks.add("JWT keys", Status::Ok, format!("{count} are configured")),
        }
        let platform = self.platform.check().await;
        checks.outcome("platform", "answers as Open edX does to a caller without a session", platform);
    }

    /// Keeps the keys that verify JWTs up to date, until `stop`. Reads them again at once when `reload` is notified.
    pub async fn keep_keys_fresh(self, reload: Arc<Notify>, stop: CancellationToken) {
        let keys = &self.verifier.keys;
        loop {
            if keys.renew().await {
                // No identity outlives the key that proved it.
                self.held.invalidate_all();
            }
            let wait = if keys.are_missing() { jwt_keys::AGAIN } else { jwt_keys::EVERY };
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = reload.notified() => {}
                () = stop.cancelled() => return,
            }
        }
    }

    /// The owner of a credential. `peer` is the address whose failures are limited; None for a backend, which sends the
    /// credentials of many visitors.
    ///
    /// # Errors
    /// `Unauthenticated` if it has no owner, `RateLimited` after too many failures of this peer, `Unavailable` while the
    /// platform does not answer.
    pub async fn resolve(&self, credential: &Credential, peer: Option<IpAddr>) -> ApiResult<Arc<Identity>> {
        // One limit over all attempts: if the request that runs a shared lookup is cancelled, another starts it again.
        let resolved = tokio::time::timeout(BUDGET, self.resolve_at_leisure(credential, peer));
        resolved.await.map_err(|_| ApiError::Unavailable)?
    }

    async fn resolve_at_leisure(
        &self,
        credential: &Credential,
        peer: Option<IpAddr>,
    ) -> ApiResult<Arc<Identity>> {
        let key = credential.digest();
        // The second round runs only if the cached outcome was too old.
        for _ in 0..2 {
            match self.find_together(key, credential, peer).await? {
                None => return Err(ApiError::Unauthenticated),
                Some(identity) if identity.is_believed(self.cache.now()) => return Ok(identity),
                Some(_) => self.held.invalidate(&key).await,
            }
        }
        Err(ApiError::Unauthenticated)
    }

    /// Shares one lookup among concurrent requests. If another request runs it and its peer is limited, this one looks
    /// up again for its own peer.
    async fn find_together(
        &self,
        key: [u8; 32],
        credential: &Credential,
        peer: Option<IpAddr>,
    ) -> ApiResult<Option<Arc<Identity>>> {
        loop {
            let mut ran_here = false;
            let lookup = async {
                ran_here = true;
                self.find(credential, peer).await
            };
            match self.held.try_get_with(key, lookup).await {
                Err(error) if !ran_here && matches!(*error, ApiError::RateLimited { .. }) => {}
                found => {
                    metrics::cached(Cached::Identities, !ran_here);
                    return found.map_err(|error| ApiError::clone(&error));
                }
            }
        }
    }

    async fn find(&self, credential: &Credential, peer: Option<IpAddr>) -> ApiResult<Option<Arc<Identity>>> {
        let now = self.cache.now();
        let found = match credential {
            Credential::Jwt(token) => {
                // Return an error, which is not cached: a token may become valid within a second.
                let claims = self.verifier.verify(token, now).ok_or_else(|| self.unverified())?;
                match from_claims(&claims, now) {
                    Some(identity) => Some(identity),
                    None => self.ask(credential, peer, Some(&claims)).await?,
                }
            }
            Credential::Session { token: Some(token), .. } => {
                let identity = self.ask(credential, peer, None).await?;
                identity.map(|identity| identity.with(self.verifier.verify(token, now), now))
            }
            Credential::Session { token: None, .. } | Credential::Bearer(_) => {
                self.ask(credential, peer, None).await?
            }
        };
        Ok(found.map(Arc::new))
    }

    /// Reason why a JWT is refused that no key verifies: its key may be in a set that could not be read yet.
    fn unverified(&self) -> ApiError {
        if self.verifier.keys.are_missing() { ApiError::Unavailable } else { ApiError::Unauthenticated }
    }

    /// The platform's answer: from the replicas' shared cache, else from the platform itself.
    async fn ask(
        &self,
        credential: &Credential,
        peer: Option<IpAddr>,
        claimed: Option<&Claims>,
    ) -> ApiResult<Option<Identity>> {
        let (now, key) = (self.cache.now(), credential.asked_digest());
        let kept = match self.kept.find(&key).await {
            Some(kept) if kept.is_believed(now) => {
                metrics::cached(Cached::SharedIdentities, true);
                self.known.insert(key, ()).await;
                return Ok(Some(kept));
            }
            kept => {
                metrics::cached(Cached::SharedIdentities, false);
                kept
            }
        };
        // A token that this process has verified is as good as one that the platform has accepted.
        let is_known = claimed.is_some() || kept.is_some() || self.known.contains_key(&key);
        let limited = peer.filter(|_| !is_known).map(counted_as);
        limited.map_or(Ok(()), |peer| self.failures.take(peer))?;
        let account = self.platform.who(credential, is_known).await;
        // A lookup that is cancelled counts as failed: a caller that hangs up early must not evade the limit.
        if matches!(account, Ok(_) | Err(NoOwner::Silent(_) | NoOwner::Overloaded(_))) {
            limited.inspect(|peer| self.failures.give_back(peer));
        }
        let account = match account {
            Ok(account) => account,
            Err(NoOwner::Refused) => return Ok(None),
            Err(NoOwner::Silent(reason)) => {
                request_log::failed(format_args!("the course platform is silent: {reason}"));
                return Err(ApiError::Unavailable);
            }
            Err(NoOwner::Failed(reason) | NoOwner::Overloaded(reason)) => {
                request_log::failed(format_args!("the course platform failed at a credential: {reason}"));
                return Err(ApiError::Unavailable);
            }
        };
        let identity = account.identity(claimed, now);
        self.known.insert(key, ()).await;
        self.kept.store(&key, &identity, KNOWN).await;
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
        is_limited: claims.is_limited(),
        language: None,
        believed_until: believed_until(Some(claims), now),
    })
}

impl PlatformAccount {
    /// The identity of an account, with what the token claims in which the account was named.
    fn identity(self, claimed: Option<&Claims>, now: DateTime<Utc>) -> Identity {
        Identity {
            user_id: self.id,
            username: self.username,
            email: self.email,
            name: self.name.unwrap_or_default(),
            organisations: claimed.and_then(|claims| claims.organisations.clone()),
            administrator: claimed.is_some_and(|claims| claims.administrator),
            is_active: self.is_active,
            is_limited: claimed.is_some_and(Claims::is_limited),
            language: self.language,
            believed_until: believed_until(claimed, now),
        }
    }
}

fn believed_until(claims: Option<&Claims>, now: DateTime<Utc>) -> DateTime<Utc> {
    let end = claims.and_then(|claims| claims.end());
    end.map_or(now + BELIEVED, |end| end.min(now + BELIEVED))
}
