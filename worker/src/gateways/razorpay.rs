//! Razorpay and Curlec: orders, which the buyer pays in one of several attempts. They have no idempotency keys: the
//! worker finds an order again by its receipt, our transaction's id. An order cannot be cancelled and stays payable.

use async_trait::async_trait;
use reqwest::{Method, RequestBuilder};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::messages::PaymentStart;
use uuid::Uuid;

use super::{
    About, Amounts, Caller, Created, Credentials, Dispute, Facts, GatewayError, Meaning, NewPayment,
    PaymentGateway, Profile, Status, text, unreadable,
};

pub const PROFILE: Profile = Profile {
    amounts: AMOUNTS,
    has_public_key: true,
    needs_whole_address: false,
    can_cancel: false,
    base_url: |settings| &settings.razorpay_url,
    open: |caller, credentials| Box::new(Razorpay { caller, credentials }),
    event_id: digest_as_id,
    event_kind: "event",
    about,
};

pub const CURLEC: Profile =
    Profile { amounts: CURLEC_AMOUNTS, base_url: |settings| &settings.curlec_url, ..PROFILE };

/// From Razorpay's list of supported currencies, which includes international cards.
const AMOUNTS: Amounts = Amounts {
    currencies: &[
        "AED", "ALL", "AMD", "ARS", "AUD", "BBD", "BDT", "BHD", "BMD", "BND", "BOB", "BSD", "BWP", "BZD",
        "CAD", "CHF", "CNY", "COP", "CRC", "CZK", "DKK", "DOP", "DZD", "EGP", "ETB", "EUR", "FJD", "GBP",
        "GHS", "GMD", "GTQ", "GYD", "HKD", "HNL", "HUF", "IDR", "ILS", "INR", "JMD", "JPY", "KES", "KHR",
        "KWD", "KZT", "LAK", "LKR", "LRD", "LSL", "MAD", "MDL", "MKD", "MMK", "MNT", "MOP", "MUR", "MVR",
        "MWK", "MXN", "MYR", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PEN", "PGK", "PHP", "PKR",
        "QAR", "SAR", "SCR", "SEK", "SGD", "SOS", "SSP", "SVC", "SZL", "THB", "TTD", "TZS", "USD", "UYU",
        "UZS", "YER", "ZAR",
    ],
    digits: &[],
    least: &[("INR", 100)],
    most: 50_000_000_000,
};

const CURLEC_AMOUNTS: Amounts = Amounts {
    currencies: &["AUD", "CNY", "EUR", "GBP", "HKD", "IDR", "INR", "MYR", "SGD", "THB", "USD"],
    digits: &[],
    least: &[("MYR", 100)],
    most: 50_000_000_000,
};

struct Razorpay {
    caller: Caller,
    credentials: Credentials,
}

impl Razorpay {
    fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        request.basic_auth(self.key_id(), Some(self.credentials.secret_key.expose_secret()))
    }

    fn key_id(&self) -> &str {
        self.credentials.public_key.as_deref().unwrap_or_default()
    }

    async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, GatewayError> {
        let build = |request: RequestBuilder| self.signed(request).query(query);
        self.caller.repeat(Method::GET, path, build).await
    }

    async fn order_with(&self, receipt: &str) -> Result<Option<Value>, GatewayError> {
        let found = self.get("/orders", &[("receipt", receipt)]).await?;
        Ok(found.pointer("/items/0").cloned())
    }

    /// Finds the order that an earlier send of this request created, or creates one. Every send after the first looks
    /// for an order first, because only the answer may have been lost.
    async fn order(&self, receipt: &str, request: &Value, first: bool) -> Result<Value, GatewayError> {
        let mut look = !first;
        loop {
            if look && let Some(order) = self.order_with(receipt).await? {
                return Ok(order);
            }
            let build = |call| self.signed(call).json(request);
            match self.caller.once(Method::POST, "/orders", build).await {
                Err(GatewayError::Unanswered(_)) if self.caller.may_repeat().await => look = true,
                outcome => return outcome,
            }
        }
    }
}

#[async_trait]
impl PaymentGateway for Razorpay {
    fn request(&self, payment: &NewPayment<'_>) -> Value {
        json!({
            "amount": payment.subunits,
            "currency": payment.currency,
            "receipt": payment.transaction_id,
            // Accept late authorisations for the longest possible time: 7200 minutes, five days.
            "payment": { "capture": "automatic", "capture_options": {
                "automatic_expiry_period": 7200, "manual_expiry_period": 7200, "refund_speed": "normal" } },
            "notes": { "transaction_id": payment.transaction_id, "cart_id": payment.cart_id },
        })
    }

