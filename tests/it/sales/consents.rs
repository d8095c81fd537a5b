//! What a buyer must agree to at a checkout, and where it is shown afterwards.

use harness::steps::demo::{FREE_COURSE, PAID_COURSE};
use harness::steps::events::{endpoint, received};
use harness::steps::learner_cart::{CART, CHECKOUT, learner, send};
use harness::steps::organisation_keys::key;
use harness::steps::refunds::order;
use harness::steps::tax::{import, seller};
use harness::steps::withdrawals::{all_consents, bought, check_out, offer};
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

fn content() -> Value {
    json!({ "days": 14, "kind": "digital_content", "terms_url": "https://northwind.example/terms", "terms_version": "2026-06" })
}

async fn quote(world: &World, change: impl FnOnce(&mut Value)) -> Value {
    let mut basket = world.basket(&ORGANISATIONS[0]).await;
    change(&mut basket);
    let reply = world.post("/storeapi/discovery/quote/", &basket).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json["consents_required"].clone()
}

#[tokio::test]
async fn a_quote_says_what_this_basket_and_buyer_must_agree_to() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let none = quote(world, |_| {}).await;
        assert_eq!(none, Value::Null);
        offer(world, &ORGANISATIONS[0], content()).await;
        assert_eq!(quote(world, |_| {}).await, json!(["terms", "begin_now", "loses_right"]));
        let quoted = world.post("/storeapi/discovery/quote/", &world.basket(&ORGANISATIONS[0]).await).await;
        assert_eq!(quoted.json["terms_url"], "https://northwind.example/terms");
        let seats = |basket: &mut Value| basket["items"][0]["seats"] = json!(3);
        let company = |basket: &mut Value| basket["billing_address"] = json!({ "company": "Acme" });
        let free = |basket: &mut Value| {
            basket["items"] = json!([{ "type": "course", "id": FREE_COURSE, "mode": "audit" }]);
        };
        assert_eq!(quote(world, seats).await, Value::Null);
        assert_eq!(quote(world, company).await, Value::Null);
        assert_eq!(quote(world, free).await, Value::Null);
        let both = |basket: &mut Value| {
            let place = basket["items"][0].clone();
            basket["items"][0]["seats"] = json!(3);
            basket["items"].as_array_mut().unwrap().push(place);
        };
        assert_eq!(quote(world, both).await, json!(["terms", "begin_now", "loses_right"]));
        // Only buyers in some countries have the right.
        offer(world, &ORGANISATIONS[0], json!({ "kind": "service", "days": 14, "countries": ["DE"] })).await;
        let from = |country: &'static str| {
            move |basket: &mut Value| basket["billing_address"] = json!({ "country": country })
        };
        assert_eq!(quote(world, from("DE")).await, json!(["begin_now"]));
        assert_eq!(quote(world, from("US")).await, Value::Null);
        let ada = learner(world, "ada@example.com").await;
        let path = "/storeapi/payment/capabilities/";
        let told = send(world, &ada, "northwind", Method::GET, path, None).await;
        let expected =
            json!({ "kind": "service", "days": 14, "countries": ["DE"], "consents_required": ["begin_now"] });
        assert_eq!(told.json["withdrawal"], expected);
    })
    .await;
}

#[tokio::test]
async fn a_checkout_without_a_required_consent_is_refused_and_writes_nothing() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        offer(world, organisation, content()).await;
        let all = ["consents.terms", "consents.begin_now", "consents.loses_right"];
        let without = world.guest_checkout(organisation, "ada@example.com").await;
        assert_eq!(without.assert_problem(400, "invalid_request").faulty_fields(), all);
        let some = check_out(world, organisation, "ada@example.com", json!({ "begin_now": true })).await;
        assert_eq!(some.assert_problem(400, "invalid_request").faulty_fields(), [all[0], all[2]]);
        for (consents, field) in [
            (json!({ "terms": "yes" }), "consents.terms"),
            (json!({ "begins_now": true }), "consents.begins_now"),
            (json!(true), "consents"),
        ] {
            let reply = check_out(world, organisation, "ada@example.com", consents).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), [field]);
        }
        let carts: i64 = sqlx::query_scalar("SELECT count(*) FROM carts").fetch_one(&world.db).await.unwrap();
        assert_eq!((carts, world.sim(Method::GET, "/_sim/payments", None).await), (0, json!([])));
    })
    .await;
}

