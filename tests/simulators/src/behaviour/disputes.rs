//! Disputes at the four providers, as a poller reads them and as webhooks report them.

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    World,
    payments::answer,
    refunds::{PROVIDERS, ProviderWords},
};

impl World {
    async fn dispute(&self, reference: &str, body: Value) -> (u16, Value) {
        self.control(Method::POST, &format!("/_sim/payments/{reference}/dispute"), body).await
    }

    /// The provider's own list of the payment's disputes.
    async fn disputes(&self, provider: &ProviderWords, (reference, path): &(String, String)) -> Vec<Value> {
        let (request, place) = match provider.name {
            "stripe" => (self.stripe(Method::GET, &format!("/disputes?payment_intent={reference}")), "/data"),
            "mollie" => {
                let path = format!("/payments/{reference}/chargebacks");
                (self.mollie(Method::GET, &path), "/_embedded/chargebacks")
            }
            _ => (self.razorpay(Method::GET, "/disputes"), "/items"),
        };
        let listed = answer(request).await.1.pointer(place).unwrap().as_array().unwrap().clone();
        // Razorpay lists the account's disputes.
        let own = |dispute: &Value| {
            dispute["entity"] != "dispute" || path.ends_with(dispute["payment_id"].as_str().unwrap())
        };
        listed.into_iter().filter(own).collect()
    }

    async fn charged_back(&self, reference: &str) -> Value {
        let (_, listed) = self.control(Method::GET, "/_sim/payments", json!({})).await;
        let listed = listed.as_array().unwrap().clone();
        listed.into_iter().find(|payment| payment["reference"] == reference).unwrap()["charged_back"].clone()
    }
}

#[tokio::test]
async fn a_dispute_is_opened_and_won() {
    let world = World::new().await;
    for provider in &PROVIDERS {
        let payment = world.paid(provider).await;
        assert_eq!(world.dispute(&payment.0, json!({})).await.0, 400, "it needs an outcome");
        assert_eq!(world.dispute(&payment.0, json!({"outcome": "opened"})).await.0, 200);
        let opened = world.disputes(provider, &payment).await;
        assert_eq!(opened.len(), 1, "{}", provider.name);
        world.dispute(&payment.0, json!({"outcome": "won"})).await;
        let won = world.disputes(provider, &payment).await;
        let closed =
            won.iter().find(|dispute| dispute["status"] == "won" || dispute["reversedAt"].is_string());
        assert!(closed.is_some(), "{}: {won:?}", provider.name);
    }
}

#[tokio::test]
async fn a_lost_dispute_takes_its_amount_and_a_partly_lost_one_a_part() {
    let world = World::new().await;
    for provider in &PROVIDERS {
        let payment = world.paid(provider).await;
        world.dispute(&payment.0, json!({"outcome": "opened", "amount": 3000})).await;
        world.dispute(&payment.0, json!({"outcome": "lost", "amount": 1200})).await;
        let lost = world.disputes(provider, &payment).await;
        match provider.name {
            "stripe" => {
                assert_eq!((&lost[0]["status"], &lost[0]["amount"]), (&json!("lost"), &json!(3000)));
                let moved = lost[0]["balance_transactions"].as_array().unwrap();
                let moved: Vec<&Value> = moved.iter().map(|transaction| &transaction["amount"]).collect();
                assert_eq!(moved, [&json!(-3000), &json!(1800)]);
            }
            // Mollie takes a chargeback whole, and never closes it.
            "mollie" => assert_eq!(
                (&lost[0]["amount"]["value"], &lost[0]["reversedAt"]),
                (&json!("30.00"), &Value::Null)
            ),
            _ => {
                assert_eq!((&lost[0]["status"], &lost[0]["amount_deducted"]), (&json!("lost"), &json!(1200)))
            }
        }
        let taken = if provider.name == "mollie" { 3000 } else { 1200 };
        assert_eq!(world.charged_back(&payment.0).await, taken, "{}", provider.name);
        let (status, _) = answer(world.refund(provider, &payment, 5000, "key-000001")).await;
        assert!(status == 400 || status == 422, "{}: less is left", provider.name);
    }
}

#[tokio::test]
async fn the_webhooks_name_each_step_of_a_dispute() {
    let world = World::new().await;
    world.simulators.set_notification_url(Some(world.simulators.url("/none")));
    for (provider, expected) in PROVIDERS.iter().zip([
        &[
            "charge.dispute.created",
            "charge.dispute.funds_withdrawn",
            "charge.dispute.closed",
            "charge.dispute.funds_reinstated",
        ][..],
        &["chargeback.received", "chargeback.reversed"],
        &["payment.dispute.created", "payment.dispute.won"],
    ]) {
        let payment = world.paid(provider).await;
        for outcome in ["opened", "won"] {
            world.dispute(&payment.0, json!({"outcome": outcome})).await;
        }
        let path = format!("/_sim/notifications?reference={}", payment.0);
        let mut kinds: Vec<String> = Vec::new();
        for _ in 0..50 {
            let (_, sent) = world.control(Method::GET, &path, json!({})).await;
            kinds =
                sent.as_array().unwrap().iter().map(|one| one["type"].as_str().unwrap().to_owned()).collect();
            if expected.iter().all(|kind| kinds.iter().any(|sent| sent == kind)) {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        assert!(
            expected.iter().all(|kind| kinds.iter().any(|sent| sent == kind)),
            "{}: {kinds:?}",
            provider.name
        );
    }
}
