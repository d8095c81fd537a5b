//! Every error that a caller sees: the only place where a status is chosen, as problem+json (RFC 9457).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use shared::messages::{FieldError, Refusal};
use utoipa::{IntoResponses, ToSchema};
use uuid::Uuid;

/// What a caller without an accepted identity could have sent.
const CHALLENGE: &str =
    r#"Bearer realm="storefront", JWT realm="storefront", clientapisecret realm="storefront""#;

pub type ApiResult<T> = Result<T, ApiError>;

#[derive(Clone, Debug, thiserror::Error)]
pub enum ApiError {
    #[error("The request is not valid.")]
    InvalidRequest(Vec<FieldError>),
    #[error("Organisation not found")]
    OrganisationNotFound,
    #[error("{detail}")]
    UnsupportedMode { detail: String, errors: Vec<FieldError> },
    /// With the platform's reason.
    #[error("The course platform refused the enrollment: {0}")]
    EnrollmentFailed(String),
    #[error("Some items cannot be bought.")]
    InvalidItems(Vec<FieldError>),
    #[error("A valid identity is required.")]
    Unauthenticated,
    #[error("{0}")]
    Forbidden(&'static str),
    #[error("A signed-in user buys as such, not as a guest.")]
    GuestOnly,
    #[error("Too many requests. Try again after {retry_after} seconds.")]
    RateLimited { retry_after: u64 },
    #[error("{0} not found.")]
    NotFound(&'static str),
    #[error("This route does not take that method.")]
    MethodNotAllowed,
    #[error("The body is larger than {0} bytes.")]
    BodyTooLarge(usize),
    #[error("The body must be sent as application/json.")]
    NotJson,
    #[error("The body must be sent as it is, without a Content-Encoding.")]
    EncodedBody,
    #[error("A request with the same Idempotency-Key is being worked on.")]
    InProgress,
    #[error("The Idempotency-Key was used with another body.")]
    IdempotencyMismatch,
    #[error("The cart is empty.")]
    EmptyCart,
    #[error("{0}")]
    NotConfigured(String),
    /// The buyer cannot pay what the provider may have made; the same request finds it. A checkout's carries the cart
    /// that it has made, or would make.
    #[error("{detail}")]
    GatewayError { detail: String, cart_id: Option<Uuid> },
    /// Nothing was started.
    #[error("A server that this needs is away, or too many requests are under way. Try again shortly.")]
    Unavailable,
    /// The command was accepted and may still complete. A checkout's carries the cart that it would make.
    #[error(
        "The answer did not come in time; the request may still complete. Repeat it with the same Idempotency-Key, or \
            read the status route."
    )]
    Timeout { cart_id: Option<Uuid> },
    #[error("Something went wrong on our side.")]
    Internal,
}

/// An RFC 9457 problem. `code` is stable; `detail` is for people.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// Always `about:blank`: the code says what kind it is.
    #[schema(example = "about:blank")]
    pub r#type: &'static str,
    /// The status in words.
    pub title: &'static str,
    pub status: u16,
    pub detail: String,
    /// Stable, snake_case.
    #[schema(example = "invalid_request")]
    pub code: &'static str,
    /// Names the request in our logs; also the header X-Request-Id.
    pub request_id: Option<Uuid>,
    /// What is wrong with the request, one entry each; only with invalid input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Fault>)]
    pub errors: Vec<FieldError>,
    /// The cart of a checkout that the payment provider or the worker has not answered; the status route takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cart_id: Option<Uuid>,
}

/// One thing that is wrong with a request.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes shared::messages::FieldError, which knows no OpenAPI")]
pub struct Fault {
    #[schema(example = "items[0].mode")]
    field: String,
    message: String,
}

/// What any catalog read can answer beside its body.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes answers; `ApiError` makes them")]
pub enum ReadProblems {
    /// The caller's copy is current
    #[response(status = 304)]
    NotModified,
    /// A parameter or path value is not valid
    #[response(status = 400, content_type = "application/problem+json")]
    InvalidRequest(Problem),
    /// No identity, or a wrong one
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthenticated(Problem),
    /// A learner without an allowed origin on a read that is a POST
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(Problem),
    /// Too many requests of this learner; `Retry-After` says when
    #[response(status = 429, content_type = "application/problem+json")]
    RateLimited(Problem),
    /// The database is away, or the course platform cannot say who the learner is
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
}

/// What any route about a learner's organisation can answer beside its body.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes answers; `ApiError` makes them")]
pub enum LearnerProblems {
    /// `organisation_not_found`, or `orgName` is not valid
    #[response(status = 400, content_type = "application/problem+json")]
    OrganisationNotFound(Problem),
    /// No learner, or a credential that is no longer valid
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthenticated(Problem),
    /// No claim on the organisation, or a refused origin
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(Problem),
    /// Too many requests of this learner; `Retry-After` says when
    #[response(status = 429, content_type = "application/problem+json")]
    RateLimited(Problem),
    /// The database is away, or the course platform cannot say who the learner is
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
}

