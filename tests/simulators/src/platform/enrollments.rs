//! The HTTP side of the enrollment API: parses calls, authorises the caller, and formats the decision of `rules`.

use std::sync::Arc;

use axum::{
    Json,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{
    caller::Caller,
    courses, refusal,
    rules::{self, Refusal},
    throttled,
};
use crate::state::{self, Enrollment, Simulation, User, micros, now};

/// An answer other than an enrollment; without a body if the value is null.
struct Refused(StatusCode, Value);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        match self {
            Self(StatusCode::INTERNAL_SERVER_ERROR, _) => refusal(StatusCode::INTERNAL_SERVER_ERROR),
            Self(status, Value::Null) => status.into_response(),
            Self(status, body) => (status, Json(body)).into_response(),
        }
    }
}

const SELF_SERVICE_MODES: [&str; 2] = ["audit", "honor"];

/// `POST /api/enrollment/v1/enrollment`
pub async fn write(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(seconds) = throttle(&simulation, &caller) {
        return throttled(seconds);
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_read = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"];
    if !is_read.contains(&kind.split(';').next().unwrap_or_default()) {
        let detail = json!({"detail": format!("Unsupported media type \"{kind}\" in request.")});
        return Refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail).into_response();
    }
    match change(&simulation, &caller, &body) {
        Ok(record) => Json(record).into_response(),
        Err(refused) => refused.into_response(),
    }
}

/// The platform counts reads and writes together, for each user. Returns the seconds until the caller may call again.
fn throttle(simulation: &Simulation, caller: &Caller) -> Option<i64> {
    simulation.state().throttles.enrollment_call(&caller.0, now())
}

fn change(simulation: &Simulation, caller: &Caller, body: &Bytes) -> Result<Value, Refused> {
    let body: Value = serde_json::from_slice(body).map_err(|error| {
        let detail = json!({"detail": format!("JSON parse error - {error}")});
        Refused(StatusCode::BAD_REQUEST, detail)
    })?;
    let mut state = simulation.state();
    let username = text(&body, "user").filter(|name| !name.is_empty()).unwrap_or(&caller.0.username);
    let request = read_request(&body, caller, username, state.user_named(username))?;
    let decision = rules::apply(&mut state, &request);
    decision
        .map(|record| wire(&state, &record))
        .map_err(|refusal| word(&refusal, username, &state, &request.course_id))
}

/// Checks in the platform's order, so that a call with two faults gets the platform's answer.
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
    Ok(rules::Request { user_id: user.id, course_id, mode, is_active, force, staff, profile: user.profile })
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

/// The platform's messages for the refusals of `rules`.
fn word(refusal: &Refusal, username: &str, state: &state::State, course_id: &str) -> Refused {
    match refusal {
        Refusal::NoCourse => no_course(course_id),
        Refusal::ModeUnavailable { mode } => {
            let problem = "course mode is expired or otherwise unavailable for course run";
            let details = courses::details(state, course_id, false);
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
        Refusal::Embargoed => {
            let message = format!("Users from this location cannot access the course '{course_id}'.");
            let url = "/embargo/blocked-message/enrollment/default/";
            Refused(StatusCode::FORBIDDEN, json!({"message": message, "user_message_url": url}))
        }
        Refusal::Fault => Refused(StatusCode::INTERNAL_SERVER_ERROR, Value::Null),
        Refusal::Vetoed => {
            let reason = "Enrollment was prevented by the operator.";
            Refused(StatusCode::FORBIDDEN, json!({"message": reason, "localizedMessage": reason}))
        }
    }
}

/// `GET /api/enrollment/v1/enrollment/{username},{course_key}`, or the course key alone for the caller's own.
pub async fn read(
    State(simulation): State<Arc<Simulation>>,
    Path(who_and_where): Path<String>,
    caller: Result<Caller, Response>,
) -> Response {
    let (named, course) = match who_and_where.split_once(',') {
        Some((username, course)) => (Some(username), course),
        None => (None, who_and_where.as_str()),
    };
    // The platform's route matches only course keys, so this check precedes authentication.
    let Some(course_id) = courses::course_key(course) else { return refusal(StatusCode::NOT_FOUND) };
    let caller = match caller {
        Ok(caller) => caller,
        Err(refused) => return refused,
    };
    if let Some(seconds) = throttle(&simulation, &caller) {
        return throttled(seconds);
    }
    let username = named.unwrap_or(&caller.0.username);
    if !caller.is_self_or_staff(username) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let state = simulation.state();
    let record = state.user_named(username).and_then(|user| state.enrollment(user.id, &course_id));
    match record {
        Some(record) => Json(wire(&state, record)).into_response(),
        // The platform answers "no record" with 200 and an empty body.
        None => StatusCode::OK.into_response(),
    }
}

/// The answer has the account's spelling of the username, however the caller spelled it.
fn wire(state: &state::State, record: &Enrollment) -> Value {
    json!({
        "created": micros(record.created),
        "mode": record.mode,
        "is_active": record.is_active,
        "course_details": courses::details(state, &record.course_id, false),
        "user": state.user(record.user_id).map(|user| user.username.as_str()),
    })
}
