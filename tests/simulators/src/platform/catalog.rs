//! The platform's course APIs: the list with its pages, one course, its modes, outline and blocks. `POST
//! /_sim/catalog` controls them; the formats are those of a real LMS.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use axum::{
    Json,
    body::Bytes,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{caller::Caller, course_key, described::Described};
use crate::state::Simulation;

const NO_PERMISSION: &str = "You do not have permission to perform this action.";
const LARGEST_PAGE: usize = 100;

/// The courses in the order of their keys, as the platform's database lists them.
#[derive(Default)]
pub struct Catalog {
    pub courses: BTreeMap<String, Described>,
    /// A change to apply once a page of the list has been answered.
    pub shifts: Vec<(usize, Change)>,
    /// Number of list calls still to be throttled.
    pub throttled_lists: u32,
    /// The page of the upgrade buttons; None while the platform's Commerce configuration is off.
    pub upgrade_page: Option<String>,
    /// The order history of the pages' configuration; None while the platform does not show that.
    pub order_history: Option<String>,
    pub calls: Calls,
}

/// Number of answered calls since the start.
#[derive(Clone, Copy, Default, Serialize)]
pub struct Calls {
    pub list: u32,
    pub detail: u32,
    pub modes: u32,
    pub outline: u32,
    pub blocks: u32,
    pub skus: u32,
}

#[derive(Default)]
pub struct Change {
    pub courses: Vec<Described>,
    pub remove: Vec<String>,
}

impl Catalog {
    pub fn apply(&mut self, change: Change) {
        for key in &change.remove {
            self.courses.remove(key);
        }
        for course in change.courses {
            self.courses.insert(course.course_id.clone(), course);
        }
    }

    fn page_was_answered(&mut self, page: usize) {
        let due = self.shifts.iter().position(|(after, _)| *after == page);
        if let Some(due) = due {
            let (_, change) = self.shifts.remove(due);
            self.apply(change);
        }
    }
}

type Params = Query<HashMap<String, String>>;

/// Returns whether the caller sees the courses as staff: without a username, callers see them as visitors. Only staff may
/// name another user.
fn sees_all(
    simulation: &Simulation,
    caller: &Caller,
    params: &Params,
) -> Result<bool, (StatusCode, &'static str)> {
    let Some(username) = params.get("username").filter(|name| !name.is_empty()) else { return Ok(false) };
    if !caller.is_self_or_staff(username) {
        return Err((StatusCode::FORBIDDEN, NO_PERMISSION));
    }
    match simulation.state().user_named(username) {
        Some(user) => Ok(user.staff),
        None => Err((StatusCode::NOT_FOUND, "User matching query does not exist.")),
    }
}

/// The course APIs' own error format.
fn refuse(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({"developer_message": message}))).into_response()
}

/// The course APIs word a missing right in their own format, also to a restricted application.
fn reworded(refusal: Response) -> Response {
    match refusal.status() {
        StatusCode::FORBIDDEN => refuse(StatusCode::FORBIDDEN, NO_PERMISSION),
        _ => refusal,
    }
}

/// `GET /api/courses/v1/courses/`
pub async fn list(
    State(simulation): State<Arc<Simulation>>,
    caller: Result<Caller, Response>,
    headers: HeaderMap,
    params: Params,
) -> Response {
    let caller = match caller {
        Ok(caller) => caller,
        Err(refusal) => return reworded(refusal),
    };
    let staff = match sees_all(&simulation, &caller, &params) {
        Ok(staff) => staff,
        Err((status, message)) => return refuse(status, message),
    };
    let catalog = &mut simulation.state().catalog;
    if catalog.throttled_lists > 0 {
        catalog.throttled_lists -= 1;
        // Without a Retry-After header.
        let message = "Request was throttled. Expected available in 1 second.";
        return refuse(StatusCode::TOO_MANY_REQUESTS, message);
    }
    catalog.calls.list += 1;
    let number = |name: &str, default| params.get(name).and_then(|n| n.parse().ok()).unwrap_or(default);
    let (page, size) = (number("page", 1).max(1), number("page_size", 10).clamp(1, LARGEST_PAGE));
    let seen: Vec<&Described> = catalog.courses.values().filter(|course| staff || !course.hidden).collect();
    let pages = seen.len().div_ceil(size).max(1);
    if page > pages {
        return refuse(StatusCode::NOT_FOUND, "Invalid page.");
    }
    let results: Vec<Value> = seen.iter().skip((page - 1) * size).take(size).map(|c| c.item()).collect();
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("lms");
    let link =
        |page: usize| format!("http://{host}/platform/api/courses/v1/courses/?page={page}&page_size={size}");
    let body = json!({"results": results, "pagination": {
        "next": (page < pages).then(|| link(page + 1)), "previous": (page > 1).then(|| link(page - 1)),
        "count": seen.len(), "num_pages": pages}});
    catalog.page_was_answered(page);
    Json(body).into_response()
}

