//! `/_sim/catalog`: changes the simulated platform's courses.

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
    /// Courses to add or replace.
    #[serde(default)]
    courses: Vec<Described>,
    /// Number of generated courses to add to the organisation `org`.
    #[serde(default)]
    count: u32,
    #[serde(default = "org")]
    org: String,
    /// Keys of courses to remove.
    #[serde(default)]
    remove: Vec<String>,
    /// Apply the change after this page of the list has been answered; at once if missing.
    after_page: Option<usize>,
    /// Throttle this many of the next list calls.
    #[serde(default)]
    throttled_lists: u32,
    /// The page to which the upgrade buttons lead from now on.
    upgrade_page: Option<String>,
    /// The order history that the configuration of the platform's pages names from now on.
    order_history: Option<String>,
}

fn org() -> String {
    "northwind".into()
}

pub(super) fn routes() -> Router<Arc<Simulation>> {
    Router::new().route("/_sim/catalog", post(change).get(show))
}

async fn change(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<Json<Value>> {
    let CatalogChange {
        mut courses,
        count,
        org,
        remove,
        after_page,
        throttled_lists,
        upgrade_page,
        order_history,
    } = parse(&body)?;
    for number in 1..=count {
        let course = serde_json::from_value(numbered(&org, number));
        courses.push(course.map_err(|error| bad(error.to_string()))?);
    }
    let catalog = &mut simulation.state().catalog;
    catalog.throttled_lists += throttled_lists;
    catalog.upgrade_page = upgrade_page.or(catalog.upgrade_page.take());
    catalog.order_history = order_history.or(catalog.order_history.take());
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
