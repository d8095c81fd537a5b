//! Authorises declarations of withdrawal, by what shows that a buyer makes them. No order is looked up: whether one exists must not
//! show in the time of the answer.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use shared::ids::CartId;
use shared::link::Purpose;
use shared::messages::DeclaredWith;

use super::caller::{Learner, LearnerOrBackend};
use super::cart;
use super::failed::failed;
use crate::error::ApiError;
use crate::metrics::CredentialKind;
use crate::state::AppState;

/// A caller that can declare a withdrawal: the holder of a receipt's link, a signed-in learner, or a trusted backend.
pub struct Declarer(pub DeclaredWith);

impl FromRequestParts<AppState> for Declarer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if let Some(cart_id) = cart::linked(parts, app, Purpose::Withdrawal).await?.map(CartId) {
            app.identities.limits.link(cart_id)?;
            return Ok(Self(DeclaredWith::Link { cart_id }));
        }
        let caller = LearnerOrBackend::from_request_parts(parts, app).await;
        if matches!(caller, Err(ApiError::Unauthenticated)) && cart::token(parts).is_some() {
            failed(parts, app, CredentialKind::PageToken).await;
        }
        let LearnerOrBackend(learner) = caller?;
        Ok(Self(learner.map_or(DeclaredWith::Nothing, declared_by)))
    }
}

fn declared_by(learner: Learner) -> DeclaredWith {
    DeclaredWith::Session { account: learner.account(), email: learner.0.email.clone() }
}
