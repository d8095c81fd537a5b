//! The control interface under `/_sim/`, except for accounts: enrollments, certificates, courses, mail, faults. It
//! reads and writes the state only, and makes no calls.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Query, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    faults::Fault,
    mail::Attachment,
    platform::course_key,
    state::{Certificate, Course, Mode, Simulation, micros, now},
};

/// The error of a refused control call.
pub(super) struct ControlError(pub StatusCode, pub String);

impl IntoResponse for ControlError {
    fn into_response(self) -> Response {
        (self.0, Json(json!({"error": self.1}))).into_response()
    }
}

pub(super) type ControlResult<T> = Result<T, ControlError>;
type Params = Query<HashMap<String, String>>;

pub(super) fn bad(message: impl Into<String>) -> ControlError {
    ControlError(StatusCode::BAD_REQUEST, message.into())
}

/// Ignores the content type, since developers also call the control interface by hand.
pub(super) fn parse<T: DeserializeOwned>(body: &Bytes) -> ControlResult<T> {
    serde_json::from_slice(body).map_err(|error| bad(error.to_string()))
}

pub(super) fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/_sim/enrollments", get(enrollments))
        .route("/_sim/certificates", post(certify))
        .route("/_sim/courses", post(describe_course))
        .route("/_sim/emails", get(emails))
        .route("/_sim/faults", get(faults).post(add_fault).delete(clear_faults))
        .route("/_sim/jwks", get(jwks).put(publish))
        .route("/_sim/reset", post(reset))
}

