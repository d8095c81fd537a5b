//! Reads request bodies: checks type, encoding and size, then parses field by field. Also refuses bodies on routes that
//! take none.
//!
//! Why: `docs/decisions/unexpected-bodies.md`

use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::header;
use bytes::BytesMut;
use http_body_util::BodyExt;
use serde_json::Value;
use url::form_urlencoded;

use super::fields::{Fields, ReadFields};
use crate::error::ApiError;
use crate::listener::{BodyKind, Connection, NoMemory};
use crate::state::AppState;

/// Maximum size of a body in bytes.
pub const MAX_BODY: usize = 64 * 1024;

/// A body that was read in full and is valid.
pub struct Body<T>(pub T);

impl<T: ReadFields> FromRequest<AppState> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &AppState) -> Result<Self, ApiError> {
        let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        if !content_type.is_some_and(|told| is_type(told, "application/json")) {
            return Err(ApiError::MediaType("application/json"));
        }
        let bytes = read(request, T::MOST, BodyKind::Other).await?;
        let value: Value = serde_json::from_slice(&bytes)
            .map_err(|error| ApiError::invalid("body", format!("is not valid JSON: {error}")))?;
        if !value.is_object() {
            return Err(ApiError::invalid("body", "must be a JSON object"));
        }
        Fields::read_object(value, "").map(Body).map_err(ApiError::InvalidRequest)
    }
}

/// The content type of forms.
pub const FORM: &str = "application/x-www-form-urlencoded";

/// A form of a page of the api's own that was read in full and is valid.
pub struct Form<T>(pub T);

impl<T: ReadFields> FromRequest<AppState> for Form<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &AppState) -> Result<Self, ApiError> {
        let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        if !content_type.is_some_and(|told| is_type(told, FORM)) {
            return Err(ApiError::MediaType(FORM));
        }
        let bytes = read(request, MAX_BODY, BodyKind::Other).await?;
        let pairs = form_urlencoded::parse(&bytes).map(|(name, value)| (name.into_owned(), value.into()));
        Fields::read_object(Value::Object(pairs.collect()), "").map(Form).map_err(ApiError::InvalidRequest)
    }
}

/// The empty body of a route that takes none.
pub struct EmptyBody;

impl FromRequest<AppState> for EmptyBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &AppState) -> Result<Self, ApiError> {
        match read(request, 0, BodyKind::Other).await {
            Ok(_) => Ok(Self),
            Err(ApiError::BodyTooLarge(_)) => {
                Err(ApiError::invalid("body", "must be empty: this route takes no body"))
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns whether a content type is this one, whatever its parameters.
pub fn is_type(content_type: &str, wanted: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(wanted)
}

/// Reads the raw bytes of a body of at most `most` bytes. They count towards the listener's memory for bodies of
/// this kind until the request is answered, each when it arrives: what a client announces takes none.
///
/// # Errors
/// `BodyTooLarge`, `EncodedBody`, `RequestTimeout`, `Unavailable` if there is no memory for bodies left, or
/// `InvalidRequest` if the caller stopped sending.
pub async fn read(request: Request, most: usize, kind: BodyKind) -> Result<Bytes, ApiError> {
    let encodings = request.headers().get_all(header::CONTENT_ENCODING).iter();
    if encodings.into_iter().any(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(ApiError::EncodedBody);
    }
    // Check the announced length before reading any of the body.
    let announced = request.body().size_hint().lower();
    if usize::try_from(announced).map_or(true, |length| length > most) {
        return Err(ApiError::BodyTooLarge(most));
    }
    let connection = request.extensions().get::<Connection>().cloned().ok_or(ApiError::Internal)?;
    let reading = collect(request.into_body(), most, kind, &connection);
    let read = tokio::time::timeout(connection.body_timeout(kind), reading).await;
    read.unwrap_or(Err(ApiError::RequestTimeout))
}

async fn collect(
    mut body: axum::body::Body,
    most: usize,
    kind: BodyKind,
    connection: &Connection,
) -> Result<Bytes, ApiError> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| ApiError::invalid("body", "could not be read to its end"))?;
        // Trailers mean nothing here.
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > most {
            return Err(ApiError::BodyTooLarge(most));
        }
        connection.hold(kind, data.len()).map_err(|no_memory| match no_memory {
            // Not `Unavailable`, which would give the peer its try back.
            NoMemory::OfPeer => ApiError::RateLimited { retry_after: 1 },
            NoMemory::OfAll => ApiError::Unavailable,
        })?;
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.freeze())
}
