//! Access by email, for a trusted partner that is paid elsewhere.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::messages::{EnrollmentAnswer, EnrollmentState, FieldError, GrantEnrollment, RemoveEnrollment};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult, CommandProblems, Problem};
use crate::extract::{Asking, Body, ClientSecret, Fields, ReadFields};
use crate::queries::enrollments;
use crate::state::{App, AppState};

#[derive(Debug, Serialize, ToSchema)]
pub struct EnrollRequest {
    /// Also what a later registration is recognised by.
    #[schema(value_type = String, example = "ada@example.com")]
    email: Email,
    /// The service UUID, not a course key.
    course_id: Uuid,
    /// One of the course's modes.
    #[schema(example = "verified")]
    mode: String,
}

impl ReadFields for EnrollRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (email, course_id, mode) =
            (fields.required("email"), fields.required("course_id"), fields.required("mode"));
        Some(Self { email: email?, course_id: course_id?, mode: mode? })
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct UnenrollRequest {
    #[schema(value_type = String, example = "ada@example.com")]
    email: Email,
    /// The service UUID, not a course key.
    course_id: Uuid,
}

impl ReadFields for UnenrollRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (email, course_id) = (fields.required("email"), fields.required("course_id"));
        Some(Self { email: email?, course_id: course_id? })
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct EnrollmentReply {
    /// One English sentence.
    #[schema(value_type = String, example = "The user was enrolled in the course.")]
    message: &'static str,
    #[schema(value_type = String, example = "success")]
    status: &'static str,
    /// `enrolled` or `pending_registration` after a grant; `removed`, `cancelled` or `none` after a removal.
    #[schema(value_type = String, example = "enrolled")]
    enrollment_state: EnrollmentState,
}

impl From<EnrollmentAnswer> for EnrollmentReply {
    fn from(answer: EnrollmentAnswer) -> Self {
        let message = match answer.enrollment_state {
            EnrollmentState::Enrolled => "The user was enrolled in the course.",
            EnrollmentState::PendingRegistration => {
                "The address has no active account yet; the user is enrolled when it has."
            }
            EnrollmentState::Removed => "The enrollment was removed.",
            EnrollmentState::Cancelled => "The pending enrollment was cancelled.",
            EnrollmentState::None => "There was no enrollment to remove.",
        };
        Self { message, status: "success", enrollment_state: answer.enrollment_state }
    }
}

/// Grant access
///
/// Idempotent: granting again updates the mode and makes no second record. For a known learner the answer waits up to two
/// seconds (a setting of the worker) for the course platform; a refusal in that time is answered `enrollment_failed` with the
/// platform's reason. The grant stays on record as refused, and granting again asks the platform again.
#[utoipa::path(
    post,
    path = "/storeapi/enrollments/client/enroll/",
    tag = "enrollments",
    security(("client" = [])),
    request_body = EnrollRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key and body give the same answer for 24 hours")),
    responses(
        (status = 200, body = EnrollmentReply),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        CommandProblems,
    )
)]
pub async fn enroll(
    _: ClientSecret,
    State(app): State<AppState>,
    asking: Asking,
    Body(request): Body<EnrollRequest>,
) -> ApiResult<Json<EnrollmentReply>> {
    asking.limited_by(&request.email)?;
    asking.reaches(&request.email)?;
    let idempotency = asking.idempotency(&request)?;
    let course_id = request.course_id;
    let Ok(mode) = request.mode.parse::<CourseMode>() else {
        let detail = format!("{:?} is not an enrollment mode.", request.mode);
        return Err(unsupported_mode(&app, course_id, detail).await?);
    };
    let command = GrantEnrollment { email: request.email, course_id, mode, idempotency };
    match asking.ask(command, None).await {
        Ok(answer) => match answer.platform_refusal {
            Some(reason) => Err(ApiError::EnrollmentFailed(reason)),
            None => Ok(Json(answer.into())),
        },
        Err(ApiError::UnsupportedMode { detail, .. }) => {
            Err(unsupported_mode(&app, course_id, detail).await?)
        }
        Err(error) => Err(error),
    }
}

/// The problem with the modes that the course has instead.
async fn unsupported_mode(app: &App, course_id: Uuid, detail: String) -> ApiResult<ApiError> {
    let Some(modes) = enrollments::modes(&app.db, course_id, app.now()).await? else {
        return Ok(ApiError::NotFound("Course"));
    };
    let message = match modes.is_empty() {
        true => "the course has no modes".to_owned(),
        false => format!("must be one of {}", modes.join(", ")),
    };
    Ok(ApiError::UnsupportedMode { detail, errors: vec![FieldError::new("mode", message)] })
}

/// Remove access
///
/// 200 whenever the course exists; repeating it is safe. The course platform may keep access by its own policy.
#[utoipa::path(
    post,
    path = "/storeapi/enrollments/client/unenroll/",
    tag = "enrollments",
    security(("client" = [])),
    request_body = UnenrollRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key and body give the same answer for 24 hours")),
    responses(
        (status = 200, body = EnrollmentReply),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        CommandProblems,
    )
)]
pub async fn unenroll(
    _: ClientSecret,
    asking: Asking,
    Body(request): Body<UnenrollRequest>,
) -> ApiResult<Json<EnrollmentReply>> {
    asking.limited_by(&request.email)?;
    let idempotency = asking.idempotency(&request)?;
    let command = RemoveEnrollment { email: request.email, course_id: request.course_id, idempotency };
    Ok(Json(asking.ask(command, None).await?.into()))
}
