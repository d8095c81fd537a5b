//! `/_sim/catalog`: the courses that the simulated platform tells of.

use std::sync::Arc;

use axum::{Json, Router, body::Bytes, extract::State, routing::post};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    control::{ControlResult, bad, parse},
    platform::catalog::Change,
    platform::described::{Described, numbered},
    state::Simulation,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogChange {
    /// Courses that come or change.
    #[serde(default)]
    courses: Vec<Described>,
    /// So many more, numbered, of the organisation.
    #[serde(default)]
    count: u32,
    #[serde(default = "org")]
    org: String,
    /// Keys of those that go.
    #[serde(default)]
    remove: Vec<String>,
    /// Once this page of the list has been answered; without it at once.
    after_page: Option<usize>,
    /// So many lists are throttled from now on.
    #[serde(default)]
    throttled_lists: u32,
}

fn org() -> String {
    "northwind".into()
}

pub(super) fn routes() -> Router<Arc<Simulation>> {
    Router::new().route("/_sim/catalog", post(change).get(show))
}

async fn change(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<Json<Value>> {
    let CatalogChange { mut courses, count, org, remove, after_page, throttled_lists } = parse(&body)?;
    for number in 1..=count {
        let course = serde_json::from_value(numbered(&org, number));
        courses.push(course.map_err(|error| bad(error.to_string()))?);
    }
    let catalog = &mut simulation.state().catalog;
    catalog.throttled_lists += throttled_lists;
    let change = Change { courses, remove };
    match after_page {
        Some(page) => catalog.shifts.push((page, change)),
        None => catalog.apply(change),
    }
    Ok(Json(json!({"courses": catalog.courses.len(), "calls": catalog.calls})))
}

async fn show(State(simulation): State<Arc<Simulation>>) -> Json<Value> {
    let catalog = &simulation.state().catalog;
    Json(json!({"courses": catalog.courses.len(), "calls": catalog.calls}))
}
