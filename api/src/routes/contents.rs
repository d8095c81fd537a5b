//! What is inside courses: outlines, minutes of content, and which courses are new.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use shared::ids::CourseKey;
use shared::messages::FieldError;
use utoipa::ToSchema;

use super::catalog::Read;
use crate::error::{ApiError, ApiResult, Problem, ReadProblems};
use crate::extract::{Body, Conditional, CourseKeyPath, FieldValue, Fields, ReadFields, Reader};
use crate::queries::contents;
use crate::state::AppState;
use crate::views::courses::is_new;
use crate::views::outlines::{self, Outline};

const MAX_EFFORT: usize = 50;
const MAX_IS_NEW: usize = 100;
const EFFORT_KEPT: Duration = Duration::from_secs(3600);

/// A course's outline
///
/// The catalog's structure, not what a learner may see of it.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/course-outline/{openedx_course_id}/",
    tag = "catalog",
    security(("reader" = [])),
    params(("openedx_course_id" = String, Path, description = "The course key, URL-encoded")),
    responses(
        (status = 200, body = Outline),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        ReadProblems,
    )
)]
pub async fn outline(
    _: Reader,
    State(app): State<AppState>,
    CourseKeyPath(key): CourseKeyPath,
    conditional: Conditional,
) -> ApiResult<Response> {
    let query = key.to_string();
    let read = Read { app: &app, route: "outline", query: query.clone(), visitor: None, conditional };
    read.answer(async |generation| {
        let load = async { contents::outline(&app.db, &key).await?.ok_or(ApiError::NotFound("Course")) };
        let row = app.cache.base(generation, "outline", &query, load).await?;
        Ok(outlines::outline(&key, row))
    })
    .await
}

#[derive(ToSchema)]
pub struct CourseIdsRequest {
    /// Course keys. Repeats are dropped; what lies beyond the limit is left out of the answer.
    course_ids: Vec<String>,
}

impl ReadFields for CourseIdsRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        fields.required("course_ids").map(|CourseIds(course_ids)| Self { course_ids })
    }
}

/// Keys as they were sent: one that is no course key is merely unknown.
struct CourseIds(Vec<String>);

impl FieldValue for CourseIds {
    fn read(value: serde_json::Value, path: &str) -> Result<Self, Vec<FieldError>> {
        let serde_json::Value::Array(values) = value else {
            return Err(vec![FieldError::new(path, "must be an array")]);
        };
        let (mut ids, mut errors) = (Vec::with_capacity(values.len()), Vec::new());
        for (index, value) in values.into_iter().enumerate() {
            match value {
                serde_json::Value::String(id) => ids.push(id),
                _ => errors.push(FieldError::new(format!("{path}[{index}]"), "must be a string")),
            }
        }
        if errors.is_empty() { Ok(Self(ids)) } else { Err(errors) }
    }
}

impl CourseIdsRequest {
    /// The first ones, without repeats.
    fn first(self, limit: usize) -> Vec<String> {
        let mut seen = HashSet::new();
        self.course_ids.into_iter().filter(|id| seen.insert(id.clone())).take(limit).collect()
    }
}

/// Those that can be asked for at all.
fn course_keys(ids: &[String]) -> Vec<String> {
    ids.iter().filter(|id| id.parse::<CourseKey>().is_ok()).cloned().collect()
}

/// Minutes of content of many courses
///
/// Of the first 50; 0 for unknown ones. Kept for an hour.
#[utoipa::path(
    post,
    path = "/storeapi/discovery/courses/effort/",
    tag = "catalog",
    security(("reader" = [])),
    request_body = CourseIdsRequest,
    responses(
        (status = 200, body = HashMap<String, i32>, description = "Minutes by course key"),
        (status = 400, body = Problem, content_type = "application/problem+json"),
        (status = 401, body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn effort(
    _: Reader,
    State(app): State<AppState>,
    Body(request): Body<CourseIdsRequest>,
) -> ApiResult<Json<BTreeMap<String, i32>>> {
    let ids = request.first(MAX_EFFORT);
    let generation = app.cache.generation().await?;
    let load = async |keys: &[String]| -> ApiResult<HashMap<String, i32>> {
        Ok(contents::minutes(&app.db, keys).await?.into_iter().collect())
    };
    let known = app.cache.each(generation, "effort", &course_keys(&ids), EFFORT_KEPT, load).await?;
    let answer = ids.into_iter().map(|id| {
        let minutes = known.get(&id).copied().unwrap_or(0);
        (id, minutes)
    });
    Ok(Json(answer.collect()))
}

/// Which of many courses are new
///
/// Of the first 100; false for unknown ones. New are courses of the last 30 days, and those that the operator flags.
#[utoipa::path(
    post,
    path = "/storeapi/discovery/courses/is-new/",
    tag = "catalog",
    security(("reader" = [])),
    request_body = CourseIdsRequest,
    responses(
        (status = 200, body = HashMap<String, bool>, description = "By course key"),
        (status = 400, body = Problem, content_type = "application/problem+json"),
        (status = 401, body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn newness(
    _: Reader,
    State(app): State<AppState>,
    Body(request): Body<CourseIdsRequest>,
) -> ApiResult<Json<BTreeMap<String, bool>>> {
    let ids = request.first(MAX_IS_NEW);
    let now = app.now();
    let rows = contents::newness(&app.db, &course_keys(&ids)).await?;
    let mut answer: BTreeMap<String, bool> = ids.into_iter().map(|id| (id, false)).collect();
    answer.extend(
        rows.into_iter().map(|row| (row.openedx_course_id, is_new(row.flagged_new, row.created_at, now))),
    );
    Ok(Json(answer))
}
