//! Refunds: their states, which all four providers name differently, and `/_sim/refunds`, where a test ends them.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, Query, State},
    http::StatusCode,
    routing::{get, post},
};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    control::{ControlError, ControlResult, parse},
    payments::{
        Payment,
        control::{Steering, conflict},
        events::Happened,
    },
    state::Simulation,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundStatus {
    /// Accepted, but the account has not enough money yet. Only Mollie tells it from `Pending`.
    Queued,
    Pending,
    Done,
    Failed,
    Cancelled,
}

#[derive(Clone, Debug)]
pub struct Refund {
    pub id: String,
    /// The attempt that it gives back, if that is not the one that settled the payment.
    pub attempt: Option<String>,
    pub amount: i64,
    pub status: RefundStatus,
    pub created: DateTime<Utc>,
    /// Body of the create call; empty for a refund from the provider's dashboard.
    pub sent: Value,
}

impl Refund {
    /// Returns whether it counts towards the refunded total.
    pub fn is_live(&self) -> bool {
        !matches!(self.status, RefundStatus::Failed | RefundStatus::Cancelled)
    }

    /// Our id of it, if it was made through the API.
    fn ours(&self) -> Option<&str> {
        let places = ["/metadata/refund_id", "/notes/refund_id"];
        places.iter().find_map(|place| self.sent.pointer(place)?.as_str())
    }

    fn shown(&self, payment: &Payment) -> Value {
        let status = match self.status {
            RefundStatus::Queued => "queued",
            RefundStatus::Pending => "pending",
            RefundStatus::Done => "succeeded",
            RefundStatus::Failed => "failed",
            RefundStatus::Cancelled => "cancelled",
        };
        json!({"id": self.id, "refund_id": self.ours(), "amount": self.amount, "status": status,
            "currency": payment.currency, "gateway": payment.provider.name(), "reference": payment.reference,
            "our_reference": payment.our_reference})
    }
}

impl Payment {
    pub fn refund_with(&self, id: &str) -> Option<&Refund> {
        self.refunds.iter().find(|refund| refund.id == id)
    }

    /// Adds a refund of this amount, or of all that is left, of the charge or of another captured attempt. `None` if that is
    /// more than is left.
    pub fn refund(
        &mut self,
        attempt: Option<String>,
        amount: Option<i64>,
        sent: Value,
        waits: bool,
        at: DateTime<Utc>,
    ) -> Option<Refund> {
        let left = self.left(attempt.as_deref());
        let amount = amount.unwrap_or(left);
        if !(1..=left).contains(&amount) {
            return None;
        }
        let profile = self.provider.profile();
        let id = (profile.refund_id)();
        let status = match profile.queues_refunds {
            _ if !waits => RefundStatus::Done,
            true => RefundStatus::Queued,
            false => RefundStatus::Pending,
        };
        let refund = Refund { id, attempt, amount, status, created: at, sent };
        self.refunds.push(refund.clone());
        Some(refund)
    }
}

pub fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/_sim/refunds", get(list).post(configure))
        .route("/_sim/refunds/{id}/{what}", post(steer))
}

async fn list(
    State(simulation): State<Arc<Simulation>>,
    Query(params): Query<HashMap<String, String>>,
) -> Json<Value> {
    let state = simulation.state();
    let wanted = state.payments.all.iter().filter(|payment| {
        params.get("our_reference").is_none_or(|ours| payment.our_reference.as_ref() == Some(ours))
            && params.get("reference").is_none_or(|reference| payment.reference == *reference)
    });
    Json(wanted.flat_map(|payment| payment.refunds.iter().map(|refund| refund.shown(payment))).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Indicates whether refunds from now on wait for a control call that ends them.
    wait: bool,
}

async fn configure(State(simulation): State<Arc<Simulation>>, body: Bytes) -> ControlResult<StatusCode> {
    let Settings { wait } = parse(&body)?;
    simulation.state().payments.refunds_wait = wait;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends a refund, or moves it on.
async fn steer(
    State(simulation): State<Arc<Simulation>>,
    Path((id, what)): Path<(String, String)>,
    body: Bytes,
) -> ControlResult<Json<Value>> {
    let steering = Steering::read(&body)?;
    let (payment, shown) = {
        let payments = &mut simulation.state().payments.all;
        let mut all = payments.iter_mut();
        let payment = all
            .find(|payment| payment.refunds.iter().any(|refund| refund.id == id))
            .ok_or_else(|| ControlError(StatusCode::NOT_FOUND, "no such refund".into()))?;
        let can_cancel = payment.provider.profile().queues_refunds;
        if let Some(refund) = payment.refunds.iter_mut().find(|refund| refund.id == id) {
            refund.status = next(&what, refund.status, can_cancel)?;
        }
        let refund = payment.refund_with(&id);
        (payment.clone(), refund.map(|refund| refund.shown(payment)))
    };
    steering.tell(&simulation, &payment, &Happened::RefundChanged(id));
    Ok(Json(json!(shown)))
}

/// The state after a control call. A bank can also send a refund back that had succeeded.
fn next(what: &str, status: RefundStatus, can_cancel: bool) -> ControlResult<RefundStatus> {
    use RefundStatus::{Cancelled, Done, Failed, Pending, Queued};
    match (what, status) {
        ("succeed", Queued | Pending) => Ok(Done),
        ("fail", Queued | Pending | Done) => Ok(Failed),
        ("pend", Queued) => Ok(Pending),
        // Mollie's dashboard and API can cancel a refund for about two hours; Stripe's and Razorpay's cannot.
        ("cancel", Queued | Pending) if can_cancel => Ok(Cancelled),
        ("succeed" | "fail" | "pend" | "cancel", _) => {
            Err(conflict("the refund's status or provider does not allow this"))
        }
        _ => Err(ControlError(
            StatusCode::NOT_FOUND,
            "a refund can succeed, fail, pend or be cancelled".to_owned(),
        )),
    }
}
