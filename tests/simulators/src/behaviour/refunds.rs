//! Refunds at the four providers: made once for a key, listed with our ids, and ended later.

use std::time::Duration;

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::{World, payments::answer};

/// Names that one provider has for payments and refunds.
pub struct ProviderWords {
    pub name: &'static str,
    /// The states of a refund in the provider's words: accepted, succeeded, failed.
    words: [&'static str; 3],
}

pub const PROVIDERS: [ProviderWords; 3] = [
    ProviderWords { name: "stripe", words: ["pending", "succeeded", "failed"] },
    ProviderWords { name: "mollie", words: ["queued", "refunded", "failed"] },
    ProviderWords { name: "razorpay", words: ["pending", "processed", "failed"] },
];

impl World {
    /// A paid payment of 5000: its reference, and the path of what the provider refunds.
    pub async fn paid(&self, provider: &ProviderWords) -> (String, String) {
        let ours = json!({"transaction_id": provider.name});
        let made = match provider.name {
            "stripe" => {
                let form = [("amount", "5000"), ("currency", "usd"), ("metadata[transaction_id]", "stripe")];
                self.stripe(Method::POST, "/payment_intents").form(&form)
            }
            "mollie" => self.mollie(Method::POST, "/payments").json(&json!({"description": "A course",
                "amount": {"currency": "EUR", "value": "50.00"}, "redirectUrl": "http://a", "metadata": ours})),
            _ => {
                let order = json!({"amount": 5000, "currency": "INR", "receipt": "razorpay"});
                self.razorpay(Method::POST, "/orders").json(&order)
            }
        };
        let reference = answer(made).await.1["id"].as_str().unwrap().to_owned();
        let pay = format!("/_sim/payments/{reference}/pay");
        assert_eq!(self.control(Method::POST, &pay, json!({})).await.0, 200);
        if provider.name != "razorpay" {
            return (reference.clone(), format!("/payments/{reference}/refunds"));
        }
        let (_, attempts) =
            answer(self.razorpay(Method::GET, &format!("/orders/{reference}/payments"))).await;
        (reference, format!("/payments/{}", attempts["items"][0]["id"].as_str().unwrap()))
    }

    pub fn refund(
        &self,
        provider: &ProviderWords,
        (reference, path): &(String, String),
        amount: i64,
        key: &str,
    ) -> RequestBuilder {
        match provider.name {
            "stripe" => {
                let form = [
                    ("payment_intent", reference.clone()),
                    ("amount", amount.to_string()),
                    ("metadata[refund_id]", "r-1".to_owned()),
                ];
                self.stripe(Method::POST, "/refunds").header("Idempotency-Key", key).form(&form)
            }
            "mollie" => {
                let value = format!("{}.{:02}", amount / 100, amount % 100);
                let body = json!({"amount": {"currency": "EUR", "value": value}, "description": "Refund",
                    "metadata": {"refund_id": "r-1"}});
                self.mollie(Method::POST, path).header("Idempotency-Key", key).json(&body)
            }
            _ => {
                let body = json!({"amount": amount, "notes": {"refund_id": "r-1"}, "receipt": "r-1"});
                self.razorpay(Method::POST, &format!("{path}/refund"))
                    .header("X-Refund-Idempotency", key)
                    .json(&body)
            }
        }
    }

    /// The provider's own list of the payment's refunds.
    async fn refunds(&self, provider: &ProviderWords, (reference, path): &(String, String)) -> Vec<Value> {
        let (request, place) = match provider.name {
            "stripe" => (self.stripe(Method::GET, &format!("/refunds?payment_intent={reference}")), "/data"),
            "mollie" => (self.mollie(Method::GET, path), "/_embedded/refunds"),
            _ => (self.razorpay(Method::GET, &format!("{path}/refunds")), "/items"),
        };
        answer(request).await.1.pointer(place).unwrap().as_array().unwrap().clone()
    }

