//! Payouts of the four providers, as a client reads them with what is in each.

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    World,
    payments::answer,
    refunds::{PROVIDERS, ProviderWords},
};

const ORGANISATIONS: [&str; 3] = ["northwind", "lindgren", "saraswati"];

impl World {
    async fn pay_out(&self, gateway: &str, organisation: &str, extra: Value) -> Value {
        let mut body = json!({"gateway": gateway, "organisation": organisation});
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let (status, payout) = self.control(Method::POST, "/_sim/payouts", body).await;
        assert_eq!(status, 200, "{payout}");
        payout
    }

    async fn settlements(&self, token: &str, query: &str) -> (u16, Value) {
        let url = self.simulators.url(&format!("/mollie/v2/settlements{query}"));
        answer(self.client.get(url).bearer_auth(token)).await
    }

    /// The account's payouts, and the movements of the newest one, in the provider's words.
    async fn payouts(&self, provider: &ProviderWords) -> (Vec<Value>, Vec<Value>) {
        let rows = |body: &Value, place: &str| body.pointer(place).unwrap().as_array().unwrap().clone();
        match provider.name {
            "stripe" => {
                let payouts = rows(&answer(self.stripe(Method::GET, "/payouts")).await.1, "/data");
                let path = format!(
                    "/balance_transactions?payout={}&expand[]=data.source",
                    payouts[0]["id"].as_str().unwrap()
                );
                (payouts, rows(&answer(self.stripe(Method::GET, &path)).await.1, "/data"))
            }
            "mollie" => {
                let payouts = rows(
                    &self.settlements("access_test_demo_lindgren", "").await.1,
                    "/_embedded/settlements",
                );
                let years = payouts[0]["periods"].as_object().unwrap().values();
                let months = years.flat_map(|year| year.as_object().unwrap().values());
                let lines =
                    months.flat_map(|month| [rows(month, "/revenue"), rows(month, "/costs")].concat());
                (payouts.clone(), lines.collect())
            }
            _ => {
                let payouts = rows(&answer(self.razorpay(Method::GET, "/settlements")).await.1, "/items");
                let at = payouts[0]["created_at"].as_i64().unwrap() + 330 * 60;
                let day = chrono::DateTime::from_timestamp(at, 0).unwrap();
                let path = format!(
                    "/settlements/recon/combined?{}&count=1000",
                    day.format("year=%Y&month=%-m&day=%-d")
                );
                (payouts, rows(&answer(self.razorpay(Method::GET, &path)).await.1, "/items"))
            }
        }
    }
}

#[tokio::test]
async fn a_payout_has_what_was_paid_and_refunded_since_the_last_one() {
    let world = World::new().await;
    for (provider, organisation) in PROVIDERS.iter().zip(ORGANISATIONS) {
        let payment = world.paid(provider).await;
        let made = world
            .pay_out(provider.name, organisation, json!({"fee": 200, "other": ["brand_new", -10]}))
            .await;
        let (payouts, rows) = world.payouts(provider).await;
        assert_eq!((payouts.len(), made["movements"].as_u64()), (1, Some(3)), "{}", provider.name);
        match provider.name {
            // 5000 without 2.9 % and 30, a fee of 200, and the new kind.
            "stripe" => {
                assert_eq!(payouts[0]["amount"], 5000 - 175 - 200 - 10);
                let of =
                    |kind: &str| rows.iter().find(|row| row["reporting_category"] == kind).unwrap().clone();
                assert_eq!(of("charge")["source"]["payment_intent"], payment.0.as_str());
                assert_eq!((&of("fee")["amount"], &of("payout")["amount"]), (&json!(-200), &json!(-4615)));
                assert_eq!(of("brand_new")["net"], -10);
            }
            "mollie" => {
                // 0.25 and 1.8 %, and 21 % of both: 1.3915; and 2.42.
                assert_eq!(payouts[0]["amount"]["value"], "46.09");
                let values: Vec<_> =
                    rows.iter().map(|row| row["amountNet"]["value"].as_str().unwrap()).collect();
                assert_eq!(values, ["-0.1000", "50.0000", "1.1500", "2.0000"]);
                assert_eq!(rows[2]["amountVat"]["value"], "0.2415");
            }
            _ => {
                assert_eq!(payouts[0]["amount"], 5000 - 118 - 236 - 10);
                let sold = rows.iter().find(|row| row["type"] == "payment").unwrap();
                assert_eq!(
                    (&sold["fee"], &sold["tax"], &sold["credit"]),
                    (&json!(118), &json!(18), &json!(4882))
                );
                assert_eq!(sold["order_id"], payment.0.as_str());
            }
        }
        let nothing = json!({"gateway": provider.name, "organisation": organisation});
        assert_eq!(world.control(Method::POST, "/_sim/payouts", nothing).await.0, 409, "{}", provider.name);
        world.refund(provider, &payment, 700, "key-000001").send().await.unwrap();
        world.pay_out(provider.name, organisation, json!({})).await;
        let (payouts, rows) = world.payouts(provider).await;
        assert_eq!(payouts.len(), 2, "{}", provider.name);
        assert!(rows.iter().any(|row| row.to_string().contains("refund")), "{}: {rows:?}", provider.name);
    }
}

