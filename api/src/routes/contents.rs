//! Routes for course contents: outlines, minutes of content, and which courses are new.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use shared::db::Db;
use shared::ids::CourseKey;
use shared::messages::FieldError;
use utoipa::ToSchema;

use crate::cache::Cost;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Body, Conditional, CourseKeyPath, FieldValue, Fields, ReadFields, Reader};
use crate::openapi::parameters::{CourseKeyInPath, IfNoneMatch};
use crate::queries::contents;
use crate::response::catalog::Read;
use crate::state::AppState;
use crate::views::courses::is_new;
use crate::views::outlines::{self, Outline};

const MAX_EFFORT: usize = 50;
const MAX_IS_NEW: usize = 100;
const EFFORT_KEPT: Duration = Duration::from_secs(3600);

/// Show a course's outline
///
/// The structure of the published course in the catalog. It does not say what one learner may open.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/course-outline/{openedx_course_id}/",
    tag = "catalog",
    security(("reader" = [])),
    operation_id = "get_course_outline",
    extensions(("x-problems" = json!(["called", "invalid_request", "not_found"]))),
    params(CourseKeyInPath, IfNoneMatch),
    responses(
        (status = 200, body = Outline, description = "The outline; one without sections if none was imported."),
        (status = 404, description = "`not_found`: no published course has this key."),
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
        let load = async |db: &Db| contents::outline(db, &key).await?.ok_or(ApiError::NotFound("Course"));
        let row = app.cache.base(generation, "outline", &query, Cost::Common, load).await?;
        Ok(outlines::outline(&key, row))
    })
    .await
}

#[derive(ToSchema)]
pub struct CourseIdsRequest {
    /// Course keys, not UUIDs. Repeats are dropped first; keys beyond the operation's limit are ignored.
    #[schema(example = json!(["course-v1:Northwind+DS101+2026"]))]
    course_ids: Vec<String>,
}

impl ReadFields for CourseIdsRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        fields.required("course_ids").map(|CourseIds(course_ids)| Self { course_ids })
    }
}

/// Course keys as the client sent them; an invalid key is treated as unknown.
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
    /// The first `limit` keys, without repeats.
    fn first(self, limit: usize) -> Vec<String> {
        let mut seen = HashSet::new();
        self.course_ids.into_iter().filter(|id| seen.insert(id.clone())).take(limit).collect()
    }
}

/// The valid course keys among the ids.
fn course_keys(ids: &[String]) -> Vec<String> {
    ids.iter().filter(|id| id.parse::<CourseKey>().is_ok()).cloned().collect()
}

/// Tell the minutes of content of many courses
///
/// The service drops repeated keys and then answers for the first 50; the answer has no entry for any further key. A key of
/// no published course, and a text that is no course key at all, has 0 minutes. Figures may be up to an hour old.
#[utoipa::path(
    post,
    path = "/storeapi/discovery/courses/effort/",
    tag = "catalog",
    security(("reader" = [])),
    request_body = CourseIdsRequest,
    operation_id = "get_courses_effort",
    extensions(("x-problems" = json!(["called", "body", "forbidden"]))),
    responses((status = 200, body = HashMap<String, u32>, description = "The minutes of each answered key, at most 50."))
)]
pub async fn effort(
    _: Reader,
    State(app): State<AppState>,
    Body(request): Body<CourseIdsRequest>,
) -> ApiResult<Json<BTreeMap<String, i32>>> {
    let ids = request.first(MAX_EFFORT);
    let generation = app.cache.generation().await?;
    let load = async |db: &Db, keys: &[String]| -> ApiResult<HashMap<String, i32>> {
        Ok(contents::minutes(db, keys).await?.into_iter().collect())
    };
    let known = app.cache.each(generation, "effort", &course_keys(&ids), EFFORT_KEPT, load).await?;
    let answer = ids.into_iter().map(|id| {
        let minutes = known.get(&id).copied().unwrap_or(0);
        (id, minutes)
    });
    Ok(Json(answer.collect()))
}

/// Tell which of many courses are new
///
/// The service drops repeated keys and then answers for the first 100; the answer has no entry for any further key. A key
/// of no published course, and a text that is no course key at all, is `false`. A course is new for 30 days after its
/// creation, and for as long as the operator flags it.
#[utoipa::path(
    post,
    path = "/storeapi/discovery/courses/is-new/",
    tag = "catalog",
    security(("reader" = [])),
    request_body = CourseIdsRequest,
    operation_id = "get_courses_is_new",
    extensions(("x-problems" = json!(["called", "body", "forbidden"]))),
    responses((status = 200, body = HashMap<String, bool>, description = "Whether the course of each answered key is new, at most 100."))
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
