//! Authenticates learners: verifies JWTs here and resolves sessions and opaque tokens at the course platform. Caches
//! each outcome for a minute under a hash of the credential. Does not decide what a learner may do.

mod credential;
mod failures;
mod jwt;
mod jwt_keys;
mod kept;
mod limits;
mod owner;
mod platform;
mod settings;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache as Moka;
use reqwest::Certificate;
use shared::command_line::Faults;
use shared::doctor::{Checks, Status};
use shared::seal::{self, SealKey};
use shared::tls::{TlsSettings, UrlError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

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
pub use owner::Identity;
use owner::from_claims;
use platform::{NoOwner, Platform};
pub use settings::IdentitySettings;

/// Time that an outcome is cached: as long as it is trusted.
const LIFETIME: Duration = Duration::from_secs(60);

/// Time that a credential counts as known after it was good, so that failures of other credentials do not hold it up.
const KNOWN: Duration = Duration::from_secs(3_600);

/// Time that authenticating one request may take.
const BUDGET: Duration = Duration::from_millis(2_500);

/// Maximum number of outcomes, and of known credentials, cached in the process; the least used are evicted first.
const HELD: u64 = 50_000;

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
/// login page, and what proves a mail service's report comes from its own host alone.
pub fn http_client(setting: &'static str, tls: &TlsSettings) -> Result<reqwest::Client, UrlError> {
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