/// What any command can answer beside its result.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes answers; `ApiError` makes them")]
pub enum CommandProblems {
    /// The body is not valid; `code` says how, `errors` names each field
    #[response(status = 400, content_type = "application/problem+json")]
    InvalidRequest(Problem),
    /// No identity, or a wrong one
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthenticated(Problem),
    /// `forbidden`: a refused origin; `guest_only`: a signed-in user
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(Problem),
    /// A request with the same Idempotency-Key is being worked on
    #[response(status = 409, content_type = "application/problem+json")]
    InProgress(Problem),
    /// The body is larger than 64 KiB
    #[response(status = 413, content_type = "application/problem+json")]
    BodyTooLarge(Problem),
    /// The body is not sent as application/json, or with a Content-Encoding
    #[response(status = 415, content_type = "application/problem+json")]
    NotJson(Problem),
    /// The Idempotency-Key was used with another body
    #[response(status = 422, content_type = "application/problem+json")]
    IdempotencyMismatch(Problem),
    /// Too many requests for this buyer; `Retry-After` says when
    #[response(status = 429, content_type = "application/problem+json")]
    RateLimited(Problem),
    /// `not_configured`: the service account or the payment gateway is missing
    #[response(status = 500, content_type = "application/problem+json")]
    NotConfigured(Problem),
    /// `gateway_error`: the payment provider refused, or has not answered; repeat the request, or read the status route
    /// of the `cart_id` that a checkout's problem carries
    #[response(status = 502, content_type = "application/problem+json")]
    GatewayError(Problem),
    /// Nothing was started; try again after `Retry-After`
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
    /// Accepted, but not answered in time; a checkout's carries its `cart_id`
    #[response(status = 504, content_type = "application/problem+json")]
    Timeout(Problem),
}

impl ApiError {
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidRequest(vec![FieldError::new(field, message)])
    }

    /// Names the cart that a checkout has made, or would make, where the caller has to ask how it stands.
    pub fn of_cart(self, cart_id: Option<Uuid>) -> Self {
        match self {
            Self::GatewayError { detail, .. } => Self::GatewayError { detail, cart_id },
            other => other,
        }
    }

    fn status_and_code(&self) -> (StatusCode, &'static str) {
        match self {
            Self::InvalidRequest(_) => (StatusCode::BAD_REQUEST, "invalid_request"),
            Self::OrganisationNotFound => (StatusCode::BAD_REQUEST, "organisation_not_found"),
            Self::UnsupportedMode { .. } => (StatusCode::BAD_REQUEST, "unsupported_mode"),
            Self::EnrollmentFailed(_) => (StatusCode::BAD_REQUEST, "enrollment_failed"),
            Self::InvalidItems(_) => (StatusCode::BAD_REQUEST, "invalid_items"),
            Self::Unauthenticated => (StatusCode::UNAUTHORIZED, "unauthenticated"),
            Self::Forbidden(_) => (StatusCode::FORBIDDEN, "forbidden"),
            Self::GuestOnly => (StatusCode::FORBIDDEN, "guest_only"),
            Self::RateLimited { .. } => (StatusCode::TOO_MANY_REQUESTS, "rate_limited"),
            Self::NotFound(_) => (StatusCode::NOT_FOUND, "not_found"),
            Self::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
            Self::BodyTooLarge(_) => (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"),
            Self::NotJson | Self::EncodedBody => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type")
            }
            Self::InProgress => (StatusCode::CONFLICT, "in_progress"),
            Self::IdempotencyMismatch => (StatusCode::UNPROCESSABLE_ENTITY, "idempotency_mismatch"),
            Self::EmptyCart => (StatusCode::BAD_REQUEST, "empty_cart"),
            Self::GatewayError { .. } => (StatusCode::BAD_GATEWAY, "gateway_error"),
            Self::NotConfigured(_) => (StatusCode::INTERNAL_SERVER_ERROR, "not_configured"),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            Self::Timeout { .. } => (StatusCode::GATEWAY_TIMEOUT, "timeout"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal_error"),
        }
    }

    fn problem(&self) -> Problem {
        let (status, code) = self.status_and_code();
        Problem {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: self.to_string(),
            code,
            // Known to the layer that renders the problem.
            request_id: None,
            errors: match self {
                Self::InvalidRequest(errors)
                | Self::InvalidItems(errors)
                | Self::UnsupportedMode { errors, .. } => errors.clone(),
                _ => Vec::new(),
            },
            cart_id: match self {
                Self::Timeout { cart_id } | Self::GatewayError { cart_id, .. } => *cart_id,
                _ => None,
            },
        }
    }
}

impl IntoResponse for ApiError {
    /// An empty response that carries its problem; `request_log` renders it with the request's id.
    fn into_response(self) -> Response {
        let problem = self.problem();
        let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        match self {
            Self::Unauthenticated => {
                let challenge = HeaderValue::from_static(CHALLENGE);
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
            Self::RateLimited { retry_after } => {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry_after));
            }
            // What can be read instead (RFC 9110, 12.5.3).
            Self::EncodedBody => {
                response.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            }
            Self::Unavailable => {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response.extensions_mut().insert(problem);
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
            Refusal::GatewayError { detail } => {
                Self::GatewayError { detail: sentence(&detail), cart_id: None }
            }
            Refusal::InProgress => Self::InProgress,
            Refusal::IdempotencyMismatch => Self::IdempotencyMismatch,
            Refusal::NotConfigured { detail } => Self::NotConfigured(sentence(&detail)),
            Refusal::Unavailable => Self::Unavailable,
            Refusal::Internal => Self::Internal,
        }
    }
}

fn sentence(detail: &str) -> String {
    let mut letters = detail.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        // The database said no to a statement of ours, or could not be asked.
        let ours =
            error.as_database_error().is_some_and(|e| e.code().is_some_and(|code| code.starts_with("42")));
        if ours {
            tracing::error!(%error, "a query is wrong");
            return Self::Internal;
        }
        tracing::warn!(%error, "the database cannot be read");
        Self::Unavailable
    }
}
