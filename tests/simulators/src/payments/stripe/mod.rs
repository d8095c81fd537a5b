//! Stripe: payment intents, customers, customer sessions. Forms with bracketed keys in, JSON out.

mod after_sale;
mod events;
mod parameters;
mod payouts;
mod shapes;

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use crate::{
    payments::{
        self, Account, DemoAccount, Method, Payment, Payments, Profile, Provider, Refused, Script, Status,
        Style, bearer,
        idempotency::{key, once},
        notify,
        payouts::Fees,
    },
    state::{Simulation, now, random},
};
use parameters::{Fields, missing, nested};

pub const PROFILE: Profile = Profile {
    demo: DemoAccount { organisation: "northwind", key: "sk_test_demo_northwind", key_secret: "" },
    has_key_id: false,
    routes: |_| routes(),
    script: Some(Script { path: "/stripe/v3/", text: include_str!("script.js") }),
    style: Style::Intent,
    payment_prefix: "pi_",
    refund_id: || format!("re_{}", random(24)),
    dispute_id: || format!("du_{}", random(24)),
    queues_refunds: false,
    takes_disputed_money: true,
    decides_parts: true,
    has_appeals: true,
    fees: Fees { permille: 29, fixed: 30, tax: 0, in_subunits: true, dispute: 1_500 },
    payout_prefix: "po_",
    returns_failed_payouts: true,
    key_header: "idempotency-key",
    key_in_use,
    // Stripe stores its own failures as well. Their effect is unknown, and the same key never tells it.
    repeated_failure: Some(failure),
    events: events::events,
    signature: |secret, body| {
        let time = now().timestamp();
        let mac = notify::hmac(secret, &format!("{time}.{body}"));
        ("stripe-signature", format!("t={time},v1={mac}"))
    },
};

fn routes() -> Router<Arc<Simulation>> {
    Router::new()
        .route("/v1/payment_intents", post(create))
        .route("/v1/payment_intents/{id}", get(read))
        .route("/v1/payment_intents/{id}/cancel", post(cancel))
        .route("/v1/customers", post(create_customer))
        .route("/v1/customers/{id}", post(update_customer))
        .route("/v1/customer_sessions", post(customer_session))
        .merge(after_sale::routes())
        .merge(payouts::routes())
}

/// A call with a valid key and known parameters.
pub struct Call {
    pub account: Account,
    pub fields: Fields,
    key: Option<String>,
}

impl Call {
    pub fn read(
        simulation: &Simulation,
        headers: &HeaderMap,
        text: &[u8],
        known: &[&str],
    ) -> Result<Self, Refused> {
        let bearer = bearer(headers);
        let account =
            payments::account(simulation, Provider::Stripe, |account| Some(account.key.as_str()) == bearer);
        let account = account.ok_or_else(|| {
            let problem = problem(None, "Invalid API Key provided");
            Refused::new(StatusCode::UNAUTHORIZED, &problem)
        })?;
        let fields = parameters::read(text, known)?;
        Ok(Self { account, fields, key: key(Provider::Stripe, headers).map(str::to_owned) })
    }

    /// Runs the call once for its idempotency key. `path` is part of what must stay the same.
    pub fn once(
        &self,
        simulation: &Simulation,
        path: &str,
        make: impl FnOnce(&mut Payments) -> (StatusCode, Value),
    ) -> Response {
        let request = format!("{path} {:?}", self.fields);
        once(simulation, &self.account, self.key.as_deref(), &request, make).unwrap_or_else(|()| {
            let message = "Keys for idempotent requests can only be used with the same parameters they were first \
                used with.";
            let problem = json!({"error": {"type": "idempotency_error", "message": message}});
            (StatusCode::BAD_REQUEST, Json(problem)).into_response()
        })
    }
}

/// The largest amount, in any currency: twelve digits (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts).
const MOST: i64 = 999_999_999_999;

/// The largest amount that is taken by other means than cards, from the same page.
pub fn most_without_card(currency: &str) -> i64 {
    match currency.to_ascii_uppercase().as_str() {
        "IDR" => MOST,
        "COP" => 9_999_999_999,
        "INR" => 999_999_999,
        _ => 99_999_999,
    }
}

/// The body of a refusal.
pub fn problem(code: Option<&str>, message: &str) -> Value {
    let mut error = json!({"type": "invalid_request_error", "message": message});
    if let (Some(code), Some(error)) = (code, error.as_object_mut()) {
        error.insert("code".to_owned(), json!(code));
    }
    json!({"error": error})
}

pub fn unknown(what: &str) -> (StatusCode, Value) {
    (StatusCode::NOT_FOUND, problem(Some("resource_missing"), &format!("No such {what}")))
}

/// Another call under the same key is still running.
fn key_in_use() -> Response {
    let message = "There is currently another in-progress request using this Idempotency-Key.";
    let error = json!({"type": "idempotency_error", "code": "idempotency_key_in_use", "message": message});
    (StatusCode::CONFLICT, Json(json!({"error": error}))).into_response()
}

/// A failure of Stripe's own, as it repeats it for an idempotency key.
fn failure() -> Response {
    let problem =
        json!({"error": {"type": "api_error", "message": "An error occurred internally with the API."}});
    (StatusCode::INTERNAL_SERVER_ERROR, [("idempotent-replayed", "true")], Json(problem)).into_response()
}

