//! Course keys, course modes, and the enrollment API's description of a course.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json,
    extract::{self, Path, Query},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{described, refusal, throttled};
use crate::state::{Course, Mode, Simulation, State, now, seconds};

/// Every mode that the platform has; a course that no test described offers all of them.
pub const MODES: [&str; 12] = [
    "audit",
    "honor",
    "verified",
    "professional",
    "no-id-professional",
    "credit",
    "masters",
    "executive-education",
    "paid-executive-education",
    "unpaid-executive-education",
    "paid-bootcamp",
    "unpaid-bootcamp",
];

/// The key, if it is valid: `course-v1:` and three parts joined by `+`.
pub fn course_key(text: &str) -> Option<String> {
    let allowed = |c: char| c.is_alphanumeric() || "_-~.:".contains(c);
    let parts: Vec<&str> = text.strip_prefix("course-v1:")?.split('+').collect();
    let sound = parts.len() == 3 && parts.iter().all(|part| !part.is_empty() && part.chars().all(allowed));
    (sound && text.chars().count() <= 255).then(|| text.into())
}

/// `GET /api/enrollment/v1/course/{key}`, without authentication; `?include_expired=1` lists expired modes too.
pub async fn show(
    extract::State(simulation): extract::State<Arc<Simulation>>,
    Path(key): Path<String>,
    Query(params): Query<HashMap<String, String>>,
) -> Response {
    // The platform's route matches only course keys.
    let Some(course_id) = course_key(&key) else { return refusal(StatusCode::NOT_FOUND) };
    if let Some(seconds) = simulation.state().throttles.course_call(now()) {
        return throttled(seconds);
    }
    if simulation.state().course(&course_id).missing {
        let body = json!({"message": format!("No course found for course ID '{key}'")});
        return (StatusCode::BAD_REQUEST, Json(body)).into_response();
    }
    let include_expired = params.get("include_expired").is_some_and(|value| !value.is_empty());
    Json(details(&simulation.state(), &course_id, include_expired)).into_response()
}

/// The modes that the platform offers for a course: `audit` if the course has none.
pub fn modes(course: &Course, include_expired: bool) -> Vec<Mode> {
    let unlimited = |slug: &str| Mode { slug: slug.into(), expires_at: None };
    match &course.modes {
        None => MODES.iter().map(|slug| unlimited(slug)).collect(),
        Some(modes) if modes.is_empty() => vec![unlimited("audit")],
        Some(modes) => {
            let open = |mode: &&Mode| include_expired || mode.expires_at.is_none_or(|end| end > now());
            modes.iter().filter(open).cloned().collect()
        }
    }
}

/// The object that the platform embeds in every enrollment.
pub fn details(state: &State, course_id: &str, include_expired: bool) -> Value {
    let course = state.course(course_id);
    let number = course_id.split('+').nth(1).unwrap_or(course_id);
    let described =
        |slug: &str| state.catalog.courses.get(course_id)?.modes.iter().find(|mode| mode.slug == slug);
    let modes = modes(&course, include_expired);
    let modes: Vec<Value> = modes.iter().map(|offered| mode(offered, described(&offered.slug))).collect();
    json!({
        "course_id": course_id,
        "course_name": format!("Course {number}"),
        "enrollment_start": null,
        "enrollment_end": if course.closed { json!("2020-01-01T00:00:00Z") } else { Value::Null },
        "course_start": "2026-03-01T00:00:00Z",
        "course_end": null,
        "invite_only": course.invitation_only,
        "course_modes": modes,
        "pacing_type": "Self Paced",
    })
}

/// A mode as the enrollment API shows it; its skus are those of the catalog.
fn mode(mode: &Mode, described: Option<&described::Mode>) -> Value {
    let slug = &mode.slug;
    let free = ["audit", "honor"].contains(&slug.as_str()) || slug.starts_with("unpaid-");
    let mut name = slug.clone();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    json!({
        "slug": slug,
        "name": name,
        "min_price": if free { 0 } else { 49 },
        "suggested_prices": "",
        "currency": "usd",
        "expiration_datetime": mode.expires_at.map(seconds),
        "description": null,
        "sku": described.and_then(|mode| mode.sku.as_deref()),
        "bulk_sku": described.and_then(|mode| mode.bulk_sku.as_deref()),
    })
}
