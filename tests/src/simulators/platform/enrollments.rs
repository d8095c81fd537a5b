//! The enrollment API's wire: it reads calls, judges the caller, and words what `rules` decided.

use std::sync::Arc;

use axum::{
    Json,
    body::Bytes,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    caller::Caller,
    courses,
    rules::{self, Refusal},
};
use crate::simulators::state::{Course, Enrollment, Simulation, User, micros};

/// An answer other than a record; without a body where the value is null.
struct Refused(StatusCode, Value);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        match self {
            Self(status, Value::Null) => status.into_response(),
            Self(status, body) => (status, Json(body)).into_response(),
        }
    }
}

const SELF_SERVICE_MODES: [&str; 2] = ["audit", "honor"];

/// `POST /api/enrollment/v1/enrollment`
pub async fn write(State(simulation): State<Arc<Simulation>>, caller: Caller, body: Bytes) -> Response {
    let body: Value = match serde_json::from_slice(&body) {
        Ok(body) => body,
        Err(error) => {
            let detail = json!({"detail": format!("JSON parse error - {error}")});
            return Refused(StatusCode::BAD_REQUEST, detail).into_response();
        }
    };
    let mut state = simulation.state();
    let username = text(&body, "user").filter(|name| !name.is_empty()).unwrap_or(&caller.0.username);
    let request = match read_request(&body, &caller, username, state.user_named(username)) {
        Ok(request) => request,
        Err(refused) => return refused.into_response(),
    };
    let decision = rules::apply(&mut state, &request);
    let course = state.course(&request.course_id);
    match decision {
        Ok(record) => Json(wire(&record, username, &course)).into_response(),
        Err(refusal) => word(&refusal, username, &request.course_id, &course).into_response(),
    }
}

/// Judges in the platform's order, so that a call with two faults gets the platform's answer.
fn read_request(
    body: &Value,
    caller: &Caller,
    username: &str,
    user: Option<&User>,
) -> Result<rules::Request, Refused> {
    let course =
        body.get("course_details").and_then(|details| text(details, "course_id")).unwrap_or_default();
    if course.is_empty() {
        return Err(invalid("Course ID must be specified to create a new enrollment."));
    }
    let course_id = courses::course_key(course).ok_or_else(|| no_course(course))?;
    if !caller.is_self_or_staff(username) {
        return Err(Refused(StatusCode::NOT_FOUND, Value::Null));
    }
    let staff = caller.0.staff;
    let mode = text(body, "mode").map(String::from);
    if let Some(mode) = mode.as_deref().filter(|mode| !staff && !SELF_SERVICE_MODES.contains(mode)) {
        let message = format!("User does not have permission to create enrollment with mode [{mode}].");
        return Err(Refused(StatusCode::FORBIDDEN, json!({"message": message})));
    }
    let user = user.ok_or_else(|| {
        let message = format!("The user {username} does not exist.");
        Refused(StatusCode::NOT_ACCEPTABLE, json!({"message": message}))
    })?;
    let is_active = flag(body, "is_active", "enrollment activation")?;
    let force = staff && flag(body, "force_enrollment", "force enrollment")? == Some(true);
    Ok(rules::Request { user_id: user.id, course_id, mode, is_active, force, staff })
}

fn text<'a>(body: &'a Value, key: &str) -> Option<&'a str> {
    body.get(key).and_then(Value::as_str)
}

fn flag(body: &Value, key: &str, name: &str) -> Result<Option<bool>, Refused> {
    match body.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(value)) => Ok(Some(*value)),
        Some(other) => {
            let shown = other.as_str().map_or_else(|| other.to_string(), String::from);
            Err(invalid(format!("'{shown}' is an invalid {name} status.")))
        }
    }
}

fn invalid(message: impl Into<String>) -> Refused {
    Refused(StatusCode::BAD_REQUEST, json!({"message": message.into()}))
}

fn no_course(course: &str) -> Refused {
    invalid(format!("No course '{course}' found for enrollment"))
}

/// The platform's words for what the rules refused.
fn word(refusal: &Refusal, username: &str, course_id: &str, course: &Course) -> Refused {
    match refusal {
        Refusal::NoCourse => no_course(course_id),
        Refusal::ModeUnavailable { mode } => {
            let problem = "course mode is expired or otherwise unavailable for course run";
            let details = courses::details(course_id, course);
            let body = json!({"message": format!("The [{mode}] {problem} [{course_id}]."), "course_details": details});
            Refused(StatusCode::BAD_REQUEST, body)
        }
        Refusal::ModeMismatch { active, requested } => {
            let modes = format!("active mode={active}, requested mode={requested}");
            invalid(format!("Enrollment mode mismatch: {modes}. Won't deactivate."))
        }
        Refusal::NotPossible => {
            let place = format!("for user '{username}' in course '{course_id}'");
            invalid(format!("An error occurred while creating the new course enrollment {place}"))
        }
        Refusal::Vetoed => {
            let reason = "Enrollment was prevented by the operator.";
            Refused(StatusCode::FORBIDDEN, json!({"message": reason, "localizedMessage": reason}))
        }
    }
}

/// `GET /api/enrollment/v1/enrollment/{username},{course_key}`, or the course key alone for the caller's own.
pub async fn read(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    Path(who_and_where): Path<String>,
) -> Response {
    let own = (caller.0.username.as_str(), who_and_where.as_str());
    let (username, course) = who_and_where.split_once(',').unwrap_or(own);
    if !caller.is_self_or_staff(username) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let Some(course_id) = courses::course_key(course) else {
        let place = format!("for user '{username}' in course '{course}'");
        return invalid(format!("An error occurred while retrieving enrollments {place}")).into_response();
    };
    let state = simulation.state();
    let record = state.user_named(username).and_then(|user| state.enrollment(user.id, &course_id));
    match record {
        Some(record) => Json(wire(record, username, &state.course(&course_id))).into_response(),
        // The platform says "no record" with 200 and nothing in it.
        None => StatusCode::OK.into_response(),
    }
}

fn wire(record: &Enrollment, username: &str, course: &Course) -> Value {
    json!({
        "created": micros(record.created),
        "mode": record.mode,
        "is_active": record.is_active,
        "course_details": courses::details(&record.course_id, course),
        "user": username,
    })
}
