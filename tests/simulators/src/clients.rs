//! Control routes for the platform's OAuth2 clients, its throttles, and the versions of its enrollment API.

use std::sync::Arc;

use axum::{Json, Router, body::Bytes, extract::State, http::StatusCode, routing::post};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    control::{ControlResult, bad, parse},
    platform::v2::Versions,
    state::{Client, Simulation, User},
};

pub(super) fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/_sim/client", post(change))
        .route("/_sim/clients", post(create))
        .route("/_sim/platform", post(upgrade))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    /// The service account of the simulators if it is missing.
    client_id: Option<String>,
    restricted: Option<bool>,
    staff: Option<bool>,
    throttled: Option<bool>,
}

/// Changes a service account or its OAuth2 application as a platform operator could. `throttled` switches the
/// limits of the enrollment API and of the token endpoint on (with counters at zero) or off.
async fn change(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<Json<Value>> {
    let new: Change = parse(&body)?;
    let mut state = simulation.state();
    if let Some(on) = new.throttled {
        state.throttles.switch(on);
    }
    let client = match &new.client_id {
        Some(id) => state.clients.iter_mut().find(|client| client.id == *id),
        None => state.own_client(),
    };
    let client = client.ok_or_else(|| bad("there is no such client"))?;
    client.restricted = new.restricted.unwrap_or(client.restricted);
    let (id, restricted) = (client.user_id, client.restricted);
    let user = state
        .users
        .iter_mut()
        .find(|user| user.id == id)
        .ok_or_else(|| bad("the account no longer exists"))?;
    user.staff = new.staff.unwrap_or(user.staff);
    Ok(Json(json!({"username": user.username, "restricted": restricted, "staff": user.staff})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Upgrade {
    enrollment_api: Versions,
}

/// Changes the versions of the enrollment API that the platform has, as an upgrade or its undoing would.
async fn upgrade(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<StatusCode> {
    let new: Upgrade = parse(&body)?;
    simulation.state().enrollment_api = new.enrollment_api;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewClient {
    client_id: String,
    /// Without a secret the client is public, for the password grant.
    client_secret: Option<String>,
    /// The account that the client's tokens belong to; created if it does not exist.
    username: String,
    #[serde(default)]
    staff: bool,
    #[serde(default)]
    restricted: bool,
    #[serde(default)]
    user_id_scope: bool,
    /// Limits on the application's access, such as `content_org:Acme`.
    #[serde(default)]
    filters: Vec<String>,
}

async fn create(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<Json<Value>> {
    let new: NewClient = parse(&body)?;
    let mut state = simulation.state();
    if state.client(&new.client_id).is_some() {
        return Err(bad("a client with this id exists"));
    }
    let known = state.user_named(&new.username).map(|user| user.id);
    let user_id = match known {
        Some(id) => id,
        None => {
            let user = User { staff: new.staff, ..state.blank_user(&new.username) };
            let id = user.id;
            state.users.push(user);
            id
        }
    };
    let answer = json!({"client_id": new.client_id, "user_id": user_id});
    let NewClient { client_id: id, client_secret: secret, restricted, user_id_scope, filters, .. } = new;
    state.clients.push(Client { id, secret, user_id, restricted, user_id_scope, filters });
    Ok(Json(answer))
}
