//! The context of a request's command: its id, the caller's `Idempotency-Key`, and the visitor for whom a backend calls.

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
use super::visitor_name::{named_by_backend, visible};
use crate::commands::AskError;
use crate::error::{ApiError, ApiResult};
use crate::identity::{Identity, VisitorName};
use crate::state::AppState;

const HEADER: &str = "Idempotency-Key";

/// Sends a handler's command to the worker. As an argument, it counts the command against the limit of the visitor whom a
/// backend names, so it must follow the credentials.
pub struct Asking {
    /// The command's id, which is also the id of the cart that the command makes.
    pub id: Uuid,
    app: AppState,
    scope: String,
    key: Option<String>,
    visitor: VisitorName,
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
        let visitor = named_by_backend(parts)?;
        state.identities.limits.visitor(&visitor)?;
        Ok(Self {
            id: Uuid::now_v7(),
            app: state.clone(),
            scope: format!("{} {route} {caller}", parts.method),
            key: visible(&parts.headers, HEADER)?.map(str::to_owned),
            visitor,
        })
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

    /// The backend's id of its visitor; None if it names none.
    pub fn visitor_id(&self) -> Option<String> {
        self.visitor.id.clone()
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

    /// Reason why the mail server cannot deliver to an address; None if it can.
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

    /// As [`Self::ask`], for a command that can hold a voucher's code, which is tried: a visitor may try few that are refused.
    /// `is_refused` tells it by an answer.
    pub async fn ask_with_code<C: Command>(
        &self,
        command: C,
        code: bool,
        cart_id: Option<Uuid>,
        is_refused: impl FnOnce(&C::Answer) -> bool,
    ) -> ApiResult<C::Answer> {
        if !code {
            return self.ask(command, cart_id).await;
        }
        let limits = &self.app.identities.limits;
        limits.try_code(&self.visitor)?;
        let answer = self.ask(command, cart_id).await;
        let refused = match &answer {
            Ok(answer) => is_refused(answer),
            Err(ApiError::InvalidRequest(faults)) => faults.iter().any(|fault| fault.field == "voucher"),
            Err(_) => false,
        };
        if !refused {
            limits.give_code_back(&self.visitor);
        }
        answer
    }
}
