//! The context of a request's command: its id, and the caller's `Idempotency-Key`.

use std::sync::Arc;

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::request::Parts;
use serde::Serialize;
use sha2::{Digest, Sha256};
use shared::email::Email;
use shared::messages::{Command, Idempotency};
use uuid::Uuid;

use super::organisation_key::KeyHolder;
use super::seats::PoolOfLink;
use crate::commands::AskError;
use crate::error::{ApiError, ApiResult};
use crate::identity::Identity;
use crate::state::AppState;

const HEADER: &str = "idempotency-key";

/// Sends a handler's command to the worker.
pub struct Asking {
    /// The command's id, which is also the id of the cart that the command makes.
    pub id: Uuid,
    app: AppState,
    scope: String,
    key: Option<String>,
}

impl FromRequestParts<AppState> for Asking {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let route =
            parts.extensions.get::<MatchedPath>().map(|path| path.as_str().to_owned()).unwrap_or_default();
        let given = &parts.extensions;
        let caller = if let Some(holder) = given.get::<KeyHolder>() {
            format!("key {}", holder.id)
        } else if let Some(learner) = given.get::<Arc<Identity>>() {
            format!("learner {}", learner.user_id)
        } else if let Some(PoolOfLink(pool)) = given.get() {
            format!("link {pool}")
        } else {
            // All storefronts with the client secret count as one caller.
            "client".to_owned()
        };
        Ok(Self {
            id: Uuid::now_v7(),
            app: state.clone(),
            scope: format!("{} {route} {caller}", parts.method),
            key: key(parts)?,
        })
    }
}

fn key(parts: &Parts) -> ApiResult<Option<String>> {
    let mut values = parts.headers.get_all(HEADER).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let visible = value.as_bytes().iter().all(u8::is_ascii_graphic);
    match value.to_str() {
        Ok(key) if visible && (1..=255).contains(&key.len()) && values.next().is_none() => {
            Ok(Some(key.to_owned()))
        }
        _ => Err(ApiError::invalid(
            "Idempotency-Key",
            "must be one value of 1 to 255 visible ASCII characters",
        )),
    }
}

impl Asking {
    /// The caller's key with the hash of the request; None if the caller sent no key.
    pub fn idempotency(&self, request: &impl Serialize) -> ApiResult<Option<Idempotency>> {
        let Some(key) = &self.key else { return Ok(None) };
        let request = serde_json::to_vec(request).map_err(|_| ApiError::Internal)?;
        let request_hash = Sha256::digest(request).to_vec();
        Ok(Some(Idempotency { scope: self.scope.clone(), key: key.clone(), request_hash }))
    }

    /// Counts the request against the rate limit of the buyer's address.
    pub fn limited_by(&self, email: &Email) -> ApiResult<()> {
        self.app.identities.limits.address(email)
    }

    /// Checks that the mail server can deliver to an address.
    ///
    /// # Errors
    /// `InvalidRequest` if it cannot.
    pub fn reaches(&self, email: &Email) -> ApiResult<()> {
        self.unreachable(email).map_or(Ok(()), |message| Err(ApiError::invalid("email", message)))
    }

    /// Why the mail server cannot deliver to an address; None if it can.
    pub fn unreachable(&self, email: &Email) -> Option<&'static str> {
        let can = email.is_ascii() || self.app.config.mail_smtputf8;
        (!can).then_some("has letters beyond ASCII before the @, which the mail server cannot deliver to")
    }

    /// Sends a command and waits for the answer. An error that leaves the outcome open carries `cart_id`, so that the
    /// caller can ask for that cart's status later.
    pub async fn ask<C: Command>(&self, command: C, cart_id: Option<Uuid>) -> ApiResult<C::Answer> {
        self.app.commands.ask(self.id, command).await.map_err(|error| match error {
            AskError::Unavailable => ApiError::Unavailable,
            AskError::Timeout => ApiError::Timeout { cart_id },
            AskError::Refused(refusal) => ApiError::from(refusal).of_cart(cart_id),
        })
    }
}