    async fn refunded(&self, reference: &str) -> Value {
        let (_, listed) = self.control(Method::GET, "/_sim/payments", json!({})).await;
        let listed = listed.as_array().unwrap().clone();
        listed.into_iter().find(|payment| payment["reference"] == reference).unwrap()["refunded"].clone()
    }
}

#[tokio::test]
async fn a_refund_is_made_once_for_its_key_and_listed_with_our_id() {
    let world = World::new().await;
    for provider in &PROVIDERS {
        let payment = world.paid(provider).await;
        let (status, first) = answer(world.refund(provider, &payment, 1999, "key-000001")).await;
        assert!(status == 200 || status == 201, "{}: {first}", provider.name);
        assert_eq!(answer(world.refund(provider, &payment, 1999, "key-000001")).await.1, first);
        assert_eq!(world.refunded(&payment.0).await, 1999);
        let (status, _) = answer(world.refund(provider, &payment, 1, "key-000001")).await;
        assert!(status == 400 || status == 409, "{}", provider.name);
        // From the dashboard: without our id.
        let refund = format!("/_sim/payments/{}/refund", payment.0);
        world.control(Method::POST, &refund, json!({"amount": 1})).await;
        let listed = world.refunds(provider, &payment).await;
        assert_eq!((listed.len(), &listed[1]["id"]), (2, &first["id"]), "newest first");
        let ours = |refund: &Value| {
            let found =
                ["/metadata/refund_id", "/notes/refund_id"].map(|place| refund.pointer(place).cloned());
            found.into_iter().flatten().next()
        };
        assert_eq!((ours(&listed[1]), ours(&listed[0])), (Some(json!("r-1")), None));
        let (status, _) = answer(world.refund(provider, &payment, 3001, "key-000002")).await;
        assert!(status == 400 || status == 422, "{}: more than is left", provider.name);
        let path = format!("/_sim/refunds?our_reference={}", provider.name);
        let (_, seen) = world.control(Method::GET, &path, json!({})).await;
        assert_eq!((&seen[0]["refund_id"], &seen[0]["amount"]), (&json!("r-1"), &json!(1999)));
        assert_eq!((&seen[0]["status"], &seen[1]["refund_id"]), (&json!("succeeded"), &Value::Null));
    }
}

#[tokio::test]
async fn a_refund_that_waits_succeeds_or_fails_later() {
    let world = World::new().await;
    assert_eq!(world.control(Method::POST, "/_sim/refunds", json!({"wait": true})).await.0, 204);
    for provider in &PROVIDERS {
        let payment = world.paid(provider).await;
        let [accepted, succeeded, failed] = provider.words;
        let (_, refund) = answer(world.refund(provider, &payment, 2000, "key-000001")).await;
        assert_eq!(refund["status"], accepted);
        // It counts from the moment the provider has taken it.
        assert_eq!(world.refunded(&payment.0).await, 2000);
        let path = format!("/_sim/refunds/{}", refund["id"].as_str().unwrap());
        assert_eq!(world.control(Method::POST, &format!("{path}/succeed"), json!({})).await.0, 200);
        assert_eq!(world.refunds(provider, &payment).await[0]["status"], succeeded);
        assert_eq!(world.control(Method::POST, &format!("{path}/succeed"), json!({})).await.0, 409);
        // The bank sends it back.
        assert_eq!(world.control(Method::POST, &format!("{path}/fail"), json!({})).await.0, 200);
        assert_eq!(world.refunds(provider, &payment).await[0]["status"], failed);
        assert_eq!(world.refunded(&payment.0).await, 0);
        let (status, _) = answer(world.refund(provider, &payment, 5000, "key-000002")).await;
        assert!(status == 200 || status == 201, "all of it can be refunded again");
    }
}

#[tokio::test]
async fn mollie_cancels_a_refund_that_it_has_not_begun() {
    let world = World::new().await;
    world.control(Method::POST, "/_sim/refunds", json!({"wait": true})).await;
    let payment = world.paid(&PROVIDERS[1]).await;
    let (_, refund) = answer(world.refund(&PROVIDERS[1], &payment, 5000, "key-000001")).await;
    let path = format!("{}/{}", payment.1, refund["id"].as_str().unwrap());
    assert_eq!(answer(world.mollie(Method::DELETE, &path)).await.0, 204);
    assert_eq!(answer(world.mollie(Method::GET, &path)).await.1["status"], "canceled");
    assert_eq!(answer(world.mollie(Method::DELETE, &path)).await.0, 422);
    assert_eq!(world.refunded(&payment.0).await, 0);
}

#[tokio::test]
async fn a_call_under_a_key_that_is_being_worked_on_is_a_conflict() {
    let world = World::new().await;
    for provider in &PROVIDERS {
        let payment = world.paid(provider).await;
        world
            .fault(json!({"target": provider.name, "path": "refund", "kind": "delay", "delay_ms": 500}))
            .await;
        let slow = tokio::spawn(world.refund(provider, &payment, 100, "key-000001").send());
        tokio::time::sleep(Duration::from_millis(150)).await;
        assert_eq!(
            answer(world.refund(provider, &payment, 100, "key-000001")).await.0,
            409,
            "{}",
            provider.name
        );
        assert!(slow.await.unwrap().unwrap().status().is_success());
        let (status, _) = answer(world.refund(provider, &payment, 100, "key-000001")).await;
        assert!(status == 200 || status == 201, "{}", provider.name);
        assert_eq!(world.refunded(&payment.0).await, 100);
    }
}

#[tokio::test]
async fn razorpay_refuses_a_short_or_odd_idempotency_key() {
    let world = World::new().await;
    let payment = world.paid(&PROVIDERS[2]).await;
    for key in ["short", "ten chars!"] {
        assert_eq!(answer(world.refund(&PROVIDERS[2], &payment, 100, key)).await.0, 400, "{key}");
    }
    assert_eq!(world.refunded(&payment.0).await, 0);
}
