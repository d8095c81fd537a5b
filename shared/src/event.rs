//! Events as an organisation's systems receive them: in the feed of the api, and signed at their endpoints by the worker. The
//! form of a delivery is that of Standard Webhooks 1.0.0 (<https://github.com/standard-webhooks/standard-webhooks>), so that
//! its libraries verify it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use rand::TryRng;
use rand::rngs::SysError;
use rand::rngs::SysRng;
use secrecy::{SecretSlice, SecretString};
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::Sha256;
use uuid::Uuid;

use crate::money::{Amount, Currency, Money};

/// All types of events. The schema has the same list.
pub const TYPES: [&str; 16] = [
    "order.pending",
    "order.closed",
    "order.paid",
    "order.fulfilled",
    "order.overdue",
    "order.refunded",
    "order.refund_failed",
    "order.disputed",
    "order.withdrawn",
    "document.requested",
    "document.issued",
    "document.cancelled",
    "enrollment.changed",
    "enrollment.moved",
    "enrollment.ended",
    "mail.bounced",
];

/// Of what time a feed shows the events.
pub const SHOWN: TimeDelta = TimeDelta::days(30);

/// Time that a place in the feed can be used: longer than its events are shown, so that a reader of the oldest page can
/// continue.
pub const CURSORS_KEPT: TimeDelta = TimeDelta::days(31);

/// Time that events are kept: longer than a place in the feed, because an event can get its position a while after it
/// happened.
pub const KEPT: TimeDelta = TimeDelta::days(32);

/// The fields of the stored data that are amounts in minor units.
const AMOUNTS: [&str; 5] = ["total_price", "amount", "refunded_amount", "total", "open_amount"];

const SECRET_PREFIX: &str = "whsec_";
const SECRET_BYTES: usize = 32;

/// An event as receivers read it.
#[derive(Debug, Serialize)]
pub struct EventBody {
    /// One of [`TYPES`].
    #[serde(rename = "type")]
    pub kind: String,
    /// Time when it happened.
    pub timestamp: DateTime<Utc>,
    /// The organisation's short name, and what happened. Amounts are in major units.
    pub data: Map<String, Value>,
}

/// The stored data of an event cannot be shown.
#[derive(Debug, thiserror::Error)]
#[error("the stored data of an event is not an object with a known currency")]
pub struct UnreadableEvent;

impl EventBody {
    /// Makes the body from what is stored. `email` is that of an enrollment's event.
    ///
    /// # Errors
    /// The data is not an object, or its amounts have no currency.
    pub fn new(
        kind: String,
        timestamp: DateTime<Utc>,
        organisation: String,
        email: Option<String>,
        stored: Value,
    ) -> Result<Self, UnreadableEvent> {
        let Value::Object(mut data) = stored else { return Err(UnreadableEvent) };
        let currency = data.get("currency").and_then(Value::as_str).and_then(|code| code.parse().ok());
        for name in AMOUNTS {
            if let Some(amount) = data.get_mut(name) {
                *amount = currency.and_then(|currency| major(amount, currency)).ok_or(UnreadableEvent)?;
            }
        }
        data.insert("organisation".into(), organisation.into());
        if let Some(email) = email {
            data.insert("email".into(), email.into());
        }
        Ok(Self { kind, timestamp, data })
    }
}

fn major(minor: &Value, currency: Currency) -> Option<Value> {
    let money = Money::from_minor(minor.as_i64()?, currency).ok()?;
    serde_json::to_value(Amount(money)).ok()
}

/// Makes an endpoint's secret from the operating system's randomness.
///
/// # Errors
/// The operating system has none.
pub fn generate_secret() -> Result<SecretSlice<u8>, SysError> {
    let mut secret = vec![0; SECRET_BYTES];
    SysRng.try_fill_bytes(&mut secret)?;
    Ok(secret.into())
}

/// The secret as an operator gives it to the receiver: `whsec_` and its bytes in base64.
pub fn secret_text(secret: &[u8]) -> SecretString {
    format!("{SECRET_PREFIX}{}", BASE64_STANDARD.encode(secret)).into()
}

/// The header `webhook-signature` of a delivery: one signature for each secret.
pub fn signatures<S: AsRef<[u8]>>(secrets: &[S], id: Uuid, sent_at: DateTime<Utc>, body: &[u8]) -> String {
    let head = format!("{id}.{}.", sent_at.timestamp());
    let signed = secrets.iter().filter_map(|secret| {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_ref()).ok()?;
        mac.update(head.as_bytes());
        mac.update(body);
        Some(format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes())))
    });
    signed.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;
    use serde_json::json;

    /// The example of the specification's reference libraries.
    #[test]
    fn the_signature_is_that_of_the_reference_libraries() {
        let secret = BASE64_STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&secret).unwrap();
        mac.update(b"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}");
        let known = BASE64_STANDARD.encode(mac.finalize().into_bytes());
        assert_eq!(known, "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let (id, at) = (Uuid::nil(), DateTime::from_timestamp(1_614_265_330, 0).unwrap());
        let both = signatures(&[&secret[..], b"other"], id, at, b"{}");
        let (one, two) = both.split_once(' ').unwrap();
        assert!(one.starts_with("v1,") && two.starts_with("v1,") && one != two, "{both}");
        assert_eq!(signatures(&[secret], id, at, b"{}"), one);
    }

    #[test]
    fn a_secret_is_32_random_bytes_in_base64() {
        let (one, two) = (generate_secret().unwrap(), generate_secret().unwrap());
        assert_ne!(one.expose_secret(), two.expose_secret());
        let text = secret_text(one.expose_secret());
        let bytes = BASE64_STANDARD.decode(text.expose_secret().strip_prefix("whsec_").unwrap()).unwrap();
        assert_eq!(bytes, one.expose_secret());
        assert_eq!(bytes.len(), 32);
    }

    #[test]
    fn amounts_are_in_major_units_of_the_events_currency() {
        let body =
            |data| EventBody::new("order.paid".into(), DateTime::UNIX_EPOCH, "acme".into(), None, data);
        for (currency, shown) in [("USD", json!(12.5)), ("JPY", json!(1250)), ("KWD", json!(1.25))] {
            let body = body(json!({ "total_price": 1250, "currency": currency })).unwrap();
            let expected = json!({ "type": "order.paid", "timestamp": "1970-01-01T00:00:00Z",
                "data": { "organisation": "acme", "total_price": shown, "currency": currency } });
            assert_eq!(serde_json::to_value(body).unwrap(), expected);
        }
        for bad in [json!([]), json!({ "amount": 1 }), json!({ "amount": "1", "currency": "USD" })] {
            assert!(body(bad).is_err());
        }
    }
}
