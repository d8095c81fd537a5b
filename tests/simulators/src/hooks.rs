//! Receivers of events: `POST /_sim/hook/{name}` takes any delivery, and `GET /_sim/hooks?name=` lists what came. Verifies
//! nothing: a test checks the signatures with the published libraries.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use axum::{
    Json, Router,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    middleware,
    response::IntoResponse,
    routing::{get, post},
};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use super::{
    faults::{Gate, Target, gate},
    state::{Simulation, now},
};

/// A delivery as it came.
#[derive(Clone, Serialize)]
pub(super) struct Received {
    name: String,
    at: DateTime<Utc>,
    headers: BTreeMap<String, String>,
    body: String,
}

pub(super) fn routes(simulation: &Arc<Simulation>) -> Router<Arc<Simulation>> {
    let entrance = Gate {
        simulation: simulation.clone(),
        target: Target::Hook,
        // Longer than what a sender should keep of it.
        refuse: |status| (status, format!("refused on purpose{}", ".".repeat(2_000))).into_response(),
    };
    Router::new()
        .route("/_sim/hook/{name}", post(receive))
        .layer(middleware::from_fn_with_state(entrance, gate))
        .route("/_sim/hooks", get(list))
}

async fn receive(
    State(simulation): State<Arc<Simulation>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: String,
) -> StatusCode {
    let headers = headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
    let received = Received { name, at: now(), headers: headers.collect(), body };
    simulation.state().hooks.push(received);
    StatusCode::NO_CONTENT
}

async fn list(
    State(simulation): State<Arc<Simulation>>,
    Query(params): Query<HashMap<String, String>>,
) -> Json<Value> {
    let state = simulation.state();
    let of_name = |one: &&Received| params.get("name").is_none_or(|name| *name == one.name);
    Json(state.hooks.iter().filter(of_name).map(|one| serde_json::json!(one)).collect())
}