#[tokio::test]
async fn stripe_gives_a_failed_payout_back_and_says_nothing_of_a_manual_one() {
    let world = World::new().await;
    world.paid(&PROVIDERS[0]).await;
    let made = world.pay_out("stripe", "northwind", json!({})).await;
    let path = format!("/_sim/payouts/{}/fail", made["id"].as_str().unwrap());
    assert_eq!(world.control(Method::POST, &path, json!({})).await.0, 200);
    world.pay_out("stripe", "northwind", json!({})).await;
    let (payouts, rows) = world.payouts(&PROVIDERS[0]).await;
    let states: Vec<_> = payouts.iter().map(|payout| payout["status"].as_str().unwrap()).collect();
    assert_eq!(states, ["paid", "failed"]);
    assert_eq!((&rows[1]["type"], &rows[1]["amount"]), (&json!("payout_failure"), &made["amount"]));
    let manual = world.pay_out("stripe", "northwind", json!({"manual": true, "sales": 3})).await;
    let path = format!("/balance_transactions?payout={}", manual["id"].as_str().unwrap());
    assert_eq!(answer(world.stripe(Method::GET, &path)).await.0, 400);
}

#[tokio::test]
async fn lists_have_pages_and_keys_without_rights_read_none() {
    let world = World::new().await;
    for _ in 0..3 {
        world.pay_out("stripe", "northwind", json!({"sales": 2})).await;
        world.pay_out("mollie", "lindgren", json!({"sales": 2})).await;
    }
    let (_, first) = answer(world.stripe(Method::GET, "/payouts?limit=2")).await;
    assert_eq!((first["data"].as_array().unwrap().len(), &first["has_more"]), (2, &json!(true)));
    let path = format!("/payouts?limit=2&starting_after={}", first["data"][1]["id"].as_str().unwrap());
    let (_, last) = answer(world.stripe(Method::GET, &path)).await;
    assert_eq!((last["data"].as_array().unwrap().len(), &last["has_more"]), (1, &json!(false)));
    let (_, page) = world.settlements("access_test_demo_lindgren", "?limit=2").await;
    assert!(page["_links"]["next"]["href"].is_string(), "{page}");
    assert_eq!(world.settlements("test_demo_lindgren", "").await.0, 403);
    assert_eq!(world.settlements("nothing", "").await.0, 401);
    let account = json!({"gateway": "stripe", "organisation": "northwind", "secret_key": "rk_1", "notification_secret": "x"});
    assert_eq!(world.control(Method::POST, "/_sim/accounts", account).await.0, 204);
    let url = world.simulators.url("/stripe/v1/payouts");
    assert_eq!(answer(world.client.get(url).bearer_auth("rk_1")).await.0, 403);
}