async fn create(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refused> {
    let call = Call::read(&simulation, &headers, &body, parameters::CREATE_INTENT)?;
    let fields = &call.fields;
    let amount = fields.get("amount").ok_or_else(|| missing("amount"))?;
    let currency = fields.get("currency").ok_or_else(|| missing("currency"))?;
    let Some(amount) = amount.parse::<i64>().ok().filter(|amount| *amount > 0 && currency.len() == 3) else {
        let problem = problem(Some("parameter_invalid_integer"), "Invalid amount or currency");
        return Ok((StatusCode::BAD_REQUEST, Json(problem)).into_response());
    };
    if amount > MOST {
        let problem = problem(Some("amount_too_large"), "Amount must be no more than 999,999,999,999");
        return Ok((StatusCode::BAD_REQUEST, Json(problem)).into_response());
    }
    Ok(call.once(&simulation, "payment_intents", |payments| {
        let sent = json!({"metadata": nested(fields, "metadata"), "description": fields.get("description"),
            "customer": fields.get("customer"), "receipt_email": fields.get("receipt_email")});
        let mut payment = Payment::new(&call.account, amount, currency, sent, payments.now());
        payment.our_reference = fields.get("metadata[transaction_id]").cloned();
        let answer = shapes::intent(&payment, parameters::expands(fields, "latest_charge"));
        payments.all.push(payment);
        (StatusCode::OK, answer)
    }))
}

async fn read(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Refused> {
    let query = query.unwrap_or_default();
    let call = Call::read(&simulation, &headers, query.as_bytes(), parameters::READ_INTENT)?;
    let expands = parameters::expands(&call.fields, "latest_charge");
    let mut state = simulation.state();
    let payment = state.payments.of(&call.account, |payment| shapes::intent_id(payment) == Some(id.as_str()));
    let (status, body) = match payment {
        Some(payment) => (StatusCode::OK, shapes::intent(payment, expands)),
        None => unknown("payment_intent"),
    };
    Ok((status, Json(body)).into_response())
}

async fn cancel(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Refused> {
    let call = Call::read(&simulation, &headers, &body, parameters::CANCEL_INTENT)?;
    Ok(call.once(&simulation, &id, |payments| {
        let at = payments.now();
        let Some(payment) = payments.find(&call.account, &id) else { return unknown("payment_intent") };
        // Not while it is being processed: https://docs.stripe.com/api/payment_intents/cancel
        if matches!(payment.status, Status::Paid | Status::Waiting(Method::Debit)) {
            let message = "You cannot cancel this PaymentIntent because it is processing or has succeeded.";
            return (StatusCode::BAD_REQUEST, problem(Some("payment_intent_unexpected_state"), message));
        }
        payment.becomes(Status::Cancelled, at);
        (StatusCode::OK, shapes::intent(payment, parameters::expands(&call.fields, "latest_charge")))
    }))
}

/// A customer with the texts of the calls that made and changed it.
#[derive(Clone)]
pub struct Customer {
    id: String,
    organisation: String,
    created: i64,
    fields: Fields,
    /// Features that the last customer session allows on the page.
    features: Value,
}

impl Customer {
    pub fn shown(&self) -> Value {
        json!({"id": self.id, "organisation": self.organisation, "email": self.fields.get("email"),
            "name": self.fields.get("name"), "address": self.address(), "features": self.features})
    }

    fn object(&self) -> Value {
        json!({"id": self.id, "object": "customer", "created": self.created, "livemode": false,
            "email": self.fields.get("email"), "name": self.fields.get("name"), "address": self.address()})
    }

    /// All parts, if it has any.
    fn address(&self) -> Value {
        let part = |name: &str| self.fields.get(&format!("address[{name}]"));
        let names = ["city", "country", "line1", "line2", "postal_code", "state"];
        if names.iter().all(|name| part(name).is_none()) {
            return Value::Null;
        }
        Value::Object(names.iter().map(|name| ((*name).to_owned(), json!(part(name)))).collect())
    }
}

async fn create_customer(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refused> {
    let call = Call::read(&simulation, &headers, &body, parameters::CREATE_CUSTOMER)?;
    Ok(call.once(&simulation, "customers", |payments| {
        let customer = Customer {
            id: format!("cus_{}", random(14)),
            organisation: call.account.organisation.clone(),
            created: payments.now().timestamp(),
            fields: call.fields.clone(),
            features: Value::Null,
        };
        let answer = customer.object();
        payments.customers.push(customer);
        (StatusCode::OK, answer)
    }))
}

async fn update_customer(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Refused> {
    let call = Call::read(&simulation, &headers, &body, parameters::UPDATE_CUSTOMER)?;
    Ok(call.once(&simulation, &id, |payments| {
        let Some(customer) = payments.customers.iter_mut().find(|customer| customer.id == id) else {
            return unknown("customer");
        };
        customer.fields.extend(call.fields.clone());
        (StatusCode::OK, customer.object())
    }))
}

async fn customer_session(
    State(simulation): State<Arc<Simulation>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refused> {
    let call = Call::read(&simulation, &headers, &body, parameters::CREATE_CUSTOMER_SESSION)?;
    let fields = &call.fields;
    let id = fields.get("customer").ok_or_else(|| missing("customer"))?;
    Ok(call.once(&simulation, "customer_sessions", |payments| {
        let now = payments.now().timestamp();
        let Some(customer) = payments.customers.iter_mut().find(|customer| customer.id == *id) else {
            return unknown("customer");
        };
        customer.features = nested(fields, "components[payment_element][features]");
        let session = json!({"object": "customer_session", "customer": id, "created": now,
            "expires_at": now + 1800, "livemode": false, "client_secret": format!("cuss_secret_{}", random(20))});
        (StatusCode::OK, session)
    }))
}
