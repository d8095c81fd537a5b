//! Authorises access to a cart: by its signed link, as its learner, or as a trusted backend.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use shared::ids::CartId;
use shared::link::{self, Purpose, Subject};
use url::form_urlencoded;
use uuid::Uuid;

use super::caller::Learner;
use super::client_secret::{self, ClientSecret};
use super::failed::failed;
use super::fields::hyphenated;
use super::path;
use super::scope::Caller;
use crate::error::{ApiError, ApiResult};
use crate::identity::Identity;
use crate::metrics::CredentialKind;
use crate::queries::{carts, links};
use crate::state::{App, AppState};

/// The cart that the path names, or that the named checkout has joined, for its buyer or a trusted backend.
pub struct CartOfCaller(pub CartId);

/// The same for the buyer alone: for pages that a browser opens.
pub struct CartOfBuyer(pub CartId);

/// The cart that the request's link was signed for, also if the link has expired. It authorises nothing.
pub struct CartOfLink(pub Option<CartId>);

impl FromRequestParts<AppState> for CartOfLink {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        let secrets = &app.config.links.link_secret;
        Ok(Self(token(parts).and_then(|token| link::subject(secrets, Purpose::Payment, &token)).map(CartId)))
    }
}

impl FromRequestParts<AppState> for CartOfCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if parts.headers.contains_key(client_secret::HEADER) {
            <ClientSecret as FromRequestParts<_>>::from_request_parts(parts, app).await?;
            return named(parts, app).await.map(|cart| Self(cart.id));
        }
        CartOfBuyer::from_request_parts(parts, app).await.map(|CartOfBuyer(id)| Self(id))
    }
}

impl FromRequestParts<AppState> for CartOfBuyer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if let Some(allowed) = linked(parts, app, Purpose::Payment).await?.map(CartId)
            && named(parts, app).await?.id == allowed
        {
            app.identities.limits.link(allowed)?;
            return Ok(Self(allowed));
        }
        // The cart's own learner needs no link, and may use an expired one.
        let learner = learner_or_token(parts, app).await?;
        let cart = named(parts, app).await?;
        // Answer 404 for other buyers' carts, so as not to reveal that they exist.
        if buyers(&learner).contains(&cart.buyer) {
            Ok(Self(cart.id))
        } else {
            Err(ApiError::NotFound("Cart"))
        }
    }
}

impl Caller for CartOfBuyer {
    fn scope(&self) -> String {
        format!("cart {}", self.0)
    }
}

/// The signed-in learner of a request whose link opens nothing. Counts a token that opens nothing as a failed credential.
pub(super) async fn learner_or_token(parts: &mut Parts, app: &AppState) -> ApiResult<Arc<Identity>> {
    let learner = <Learner as FromRequestParts<_>>::from_request_parts(parts, app).await;
    if matches!(learner, Err(ApiError::Unauthenticated)) && token(parts).is_some() {
        failed(parts, app, CredentialKind::PageToken).await;
    }
    learner.map(|Learner(learner)| learner)
}

/// The buyers that a learner stands for: the account, and the guest of its address, if the learner has confirmed it.
/// Otherwise a learner would lose what they bought before they registered.
pub fn buyers(learner: &Identity) -> Vec<String> {
    let guest = learner.is_active.then(|| format!("guest:{}", learner.email.as_str()));
    [Some(learner.user_id.to_string()), guest].into_iter().flatten().collect()
}

/// The cart that the path names, or that the named checkout has joined.
pub(super) async fn named(parts: &mut Parts, app: &AppState) -> ApiResult<carts::Owner> {
    let values = RawPathParams::from_request_parts(parts, app).await.map_err(|_| path::broken())?;
    let named = values.iter().find(|(name, _)| *name == "cart_id").map_or("", |(_, text)| text);
    path::without_nul(named)?;
    let id = hyphenated(named).ok_or_else(|| ApiError::invalid("cart_id", "is not a UUID"))?;
    let app: &App = app;
    carts::owner(&app.db, id).await?.ok_or(ApiError::NotFound("Cart"))
}

/// Returns what a link of this purpose opens; None if it was altered or has ended, by its time or with the address to which it was
/// sent.
pub async fn opened(app: &App, purpose: Purpose, token: &str) -> ApiResult<Option<Uuid>> {
    let link = link::verify(&app.config.links.link_secret, purpose, token, app.now());
    let Some(Subject { id, version }) = link else { return Ok(None) };
    Ok((links::version(&app.db, id).await? == version).then_some(id))
}

/// Returns what the request's link opens, if it has this purpose.
pub(super) async fn linked(parts: &Parts, app: &App, purpose: Purpose) -> ApiResult<Option<Uuid>> {
    match token(parts) {
        Some(token) => opened(app, purpose, &token).await,
        None => Ok(None),
    }
}

/// Returns whether the request's link was signed for this purpose and subject, and is still valid. The links of one
/// subject are limited.
///
/// # Errors
/// `RateLimited`.
pub(super) async fn is_linked(
    parts: &Parts,
    app: &App,
    purpose: Purpose,
    subject: impl Into<Uuid>,
) -> ApiResult<bool> {
    let subject = subject.into();
    if linked(parts, app, purpose).await? != Some(subject) {
        return Ok(false);
    }
    app.identities.limits.link(subject)?;
    Ok(true)
}

/// The token of the request's link.
pub(super) fn token(parts: &Parts) -> Option<String> {
    let query = parts.uri.query().unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find(|(name, _)| name == "token").map(|(_, value)| value.into_owned())
}