/// `GET /api/courses/v1/courses/{key}/`
pub async fn show(
    State(simulation): State<Arc<Simulation>>,
    caller: Result<Caller, Response>,
    Path(key): Path<String>,
    params: Params,
) -> Response {
    let caller = match caller {
        Ok(caller) => caller,
        Err(refusal) => return reworded(refusal),
    };
    if course_key(&key).is_none() {
        // The platform's route does not match such a key.
        return super::refusal(StatusCode::NOT_FOUND);
    }
    let staff = match sees_all(&simulation, &caller, &params) {
        Ok(staff) => staff,
        Err((status, message)) => return refuse(status, message),
    };
    let catalog = &mut simulation.state().catalog;
    catalog.calls.detail += 1;
    match catalog.courses.get(&key).filter(|course| staff || !course.hidden) {
        Some(course) if course.broken => Json(json!({"id": key, "name": 7})).into_response(),
        Some(course) => Json(course.detail()).into_response(),
        None => refuse(StatusCode::NOT_FOUND, "Course not found."),
    }
}

/// `GET /api/course_modes/v1/courses/{key}/`, for staff; an unknown course has no modes.
pub async fn modes(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    Path(key): Path<String>,
) -> Response {
    if !caller.0.staff {
        return (StatusCode::FORBIDDEN, Json(json!({"detail": NO_PERMISSION}))).into_response();
    }
    let catalog = &mut simulation.state().catalog;
    catalog.calls.modes += 1;
    let modes = catalog.courses.get(&key).map(|course| course.modes.as_slice()).unwrap_or_default();
    let rows = modes.iter().map(|mode| {
        json!({"course_id": key, "mode_slug": mode.slug, "mode_display_name": mode.slug, "min_price": mode.min_price,
            "currency": mode.currency, "expiration_datetime": mode.expires_at,
            "expiration_datetime_is_explicit": mode.expires_at.is_some(), "description": null, "sku": mode.sku,
            "bulk_sku": mode.bulk_sku})
    });
    Json(rows.collect::<Value>()).into_response()
}