#[tokio::test]
async fn consents_are_frozen_with_their_time_and_shown_in_order_event_and_receipt() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user("ada@example.com").await;
        let organisation = &ORGANISATIONS[0];
        offer(world, organisation, content()).await;
        let key = key(world, "northwind", &[Scope::Orders]).await;
        endpoint(world, "northwind", "shop").await;
        let cart = bought(world, organisation, "ada@example.com", all_consents()).await;
        offer(world, organisation, json!({ "kind": "service", "days": 30 })).await;
        let shown = order(world, &key, &cart).await["consents"].clone();
        let mut expected = content();
        expected.as_object_mut().unwrap().extend(all_consents().as_object().unwrap().clone());
        expected["at"] = shown["at"].clone();
        assert_eq!(shown, expected);
        let at: chrono::DateTime<chrono::Utc> = shown["at"].as_str().unwrap().parse().unwrap();
        assert!((world.clock.now() - at).num_seconds().abs() < 60, "{at}");
        world
            .eventually("the events have the consents", async |world| {
                let events = received(world, "shop").await;
                let bodies = events.iter().map(|event| event["body"].as_str().unwrap_or_default());
                let bodies = bodies.filter_map(|body| serde_json::from_str::<Value>(body).ok());
                bodies.filter(|body| body["data"]["consents"] == shown).count() == 3
            })
            .await;
        world
            .eventually("the receipt confirms them", async |world| {
                let mails = world.emails("ada@example.com").await;
                mails.iter().any(|mail| {
                    let text = mail["text"].as_str().unwrap_or_default();
                    let html = mail["html"].as_str().unwrap_or_default().replace("&#x2f;", "/");
                    let words =
                        ["begin before the period", "lose your right", "https://northwind.example/terms"];
                    words.iter().all(|words| text.contains(words))
                        && html.contains("href=\"https://northwind.example/terms\"")
                })
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn a_learners_cart_keeps_its_consents_until_the_terms_change() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        offer(world, organisation, content()).await;
        let ada = learner(world, "ada@example.com").await;
        let items = json!([{ "type": "course", "id": PAID_COURSE, "mode": "verified" }]);
        let put = async |body: Value| send(world, &ada, "northwind", Method::PUT, CART, Some(body)).await;
        let check_out = async || send(world, &ada, "northwind", Method::POST, CHECKOUT, None).await;
        assert_eq!(put(json!({ "items": items })).await.status, 200);
        let missing = ["consents.terms", "consents.begin_now", "consents.loses_right"];
        assert_eq!(check_out().await.assert_problem(400, "invalid_request").faulty_fields(), missing);
        assert_eq!(put(json!({ "items": items, "consents": all_consents() })).await.status, 200);
        let mut newer = content();
        newer["terms_version"] = json!("2026-12");
        offer(world, organisation, newer).await;
        assert_eq!(check_out().await.assert_problem(400, "invalid_request").faulty_fields(), missing);
        assert_eq!(put(json!({ "items": items, "consents": all_consents() })).await.status, 200);
        let reply: Reply = check_out().await;
        assert_eq!(reply.json["status"], "payment_required", "{}", reply.text);
    })
    .await;
}

#[tokio::test]
async fn an_organisations_right_of_withdrawal_is_imported_and_checked() {
    world(Setup::without_workers(), async |world| {
        let record = |terms: Value| {
            let mut record = seller(&ORGANISATIONS[0], "DE", json!({}));
            record["withdrawal"] = terms;
            record
        };
        import(world, &[record(json!({ "kind": "service" }))]).await.unwrap();
        let mut exported = Vec::new();
        worker::catalog::export(&world.db, &mut exported).await.unwrap();
        let exported = String::from_utf8(exported).unwrap();
        let lines = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let told: Vec<Value> = lines.filter(|line| line["short_name"] == "northwind").collect();
        assert_eq!(told[0]["withdrawal"], json!({ "days": 14, "kind": "service" }));
        for (terms, why) in [
            (json!({ "kind": "goods" }), "unknown variant"),
            (json!({ "kind": "service", "days": 0 }), "days 0 is not 1 to 366"),
            (json!({ "kind": "service", "countries": [] }), "countries is empty"),
            (json!({ "kind": "service", "countries": ["UK"] }), "country UK"),
            (json!({ "kind": "service", "terms_url": "ftp://a.example" }), "terms_url is not"),
            (json!({ "kind": "service", "terms_version": "1" }), "terms_version needs terms_url"),
        ] {
            let refused = import(world, &[record(terms)]).await.unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
    })
    .await;
}
