//! What every sender of commands has: a name of its own.

use axum::extract::FromRequestParts;

use crate::error::ApiError;
use crate::state::AppState;

/// A caller that may send commands.
pub trait Caller: FromRequestParts<AppState, Rejection = ApiError> {
    /// The name of the caller among all callers of a route, whose idempotency keys are its own. Stored with each key: under
    /// another name, the keys that it has used are forgotten, and a repeated refund pays twice.
    fn scope(&self) -> String;
}
