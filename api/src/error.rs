//! All errors that a caller can get, as problem+json (RFC 9457). No other module chooses an error status.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use shared::ids::CartId;
use shared::messages::{FieldError, Refusal};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error_code::ErrorCode;
use crate::request_log;

/// The `WWW-Authenticate` value: the kinds of identity that a caller may send.
const CHALLENGE: &str = r#"Bearer realm="storefront", JWT realm="storefront", clientapisecret realm="storefront", organisationapikey realm="storefront""#;

/// A problem lists no more faults than this: a body of 64 KiB can have tens of thousands.
pub const MOST_FAULTS: usize = 100;

pub type ApiResult<T> = Result<T, ApiError>;

#[derive(Clone, Debug, thiserror::Error)]
pub enum ApiError {
    #[error("The request is not valid.")]
    InvalidRequest(Vec<FieldError>),
    #[error("Organisation not found")]
    OrganisationNotFound,
    #[error("{detail}")]
    UnsupportedMode { detail: String, errors: Vec<FieldError> },
    /// Carries the platform's reason.
    #[error("The course platform refused the enrollment: {0}")]
    EnrollmentFailed(String),
    #[error("Some items cannot be bought.")]
    InvalidItems(Vec<FieldError>),
    #[error("A valid identity is required.")]
    Unauthenticated,
    #[error("{0}")]
    Forbidden(&'static str),
    /// The worker found that the caller may not do this.
    #[error("{0}")]
    Refused(String),
    #[error("A signed-in user buys as such, not as a guest.")]
    GuestOnly,
    #[error("Too many requests. Try again after {retry_after} seconds.")]
    RateLimited { retry_after: u64 },
    #[error("{0} not found.")]
    NotFound(&'static str),
    #[error("This route does not take that method.")]
    MethodNotAllowed,
    #[error("{0}")]
    NotAcceptable(String),
    #[error("The body is larger than {0} bytes.")]
    BodyTooLarge(usize),
    #[error("The body did not arrive in time.")]
    RequestTimeout,
    #[error("The body must be sent as {0}.")]
    MediaType(&'static str),
    #[error("The body must be sent as it is, without a Content-Encoding.")]
    EncodedBody,
    #[error("A request with the same Idempotency-Key is being worked on.")]
    InProgress,
    #[error("The Idempotency-Key was used with another body.")]
    IdempotencyMismatch,
    #[error("{0}")]
    Contradiction(String),
    #[error("The cart is empty.")]
    EmptyCart,
    #[error("{0}")]
    NotConfigured(String),
    /// The payment provider failed. It may have created a payment, which the buyer cannot pay; repeating the request
    /// finds it. A checkout's error carries the cart that the checkout made or would have made.
    #[error("{detail}")]
    GatewayError { detail: String, cart_id: Option<CartId> },
    /// Nothing was started.
    #[error("A required service is unavailable or overloaded. Try again shortly.")]
    Unavailable,
    /// The same, because too many requests are under way.
    #[error("Too many requests are under way. Try again after {retry_after} seconds.")]
    Busy { retry_after: u64 },
    /// The command was accepted and may still complete. A checkout's error carries the cart that it would make.
    #[error(
        "The answer did not come in time; the request may still complete. Repeat it with the same Idempotency-Key, or \
            read the status route."
    )]
    Timeout { cart_id: Option<CartId> },
    #[error("Something went wrong on our side.")]
    Internal,
}

/// An RFC 9457 problem: the body of every answer that is an error. `detail` is for people.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// Always `about:blank`: the code says what kind of problem it is.
    #[schema(value_type = String, pattern = "^about:blank$", example = "about:blank")]
    pub r#type: &'static str,
    /// The status in words.
    #[schema(example = "Bad Request")]
    pub title: &'static str,
    /// The status of the response.
    #[schema(minimum = 400, maximum = 599, example = 400)]
    pub status: u16,
    /// Explanation of what happened, in a sentence for people.
    pub detail: String,
    pub code: ErrorCode,
    /// Names the request in the service's log; the header `X-Request-Id` holds the same value.
    #[schema(required, nullable = false)]
    pub request_id: Option<Uuid>,
    /// Faults of the request, at most 100. Left out if there is nothing to name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 100)]
    pub errors: Vec<FieldError>,
    /// The cart of a checkout that the payment provider or the worker has not answered; the status route takes it. Left out of
    /// every other problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cart_id: Option<Uuid>,
}

/// Returns the phrase of a status by RFC 9110, which a problem of the type `about:blank` has as its title (RFC 9457, 4.2.1). Two of
/// the crate `http` are of an earlier RFC.
fn phrase(status: StatusCode) -> &'static str {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => "Content Too Large",
        StatusCode::UNPROCESSABLE_ENTITY => "Unprocessable Content",
        other => other.canonical_reason().unwrap_or("Error"),
    }
}

