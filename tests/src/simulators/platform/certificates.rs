//! `GET /api/certificates/v0/certificates/{username}/courses/{course_key}`

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

use super::{caller::Caller, courses::course_key};
use crate::simulators::state::{Simulation, seconds};

const PASSING: [&str; 2] = ["generating", "downloadable"];

pub async fn show(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    Path((username, course)): Path<(String, String)>,
) -> Response {
    if !caller.is_self_or_staff(&username) {
        let body = json!({"detail": "You do not have permission to perform this action."});
        return (StatusCode::FORBIDDEN, Json(body)).into_response();
    }
    let Some(course_id) = course_key(&course) else { return not_found("course_id_not_valid") };
    let state = simulation.state();
    let Some(user) = state.user_named(&username) else { return not_found("no_certificate_for_user") };
    let Some(certificate) = state.certificate(user.id, &course_id) else {
        return not_found("no_certificate_for_user");
    };
    let kind = state.enrollment(user.id, &course_id).map_or("honor", |enrollment| enrollment.mode.as_str());
    let is_passing = PASSING.contains(&certificate.status.as_str());
    let body = json!({
        "username": username,
        "course_id": course_id,
        "certificate_type": kind,
        "created_date": seconds(certificate.created),
        "status": certificate.status,
        "is_passing": is_passing,
        "download_url": "",
        "grade": if is_passing { "0.98" } else { "0.32" },
    });
    Json(body).into_response()
}

fn not_found(code: &str) -> Response {
    (StatusCode::NOT_FOUND, Json(json!({"error_code": code}))).into_response()
}
