//! One command of one request: its id, its trace, and the caller's `Idempotency-Key`.

use std::sync::Arc;

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::request::Parts;
use serde::Serialize;
use sha2::{Digest, Sha256};
use shared::email::Email;
use shared::messages::{Asked, Idempotency};
use shared::telemetry::TraceParent;
use uuid::Uuid;

use crate::commands::AskError;
use crate::error::{ApiError, ApiResult};
use crate::identity::Identity;
use crate::state::AppState;

const HEADER: &str = "idempotency-key";

/// What a handler asks the worker with.
pub struct Asking {
    /// The command's id, and the cart's if it makes one.
    pub id: Uuid,
    app: AppState,
    trace: TraceParent,
    scope: String,
    key: Option<String>,
}

impl FromRequestParts<AppState> for Asking {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let route =
            parts.extensions.get::<MatchedPath>().map(|path| path.as_str().to_owned()).unwrap_or_default();
        // The client secret is one caller, however many storefronts share it.
        let caller = match parts.extensions.get::<Arc<Identity>>() {
            Some(learner) => format!("learner {}", learner.user_id),
            None => "client".to_owned(),
        };
        Ok(Self {
            id: Uuid::now_v7(),
            app: state.clone(),
            trace: parts.extensions.get().copied().unwrap_or_default(),
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
    /// The key with the request that it stands for, or None if the caller sent no key.
    pub fn idempotency(&self, request: &impl Serialize) -> ApiResult<Option<Idempotency>> {
        let Some(key) = &self.key else { return Ok(None) };
        let request = serde_json::to_vec(request).map_err(|_| ApiError::Internal)?;
        let request_hash = Sha256::digest(request).to_vec();
        Ok(Some(Idempotency { scope: self.scope.clone(), key: key.clone(), request_hash }))
    }

    /// Counts the request against the address that it is made for.
    pub fn limited_by(&self, email: &Email) -> ApiResult<()> {
        self.app.identities.limits.address(email)
    }

    /// # Errors
    /// `InvalidRequest` for an address that the mail server cannot deliver to.
    pub fn reaches(&self, email: &Email) -> ApiResult<()> {
        if email.is_ascii() || self.app.config.mail_smtputf8 {
            return Ok(());
        }
        let message = "has letters beyond ASCII before the @, which the mail server cannot deliver to";
        Err(ApiError::invalid("email", message))
    }

    /// Has a command done. `cart_id` is what a caller without an answer can ask about later.
    pub async fn ask<C: Asked>(&self, command: C, cart_id: Option<Uuid>) -> ApiResult<C::Answer> {
        self.app.commands.ask(self.id, command, self.trace).await.map_err(|error| match error {
            AskError::Unavailable => ApiError::Unavailable,
            AskError::Timeout => ApiError::Timeout { cart_id },
            AskError::Refused(refusal) => ApiError::from(refusal).of_cart(cart_id),
        })
    }
}