impl ApiError {
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidRequest(vec![FieldError::new(field, message)])
    }

    /// Adds the checkout's cart to a gateway error, so that the caller can ask for its status.
    pub fn of_cart(self, cart_id: Option<CartId>) -> Self {
        match self {
            Self::GatewayError { detail, .. } => Self::GatewayError { detail, cart_id },
            other => other,
        }
    }

    pub fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidRequest(_) => ErrorCode::InvalidRequest,
            Self::OrganisationNotFound => ErrorCode::OrganisationNotFound,
            Self::UnsupportedMode { .. } => ErrorCode::UnsupportedMode,
            Self::EnrollmentFailed(_) => ErrorCode::EnrollmentFailed,
            Self::InvalidItems(_) => ErrorCode::InvalidItems,
            Self::Unauthenticated => ErrorCode::Unauthenticated,
            Self::Forbidden(_) | Self::Refused(_) => ErrorCode::Forbidden,
            Self::GuestOnly => ErrorCode::GuestOnly,
            Self::RateLimited { .. } => ErrorCode::RateLimited,
            Self::NotFound(_) => ErrorCode::NotFound,
            Self::MethodNotAllowed => ErrorCode::MethodNotAllowed,
            Self::NotAcceptable(_) => ErrorCode::NotAcceptable,
            Self::BodyTooLarge(_) => ErrorCode::BodyTooLarge,
            Self::RequestTimeout => ErrorCode::RequestTimeout,
            Self::MediaType(_) | Self::EncodedBody => ErrorCode::UnsupportedMediaType,
            Self::InProgress => ErrorCode::InProgress,
            Self::IdempotencyMismatch => ErrorCode::IdempotencyMismatch,
            Self::Contradiction(_) => ErrorCode::Contradiction,
            Self::EmptyCart => ErrorCode::EmptyCart,
            Self::GatewayError { .. } => ErrorCode::GatewayError,
            Self::NotConfigured(_) => ErrorCode::NotConfigured,
            Self::Unavailable | Self::Busy { .. } => ErrorCode::Unavailable,
            Self::Timeout { .. } => ErrorCode::Timeout,
            Self::Internal => ErrorCode::InternalError,
        }
    }

    fn problem(&self) -> Problem {
        let code = self.code();
        let status = code.status();
        Problem {
            r#type: "about:blank",
            title: phrase(status),
            status: status.as_u16(),
            detail: self.to_string(),
            code,
            request_id: request_log::id(),
            errors: match self {
                Self::InvalidRequest(errors)
                | Self::InvalidItems(errors)
                | Self::UnsupportedMode { errors, .. } => errors.iter().take(MOST_FAULTS).cloned().collect(),
                _ => Vec::new(),
            },
            cart_id: match self {
                Self::Timeout { cart_id } | Self::GatewayError { cart_id, .. } => cart_id.map(Into::into),
                _ => None,
            },
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let problem = self.problem();
        let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let media_type = [(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"))];
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        let mut response = (status, media_type, body).into_response();
        let named = match self {
            Self::Unauthenticated => Some((header::WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE))),
            Self::RateLimited { retry_after } | Self::Busy { retry_after } => {
                Some((header::RETRY_AFTER, HeaderValue::from(retry_after)))
            }
            // Names the encoding that the api accepts (RFC 9110, 12.5.3).
            Self::EncodedBody => Some((header::ACCEPT_ENCODING, HeaderValue::from_static("identity"))),
            Self::Unavailable => Some((header::RETRY_AFTER, HeaderValue::from_static("1"))),
            _ => None,
        };
        response.headers_mut().extend(named);
        response
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::OrganisationNotFound => Self::OrganisationNotFound,
            Refusal::CourseNotFound => Self::NotFound("Course"),
            Refusal::UnsupportedMode { detail } => {
                Self::UnsupportedMode { detail: sentence(&detail), errors: Vec::new() }
            }
            Refusal::InvalidItems { errors } => Self::InvalidItems(errors),
            Refusal::InvalidRequest { errors } => Self::InvalidRequest(errors),
            Refusal::EmptyCart => Self::EmptyCart,
            Refusal::CartNotFound => Self::NotFound("Cart"),
            Refusal::Forbidden { detail } => Self::Refused(sentence(&detail)),
            Refusal::GatewayError { detail } => {
                Self::GatewayError { detail: sentence(&detail), cart_id: None }
            }
            Refusal::InProgress => Self::InProgress,
            Refusal::IdempotencyMismatch => Self::IdempotencyMismatch,
            Refusal::Contradiction { detail } => Self::Contradiction(sentence(&detail)),
            Refusal::NotConfigured { detail } => Self::NotConfigured(sentence(&detail)),
            Refusal::Unavailable => Self::Unavailable,
            Refusal::Internal => Self::Internal,
        }
    }
}

pub fn sentence(detail: &str) -> String {
    let mut letters = detail.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        shared::metrics::database_error(&error);
        if let sqlx::Error::ColumnDecode { .. } = error {
            request_log::failed(format_args!("unreadable row of the database: {error}"));
            return Self::Internal;
        }
        // Class 42 means that a statement is wrong; all other errors mean that the database is unavailable.
        let ours =
            error.as_database_error().is_some_and(|e| e.code().is_some_and(|code| code.starts_with("42")));
        if ours {
            request_log::failed(format_args!("the database rejected a query: {error}"));
            return Self::Internal;
        }
        request_log::failed(format_args!("database unavailable: {error}"));
        Self::Unavailable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_has_the_phrase_of_its_status_in_rfc_9110_as_its_title() {
        for (error, title) in [
            (ApiError::invalid("limit", "is no number"), "Bad Request"),
            (ApiError::BodyTooLarge(1), "Content Too Large"),
            (ApiError::IdempotencyMismatch, "Unprocessable Content"),
            (ApiError::RateLimited { retry_after: 1 }, "Too Many Requests"),
            (ApiError::Timeout { cart_id: None }, "Gateway Timeout"),
        ] {
            assert_eq!((error.problem().r#type, error.problem().title), ("about:blank", title));
        }
    }
}