/// `PATCH /api/course_modes/v1/courses/{key}/{mode}`, for staff: a merge patch, of which the simulator knows the skus alone. The
/// body is looked at before the course and the mode.
pub async fn change_mode(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    Path((key, slug)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let told = |status: StatusCode, detail: &str| (status, Json(json!({"detail": detail}))).into_response();
    if !caller.0.staff {
        return told(StatusCode::FORBIDDEN, NO_PERMISSION);
    }
    let catalog = &mut simulation.state().catalog;
    catalog.calls.skus += 1;
    let mode = catalog
        .courses
        .get_mut(&key)
        .and_then(|course| course.modes.iter_mut().find(|mode| mode.slug == slug));
    let Some(mode) = mode else { return told(StatusCode::NOT_FOUND, "Not found.") };
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind != "application/merge-patch+json" {
        let message = format!("Unsupported media type \"{kind}\" in request.");
        return told(StatusCode::UNSUPPORTED_MEDIA_TYPE, &message);
    }
    let Ok(patch) = serde_json::from_slice::<HashMap<String, String>>(&body) else {
        return told(StatusCode::BAD_REQUEST, "JSON parse error");
    };
    for (field, value) in patch {
        match field.as_str() {
            "sku" => mode.sku = Some(value),
            "bulk_sku" => mode.bulk_sku = Some(value),
            _ => {}
        }
    }
    StatusCode::NO_CONTENT.into_response()
}

/// `GET /api/mfe_config/v1`, for anybody; of the configuration, the link to the order history.
pub async fn mfe_config(State(simulation): State<Arc<Simulation>>) -> Response {
    match &simulation.state().catalog.order_history {
        Some(url) => Json(json!({"ORDER_HISTORY_URL": url})).into_response(),
        None => super::refusal(StatusCode::NOT_FOUND),
    }
}

/// `GET /api/learner_home/init?user=`, for staff: of each course, the part that has the upgrade button.
pub async fn learner_home(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    params: Params,
) -> Response {
    let told = |status: StatusCode, detail: &str| (status, Json(json!({"detail": detail}))).into_response();
    let named = params.get("user").filter(|name| !name.is_empty());
    if named.is_some() && !caller.0.staff {
        return told(StatusCode::FORBIDDEN, NO_PERMISSION);
    }
    let state = simulation.state();
    let Some(user) = state.user_named(named.unwrap_or(&caller.0.username)) else {
        return told(StatusCode::NOT_FOUND, "Not found.");
    };
    let own = state.enrollments.iter().filter(|own| own.user_id == user.id && own.is_active);
    let courses = own.map(|enrollment| {
        let key = &enrollment.course_id;
        let modes = state.catalog.courses.get(key).map(|course| course.modes.as_slice()).unwrap_or_default();
        let sku = modes.iter().find(|mode| mode.slug == "verified").and_then(|mode| mode.sku.as_deref());
        let page = state.catalog.upgrade_page.as_deref().filter(|_| enrollment.mode == "audit");
        let link = page.zip(sku).map(|(page, sku)| {
            let key = key.replace(':', "%3A").replace('+', "%2B");
            format!("{page}?sku={sku}&course_run_key={key}")
        });
        json!({"courseRun": {"courseId": key, "upgradeUrl": link}})
    });
    Json(json!({"courses": courses.collect::<Vec<_>>()})).into_response()
}

/// `GET /api/learning_sequences/v1/course_outline/{key}`
pub async fn outline(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    Path(key): Path<String>,
) -> Response {
    let catalog = &mut simulation.state().catalog;
    catalog.calls.outline += 1;
    match catalog.courses.get(&key).filter(|course| caller.0.staff && course.sections > 0) {
        Some(course) => Json(course.outline(&caller)).into_response(),
        None => (StatusCode::NOT_FOUND, Json(json!({"detail": "Not found."}))).into_response(),
    }
}

/// `GET /api/courses/v1/blocks/?course_id=`, all blocks, for staff.
pub async fn blocks(
    State(simulation): State<Arc<Simulation>>,
    caller: Result<Caller, Response>,
    params: Params,
) -> Response {
    let caller = match caller {
        Ok(caller) => caller,
        Err(refusal) => return reworded(refusal),
    };
    let Some(key) = params.get("course_id") else {
        return refuse(StatusCode::BAD_REQUEST, "course_id is required.");
    };
    if params.get("all_blocks").is_none_or(|all| all != "true") {
        let message = "This field is required unless all_blocks is requested.";
        let errors = json!({"field_errors": {"username": {"developer_message": message}}});
        return (StatusCode::BAD_REQUEST, Json(errors)).into_response();
    }
    if !caller.0.staff {
        let who = &caller.0.username;
        let message = format!("'{who}' does not have permission to access all blocks in '{key}'.");
        return refuse(StatusCode::FORBIDDEN, &message);
    }
    let catalog = &mut simulation.state().catalog;
    catalog.calls.blocks += 1;
    match catalog.courses.get(key).filter(|course| course.sections > 0) {
        Some(course) => Json(course.blocks()).into_response(),
        None => {
            let message = format!("Block not found: {key}+branch@published-branch");
            refuse(StatusCode::NOT_FOUND, &message)
        }
    }
}
