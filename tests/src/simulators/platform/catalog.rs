//! What the platform tells of its courses: the list with its pages, one course, its modes, outline and blocks.
//! Steered by `POST /_sim/catalog`; the shapes are those that a real LMS was seen to answer with.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use axum::{
    Json,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{caller::Caller, course_key};
use crate::simulators::state::Simulation;

const LARGEST_PAGE: usize = 100;

/// The courses in the order of their keys, as the platform's database lists them.
#[derive(Default)]
pub struct Catalog {
    pub courses: BTreeMap<String, Described>,
    /// What happens once a page of the list has been answered.
    pub shifts: Vec<(usize, Change)>,
    /// So many lists are refused for being asked for too often.
    pub throttled_lists: u32,
    pub calls: Calls,
}

/// Answered calls since the start.
#[derive(Clone, Copy, Default, Serialize)]
pub struct Calls {
    pub list: u32,
    pub detail: u32,
    pub modes: u32,
    pub outline: u32,
    pub blocks: u32,
}

#[derive(Default)]
pub struct Change {
    pub courses: Vec<Described>,
    pub remove: Vec<String>,
}

/// A course of the platform, as a test describes it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Described {
    pub course_id: String,
    name: Option<String>,
    #[serde(default)]
    short_description: String,
    overview: Option<String>,
    #[serde(default)]
    effort: Option<String>,
    start: Option<String>,
    end: Option<String>,
    enrollment_start: Option<String>,
    enrollment_end: Option<String>,
    /// Instead of the date of the start.
    advertised_start: Option<String>,
    #[serde(default)]
    hidden: bool,
    #[serde(default)]
    invitation_only: bool,
    #[serde(default)]
    instructor_paced: bool,
    #[serde(default)]
    modes: Vec<Mode>,
    /// Sections with one subsection and one unit each; without any the course has no published content.
    #[serde(default = "two")]
    sections: u32,
    /// Of each unit, in seconds.
    #[serde(default)]
    effort_time: u64,
    /// Its detail is an answer that makes no sense.
    #[serde(default)]
    broken: bool,
}

fn two() -> u32 {
    2
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mode {
    slug: String,
    #[serde(default)]
    min_price: i64,
    #[serde(default = "dollars")]
    currency: String,
    expires_at: Option<String>,
}

fn dollars() -> String {
    "usd".into()
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

/// A numbered course, for catalogs of any size.
pub fn numbered(org: &str, number: u32) -> Value {
    json!({"course_id": format!("course-v1:{org}+C{number:05}+2026"), "name": format!("Course {number}"),
        "overview": format!("<p>About course {number}</p>"), "effort_time": 90,
        "modes": [{"slug": "audit"}, {"slug": "verified", "min_price": 49}]})
}

type Params = Query<HashMap<String, String>>;

/// Whose courses are asked for: nobody's without a name, and another's only by staff.
fn effective_user(simulation: &Simulation, caller: &Caller, params: &Params) -> Result<bool, Response> {
    let Some(username) = params.get("username").filter(|name| !name.is_empty()) else { return Ok(false) };
    if !caller.is_self_or_staff(username) {
        return Err(refuse(StatusCode::FORBIDDEN, "You do not have permission to perform this action."));
    }
    match simulation.state().user_named(username) {
        Some(user) => Ok(user.staff),
        None => Err(refuse(StatusCode::NOT_FOUND, "User matching query does not exist.")),
    }
}

/// The course APIs' own way to refuse.
fn refuse(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({"developer_message": message}))).into_response()
}

