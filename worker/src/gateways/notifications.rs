//! Providers' webhook events: how an event is identified, and what it means for a payment.

use serde_json::Value;
use shared::gateway::Gateway;
use shared::ids::TransactionId;

use super::{PaymentSnapshot, profile};

/// The part of an event that all providers have.
#[derive(Debug, PartialEq, Eq)]
pub struct Event {
    /// Identifies the event: two deliveries of one event have the same id.
    pub id: String,
    /// The provider's name of the event type, such as `payment_intent.succeeded`.
    pub kind: String,
    pub body: Value,
}

/// The payment that an event is about, and what the event means.
#[derive(Debug)]
pub struct EventSubject {
    pub reference: Option<String>,
    /// Our transaction id, as the provider repeats it.
    pub transaction_id: Option<TransactionId>,
    pub interpretation: Interpretation,
}

#[derive(Debug)]
pub enum Interpretation {
    Reported(PaymentSnapshot),
    /// One attempt at an order. It counts if the amount is the order's; otherwise the worker must read the
    /// order, because the buyer may pay more for it (a fee) or less (an offer).
    AttemptOnly(PaymentSnapshot),
    /// The event does not have all the details of the change: the worker must read the payment from the provider.
    MustRead,
    /// The event changes nothing here.
    Nothing,
}

impl EventSubject {
    pub const NOTHING: Self =
        Self { reference: None, transaction_id: None, interpretation: Interpretation::Nothing };
}

/// Interprets an event's body according to its type.
pub fn interpret(gateway: Gateway, kind: &str, body: &Value) -> EventSubject {
    match &profile(gateway).provider {
        Some(provider) => (provider.interpret)(kind, body),
        None => EventSubject::NOTHING,
    }
}

/// Reads the id and type of an event.
///
/// # Errors
/// Why the body does not have the documented shape.
pub fn read_event(gateway: Gateway, text: &str) -> Result<Event, String> {
    let body: Value = serde_json::from_str(text).map_err(|error| format!("is not JSON: {error}"))?;
    let provider = profile(gateway).provider.as_ref().ok_or("comes from a gateway without a provider")?;
    Ok(Event { id: (provider.event_id)(text, &body)?, kind: field(&body, provider.event_kind)?, body })
}

/// The id that an event has in its body.
pub(super) fn id_in_body(_text: &str, body: &Value) -> Result<String, String> {
    field(body, "id")
}

fn field(body: &Value, name: &str) -> Result<String, String> {
    let value = body.get(name).and_then(Value::as_str).filter(|value| !value.is_empty());
    value.map(str::to_owned).ok_or_else(|| format!("has no {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_known_by_its_id_or_by_what_it_says() {
        let stripe = r#"{"id":"evt_1","type":"payment_intent.succeeded"}"#;
        let event = read_event(Gateway::Stripe, stripe).unwrap();
        assert_eq!((event.id.as_str(), event.kind.as_str()), ("evt_1", "payment_intent.succeeded"));
        let razorpay = r#"{"event":"order.paid","payload":{}}"#;
        let (one, same) = (read_event(Gateway::Razorpay, razorpay), read_event(Gateway::Curlec, razorpay));
        assert_eq!(one, same);
        let other = read_event(Gateway::Razorpay, r#"{"event":"order.paid","payload":{} }"#).unwrap();
        assert_ne!(one.unwrap().id, other.id);
        for bad in ["", "[]", "{}", r#"{"id":"","type":"x"}"#, r#"{"id":7,"type":"x"}"#] {
            assert!(Gateway::ALL.iter().all(|gateway| read_event(*gateway, bad).is_err()), "{bad}");
        }
    }
}
