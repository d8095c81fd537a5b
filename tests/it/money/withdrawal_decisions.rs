//! Withdrawals that wait for a person, and what a key with the scope `refunds`, finance staff and operators decide.

use harness::steps::learner_cart::learner;
use harness::steps::organisation_keys::{get, key};
use harness::steps::refunds::{bought, order};
use harness::steps::staff::{act, look, staff};
use harness::steps::vouchers::keyed;
use harness::steps::withdrawals::{declaration, declare, declare_as, declared, mails, waits};
use harness::steps::worker_program::operator;
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

/// Orders that were sold without terms, each with its buyer, whose withdrawals wait for a person.
async fn waiting(world: &World, emails: &[&'static str]) -> Vec<(String, &'static str, Value)> {
    let mut orders = Vec::new();
    for email in emails {
        let cart = bought(world, &ORGANISATIONS[0], email).await.0;
        let user = learner(world, email).await;
        declare_as(world, &user, &declaration(&cart, email)).await;
        assert!(waits(world, &cart).await.contains("without terms"));
        orders.push((cart, *email, user));
    }
    orders
}

async fn decide(world: &World, key: &str, cart: &str, body: Value) -> Reply {
    let id = declared(world, cart).await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/storeapi/payment/withdrawals/{id}/decision/");
    keyed(world, Method::POST, &path, key, &body).await
}

#[tokio::test]
async fn only_the_organisations_key_sees_and_decides_and_in_full() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let own = key(world, "northwind", &[Scope::Refunds]).await;
        let other = key(world, "lindgren", &[Scope::Refunds]).await;
        let orders = waiting(world, &["a@example.com"]).await;
        let cart = &orders[0].0;
        let listed = get(world, "/storeapi/payment/withdrawals/?waiting=true", &own).await;
        assert_eq!(
            (&listed.json["total_count"], &listed.json["withdrawals"][0]["cart_id"]),
            (&json!(1), &json!(cart))
        );
        let path = format!(
            "/storeapi/payment/withdrawals/{}/",
            listed.json["withdrawals"][0]["withdrawal_id"].as_str().unwrap()
        );
        assert_eq!(get(world, &path, &own).await.json, listed.json["withdrawals"][0]);
        for (body, field) in [
            (json!({ "decision": "maybe" }), "decision"),
            (json!({ "decision": "refuse" }), "reason"),
            (json!({ "decision": "refuse", "reason": "no", "amount": 1 }), "amount"),
            (json!({ "decision": "accept", "amount": 1_000_000 }), "amount"),
        ] {
            let reply = decide(world, &own, cart, body).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), [field]);
        }
        decide(world, &other, cart, json!({ "decision": "accept" })).await.assert_problem(404, "not_found");
        get(world, &path, &other).await.assert_problem(404, "not_found");
        assert_eq!(get(world, "/storeapi/payment/withdrawals/", &other).await.json["total_count"], 0);
        get(world, "/storeapi/payment/withdrawals/?status=lost", &own)
            .await
            .assert_problem(400, "invalid_request");
        assert_eq!(declared(world, cart).await[0]["state"], "received");
    })
    .await;
}

#[tokio::test]
async fn a_person_accepts_pays_back_a_part_or_refuses_with_a_reason() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Refunds, Scope::Orders]).await;
        let orders = waiting(world, &["a@example.com", "b@example.com", "c@example.com"]).await;
        let [whole, half, none] = [&orders[0].0, &orders[1].0, &orders[2].0];
        let accepted = decide(world, &key, whole, json!({ "decision": "accept" })).await;
        assert_eq!(
            (accepted.status, &accepted.json["status"]),
            (200, &json!("accepted")),
            "{}",
            accepted.text
        );
        world.cart_becomes(whole, "refunded").await;
        let part = json!({ "decision": "accept", "amount": 50, "reason": "half was used" });
        let part = decide(world, &key, half, part).await;
        assert_eq!((part.status, &part.json["reason"]), (200, &json!("half was used")), "{}", part.text);
        world
            .eventually("a part is paid back", async |world| {
                order(world, &key, half).await["refunded_amount"].as_f64() == Some(50.0)
            })
            .await;
        let refused = json!({ "decision": "refuse", "reason": "a company bought it" });
        let refused = decide(world, &key, none, refused).await;
        assert_eq!((refused.status, &refused.json["status"]), (200, &json!("refused")), "{}", refused.text);
        world
            .eventually("the buyer learns why", async |world| {
                mails(world, orders[2].1, &["not accepted", "a company bought it"]).await.len() == 1
            })
            .await;
        let late = decide(world, &key, none, json!({ "decision": "accept" })).await;
        assert_eq!(late.assert_problem(400, "invalid_request").faulty_fields(), ["decision"]);
        let all = get(world, "/storeapi/payment/withdrawals/?status=refused", &key).await;
        assert_eq!(
            (&all.json["total_count"], &all.json["withdrawals"][0]["waits_since"]),
            (&json!(1), &Value::Null)
        );
        // A refused line can be declared again.
        declare_as(world, &orders[2].2, &declaration(none, orders[2].1)).await;
        world.eventually("a second declaration", async |world| declared(world, none).await.len() == 2).await;
    })
    .await;
}

