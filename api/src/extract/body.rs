//! Reads request bodies: checks type, encoding and size, then parses field by field. Also refuses bodies on routes that
//! take none.

use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::header;
use serde_json::Value;

use super::fields::{Fields, ReadFields};
use crate::error::ApiError;
use crate::state::AppState;

/// Maximum size of a body in bytes.
pub const MAX_BODY: usize = 64 * 1024;

/// A body that was read in full and is valid.
pub struct Body<T>(pub T);

impl<T: ReadFields> FromRequest<AppState> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &AppState) -> Result<Self, ApiError> {
        let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        if !content_type.is_some_and(is_json) {
            return Err(ApiError::NotJson);
        }
        let bytes = read(request, MAX_BODY).await?;
        let value: Value = serde_json::from_slice(&bytes)
            .map_err(|error| ApiError::invalid("body", format!("is not valid JSON: {error}")))?;
        if !value.is_object() {
            return Err(ApiError::invalid("body", "must be a JSON object"));
        }
        Fields::read_object(value, "").map(Body).map_err(ApiError::InvalidRequest)
    }
}

/// The empty body of a route that takes none.
pub struct EmptyBody;

impl FromRequest<AppState> for EmptyBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &AppState) -> Result<Self, ApiError> {
        match read(request, 0).await {
            Ok(_) => Ok(Self),
            Err(ApiError::BodyTooLarge(_)) => {
                Err(ApiError::invalid("body", "must be empty: this route takes no body"))
            }
            Err(error) => Err(error),
        }
    }
}

fn is_json(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}

/// Reads the raw bytes of a body of at most `most` bytes.
///
/// # Errors
/// `BodyTooLarge`, `EncodedBody`, or `InvalidRequest` if the caller stopped sending.
pub async fn read(request: Request, most: usize) -> Result<Bytes, ApiError> {
    let encodings = request.headers().get_all(header::CONTENT_ENCODING).iter();
    if encodings.into_iter().any(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(ApiError::EncodedBody);
    }
    // Check the announced length before reading any of the body.
    let announced = request.body().size_hint().lower();
    if usize::try_from(announced).map_or(true, |length| length > most) {
        return Err(ApiError::BodyTooLarge(most));
    }
    axum::body::to_bytes(request.into_body(), most).await.map_err(|error| {
        let too_large = std::error::Error::source(&error)
            .is_some_and(|source| source.is::<http_body_util::LengthLimitError>());
        if too_large {
            ApiError::BodyTooLarge(most)
        } else {
            ApiError::invalid("body", "could not be read to its end")
        }
    })
}
