//! Why a command was not done, in the words of the interface. The api alone turns it into an HTTP status.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Refusal {
    #[error("organisation not found")]
    OrganisationNotFound,
    #[error("course not found")]
    CourseNotFound,
    #[error("{detail}")]
    UnsupportedMode { detail: String },
    #[error("items cannot be bought")]
    InvalidItems { errors: Vec<FieldError> },
    /// Found only once the gateway was known.
    #[error("the request is not valid")]
    InvalidRequest { errors: Vec<FieldError> },
    #[error("the cart is empty")]
    EmptyCart,
    #[error("cart not found")]
    CartNotFound,
    #[error("the idempotency key is being worked on")]
    InProgress,
    #[error("the idempotency key was used with another body")]
    IdempotencyMismatch,
    #[error("{detail}")]
    NotConfigured { detail: String },
    /// The payment provider refused, or did not answer; what it may have made nobody can pay.
    #[error("{detail}")]
    GatewayError { detail: String },
    /// A server that the command needs is away; nothing was started.
    #[error("a server is unavailable")]
    Unavailable,
    /// The worker's own fault; its log says which.
    #[error("internal error")]
    Internal,
}

impl Refusal {
    /// Answers that depend on our own state of health are never stored: the same request may succeed next time.
    pub fn may_be_stored(&self) -> bool {
        !matches!(
            self,
            Self::InProgress
                | Self::NotConfigured { .. }
                | Self::GatewayError { .. }
                | Self::Unavailable
                | Self::Internal
        )
    }
}

/// One thing that is wrong with a request, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// A path such as `items[2].mode`.
    pub field: String,
    pub message: String,
}

impl FieldError {
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}
