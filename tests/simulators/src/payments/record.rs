//! With `SIM_RECORD=<file>`: each call to a provider with its answer, and each webhook, as a line of JSON. `tests/sdks`
//! checks these lines against the types of the providers' own packages.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    sync::{Mutex, OnceLock, PoisonError},
};

use axum::{
    body::{Body, to_bytes},
    extract::{OriginalUri, Request, State},
    http::StatusCode,
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{Provider, idempotency::Desk};

/// No call or answer is longer.
const LONGEST: usize = 1 << 20;

/// The file, if this process records.
fn file() -> Option<&'static Mutex<File>> {
    static FILE: OnceLock<Option<Mutex<File>>> = OnceLock::new();
    let open = || {
        let path = std::env::var_os("SIM_RECORD")?;
        let opened = OpenOptions::new().create(true).append(true).open(&path);
        match opened {
            Ok(file) => Some(Mutex::new(file)),
            Err(error) => {
                tracing::error!(%error, "SIM_RECORD cannot be opened");
                None
            }
        }
    };
    FILE.get_or_init(open).as_ref()
}

/// Appends one line in one write, since other test processes write to the same file.
fn write(file: &Mutex<File>, line: &Value) {
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    if let Err(error) = file.write_all(format!("{line}\n").as_bytes()) {
        tracing::error!(%error, "a record is lost");
    }
}

pub fn webhook(provider: Provider, body: &str) {
    if let Some(file) = file() {
        let event: Value = serde_json::from_str(body).unwrap_or_default();
        write(file, &json!({"provider": provider.name(), "event": event}));
    }
}

/// Middleware inside of the faults: an injected failure is not the provider's own answer.
pub async fn calls(
    State(desk): State<Desk>,
    OriginalUri(uri): OriginalUri,
    request: Request,
    next: Next,
) -> Response {
    let Some(file) = file() else { return next.run(request).await };
    let (parts, body) = request.into_parts();
    let Ok(sent) = to_bytes(body, LONGEST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let header = |name| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut line = json!({"provider": desk.provider.name(), "method": parts.method.as_str(), "path": uri.path(),
        "query": uri.query(), "agent": header("user-agent"), "request": String::from_utf8_lossy(&sent)});
    let answer = next.run(Request::from_parts(parts, Body::from(sent))).await;
    let (parts, body) = answer.into_parts();
    let Ok(body) = to_bytes(body, LONGEST).await else { return StatusCode::BAD_GATEWAY.into_response() };
    if let Some(line) = line.as_object_mut() {
        line.insert("status".into(), json!(parts.status.as_u16()));
        line.insert("answer".into(), serde_json::from_slice(&body).unwrap_or_default());
    }
    write(file, &line);
    Response::from_parts(parts, Body::from(body))
}
