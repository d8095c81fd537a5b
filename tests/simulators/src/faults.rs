//! Faults that a test adds to the next calls to a simulated system. This module knows no system: each one passes in
//! its own error answers. Webhook faults are only stored here.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::{OriginalUri, Request, State},
    http::StatusCode,
    middleware::Next,
    response::Response,
};
use futures_util::stream;
use serde::{Deserialize, Serialize};

use super::{payments::Provider, state::Simulation};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Target {
    Platform,
    Smtp,
    /// The receivers of events.
    Hook,
    Vies,
    Partner,
    #[serde(untagged)]
    Provider(Provider),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Status,
    Delay,
    LostAnswer,
    DropNotification,
    DuplicateNotification,
    DelayNotification,
    TamperNotification,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    target: Target,
    /// A part of the request's path and query; for SMTP, a part of a recipient's address.
    path: Option<String>,
    kind: Kind,
    status: Option<u16>,
    /// The words of a mail server's refusal, which begin with the enhanced code where it sends one (RFC 3463).
    text: Option<String>,
    delay_ms: Option<u64>,
    #[serde(default = "once")]
    count: u32,
}

fn once() -> u32 {
    1
}

impl Fault {
    /// Explains why a fault could never happen as described.
    pub fn check(&self) -> Result<(), String> {
        let is_mail = self.target == Target::Smtp;
        let lowest_status = if is_mail { 400 } else { 200 };
        let delays = matches!(self.kind, Kind::Delay | Kind::DelayNotification);
        match (self.kind, self.status) {
            _ if self.count == 0 => Err("count must be at least 1".into()),
            (Kind::Status, None) => Err("a fault of kind status needs a status".into()),
            (Kind::Status, Some(status)) if !(lowest_status..600).contains(&status) => {
                Err(format!("status must be {lowest_status} to 599"))
            }
            _ if self.text.is_some() && !(is_mail && self.kind == Kind::Status) => {
                Err("only a status of smtp has a text".into())
            }
            _ if delays && self.delay_ms.is_none() => Err("a delaying fault needs delay_ms".into()),
            _ => Ok(()),
        }
    }

    fn matches(&self, target: Target, place: &str, kinds: &[Kind]) -> bool {
        self.target == target
            && kinds.contains(&self.kind)
            && self.path.as_ref().is_none_or(|path| place.to_lowercase().contains(&path.to_lowercase()))
    }
}

/// Fate of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Suffering {
    /// With the words of a mail server.
    Status(u16, Option<String>),
    Delay(Duration),
    LostAnswer,
    DropNotification,
    DuplicateNotification,
    DelayNotification(Duration),
    TamperNotification,
}

/// The remaining faults, oldest first.
#[derive(Default)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub fn add(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    pub fn left(&self) -> &[Fault] {
        &self.0
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Uses up one occurrence of the oldest matching fault. `place` is the request's path and query, or the recipient.
    pub fn take(&mut self, target: Target, place: &str, kinds: &[Kind]) -> Option<Suffering> {
        let position = self.0.iter().position(|fault| fault.matches(target, place, kinds))?;
        let fault = self.0.get_mut(position)?;
        fault.count -= 1;
        let delay = Duration::from_millis(fault.delay_ms.unwrap_or_default());
        let suffering = match fault.kind {
            Kind::Status => Suffering::Status(fault.status.unwrap_or(500), fault.text.clone()),
            Kind::Delay => Suffering::Delay(delay),
            Kind::LostAnswer => Suffering::LostAnswer,
            Kind::DropNotification => Suffering::DropNotification,
            Kind::DuplicateNotification => Suffering::DuplicateNotification,
            Kind::DelayNotification => Suffering::DelayNotification(delay),
            Kind::TamperNotification => Suffering::TamperNotification,
        };
        if fault.count == 0 {
            self.0.remove(position);
        }
        Some(suffering)
    }
}

/// The settings of the middleware in front of one simulated HTTP system.
#[derive(Clone)]
pub(super) struct Gate {
    pub simulation: Arc<Simulation>,
    pub target: Target,
    /// The system's own answer for an error status.
    pub refuse: fn(StatusCode) -> Response,
}

/// Middleware for every call. One call gets at most one delay and at most one error status or lost answer. The
/// simulator does the work at once and delays only the answer, so that the order of events in a test does not depend
/// on the delay.
pub(super) async fn gate(
    State(gate): State<Gate>,
    OriginalUri(uri): OriginalUri,
    request: Request,
    next: Next,
) -> Response {
    let (delay, outcome) = {
        let faults = &mut gate.simulation.state().faults;
        let place = uri.path_and_query().map_or(uri.path(), |place| place.as_str());
        let delay = faults.take(gate.target, place, &[Kind::Delay]);
        (delay, faults.take(gate.target, place, &[Kind::Status, Kind::LostAnswer]))
    };
    let response = match outcome {
        Some(Suffering::Status(status, _)) => {
            (gate.refuse)(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
        }
        Some(Suffering::LostAnswer) => {
            next.run(request).await;
            broken_connection()
        }
        _ => next.run(request).await,
    };
    if let Some(Suffering::Delay(delay)) = delay {
        pause(&gate.simulation, delay).await;
    }
    response
}

/// Waits for the delay, or until the simulators stop.
pub(super) async fn pause(simulation: &Simulation, delay: Duration) {
    tokio::select! {
        () = tokio::time::sleep(delay) => {}
        () = simulation.stop.cancelled() => {}
    }
}

/// A body that fails on its first frame makes the server close the connection before it has sent a byte.
fn broken_connection() -> Response {
    let failure =
        stream::once(async { Err::<bytes::Bytes, _>(std::io::Error::other("answer lost on purpose")) });
    Response::new(Body::from_stream(failure))
}
