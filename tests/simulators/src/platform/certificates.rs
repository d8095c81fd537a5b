//! `GET /api/certificates/v0/certificates/{username}/courses/{course_key}/`

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

use super::{caller::Caller, courses::course_key, refusal};
use crate::state::{Simulation, micros};

const PASSING: [&str; 2] = ["generating", "downloadable"];

/// The platform's route ends in a slash: its framework redirects a path without one before it checks the caller.
pub async fn redirect(Path((username, course)): Path<(String, String)>) -> Response {
    if course_key(&course).is_none() {
        return refusal(StatusCode::NOT_FOUND);
    }
    let location = format!("/platform/api/certificates/v0/certificates/{username}/courses/{course}/");
    match HeaderValue::from_str(&location) {
        Ok(location) => {
            let html = HeaderValue::from_static("text/html; charset=utf-8");
            let headers = [(header::LOCATION, location), (header::CONTENT_TYPE, html)];
            (StatusCode::MOVED_PERMANENTLY, headers).into_response()
        }
        Err(_) => refusal(StatusCode::NOT_FOUND),
    }
}

pub async fn show(
    State(simulation): State<Arc<Simulation>>,
    caller: Result<Caller, Response>,
    Path((username, course)): Path<(String, String)>,
) -> Response {
    // The platform's route matches only course keys, so this check precedes authentication.
    let Some(course_id) = course_key(&course) else { return refusal(StatusCode::NOT_FOUND) };
    let caller = match caller {
        Ok(caller) => caller,
        Err(refused) => return refused,
    };
    if !caller.is_self_or_staff(&username) {
        return super::forbidden();
    }
    let state = simulation.state();
    let user = state.user_named(&username);
    let Some(certificate) = user.and_then(|user| state.certificate(user.id, &course_id)) else {
        return not_found("no_certificate_for_user");
    };
    if !certificate.web_view {
        return not_found("no_certificate_configuration_for_course");
    }
    let is_passing = PASSING.contains(&certificate.status.as_str());
    let body = json!({
        "username": username,
        "course_id": course_id,
        "certificate_type": certificate.mode,
        "created_date": micros(certificate.created),
        "status": certificate.status,
        "is_passing": is_passing,
        "download_url": format!("/certificates/{:032x}", certificate.user_id),
        "grade": if is_passing { "0.91" } else { "0.32" },
    });
    Json(body).into_response()
}

fn not_found(code: &str) -> Response {
    (StatusCode::NOT_FOUND, Json(json!({"error_code": code}))).into_response()
}