    async fn create(&self, id: Uuid, request: &Value, first: bool) -> Result<Created, GatewayError> {
        let order = self.order(&id.to_string(), request, first).await?;
        let facts = facts(&order, None).ok_or_else(|| unreadable("order"))?;
        let start = PaymentStart::Order {
            order_id: facts.reference.clone(),
            key_id: self.key_id().to_owned(),
            amount: facts.subunits,
        };
        Ok(Created { facts, start, customer: None })
    }

    async fn read(&self, reference: &str) -> Result<Facts, GatewayError> {
        let path = format!("/orders/{reference}");
        let order = self.get(&path, &[]).await?;
        let refunded = match text(&order, "/status") {
            Some("paid") => Some(refunded(&self.get(&format!("{path}/payments"), &[]).await?)),
            _ => None,
        };
        facts(&order, refunded).ok_or_else(|| unreadable("order"))
    }

    async fn cancel(&self, reference: &str) -> Result<Facts, GatewayError> {
        self.read(reference).await
    }
}

/// The total refunded of an order's payments, in subunits.
fn refunded(payments: &Value) -> i64 {
    let items = payments.get("items").and_then(Value::as_array).into_iter().flatten();
    // A late or second authorisation is refunded automatically, without a capture; it does not count.
    let captured = items.filter(|payment| payment.get("captured") == Some(&Value::Bool(true)));
    captured.filter_map(|payment| payment.get("amount_refunded")?.as_i64()).sum()
}

/// Reads an order from an answer or an event. A paid order is settled by its own amount: what the buyer paid for it can be
/// more, with a fee that the buyer bears, or less, with an offer.
fn facts(order: &Value, refunded: Option<i64>) -> Option<Facts> {
    let status = if text(order, "/status")? == "paid" { Status::Paid } else { Status::Open };
    let reference = text(order, "/id")?;
    let subunits = order.get("amount")?.as_i64()?;
    let paid = order.get("amount_paid").and_then(Value::as_i64);
    if let (Status::Paid, Some(paid)) = (status, paid.filter(|paid| *paid != subunits)) {
        tracing::info!(
            order = reference,
            subunits,
            paid,
            "a fee or an offer of the provider has changed what the buyer paid for an order"
        );
    }
    Some(Facts {
        reference: reference.to_owned(),
        transaction_id: text(order, "/receipt").and_then(|id| id.parse().ok()),
        status,
        subunits,
        currency: text(order, "/currency")?.to_owned(),
        refunded,
        dispute: None,
    })
}

/// Reads a payment attempt from an event; its notes are copied from the order.
fn attempt_facts(payment: &Value, status: Status) -> Option<Facts> {
    Some(Facts {
        reference: text(payment, "/order_id")?.to_owned(),
        transaction_id: text(payment, "/notes/transaction_id").and_then(|id| id.parse().ok()),
        status,
        subunits: payment.get("amount")?.as_i64()?,
        currency: text(payment, "/currency")?.to_owned(),
        refunded: None,
        dispute: None,
    })
}

/// The header with the event's id is not signed: an attacker could replay an old event under the id of a new one, and hide
/// the new one.
fn digest_as_id(text: &str, _body: &Value) -> Result<String, String> {
    Ok(hex::encode(Sha256::digest(text)))
}

fn about(kind: &str, event: &Value) -> About {
    let order = event.pointer("/payload/order/entity").unwrap_or(&Value::Null);
    let payment = event.pointer("/payload/payment/entity").unwrap_or(&Value::Null);
    let reference = text(order, "/id").or_else(|| text(payment, "/order_id")).map(str::to_owned);
    // Razorpay sends empty notes as a list, which has no transaction id.
    let ours = text(order, "/receipt").or_else(|| text(payment, "/notes/transaction_id"));
    let says = |facts: Option<Facts>| facts.map_or(Meaning::Ask(None), Meaning::Says);
    let attempt = |status| attempt_facts(payment, status).map_or(Meaning::Ask(None), Meaning::Attempt);
    let meaning = match kind {
        "order.paid" => says(facts(order, None)),
        "payment.captured" => attempt(Status::Paid),
        // This attempt has failed; the buyer can still pay the order with another.
        "payment.failed" => attempt(Status::Failed),
        "refund.processed" | "refund.failed" | "refund.created" => Meaning::Ask(None),
        "payment.dispute.lost" => {
            let lost = event.pointer("/payload/dispute/entity/amount").and_then(Value::as_i64);
            Meaning::Ask(Some(Dispute::Lost(lost)))
        }
        kind if kind.starts_with("payment.dispute.") => Meaning::Ask(Some(Dispute::Opened)),
        _ => Meaning::Nothing,
    };
    About { reference, transaction_id: ours.and_then(|id| id.parse().ok()), meaning }
}