async fn enrollments(
    State(simulation): State<Arc<Simulation>>,
    Query(params): Params,
) -> ControlResult<Json<Value>> {
    let email = params.get("email").ok_or_else(|| bad("email is missing"))?;
    let state = simulation.state();
    let Some(user) = state.user_with_email(email) else { return Ok(Json(json!([]))) };
    let own = state.enrollments.iter().filter(|one| one.user_id == user.id);
    let rows = own.map(|one| {
        json!({"course_id": one.course_id, "mode": one.mode, "is_active": one.is_active, "calls": one.calls})
    });
    Ok(Json(rows.collect()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewCertificate {
    email: String,
    course_id: String,
    status: String,
    /// If missing, the enrollment's mode.
    mode: Option<String>,
    web_view: Option<bool>,
}

async fn certify(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<Json<Value>> {
    let new: NewCertificate = parse(&body)?;
    let course_id = checked_key(&new.course_id)?;
    if new.status.is_empty() {
        return Err(bad("status is empty"));
    }
    let mut state = simulation.state();
    let user = state.user_with_email(&new.email).ok_or_else(|| bad("no account has this email"))?;
    let (user_id, username) = (user.id, user.username.clone());
    state.certificates.retain(|one| (one.user_id, &one.course_id) != (user_id, &course_id));
    let answer = json!({"username": username, "course_id": course_id, "status": new.status});
    let web_view = new.web_view.unwrap_or(true);
    let enrolled = state.enrollment(user_id, &course_id).map(|enrollment| enrollment.mode.clone());
    let mode = new.mode.or(enrolled).unwrap_or_else(|| "honor".into());
    state.certificates.push(Certificate {
        user_id,
        course_id,
        status: new.status,
        mode,
        web_view,
        created: now(),
    });
    Ok(Json(answer))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CourseDescription {
    course_id: String,
    modes: Option<Vec<ModeDescription>>,
    #[serde(default, alias = "invite_only")]
    invitation_only: bool,
    #[serde(default)]
    closed: bool,
    #[serde(default)]
    full: bool,
    seats: Option<usize>,
    #[serde(default)]
    veto: bool,
    #[serde(default)]
    embargo: bool,
    #[serde(default)]
    missing: bool,
}

/// A mode given as a bare slug never expires.
#[derive(Deserialize)]
#[serde(untagged)]
enum ModeDescription {
    Slug(String),
    Full(ModeFields),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModeFields {
    slug: String,
    expires_at: Option<DateTime<Utc>>,
}

impl From<ModeDescription> for Mode {
    fn from(description: ModeDescription) -> Self {
        match description {
            ModeDescription::Slug(slug) => Self { slug, expires_at: None },
            ModeDescription::Full(ModeFields { slug, expires_at }) => Self { slug, expires_at },
        }
    }
}

/// Replaces any earlier description of the course.
async fn describe_course(
    State(simulation): State<Arc<Simulation>>,
    body: Bytes,
) -> ControlResult<Json<Value>> {
    let new: CourseDescription = parse(&body)?;
    let course_id = checked_key(&new.course_id)?;
    let course = Course {
        modes: new.modes.map(|modes| modes.into_iter().map(Mode::from).collect()),
        invitation_only: new.invitation_only,
        closed: new.closed,
        full: new.full,
        seats: new.seats,
        veto: new.veto,
        embargo: new.embargo,
        missing: new.missing,
    };
    let modes: Option<Vec<Value>> = course.modes.as_ref().map(|modes| {
        modes
            .iter()
            .map(|mode| json!({"slug": mode.slug, "expires_at": mode.expires_at.map(micros)}))
            .collect()
    });
    let answer = json!({"course_id": course_id, "modes": modes, "invitation_only": course.invitation_only,
        "closed": course.closed, "full": course.full, "seats": course.seats, "veto": course.veto, "embargo": course.embargo,
        "missing": course.missing});
    simulation.state().courses.insert(course_id, course);
    Ok(Json(answer))
}

fn checked_key(course_id: &str) -> ControlResult<String> {
    course_key(course_id).ok_or_else(|| bad(format!("'{course_id}' is not a course key")))
}

async fn emails(State(simulation): State<Arc<Simulation>>, Query(params): Params) -> Json<Value> {
    let to = params.get("to").map(|to| to.trim().to_lowercase());
    let state = simulation.state();
    let wanted =
        state.emails.iter().filter(|email| to.as_ref().is_none_or(|to| email.to.to_lowercase() == *to));
    let rows = wanted.map(|email| {
        let attachment = |one: &Attachment| {
            json!({"name": one.name, "content_type": one.content_type, "base64": STANDARD.encode(&one.body)})
        };
        json!({"to": email.to, "subject": email.subject, "text": email.text, "html": email.html,
            "attachments": email.attachments.iter().map(attachment).collect::<Vec<_>>(),
            "received_at": micros(email.received_at), "message_id": email.message_id,
            "return_path": email.return_path, "reply_to": email.reply_to, "auto_submitted": email.auto_submitted,
            "connection": email.connection})
    });
    Json(rows.collect())
}

async fn add_fault(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<Json<Fault>> {
    let fault: Fault = parse(&body)?;
    fault.check().map_err(bad)?;
    simulation.state().faults.add(fault.clone());
    Ok(Json(fault))
}

/// The faults that are left, each with how often it will still happen.
async fn faults(State(simulation): State<Arc<Simulation>>) -> Json<Value> {
    Json(json!(simulation.state().faults.left()))
}

async fn clear_faults(State(simulation): State<Arc<Simulation>>) -> StatusCode {
    simulation.state().faults.clear();
    StatusCode::NO_CONTENT
}

/// A key set of the platform's operator, at a URL of the operator's choice: the platform itself publishes none.
async fn jwks(State(simulation): State<Arc<Simulation>>) -> Result<String, StatusCode> {
    simulation.state().jwks.clone().ok_or(StatusCode::NOT_FOUND)
}

async fn publish(State(simulation): State<Arc<Simulation>>, body: String) -> StatusCode {
    simulation.state().jwks = Some(body);
    StatusCode::NO_CONTENT
}

async fn reset(State(simulation): State<Arc<Simulation>>) -> StatusCode {
    simulation.reset();
    StatusCode::NO_CONTENT
}
