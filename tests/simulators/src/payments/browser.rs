//! The browser side of the providers: much simplified scripts, and the calls that they make. Card number
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

use crate::state::Simulation;

const STRIPE: &str = include_str!("stripe/script.js");
const RAZORPAY: &str = include_str!("razorpay/script.js");

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/stripe/v3/", get(async || script(STRIPE)))
        .route("/razorpay/v1/checkout.js", get(async || script(RAZORPAY)))
        .route("/_browser/{reference}/{what}", post(act))
}

fn script(text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, "text/javascript")], text).into_response()
}

/// The buyer's action; the payment page has another origin, so the answer allows it.
async fn act(simulation: State<Arc<Simulation>>, path: Path<(String, String)>) -> Response {
    let done = super::control::steer(simulation, path, Bytes::new()).await;
    ([(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*")], done).into_response()
}
