//! Routes with which a trusted partner, which takes payment itself, grants and removes enrollments by email.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::messages::{EnrollmentAnswer, FieldError, GrantEnrollment, RemoveEnrollment};
use shared::words::EnrollmentOutcome;
use texts::Language;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::{ApiError, ApiResult};
use crate::extract::{Body, ClientSecret, Commander, Fields, ReadFields};
use crate::openapi::parameters::{IdempotencyKey, VisitorName};
use crate::queries::enrollments;
use crate::request_log;
use crate::state::{App, AppState};
use crate::words::{GrantState, RemovalState};

#[derive(Debug, Serialize, ToSchema)]
pub struct EnrollRequest {
    /// The learner's address. If it has no account yet, the service recognises a later registration by it.
    #[schema(value_type = String, format = Email, example = "ada@example.com")]
    email: Email,
    /// The service UUID of the course, not a course key.
    #[schema(example = "ad035fc9-afd5-49f2-85d8-8ac83dd05a77")]
    course_id: Uuid,
    /// One of the course's modes that has not expired.
    #[schema(value_type = CourseMode)]
    mode: String,
    /// In which an address without an account is invited: a tag of BCP 47.
    #[schema(value_type = Option<String>, max_length = 35, example = "pt-BR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<Language>,
}

impl ReadFields for EnrollRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (email, course_id, mode) =
            (fields.required("email"), fields.required("course_id"), fields.required("mode"));
        let language = fields.optional_unless_blank("language");
        Some(Self { email: email?, course_id: course_id?, mode: mode?, language: language? })
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct UnenrollRequest {
    /// The learner's address.
    #[schema(value_type = String, format = Email, example = "ada@example.com")]
    email: Email,
    /// The service UUID of the course, not a course key.
    #[schema(example = "ad035fc9-afd5-49f2-85d8-8ac83dd05a77")]
    course_id: Uuid,
}

impl ReadFields for UnenrollRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (email, course_id) = (fields.required("email"), fields.required("course_id"));
        Some(Self { email: email?, course_id: course_id? })
    }
}

/// Result of a grant.
#[derive(Debug, Serialize, ToSchema)]
pub struct GrantReply {
    /// One English sentence.
    #[schema(value_type = String, example = "The user was enrolled in the course.")]
    message: &'static str,
    #[schema(value_type = String, pattern = "^success$", example = "success")]
    status: &'static str,
    enrollment_state: GrantState,
}

/// Result of a removal.
#[derive(Debug, Serialize, ToSchema)]
pub struct RemovalReply {
    /// One English sentence.
    #[schema(value_type = String, example = "The enrollment was removed.")]
    message: &'static str,
    #[schema(value_type = String, pattern = "^success$", example = "success")]
    status: &'static str,
    enrollment_state: RemovalState,
}

impl TryFrom<EnrollmentAnswer> for GrantReply {
    type Error = ApiError;

    fn try_from(answer: EnrollmentAnswer) -> ApiResult<Self> {
        let (enrollment_state, message) = match answer.enrollment_state {
            EnrollmentOutcome::Enrolled => (GrantState::Enrolled, "The user was enrolled in the course."),
            EnrollmentOutcome::PendingRegistration if answer.is_unresolved => (
                GrantState::PendingRegistration,
                "The course platform has not answered yet; the user is enrolled once the address has an active account.",
            ),
            EnrollmentOutcome::PendingRegistration => (
                GrantState::PendingRegistration,
                "The address has no active account yet; the user is enrolled when it has.",
            ),
            other => return Err(unexpected(other)),
        };
        Ok(Self { message, status: "success", enrollment_state })
    }
}

impl TryFrom<EnrollmentAnswer> for RemovalReply {
    type Error = ApiError;

