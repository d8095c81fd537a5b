//! Providers' webhook notifications: how a notification is identified, and what it means for a payment.

use serde_json::Value;
use shared::ids::TransactionId;

use super::PaymentSnapshot;

/// The part of a notification that all providers have.
#[derive(Debug, PartialEq, Eq)]
pub struct Notification {
    /// Identifies the notification: two deliveries of one notification have the same id.
    pub id: String,
    /// The provider's name of the notification type, such as `payment_intent.succeeded`.
    pub kind: String,
    pub body: Value,
}

/// The payment that a notification is about, and what the notification means.
#[derive(Debug)]
pub struct Subject {
    pub reference: Option<String>,
    /// Another id of the payment, under which a former shop may have known it.
    pub charge: Option<String>,
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
    /// The notification does not have all the details of the change: the worker must read the payment from the provider.
    MustRead,
    /// The notification changes nothing here.
    Nothing,
}

impl Subject {
    pub const NOTHING: Self =
        Self { reference: None, charge: None, transaction_id: None, interpretation: Interpretation::Nothing };
}

/// The id that a notification has in its body.
pub(super) fn id_in_body(_text: &str, body: &Value) -> Result<String, String> {
    field(body, "id")
}

pub(super) fn field(body: &Value, name: &str) -> Result<String, String> {
    let value = body.get(name).and_then(Value::as_str).filter(|value| !value.is_empty());
    value.map(str::to_owned).ok_or_else(|| format!("has no {name}"))
}

#[cfg(test)]
mod tests {
    use shared::gateway::Gateway;

    use crate::gateways::read_notification;

    #[test]
    fn a_notification_is_known_by_its_id_or_by_what_it_says() {
        let stripe = r#"{"id":"evt_1","type":"payment_intent.succeeded"}"#;
        let notification = read_notification(Gateway::Stripe, stripe).unwrap();
        assert_eq!(
            (notification.id.as_str(), notification.kind.as_str()),
            ("evt_1", "payment_intent.succeeded")
        );
        let razorpay = r#"{"event":"order.paid","payload":{}}"#;
        let (one, same) =
            (read_notification(Gateway::Razorpay, razorpay), read_notification(Gateway::Curlec, razorpay));
        assert_eq!(one, same);
        let other = read_notification(Gateway::Razorpay, r#"{"event":"order.paid","payload":{} }"#).unwrap();
        assert_ne!(one.unwrap().id, other.id);
        for bad in ["", "[]", "{}", r#"{"id":"","type":"x"}"#, r#"{"id":7,"type":"x"}"#] {
            assert!(Gateway::ALL.iter().all(|gateway| read_notification(*gateway, bad).is_err()), "{bad}");
        }
    }
}
