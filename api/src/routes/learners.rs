//! Routes about one learner: who is signed in, and whether the learner is enrolled.

use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};
use crate::extract::{ClientSecret, CourseKeyPath, Learner, LearnerOrBackend};
use crate::openapi::parameters::CourseKeyInPath;
use crate::queries::enrollments;
use crate::response::private;
use crate::state::AppState;
use shared::course_mode::CourseMode;

#[derive(Debug, Serialize, ToSchema)]
pub struct SessionProbe {
    authenticated: bool,
    /// The learner's address. This and the fields after it are left out unless `authenticated` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    username: Option<String>,
    /// The full name; empty if the account has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    name: Option<String>,
}

/// Tell who is signed in
///
/// Reads the forwarded session cookie, or another credential of a learner. With a credential that is not valid, the answer
/// says that no learner is signed in.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/user/",
    tag = "catalog",
    security(("client" = []), ("client_for_learner" = [])),
    operation_id = "get_user",
    extensions(("x-problems" = json!(["unauthenticated", "internal_error", "unavailable"]))),
    responses(
        (status = 200, body = SessionProbe, description = "Whether a learner is signed in, and who it is."),
        (status = 401, description = "`unauthenticated`: no client secret, or a wrong one."),
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
    /// Always false if the request names no learner.
    enrolled: bool,
    /// Null unless enrolled.
    #[schema(value_type = Option<CourseMode>)]
    mode: Option<String>,
    /// When the access in this mode ends by the clock. Left out if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    access_ends_at: Option<DateTime<Utc>>,
}

/// Tell whether the learner is enrolled
///
/// Answered from the service's own records, without asking the course platform: true for what the platform has confirmed or
/// not yet judged, false for what it has refused.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/check-enrollment/{openedx_course_id}/",
    tag = "catalog",
    security(("reader" = []), ("client_for_learner" = [])),
    operation_id = "check_enrollment",
    extensions(("x-problems" = json!(["called", "invalid_request", "not_found"]))),
    params(CourseKeyInPath),
    responses(
        (status = 200, body = EnrollmentCheck, description = "Whether the learner is enrolled, and in which mode."),
        (status = 404, description = "`not_found`: no course has this key."),
    )
)]
pub async fn check_enrollment(
    LearnerOrBackend(learner): LearnerOrBackend,
    State(app): State<AppState>,
    CourseKeyPath(key): CourseKeyPath,
) -> ApiResult<Response> {
    let user_id = learner.map(|Learner(learner)| learner.user_id);
    let checked = enrollments::check(&app.db, &key, user_id).await?.ok_or(ApiError::NotFound("Course"))?;
    let enrollments::Checked { mode, access_ends_at } = checked;
    Ok(private(EnrollmentCheck { enrolled: mode.is_some(), mode, access_ends_at }))
}
