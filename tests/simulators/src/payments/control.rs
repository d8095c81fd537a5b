//! `/_sim/payments` and `/_sim/notifications`: what a test sees of the payments, and what buyers and merchants do to
//! them at the provider. Refunds have their own file.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, Query, State},
    http::StatusCode,
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    AttemptStatus, Delivery, Payment, Status,
    events::{Happened, events},
    notify,
};
use crate::{
    control::{ControlError, ControlResult, parse},
    state::Simulation,
};

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/_sim/payments", get(list))
        .route("/_sim/payments/{reference}/{what}", post(steer))
        .route("/_sim/notifications", get(deliveries))
}

async fn list(
    State(simulation): State<Arc<Simulation>>,
    Query(params): Query<HashMap<String, String>>,
) -> Json<Value> {
    let state = simulation.state();
    let wanted = state.payments.all.iter().filter(|payment| {
        params.get("our_reference").is_none_or(|ours| payment.our_reference.as_ref() == Some(ours))
            && params.get("gateway").is_none_or(|gateway| payment.provider.name() == gateway)
    });
    Json(wanted.map(Payment::shown).collect())
}

async fn deliveries(
    State(simulation): State<Arc<Simulation>>,
    Query(params): Query<HashMap<String, String>>,
) -> Json<Value> {
    let state = simulation.state();
    let wanted =
        state.payments.deliveries.iter().filter(|delivery| {
            params.get("reference").is_none_or(|reference| delivery.reference == *reference)
        });
    Json(wanted.map(Delivery::shown).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steering {
    notify: Option<bool>,
    copies: Option<u32>,
    /// The amount to refund, in subunits; if missing, all that is left.
    amount: Option<i64>,
}

impl Steering {
    pub fn read(body: &Bytes) -> ControlResult<Self> {
        if body.is_empty() { parse(&"{}".into()) } else { parse(body) }
    }

    /// Sends the provider's webhooks about what happened, unless the caller wants none.
    pub fn tell(&self, simulation: &Arc<Simulation>, payment: &Payment, happened: &Happened) {
        if self.notify.unwrap_or(true) {
            notify::send(simulation, payment, events(payment, happened), self.copies.unwrap_or(1));
        }
    }
}

pub async fn steer(
    State(simulation): State<Arc<Simulation>>,
    Path((reference, what)): Path<(String, String)>,
    body: Bytes,
) -> ControlResult<Json<Value>> {
    let steering = Steering::read(&body)?;
    let (payment, happened) = {
        let payments = &mut simulation.state().payments;
        let waits = payments.refunds_wait;
        let payment = payments
            .with_reference(&reference)
            .ok_or_else(|| ControlError(StatusCode::NOT_FOUND, "no such payment".into()))?;
        let happened = act(payment, &what, &steering, waits)?;
        (payment.clone(), happened)
    };
    steering.tell(&simulation, &payment, &happened);
    Ok(Json(payment.shown()))
}

fn act(payment: &mut Payment, what: &str, steering: &Steering, waits: bool) -> ControlResult<Happened> {
    match (what, payment.status) {
        ("pay", Status::Open | Status::Failed | Status::Cancelled) => {
            payment.status = Status::Paid;
            payment.captured = payment.amount;
            payment.attempt(AttemptStatus::Captured);
            Ok(Happened::Paid)
        }
        ("fail", Status::Open) => {
            payment.status = Status::Failed;
            payment.attempt(AttemptStatus::Failed);
            Ok(Happened::Failed)
        }
        ("refund", Status::Paid) => {
            let refund = payment.refund(steering.amount, json!({}), waits);
            let refund = refund.ok_or_else(|| conflict("the refund exceeds the amount left"))?;
            Ok(Happened::Refunded(refund.id))
        }
        ("pay" | "fail" | "refund", _) => Err(conflict("the payment's status does not allow this")),
        _ => Err(ControlError(StatusCode::NOT_FOUND, "a payment can be paid, failed or refunded".to_owned())),
    }
}

pub fn conflict(message: &str) -> ControlError {
    ControlError(StatusCode::CONFLICT, message.to_owned())
}
