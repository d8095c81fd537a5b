//! Idempotency keys: a repeated call gets its first answer, failures included, and two calls under one key never run
//! side by side. Each provider words its own refusals.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::{Account, Payments, Provider};
use crate::state::Simulation;

/// Time that Stripe remembers a key: <https://docs.stripe.com/api/idempotent_requests>.
const MEMORY: TimeDelta = TimeDelta::hours(24);

/// The account's provider, its organisation, and the key.
type Name = (Provider, String, String);

/// Record of the used keys.
#[derive(Default)]
pub struct Answered {
    /// The first request under a key, and its answer.
    first: HashMap<Name, First>,
    /// Time when a call under a key failed at the provider itself, with status 500. By provider, authorization and key.
    failed: HashMap<Name, DateTime<Utc>>,
    /// The keys of calls that run now, by provider, authorization and key.
    working: HashSet<Name>,
}

#[derive(Clone)]
struct First {
    request: String,
    /// The payment that the call created.
    created: Option<String>,
    status: StatusCode,
    body: Value,
    at: DateTime<Utc>,
}

/// The key that the provider reads from a create call.
pub fn key(provider: Provider, headers: &HeaderMap) -> Option<&str> {
    headers.get(provider.profile().key_header)?.to_str().ok()
}

/// Runs a create call once: answers a repeated key with the first answer, and refuses the key with other parameters.
pub fn once(
    simulation: &Simulation,
    account: &Account,
    key: Option<&str>,
    request: &str,
    make: impl FnOnce(&mut Payments) -> (StatusCode, Value),
) -> Result<Response, ()> {
    let payments = &mut simulation.state().payments;
    let Some(key) = key else {
        let (status, body) = make(payments);
        return Ok(answer(status, body));
    };
    let at = payments.now();
    let name = (account.provider, account.organisation.clone(), key.to_owned());
    let first = payments.answered.first.get(&name).filter(|first| first.at + MEMORY > at).cloned();
    if let Some(First { request: known, created, status, body, .. }) = first {
        if known != request {
            return Err(());
        }
        if let Some(payment) = created.and_then(|reference| payments.with_reference(&reference)) {
            payment.create_calls += 1;
        }
        let mut repeated = answer(status, body);
        repeated.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
        return Ok(repeated);
    }
    let count = payments.all.len();
    let (status, body) = make(payments);
    let created = payments.all.get(count).map(|payment| payment.reference.clone());
    let first = First { request: request.to_owned(), created, status, body: body.clone(), at };
    payments.answered.first.insert(name, first);
    Ok(answer(status, body))
}

fn answer(status: StatusCode, body: Value) -> Response {
    (status, Json(body)).into_response()
}

/// The settings of the middleware.
#[derive(Clone)]
pub struct Desk {
    pub simulation: Arc<Simulation>,
    pub provider: Provider,
}

/// Middleware outside of the faults, so that a delayed answer keeps its key busy, as slow work does at a provider.
pub async fn one_at_a_time(State(desk): State<Desk>, request: Request, next: Next) -> Response {
    let Some(key) = key(desk.provider, request.headers()).map(str::to_owned) else {
        return next.run(request).await;
    };
    let profile = desk.provider.profile();
    let caller = request.headers().get("authorization").map(|value| format!("{value:?}"));
    let name = (desk.provider, caller.unwrap_or_default(), key);
    {
        let payments = &mut desk.simulation.state().payments;
        let at = payments.now();
        let has_failed = payments.answered.failed.get(&name).is_some_and(|failed| *failed + MEMORY > at);
        if let (true, Some(repeated_failure)) = (has_failed, profile.repeated_failure) {
            return repeated_failure();
        }
        if !payments.answered.working.insert(name.clone()) {
            return (profile.key_in_use)();
        }
    }
    let working = Working { simulation: desk.simulation.clone(), name };
    let response = next.run(request).await;
    if profile.repeated_failure.is_some() && response.status() == StatusCode::INTERNAL_SERVER_ERROR {
        let payments = &mut desk.simulation.state().payments;
        let at = payments.now();
        payments.answered.failed.insert(working.name.clone(), at);
    }
    response
}

/// Frees the key, also when the client gives up and its call is dropped.
struct Working {
    simulation: Arc<Simulation>,
    name: Name,
}

impl Drop for Working {
    fn drop(&mut self) {
        self.simulation.state().payments.answered.working.remove(&self.name);
    }
}
