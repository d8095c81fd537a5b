//! Who calls. Each type here is what a route may demand, and its place in a handler's signature says so.

use std::sync::Arc;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::header;
use axum::http::request::Parts;
use futures_util::FutureExt;
use shared::messages::Account;
use url::{Origin, Url};

use super::client_secret::{self, ClientSecret};
use crate::error::{ApiError, ApiResult};
use crate::identity::{Identity, Presented};
use crate::state::{App, AppState};

/// A trusted backend or any learner: who may read the catalog.
pub struct Reader;

impl FromRequestParts<AppState> for Reader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        // With the secret nobody is asked about a learner: a stale cookie on a catalog read does no harm.
        if parts.headers.contains_key(client_secret::HEADER) {
            <ClientSecret as FromRequestParts<_>>::from_request_parts(parts, app).await?;
        } else {
            // Boxed: nearly all reads come with the secret, and their future stays small.
            find(parts, app).boxed().await?.ok_or(ApiError::Unauthenticated)?;
        }
        Ok(Self)
    }
}

/// A signed-in learner, by session, token or JWT cookies. As an `Option`: if the request carries a credential.
pub struct Learner(pub Arc<Identity>);

impl FromRequestParts<AppState> for Learner {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        find(parts, app).await?.map(Self).ok_or(ApiError::Unauthenticated)
    }
}

impl OptionalFromRequestParts<AppState> for Learner {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Option<Self>, ApiError> {
        Ok(find(parts, app).await?.map(Self))
    }
}

impl Learner {
    pub fn account(&self) -> Account {
        Account {
            user_id: self.0.user_id,
            username: self.0.username.clone(),
            name: self.0.name.clone(),
            is_active: self.0.is_active,
        }
    }
}

/// Nobody who is signed in.
pub struct Guest;

impl FromRequestParts<AppState> for Guest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        match find(parts, app).await? {
            Some(_) => Err(ApiError::GuestOnly),
            None => Ok(Self),
        }
    }
}

/// The learner that the request's credential stands for; None without one. Also kept with the request: a command's
/// idempotency key is the learner's own.
async fn find(parts: &mut Parts, app: &App) -> ApiResult<Option<Arc<Identity>>> {
    if let Some(found) = parts.extensions.get::<Arc<Identity>>() {
        return Ok(Some(found.clone()));
    }
    let Some(presented) = Presented::read(&parts.headers)? else { return Ok(None) };
    let learner = app.identities.resolve(&presented.credential).await?;
    let by_backend = parts.extensions.get::<ClientSecret>().is_some();
    let reads = parts.method.is_safe();
    if presented.by_cookie
        && !by_backend
        && !reads
        && !comes_from(parts, &app.config.identity.allowed_origins)
    {
        return Err(ApiError::Forbidden(
            "A request that relies on a cookie must come from an allowed origin.",
        ));
    }
    // One storefront is one credential: it reads for all its learners.
    if !(by_backend && reads) {
        app.identities.limits.learner(&learner)?;
    }
    parts.extensions.insert(learner.clone());
    Ok(Some(learner))
}

/// Whether the page that made a browser send this is one of ours: Origin says so, and where it is missing, Referer.
fn comes_from(parts: &Parts, allowed: &[Origin]) -> bool {
    let named = parts.headers.get(header::ORIGIN).or_else(|| parts.headers.get(header::REFERER));
    let origin = named.and_then(|value| Url::parse(value.to_str().ok()?).ok()).map(|url| url.origin());
    origin.is_some_and(|origin| allowed.contains(&origin))
}
