//! JSON of the fields that all paged lists share, and of the items that cannot be shown.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::queries::courses::Broken;
use crate::words::PartialErrorCode;

#[derive(Debug, Serialize, ToSchema)]
pub struct Envelope {
    /// All items that match, on all pages.
    #[schema(minimum = 0)]
    total_count: i64,
    has_more: bool,
    /// The page size that was used.
    #[schema(minimum = 1, maximum = 100)]
    limit: i64,
    #[schema(minimum = 1)]
    page: i64,
    /// Number of items on the pages before.
    #[schema(minimum = 0)]
    offset: i64,
    /// Items that are counted but cannot be shown. Left out when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    partial_errors: Vec<PartialError>,
}

/// An item whose stored data cannot be shown.
#[derive(Debug, Serialize, ToSchema)]
pub struct PartialError {
    id: Uuid,
    /// Left out for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    openedx_course_id: Option<String>,
    code: PartialErrorCode,
    message: String,
}

impl Envelope {
    pub fn new(total: i64, limit: i64, offset: i64, broken: Vec<Broken>) -> Self {
        Self {
            total_count: total,
            has_more: offset.saturating_add(limit) < total,
            limit,
            page: offset / limit + 1,
            offset,
            partial_errors: partial_errors(broken),
        }
    }

    /// For a list whose total may be less than all.
    pub fn followed(self, has_more: bool) -> Self {
        Self { has_more, ..self }
    }
}

pub fn partial_errors(broken: Vec<Broken>) -> Vec<PartialError> {
    broken.into_iter().map(PartialError::from).collect()
}

/// A course that holds stored JSON.
#[derive(Clone, Copy)]
pub struct StoredCourse<'a> {
    pub id: Uuid,
    pub key: &'a str,
}

/// Parses stored JSON for an answer. JSON of another shape is left out, and the answer names it in `partial_errors`.
pub fn readable<T: DeserializeOwned>(
    what: &str,
    stored: Option<Value>,
    course: StoredCourse<'_>,
) -> (Option<T>, Vec<PartialError>) {
    let StoredCourse { id, key } = course;
    match stored.map(serde_json::from_value).transpose() {
        Ok(read) => (read, Vec::new()),
        Err(error) => {
            let reason = format!("{what}: {error}");
            tracing::error!(course = %id, reason, "invalid stored part of a course; not shown");
            (None, partial_errors(vec![Broken { id, openedx_course_id: Some(key.to_owned()), reason }]))
        }
    }
}

impl From<Broken> for PartialError {
    fn from(broken: Broken) -> Self {
        Self {
            id: broken.id,
            openedx_course_id: broken.openedx_course_id,
            code: PartialErrorCode::UnreadableItem,
            message: format!("The stored item cannot be shown: {}.", broken.reason),
        }
    }
}
