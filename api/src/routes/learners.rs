//! What concerns one learner: who is signed in, and what they are enrolled in.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult, Problem};
use crate::extract::{ClientSecret, CourseKeyPath, Learner, Reader};
use crate::queries::enrollments;
use crate::state::AppState;

#[derive(Debug, Serialize, ToSchema)]
pub struct SessionProbe {
    authenticated: bool,
    /// This and the rest only if somebody is signed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// Who is signed in
///
/// Reads the forwarded session, or whatever else stands for a learner; one that is no longer valid is nobody's.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/user/",
    tag = "catalog",
    security(("client" = []), ("client_for_learner" = [])),
    responses(
        (status = 200, body = SessionProbe),
        (status = 401, body = Problem, content_type = "application/problem+json", description = "No client secret, or a wrong one"),
        (status = 503, body = Problem, content_type = "application/problem+json", description = "The course platform cannot say whose the session is"),
    )
)]
pub async fn probe(_: ClientSecret, learner: Result<Option<Learner>, ApiError>) -> ApiResult<Response> {
    let learner = match learner {
        Ok(learner) => learner,
        Err(ApiError::Unauthenticated) => None,
        Err(error) => return Err(error),
    };
    let learner = learner.map(|Learner(learner)| learner);
    Ok(private(SessionProbe {
        authenticated: learner.is_some(),
        email: learner.as_ref().map(|learner| learner.email.as_str().to_owned()),
        username: learner.as_ref().map(|learner| learner.username.clone()),
        name: learner.as_ref().map(|learner| learner.name.clone()),
    }))
}

#[derive(Debug, Serialize, ToSchema)]
pub struct EnrollmentCheck {
    /// Always false without a learner.
    enrolled: bool,
    /// Null unless enrolled.
    mode: Option<String>,
}

/// Whether the learner is enrolled
///
/// By the storefront's records, without asking the course platform: true for what the platform has confirmed or not yet
/// judged, false for what it has refused.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/check-enrollment/{openedx_course_id}/",
    tag = "catalog",
    security(("reader" = []), ("client_for_learner" = [])),
    params(("openedx_course_id" = String, Path, description = "The course key, URL-encoded")),
    responses(
        (status = 200, body = EnrollmentCheck),
        (status = 400, body = Problem, content_type = "application/problem+json", description = "Not a course key"),
        (status = 401, body = Problem, content_type = "application/problem+json", description = "No identity, or a wrong one"),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "No such course"),
        (status = 429, body = Problem, content_type = "application/problem+json", description = "Too many requests of this learner"),
        (status = 503, body = Problem, content_type = "application/problem+json", description = "The database is away, or the course platform cannot say who the learner is"),
    )
)]
pub async fn check_enrollment(
    _: Reader,
    learner: Option<Learner>,
    State(app): State<AppState>,
    CourseKeyPath(key): CourseKeyPath,
) -> ApiResult<Response> {
    let user_id = learner.map(|Learner(learner)| learner.user_id);
    let mode = enrollments::mode(&app.db, &key, user_id).await?.ok_or(ApiError::NotFound("Course"))?;
    Ok(private(EnrollmentCheck { enrolled: mode.is_some(), mode }))
}

/// One learner's answer is nobody else's, and no cache's.
pub(super) fn private(body: impl Serialize) -> Response {
    ([(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))], Json(body)).into_response()
}
