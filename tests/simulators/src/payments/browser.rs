//! The browser side of the providers: their scripts, and the calls that these make. Card number
//! 4000000000000002 is declined; any other card pays.

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::header,
    response::{IntoResponse, Response},
    routing::{get, post},
};

use super::{Provider, Script};
use crate::state::Simulation;

pub fn routes() -> Router<Arc<Simulation>> {
    let actions = Router::new().route("/_browser/{reference}/{what}", post(act));
    let scripts = Provider::ALL.iter().filter_map(|provider| provider.profile().script.as_ref());
    scripts.fold(actions, |routes, script| routes.route(script.path, get(async || serve(script))))
}

fn serve(script: &Script) -> Response {
    ([(header::CONTENT_TYPE, "text/javascript")], script.text).into_response()
}

/// The buyer's action; the payment page has another origin, so the answer allows it.
async fn act(simulation: State<Arc<Simulation>>, path: Path<(String, String)>) -> Response {
    let done = super::control::steer(simulation, path, Bytes::new()).await;
    ([(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*")], done).into_response()
}
