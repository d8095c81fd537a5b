//! Authenticates the caller. Each type here is a requirement that a handler states in its signature.

use std::sync::Arc;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::header;
use axum::http::request::Parts;
use futures_util::FutureExt;
use shared::messages::LearnerAccount;
use url::{Origin, Url};

use super::client_secret::{self, ClientSecret};
use super::failed::failed;
use super::peer::Peer;
use super::scope::Caller;
use crate::error::{ApiError, ApiResult};
use crate::identity::{Identity, Presented};
use crate::request_log::{self, Sender};
use crate::state::AppState;

/// A caller that may read the catalog: a trusted backend or any learner.
pub struct Reader;

impl FromRequestParts<AppState> for Reader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        // With the client secret the api ignores learner credentials: a stale cookie on a catalog read does no harm.
        if parts.headers.contains_key(client_secret::HEADER) {
            <ClientSecret as FromRequestParts<_>>::from_request_parts(parts, app).await?;
        } else {
            // Boxed, so that the future stays small for reads with the secret, which are nearly all.
            find(parts, app).boxed().await?.ok_or(ApiError::Unauthenticated)?;
        }
        Ok(Self)
    }
}

/// A signed-in learner, by session, token or JWT cookies. As an `Option`, None if the request carries no credential.
pub struct Learner(pub Arc<Identity>);

impl FromRequestParts<AppState> for Learner {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        acting(parts, app).await?.ok_or(ApiError::Unauthenticated)
    }
}

impl OptionalFromRequestParts<AppState> for Learner {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Option<Self>, ApiError> {
        acting(parts, app).await
    }
}

impl Learner {
    /// The learner's account, as commands carry it.
    pub fn account(&self) -> LearnerAccount {
        LearnerAccount {
            user_id: self.0.user_id,
            username: self.0.username.clone(),
            name: self.0.name.clone(),
            is_active: self.0.is_active,
        }
    }
}

impl Caller for Learner {
    fn scope(&self) -> String {
        learner_scope(self.0.user_id)
    }
}

/// The name of a learner as a [`Caller`].
pub(super) fn learner_scope(user_id: i64) -> String {
    format!("learner {user_id}")
}

/// A trusted backend, and the learner for whom it calls if it sends one's credential; or else a learner.
pub struct LearnerOrBackend(pub Option<Learner>);

impl FromRequestParts<AppState> for LearnerOrBackend {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let backend = <ClientSecret as OptionalFromRequestParts<_>>::from_request_parts(parts, app).await?;
        let learner = acting(parts, app).await?;
        if backend.is_none() && learner.is_none() {
            return Err(ApiError::Unauthenticated);
        }
        Ok(Self(learner))
    }
}

impl Caller for LearnerOrBackend {
    fn scope(&self) -> String {
        self.0.as_ref().map_or_else(|| ClientSecret.scope(), Caller::scope)
    }
}

/// A visitor of a trusted backend who is not signed in.
pub struct Guest;

impl FromRequestParts<AppState> for Guest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        <ClientSecret as FromRequestParts<_>>::from_request_parts(parts, app).await?;
        match find(parts, app).await? {
            Some(_) => Err(ApiError::GuestOnly),
            None => Ok(Self),
        }
    }
}

impl Caller for Guest {
    fn scope(&self) -> String {
        ClientSecret.scope()
    }
}

/// The learner, who must act in person in order to change something.
async fn acting(parts: &mut Parts, app: &AppState) -> ApiResult<Option<Learner>> {
    let found = find(parts, app).await?;
    if found.as_ref().is_some_and(|learner| learner.is_limited) && !parts.method.is_safe() {
        return Err(ApiError::Forbidden(
            "The token is that of an application that may not act for the learner.",
        ));
    }
    Ok(found.map(Learner))
}

/// The learner whom the request's credential identifies; None without a credential.
async fn find(parts: &mut Parts, app: &AppState) -> ApiResult<Option<Arc<Identity>>> {
    let presented = match Presented::read(&parts.headers) {
        Ok(Some(presented)) => presented,
        Ok(None) => return Ok(None),
        Err(kind) => {
            failed(parts, app, kind).await;
            return Err(ApiError::Unauthenticated);
        }
    };
    let by_backend = client_secret::by_backend(&parts.headers, app);
    let Ok(Peer(peer)) = Peer::from_request_parts(parts, app).await;
    // A backend sends the credentials of all its visitors from one address.
    let resolved = app.identities.resolve(&presented.credential, (!by_backend).then_some(peer)).await;
    if let Err(ApiError::Unauthenticated) = resolved {
        failed(parts, app, presented.credential.kind()).await;
    }
    let learner = resolved?;
    let reads = parts.method.is_safe();
    if presented.by_cookie && !by_backend && !reads && !comes_from(parts, app) {
        return Err(ApiError::Forbidden(
            "A request that relies on a cookie must come from an allowed origin.",
        ));
    }
    // No limit on a backend's reads: one storefront reads for all its learners.
    if !(by_backend && reads) {
        app.identities.limits.learner(&learner)?;
    }
    request_log::sent_by(Sender::Learner);
    Ok(Some(learner))
}

/// Returns whether a page of the api's own, or of an allowed origin, sent the request, by its `Origin` header, or by `Referer`
/// if there is none.
fn comes_from(parts: &Parts, app: &AppState) -> bool {
    let named = parts.headers.get(header::ORIGIN).or_else(|| parts.headers.get(header::REFERER));
    let origin = named.and_then(|value| Url::parse(value.to_str().ok()?).ok()).map(|url| url.origin());
    let own = Url::parse(&app.config.links.public_base_url).ok().map(|url| url.origin());
    let allowed = |origin: &Origin| app.config.identity.allowed_origins.contains(origin);
    origin.is_some_and(|origin| allowed(&origin) || own == Some(origin))
}
