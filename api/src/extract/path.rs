//! Values in the path, decoded once.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use shared::ids::{CourseKey, DocumentId, RefundId, VoucherId};
use uuid::Uuid;

use super::fields::hyphenated;
use crate::error::ApiError;
use crate::state::AppState;

/// A course key.
pub struct CourseKeyPath(pub CourseKey);

/// A text that the handler checks itself.
pub struct TextPath(pub String);

impl FromRequestParts<AppState> for TextPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let Path(text) = Path::<String>::from_request_parts(parts, state).await.map_err(|_| broken())?;
        without_nul(&text)?;
        Ok(Self(text))
    }
}

/// Texts in the path of a page, which the handler checks itself.
pub struct PagePath<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<AppState> for PagePath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let path = Path::from_request_parts(parts, state).await;
        path.map(|Path(texts)| Self(texts)).map_err(|_| ApiError::NotFound("Page"))
    }
}

pub(super) fn broken() -> ApiError {
    ApiError::invalid("path", "holds broken percent-encoding or UTF-8")
}

/// Answers 404 to a NUL character: the database cannot store one, so no name contains it.
pub(super) fn without_nul(text: &str) -> Result<(), ApiError> {
    if text.contains('\0') { Err(ApiError::NotFound("Route")) } else { Ok(()) }
}

impl FromRequestParts<AppState> for CourseKeyPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let TextPath(text) = TextPath::from_request_parts(parts, state).await?;
        text.parse().map(Self).map_err(|error| ApiError::invalid("openedx_course_id", format!("{error}")))
    }
}

/// The gateway that sends a notification, and the organisation that it is for.
pub struct NotificationPath {
    pub gateway: String,
    pub organisation: String,
}

impl FromRequestParts<AppState> for NotificationPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let Path((gateway, organisation)): Path<(String, String)> =
            Path::from_request_parts(parts, state).await.map_err(|_| broken())?;
        without_nul(&gateway)?;
        without_nul(&organisation)?;
        Ok(Self { gateway, organisation })
    }
}

/// An id in its hyphenated form.
async fn id(parts: &mut Parts, state: &AppState, name: &str) -> Result<Uuid, ApiError> {
    let TextPath(text) = TextPath::from_request_parts(parts, state).await?;
    hyphenated(&text).ok_or_else(|| ApiError::invalid(name, "is not a UUID"))
}

/// A refund's id, beside that of its order.
pub struct RefundPath(pub RefundId);

impl FromRequestParts<AppState> for RefundPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let Path((_, refund)): Path<(String, String)> =
            Path::from_request_parts(parts, state).await.map_err(|_| broken())?;
        hyphenated(&refund)
            .map(|id| Self(RefundId(id)))
            .ok_or_else(|| ApiError::invalid("refund_id", "is not a UUID"))
    }
}

/// A program's id.
pub struct ProgramPath(pub Uuid);

impl FromRequestParts<AppState> for ProgramPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        id(parts, state, "program_id").await.map(Self)
    }
}

/// A voucher's id.
pub struct VoucherPath(pub VoucherId);

impl FromRequestParts<AppState> for VoucherPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        id(parts, state, "voucher_id").await.map(VoucherId).map(Self)
    }
}

/// The id of a batch of enrollments.
pub struct BatchPath(pub Uuid);

impl FromRequestParts<AppState> for BatchPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        id(parts, state, "batch_id").await.map(Self)
    }
}

/// A withdrawal's id.
pub struct WithdrawalPath(pub Uuid);

impl FromRequestParts<AppState> for WithdrawalPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        id(parts, state, "withdrawal_id").await.map(Self)
    }
}

/// The id of an invoice or a credit note.
pub struct DocumentPath(pub DocumentId);

impl FromRequestParts<AppState> for DocumentPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        id(parts, state, "document_id").await.map(DocumentId).map(Self)
    }
}