/// `GET /api/courses/v1/courses/`
pub async fn list(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    headers: HeaderMap,
    params: Params,
) -> Response {
    let staff = match effective_user(&simulation, &caller, &params) {
        Ok(staff) => staff,
        Err(refusal) => return refusal,
    };
    let catalog = &mut simulation.state().catalog;
    if catalog.throttled_lists > 0 {
        catalog.throttled_lists -= 1;
        // Without a Retry-After.
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
    let link = |page: usize| {
        format!("http://{host}/platform/api/courses/v1/courses/?page={page}&page_size={size}")
    };
    let body = json!({"results": results, "pagination": {
        "next": (page < pages).then(|| link(page + 1)), "previous": (page > 1).then(|| link(page - 1)),
        "count": seen.len(), "num_pages": pages}});
    catalog.page_was_answered(page);
    Json(body).into_response()
}

/// `GET /api/courses/v1/courses/{key}/`
pub async fn show(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    Path(key): Path<String>,
    params: Params,
) -> Response {
    if course_key(&key).is_none() {
        // No route takes such a key.
        return super::refusal(StatusCode::NOT_FOUND);
    }
    let staff = match effective_user(&simulation, &caller, &params) {
        Ok(staff) => staff,
        Err(refusal) => return refusal,
    };
    let catalog = &mut simulation.state().catalog;
    catalog.calls.detail += 1;
    match catalog.courses.get(&key).filter(|course| staff || !course.hidden) {
        Some(course) if course.broken => Json(json!({"id": key, "name": 7})).into_response(),
        Some(course) => {
            let mut detail = course.item();
            detail["overview"] = json!(course.overview);
            Json(detail).into_response()
        }
        None => refuse(StatusCode::NOT_FOUND, "Course not found."),
    }
}

/// `GET /api/course_modes/v1/courses/{key}/`, for staff; an unknown course has none.
pub async fn modes(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    Path(key): Path<String>,
) -> Response {
    if !caller.0.staff {
        let detail = "You do not have permission to perform this action.";
        return (StatusCode::FORBIDDEN, Json(json!({"detail": detail}))).into_response();
    }
    let catalog = &mut simulation.state().catalog;
    catalog.calls.modes += 1;
    let modes = catalog.courses.get(&key).map(|course| course.modes.as_slice()).unwrap_or_default();
    let rows = modes.iter().map(|mode| {
        json!({"course_id": key, "mode_slug": mode.slug, "mode_display_name": mode.slug, "min_price": mode.min_price,
            "currency": mode.currency, "expiration_datetime": mode.expires_at,
            "expiration_datetime_is_explicit": mode.expires_at.is_some(), "description": null, "sku": null,
            "bulk_sku": null})
    });
    Json(rows.collect::<Value>()).into_response()
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

/// `GET /api/courses/v1/blocks/?course_id=`, all of them, for staff.
pub async fn blocks(
    State(simulation): State<Arc<Simulation>>,
    caller: Caller,
    params: Params,
) -> Response {
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

impl Described {
    /// As the list has it.
    fn item(&self) -> Value {
        let parts: Vec<&str> = self.course_id.split([':', '+']).collect();
        let part = |at: usize| parts.get(at).copied().unwrap_or_default();
        let name = self.name.clone().unwrap_or_else(|| part(2).to_owned());
        let image = format!("http://lms.test/asset/{}.jpg", part(2));
        let (start_type, display) = match (&self.advertised_start, &self.start) {
            (Some(text), _) => ("string", Some(text.clone())),
            (None, Some(_)) => ("timestamp", Some("March 1, 2026".to_owned())),
            (None, None) => ("empty", None),
        };
        json!({"blocks_url": "http://lms.test/api/courses/v2/blocks/", "effort": self.effort, "end": self.end,
            "enrollment_start": self.enrollment_start, "enrollment_end": self.enrollment_end, "id": self.course_id,
            "media": {"banner_image": {"uri": "", "uri_absolute": ""}, "course_image": {"uri": "/asset.jpg"},
                "course_video": {"uri": ""}, "image": {"raw": image, "small": image, "large": image}},
            "name": name.replace('<', "&lt;").replace('>', "&gt;"), "number": part(2), "org": part(1),
            "short_description": self.short_description,
            "start": self.start.as_deref().unwrap_or("2030-01-01T00:00:00Z"), "start_display": display,
            "start_type": start_type, "pacing": if self.instructor_paced { "instructor" } else { "self" },
            "mobile_available": false, "hidden": self.hidden, "invitation_only": self.invitation_only,
            "course_id": self.course_id})
    }

    fn block_key(&self, kind: &str, name: &str) -> String {
        format!("{}+type@{kind}+block@{name}", self.course_id.replacen("course-v1:", "block-v1:", 1))
    }

    fn outline(&self, caller: &Caller) -> Value {
        let sequential = |n: u32| self.block_key("sequential", &format!("s{n}"));
        let sections: Vec<Value> = (1..=self.sections)
            .map(|n| {
                json!({"id": self.block_key("chapter", &format!("c{n}")), "title": format!("Week {n}"),
                    "sequence_ids": [sequential(n)], "start": null, "effective_start": null})
            })
            .collect();
        let sequences: serde_json::Map<String, Value> = (1..=self.sections)
            .map(|n| {
                let sequence = json!({"id": sequential(n), "title": format!("Lesson {n}"), "accessible": true,
                    "inaccessible_after_due": false, "start": null, "effective_start": null, "due": null});
                (sequential(n), sequence)
            })
            .collect();
        json!({"course_key": self.course_id, "course_start": self.start, "course_end": self.end, "title": self.name,
            "published_at": "2026-02-01T10:00:00.123456Z", "published_version": "65bb7c3f0e4b5c2d1a9f0e11",
            "entrance_exam_id": null, "days_early_for_beta": null, "self_paced": !self.instructor_paced,
            "username": caller.0.username, "user_id": caller.0.id, "at_time": "2026-04-04T19:44:31.802434Z",
            "outline": {"sections": sections, "sequences": sequences}})
    }

    fn blocks(&self) -> Value {
        let root = self.block_key("course", "course");
        let mut blocks = serde_json::Map::new();
        let mut add = |kind: &str, name: &str, title: &str, effort: u64, children: Vec<String>| -> String {
            let id = self.block_key(kind, name);
            let mut block = json!({"id": id, "block_id": name, "type": kind, "display_name": title});
            // What is not known is left out.
            if effort > 0 {
                block["effort_time"] = json!(effort);
            }
            if !children.is_empty() {
                block["children"] = json!(children);
            }
            blocks.insert(id.clone(), block);
            id
        };
        let mut chapters = Vec::new();
        for n in 1..=self.sections {
            let time = self.effort_time;
            let text = add("html", &format!("h{n}"), "Text", time, Vec::new());
            let unit = add("vertical", &format!("v{n}"), &format!("Unit {n}"), time, vec![text]);
            let lesson = add("sequential", &format!("s{n}"), &format!("Lesson {n}"), time, vec![unit]);
            chapters.push(add("chapter", &format!("c{n}"), &format!("Week {n}"), time, vec![lesson]));
        }
        let whole = self.effort_time * u64::from(self.sections);
        add("course", "course", self.name.as_deref().unwrap_or_default(), whole, chapters);
        json!({"root": root, "blocks": blocks})
    }
}
