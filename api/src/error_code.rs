//! The codes of problems: stable names for clients, each with one status and one meaning.

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Names a kind of problem. A code never changes its meaning or its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    InvalidRequest,
    OrganisationNotFound,
    UnsupportedMode,
    EnrollmentFailed,
    InvalidItems,
    EmptyCart,
    Unauthenticated,
    Forbidden,
    GuestOnly,
    NotFound,
    MethodNotAllowed,
    NotAcceptable,
    RequestTimeout,
    InProgress,
    Contradiction,
    BodyTooLarge,
    UnsupportedMediaType,
    IdempotencyMismatch,
    RateLimited,
    NotConfigured,
    InternalError,
    GatewayError,
    Unavailable,
    Timeout,
}

impl ErrorCode {
    pub fn status(self) -> StatusCode {
        match self {
            Self::InvalidRequest
            | Self::OrganisationNotFound
            | Self::UnsupportedMode
            | Self::EnrollmentFailed
            | Self::InvalidItems
            | Self::EmptyCart => StatusCode::BAD_REQUEST,
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::Forbidden | Self::GuestOnly => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::InProgress | Self::Contradiction => StatusCode::CONFLICT,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::IdempotencyMismatch => StatusCode::UNPROCESSABLE_ENTITY,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::NotConfigured | Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::GatewayError => StatusCode::BAD_GATEWAY,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Timeout => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// Says when a caller gets this code, in the words of the OpenAPI document.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::InvalidRequest => {
                "a path value, parameter, header or the body is not valid; `errors` names each fault"
            }
            Self::OrganisationNotFound => "`orgName` or `organisation_id` names no organisation",
            Self::UnsupportedMode => {
                "the course does not offer this mode, or the mode has expired; `errors` names the course's modes"
            }
            Self::EnrollmentFailed => {
                "the course platform has refused the enrollment, with the reason in `detail`"
            }
            Self::InvalidItems => {
                "some items cannot be bought; `errors` names each item's index and the reason"
            }
            Self::EmptyCart => "the learner's cart is empty",
            Self::Unauthenticated => "the request carries no accepted identity, or an invalid one",
            Self::Forbidden => {
                "the learner has no access to the organisation, the key lacks the route's scope, the token is that of an \
                 application that may not act for the learner, or a request that relies on a cookie comes from an origin \
                 that is not allowed"
            }
            Self::GuestOnly => "the request carries a signed-in user",
            Self::NotFound => "what the path or the body names does not exist, or the caller may not see it",
            Self::MethodNotAllowed => "the route does not take this method",
            Self::NotAcceptable => "the document has no form in EN 16931; `detail` says why",
            Self::RequestTimeout => "the body did not arrive in time; nothing was started",
            Self::InProgress => "a request with the same `Idempotency-Key` is still being worked on",
            Self::Contradiction => {
                "the report contradicts what was reported before, with what is on record in `detail`; nothing was changed"
            }
            Self::BodyTooLarge => "the body is larger than the route takes",
            Self::UnsupportedMediaType => {
                "the body is sent as a type that the route does not take, or has a `Content-Encoding`"
            }
            Self::IdempotencyMismatch => "the `Idempotency-Key` was used with another body",
            Self::RateLimited => {
                "this learner, address, visitor, cart or key makes too many requests, too many wrong credentials come from \
                 the caller's network address, or too many of the visitor's voucher codes were refused; `Retry-After` \
                 says when to try again"
            }
            Self::NotConfigured => {
                "the course platform's service account or the organisation's gateway credentials are missing"
            }
            Self::InternalError => "the service has a fault; its log names it under the `request_id`",
            Self::GatewayError => {
                "the payment provider refused, or did not answer after retries; repeat the request, or read the \
                 status route of the `cart_id`"
            }
            Self::Unavailable => {
                "a required service is unavailable, or too many requests are under way; nothing was started, \
                 so try again after `Retry-After`"
            }
            Self::Timeout => {
                "the request was accepted but not answered in time, and may still complete; repeat it with the same \
                 `Idempotency-Key`, or read the status route of the `cart_id`"
            }
        }
    }
}