    fn try_from(answer: EnrollmentAnswer) -> ApiResult<Self> {
        let (enrollment_state, message) = match answer.enrollment_state {
            EnrollmentOutcome::Removed => (RemovalState::Removed, "The enrollment was removed."),
            EnrollmentOutcome::Cancelled => {
                (RemovalState::Cancelled, "The pending enrollment was cancelled.")
            }
            EnrollmentOutcome::None => (RemovalState::None, "There was no enrollment to remove."),
            other => return Err(unexpected(other)),
        };
        Ok(Self { message, status: "success", enrollment_state })
    }
}

fn unexpected(state: EnrollmentOutcome) -> ApiError {
    request_log::failed(format_args!("the worker answered with the state {state:?}"));
    ApiError::Internal
}

/// Grant access by email
///
/// Idempotent: a repeated grant updates the mode and makes no second record. If the address has no active account, the
/// grant waits for its registration, and the service mails a registration link. If the course platform does not say in two
/// seconds whether it has one, the grant is pending as well, without a mail, and the service retries. For a
/// known learner the answer waits up to two seconds (a setting of the worker) for the course platform. A refused grant stays
/// on record as refused, and a repeated one asks the platform again.
#[utoipa::path(
    post,
    path = "/storeapi/enrollments/client/enroll/",
    tag = "enrollments",
    security(("client" = [])),
    request_body = EnrollRequest,
    params(IdempotencyKey, VisitorName),
    operation_id = "enroll",
    extensions(("x-problems" = json!(["called", "body", "command", "not_found", "unsupported_mode", "enrollment_failed", "not_configured"]))),
    responses(
        (status = 200, body = GrantReply, description = "The grant is recorded."),
        (status = 404, description = "`not_found`: no course has this UUID."),
    )
)]
pub async fn enroll(
    commander: Commander<ClientSecret>,
    State(app): State<AppState>,
    Body(request): Body<EnrollRequest>,
) -> ApiResult<Json<GrantReply>> {
    commander.limited_by(&request.email)?;
    commander.reaches(&request.email)?;
    let idempotency = commander.idempotency(&request)?;
    let course_id = request.course_id;
    let Ok(mode) = request.mode.parse::<CourseMode>() else {
        let detail = format!("{:?} is not an enrollment mode.", request.mode);
        return Err(unsupported_mode(&app, course_id, detail).await?);
    };
    let command =
        GrantEnrollment { email: request.email, course_id, mode, language: request.language, idempotency };
    match commander.send(command, None).await {
        Ok(answer) => match answer.platform_refusal {
            Some(reason) => Err(ApiError::EnrollmentFailed(reason)),
            None => Ok(Json(answer.try_into()?)),
        },
        Err(ApiError::UnsupportedMode { detail, .. }) => {
            Err(unsupported_mode(&app, course_id, detail).await?)
        }
        Err(error) => Err(error),
    }
}

/// The problem `unsupported_mode`, with the modes that the course offers.
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

/// Remove access by email
///
/// Answers 200 whenever the course exists, and is safe to repeat. The course platform may keep the access by its own policy.
#[utoipa::path(
    post,
    path = "/storeapi/enrollments/client/unenroll/",
    tag = "enrollments",
    security(("client" = [])),
    request_body = UnenrollRequest,
    params(IdempotencyKey, VisitorName),
    operation_id = "unenroll",
    extensions(("x-problems" = json!(["called", "body", "command", "not_found", "not_configured"]))),
    responses(
        (status = 200, body = RemovalReply, description = "Nothing grants this access any more."),
        (status = 404, description = "`not_found`: no course has this UUID."),
    )
)]
pub async fn unenroll(
    commander: Commander<ClientSecret>,
    Body(request): Body<UnenrollRequest>,
) -> ApiResult<Json<RemovalReply>> {
    commander.limited_by(&request.email)?;
    let idempotency = commander.idempotency(&request)?;
    let command = RemoveEnrollment { email: request.email, course_id: request.course_id, idempotency };
    Ok(Json(commander.send(command, None).await?.try_into()?))
}
