//! The sender of a request's command: its caller, the command's id, the caller's `Idempotency-Key`, and the visitor for
//! whom a backend calls.
//!
//! Why: `docs/decisions/idempotency-scope.md`

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::request::Parts;
use serde::Serialize;
use sha2::{Digest, Sha256};
use shared::about;
use shared::email::Email;
use shared::ids::CartId;
use shared::messages::{Command, Idempotency, Queue};
use uuid::Uuid;

use super::scope::Caller;
use super::visitor_name::{named_by_backend, visible};
use crate::commands::SendError;
use crate::error::{ApiError, ApiResult};
use crate::identity::VisitorName;
use crate::state::AppState;

const HEADER: &str = "Idempotency-Key";

/// Sends a handler's commands for its caller. As an argument, it extracts the caller first, so that no key is read for
/// another one, and counts the command against the limit of the visitor whom a backend names.
pub struct Commander<C> {
    pub caller: C,
    /// The command's id, which is also the id of the cart that the command makes.
    pub id: Uuid,
    app: AppState,
    scope: String,
    key: Option<String>,
    visitor: VisitorName,
}

impl<C: Caller> FromRequestParts<AppState> for Commander<C> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let caller = C::from_request_parts(parts, app).await?;
        let route = parts.extensions.get::<MatchedPath>().map(MatchedPath::as_str).unwrap_or_default();
        let scope = format!("{} {route} {}", parts.method, caller.scope());
        let visitor = named_by_backend(&parts.headers, app)?;
        app.identities.limits.visitor(&visitor)?;
        let key = visible(&parts.headers, HEADER)?.map(str::to_owned);
        Ok(Self { caller, id: Uuid::now_v7(), app: app.clone(), scope, key, visitor })
    }
}

/// Room for one more checkout. As a handler's first argument, it refuses a request before its caller is identified and its body is read.
pub struct CheckoutRoom;

impl FromRequestParts<AppState> for CheckoutRoom {
    type Rejection = ApiError;

    async fn from_request_parts(_: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        app.commands.has_room(Queue::Checkout)?;
        Ok(Self)
    }
}

impl<C> Commander<C> {
    /// The sender of a further command of the same request.
    pub fn next(self) -> Self {
        Self { id: Uuid::now_v7(), ..self }
    }

    /// The commander of a form, which brings its idempotency key in a field.
    #[must_use]
    pub fn with_key(self, key: String) -> Self {
        Self { key: Some(key), ..self }
    }

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
    pub async fn send<M: Command>(&self, command: M, cart_id: Option<CartId>) -> ApiResult<M::Answer> {
        self.app.commands.send(self.id, command).await.map_err(|error| {
            if let Some(cart_id) = cart_id {
                about::cart(cart_id);
            }
            match error {
                SendError::Timeout => ApiError::Timeout { cart_id },
                SendError::Refused(refusal) => ApiError::from(refusal).of_cart(cart_id),
                SendError::Unavailable | SendError::Busy { .. } => ApiError::from(error),
            }
        })
    }

    /// As [`Self::send`], for a command that can hold a voucher's code, which is tried: a visitor may try few that are refused.
    /// `is_refused` tells it by an answer.
    pub async fn send_with_code<M: Command>(
        &self,
        command: M,
        code: bool,
        cart_id: Option<CartId>,
        is_refused: impl FnOnce(&M::Answer) -> bool,
    ) -> ApiResult<M::Answer> {
        if !code {
            return self.send(command, cart_id).await;
        }
        let limits = &self.app.identities.limits;
        limits.try_code(&self.visitor)?;
        let answer = self.send(command, cart_id).await;
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