#[tokio::test]
async fn finance_staff_find_a_withdrawal_on_their_list_and_decide_it_under_their_name() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let orders = waiting(world, &["a@example.com"]).await;
        let cart = &orders[0].0;
        let noor = staff(world, "northwind", "noor@example.com", &["finance"]).await;
        let support = staff(world, "northwind", "sam@example.com", &["support", "manager"]).await;
        let other = staff(world, "lindgren", "eve@lindgren.example", &["finance"]).await;
        let attention = "/storeapi/support/attention/";
        let listed = look(world, &noor, attention).await.json;
        let entry = &listed["entries"][0];
        assert_eq!((&entry["kind"], &entry["cart_id"]), (&json!("withdrawal"), &json!(cart)), "{listed}");
        assert!(entry["reason"].as_str().unwrap().contains("without terms") && entry["since"].is_string());
        for cookie in [&support, &other] {
            assert_eq!(look(world, cookie, attention).await.json["entries"], json!([]));
        }
        let path = format!("/storeapi/payment/withdrawals/{}/", entry["id"].as_str().unwrap());
        let (decision, part) = (format!("{path}decision/"), json!({ "decision": "accept", "amount": 50 }));
        act(world, &support, &decision, &part).await.assert_problem(403, "forbidden");
        act(world, &other, &decision, &part).await.assert_problem(404, "not_found");
        look(world, &support, &path).await.assert_problem(403, "forbidden");
        look(world, &other, &path).await.assert_problem(404, "not_found");
        let all = "/storeapi/payment/withdrawals/";
        assert_eq!(look(world, &noor, all).await.json["total_count"], 1);
        assert_eq!(look(world, &other, all).await.json["total_count"], 0);
        let decided = act(world, &noor, &decision, &part).await;
        assert_eq!((decided.status, &decided.json["status"]), (200, &json!("accepted")), "{}", decided.text);
        let order = format!("/storeapi/support/orders/{cart}/");
        world
            .eventually("a part is paid back", async |world| {
                look(world, &noor, &order).await.json["order"]["refunded_amount"].as_f64() == Some(50.0)
            })
            .await;
        let shown = look(world, &noor, &order).await.json;
        assert_eq!(shown["withdrawals"], json!([decided.json]));
        let moments = shown["timeline"].as_array().unwrap();
        let accepted = moments.iter().find(|moment| moment["words"] == "The withdrawal was accepted.");
        assert_eq!(accepted.unwrap()["by"], "Noor Haddad", "{moments:?}");
        assert_eq!(look(world, &noor, attention).await.json["entries"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_withdrawal_of_an_unknown_order_is_closed_by_an_operator() {
    world(Setup::selling(), async |world| {
        let noor = staff(world, "northwind", "noor@example.com", &["finance"]).await;
        declare(world, &declaration("NW-2026-99999", "ada@example.com")).await;
        let list = async || {
            let (done, said) = operator(world, &["withdrawals", "list", "--json"], &["database-url"]).await;
            assert!(done, "{said}");
            serde_json::from_str::<Value>(&said).unwrap()
        };
        world.eventually("it is stored", async |_| list().await.as_array().unwrap().len() == 1).await;
        let one = list().await[0].clone();
        assert_eq!(
            (&one["order"], &one["organisation"], &one["cart_id"]),
            (&json!("NW-2026-99999"), &Value::Null, &Value::Null)
        );
        assert_eq!(look(world, &noor, "/storeapi/support/attention/").await.json["entries"], json!([]));
        let id = one["id"].as_str().unwrap();
        let refuse = async |reason: &str| {
            operator(world, &["withdrawals", "refuse", id, "--reason", reason], &["database-url"]).await
        };
        let (done, said) = refuse(" ").await;
        assert!(!done && said.contains("1 to 200"), "{said}");
        let (done, said) = refuse("no order of ours").await;
        assert!(done && said.contains("refused"), "{said}");
        let (done, said) = refuse("no order of ours").await;
        assert!(!done && said.contains("already"), "{said}");
        assert_eq!(list().await, json!([]));
        let by: String =
            sqlx::query_scalar("SELECT decided_by FROM withdrawals").fetch_one(&world.db).await.unwrap();
        assert_eq!(by, "operator:Mira");
        assert!(world.emails("ada@example.com").await.is_empty());
    })
    .await;
}
