//! A partner that has documents cleared by an authority, or issues them in an accounting program of its own. `POST /_sim/partner/events`
//! is an endpoint for `document.requested`. `POST /_sim/partner` says where and with which key it reports, and whether the authority is
//! down; `GET /_sim/partner` lists the documents that it knows. A tax number with `REFUSED` in it is refused.

use std::{collections::HashMap, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    middleware,
    response::IntoResponse,
    routing::{get, post},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    faults::{Gate, Target, gate, pause},
    state::Simulation,
};

/// Time between two looks at an authority that is down, and between two attempts to report.
const AGAIN: Duration = Duration::from_millis(100);

/// A PDF as an accounting program writes it, in base64: no more than its frame.
const PDF: &str = "JVBERi0xLjcKJSVFT0YK";

#[derive(Default)]
pub(super) struct Partner {
    settings: Settings,
    /// By the id of the document, in the order of their arrival.
    known: Vec<Known>,
    /// The numbers that it has given itself.
    issued: u32,
}

/// Where the partner reports, and how the authority is.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    /// The base URL of the storefront's api.
    store: String,
    /// A key with the scope `documents` for each organisation, by its short name.
    keys: HashMap<String, String>,
    is_down: bool,
    /// Number of times that each report is sent again after it was taken.
    repeats: u32,
}

/// A document, and what the storefront has answered to each report of it.
#[derive(Clone, Serialize)]
struct Known {
    document_id: String,
    kind: String,
    number: Option<String>,
    answers: Vec<u16>,
}

pub(super) fn routes(simulation: &Arc<Simulation>) -> Router<Arc<Simulation>> {
    let entrance = Gate {
        simulation: simulation.clone(),
        target: Target::Partner,
        refuse: |status| (status, "the partner is unavailable").into_response(),
    };
    Router::new()
        .route("/_sim/partner/events", post(receive))
        .layer(middleware::from_fn_with_state(entrance, gate))
        .route("/_sim/partner", get(list).post(set))
}

async fn set(State(simulation): State<Arc<Simulation>>, Json(settings): Json<Settings>) -> StatusCode {
    simulation.state().partner.settings = settings;
    StatusCode::NO_CONTENT
}

async fn list(State(simulation): State<Arc<Simulation>>) -> Json<Value> {
    Json(json!(simulation.state().partner.known))
}

/// Takes an event. Each can come several times.
async fn receive(State(simulation): State<Arc<Simulation>>, Json(event): Json<Value>) -> StatusCode {
    let data = event.get("data").cloned().unwrap_or_default();
    let is_request = text(&event, "/type") == Some("document.requested");
    let Some(id) = text(&data, "/document_id").filter(|_| is_request).map(str::to_owned) else {
        return StatusCode::NO_CONTENT;
    };
    {
        let partner = &mut simulation.state().partner;
        if partner.known.iter().any(|known| known.document_id == id) {
            return StatusCode::NO_CONTENT;
        }
        partner.known.push(Known {
            document_id: id.clone(),
            kind: text(&data, "/kind").unwrap_or_default().to_owned(),
            number: None,
            answers: Vec::new(),
        });
    }
    tokio::spawn(async move { work(&simulation, &id, &data).await });
    StatusCode::NO_CONTENT
}

/// Has a document cleared, or issues it, and reports what came of it.
async fn work(simulation: &Simulation, id: &str, data: &Value) {
    while simulation.state().partner.settings.is_down && !simulation.stop.is_cancelled() {
        pause(simulation, AGAIN).await;
    }
    let report = judge(simulation, id, data);
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::new();
    let mut taken = 0;
    while !simulation.stop.is_cancelled() {
        let Settings { store, keys, repeats, .. } = simulation.state().partner.settings.clone();
        let key = text(data, "/organisation").and_then(|name| keys.get(name)).cloned().unwrap_or_default();
        let request = client.post(format!("{store}/storeapi/payment/documents/{id}/report/"));
        let sent = request.header("organisationapikey", key).json(&report).send().await;
        let status = sent.map_or(0, |answer| answer.status().as_u16());
        if let Some(known) = find(&mut simulation.state().partner, id) {
            known.answers.push(status);
        }
        // A partner's mistake is not repeated, and an outage is.
        match status {
            0 | 429 | 500.. => pause(simulation, AGAIN).await,
            200 if taken < repeats => taken += 1,
            _ => return,
        }
    }
}

/// Decides about a document, and writes the report.
fn judge(simulation: &Simulation, id: &str, data: &Value) -> Value {
    let partner = &mut simulation.state().partner;
    if text(data, "/document/buyer/tax_id").is_some_and(|number| number.contains("REFUSED")) {
        return json!({ "status": "refused", "reason": "the buyer's tax number is not registered" });
    }
    partner.issued += 1;
    let count = partner.issued;
    let (number, report) = match text(data, "/number") {
        Some(own) => {
            let number = format!("5265877635-20261124-{count:012X}-AF");
            let clearance =
                json!({ "authority": "KSeF", "number": number, "qr": format!("https://ksef.example/{own}") });
            (number, json!({ "status": "issued", "clearance": clearance }))
        }
        None => {
            let number = format!("FV/{count}/2026");
            let file = json!({ "media_type": "application/pdf", "base64": PDF });
            let (day, total) = (data.pointer("/document/issued_on"), data.get("total"));
            let report = json!({ "status": "issued", "number": number, "issued_on": day, "total": total, "file": file });
            (number, report)
        }
    };
    if let Some(known) = find(partner, id) {
        known.number = Some(number);
    }
    report
}

fn find<'a>(partner: &'a mut Partner, id: &str) -> Option<&'a mut Known> {
    partner.known.iter_mut().find(|known| known.document_id == id)
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}
