//! VIES, the EU's register of VAT IDs, by its public description: `swagger_publicVAT.yaml` at
//! <https://ec.europa.eu/taxation_customs/vies/#/technical-information>. It knows the numbers of VIES's own test service: 100 is valid
//! in every member state, others stand for errors, and all the rest are not valid. `POST /_sim/vies/lies` takes the body of its
//! next answer, and `GET /_sim/vies` lists what it was asked.

use std::{collections::VecDeque, sync::Arc};

use axum::{
    Json, Router,
    extract::State,
    http::{StatusCode, header},
    middleware,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    faults::{Gate, Target, gate},
    state::{Simulation, micros, now, random},
};

/// What VIES was asked, and the answers that a test has put in the place of its own.
#[derive(Default)]
pub(super) struct Vies {
    asked: Vec<Question>,
    lies: VecDeque<String>,
}

/// What a caller asks, as far as the answer depends on it.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Question {
    country_code: String,
    vat_number: String,
    requester_member_state_code: Option<String>,
    requester_number: Option<String>,
}

/// The numbers of the test service that stand for an error.
const ERRORS: [(&str, &str); 11] = [
    ("201", "INVALID_INPUT"),
    ("202", "INVALID_REQUESTER_INFO"),
    ("300", "SERVICE_UNAVAILABLE"),
    ("301", "MS_UNAVAILABLE"),
    ("302", "TIMEOUT"),
    ("400", "VAT_BLOCKED"),
    ("401", "IP_BLOCKED"),
    ("500", "GLOBAL_MAX_CONCURRENT_REQ"),
    ("501", "GLOBAL_MAX_CONCURRENT_REQ_TIME"),
    ("600", "MS_MAX_CONCURRENT_REQ"),
    ("601", "MS_MAX_CONCURRENT_REQ_TIME"),
];

pub(super) fn routes(simulation: &Arc<Simulation>) -> Router<Arc<Simulation>> {
    let entrance = Gate { simulation: simulation.clone(), target: Target::Vies, refuse };
    Router::new()
        .route("/vies/rest-api/check-vat-number", post(check))
        .route("/vies/rest-api/check-status", get(status))
        .layer(middleware::from_fn_with_state(entrance, gate))
        .route("/_sim/vies", get(asked))
        .route("/_sim/vies/lies", post(lie))
}

async fn check(State(simulation): State<Arc<Simulation>>, Json(question): Json<Question>) -> Response {
    let vies = &mut simulation.state().vies;
    vies.asked.push(question.clone());
    if let Some(lie) = vies.lies.pop_front() {
        return ([(header::CONTENT_TYPE, "application/json")], lie).into_response();
    }
    let number = question.vat_number;
    if let Some((_, error)) = ERRORS.iter().find(|(stands_for, _)| number == *stands_for) {
        // With the status 200, as the service answers most of them.
        return Json(error_body(error)).into_response();
    }
    let is_valid = number == "100";
    let requester = question.requester_member_state_code.zip(question.requester_number);
    let identifier = requester.filter(|_| is_valid).map(|_| format!("WAPIAAAA{}", random(8)));
    Json(json!({
        "countryCode": question.country_code, "vatNumber": number, "requestDate": micros(now()), "valid": is_valid,
        "requestIdentifier": identifier.unwrap_or_default(), "name": "---", "address": "---", "traderName": "---",
    }))
    .into_response()
}

async fn status() -> Json<Value> {
    Json(json!({ "vow": { "available": true }, "countries": [] }))
}

fn error_body(error: &str) -> Value {
    json!({ "actionSucceed": false, "errorWrappers": [{ "error": error }] })
}

fn refuse(status: StatusCode) -> Response {
    (status, Json(error_body("SERVICE_UNAVAILABLE"))).into_response()
}

async fn asked(State(simulation): State<Arc<Simulation>>) -> Json<Value> {
    Json(json!(simulation.state().vies.asked))
}

async fn lie(State(simulation): State<Arc<Simulation>>, body: String) -> StatusCode {
    simulation.state().vies.lies.push_back(body);
    StatusCode::NO_CONTENT
}
