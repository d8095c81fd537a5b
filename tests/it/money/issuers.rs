//! Sales through each way of issuing, with a partner that is unavailable in between, is told twice and reports twice.

use chrono::TimeDelta;
use harness::steps::events::endpoint_at;
use harness::steps::invoices::{SHOP, report, sell_through, sold};
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{order, refund};
use harness::steps::tax::{import, seller};
use harness::steps::vouchers::keyed;
use harness::{Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::invoices::numbers;

/// What the partner knows, and how it has fared with the storefront.
async fn known(world: &World) -> Vec<Value> {
    world.sim(Method::GET, "/_sim/partner", None).await.as_array().unwrap().clone()
}

async fn set_partner(world: &World, key: &str, store: &str, is_down: bool) {
    let settings =
        json!({ "store": store, "keys": { SHOP.short_name: key }, "is_down": is_down, "repeats": 2 });
    world.sim(Method::POST, "/_sim/partner", Some(settings)).await;
}

/// Numbers and totals of an order's documents, once it has so many.
async fn documents(world: &World, key: &str, cart: &str, many: usize) -> Vec<(String, i64)> {
    world
        .eventually("the documents are issued", async |world| {
            order(world, key, cart).await["documents"].as_array().unwrap().len() == many
        })
        .await;
    let order = order(world, key, cart).await;
    numbers(&order).into_iter().map(|(number, _, total)| (number.to_owned(), total)).collect()
}

/// Asserts that nothing waits, no alert is left, and documents add up to the ledger.
async fn assert_settled(world: &World) {
    world.drain().await;
    assert_eq!(
        count(world, "SELECT count(*) FROM documents WHERE state IN ('requested', 'refused')").await,
        0
    );
    assert_eq!(count(world, "SELECT count(*) FROM transactions WHERE alert IS NOT NULL").await, 0);
    assert_eq!(count(world, "SELECT count(*) FROM mails").await, 0);
    let documented = "SELECT sum(CASE kind WHEN 'invoice' THEN total ELSE -total END)::bigint FROM documents WHERE state = 'issued'";
    assert_eq!(count(world, documented).await, count(world, "SELECT sum(amount)::bigint FROM ledger").await);
}

/// Sells an order whose documents an authority clears. The partner takes no events first, then the authority is down, then the
/// storefront's api is not where the partner looks for it; meanwhile, money goes back.
async fn clear_through_outages(world: &World, key: &str) {
    let year = world.clock.now().format("%y").to_string();
    import(world, &[seller(SHOP, "DE", json!({ "documents": "cleared" }))]).await.unwrap();
    world.fault(json!({ "target": "partner", "kind": "status", "status": 503, "count": 1 })).await;
    world.fault(json!({ "target": "partner", "kind": "lost_answer", "count": 1 })).await;
    set_partner(world, key, "http://127.0.0.1:9", true).await;
    let cleared = sold(world, "grace@example.com", json!({ "company": "Engines", "country": "DE" })).await;
    for _ in 0..4 {
        world.settle().await;
        world.clock.advance(TimeDelta::minutes(7));
    }
    world.eventually("the partner was told", async |world| known(world).await.len() == 1).await;
    assert_eq!(order(world, key, &cleared).await["documents"], json!([]));
    set_partner(world, key, "http://127.0.0.1:9", false).await;
    world
        .eventually("the partner has tried", async |world| {
            known(world).await[0]["answers"].as_array().unwrap().len() > 1
        })
        .await;
    assert_eq!(refund(world, key, &cleared, &json!({ "items": [], "amount": 40 })).await.status, 200);
    set_partner(world, key, &world.url(""), false).await;
    world.settle().await;
    world.clock.advance(TimeDelta::minutes(1));
    let said = documents(world, key, &cleared, 2).await;
    assert_eq!(said, [(format!("IN{year}-000002"), 19_900), (format!("CN{year}-000001"), 4_000)]);
    for one in known(world).await {
        let answers: Vec<u64> = one["answers"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        assert!(answers.ends_with(&[200, 200, 200]), "{one}");
    }
}

#[tokio::test]
#[ignore = "slow"]
async fn each_way_of_issuing_ends_with_the_same_sums_through_outages_and_refusals() {
    let worker_args = vec!["--reconcile-every=200ms".into()];
    world(Setup { worker_args, ..Setup::selling() }, async |world| {
        sell_through(world, "own").await;
        let scopes = [Scope::Orders, Scope::Refunds, Scope::Documents];
        let own = key(world, SHOP.short_name, &scopes).await;
        let year = world.clock.now().format("%y").to_string();
        let by_itself = sold(world, EMAIL, Value::Null).await;
        assert_eq!(documents(world, &own, &by_itself, 1).await, [(format!("IN{year}-000001"), 19_900)]);
        endpoint_at(world, SHOP.short_name, "/_sim/partner/events").await;

        clear_through_outages(world, &own).await;

        // Refused, and issued anew for the right number.
        let buyer = |number: &str| json!({ "company": "Engines", "country": "DE", "tax_id": number });
        let refused = sold(world, "mary@example.com", buyer("REFUSED1")).await;
        world
            .eventually("it is refused", async |world| {
                count(world, "SELECT count(*) FROM documents WHERE state = 'refused'").await == 1
            })
            .await;
        let path = format!("/storeapi/payment/orders/{refused}/invoice/");
        let reply =
            keyed(world, Method::POST, &path, &own, &json!({ "billing_address": buyer("DE123456789") }))
                .await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        assert_eq!(documents(world, &own, &refused, 1).await, [(format!("IN{year}-000004"), 19_900)]);

        // Another program, under its own numbers.
        import(world, &[seller(SHOP, "DE", json!({ "documents": "external" }))]).await.unwrap();
        let external = sold(world, "joan@example.com", Value::Null).await;
        documents(world, &own, &external, 1).await;
        assert_eq!(refund(world, &own, &external, &json!({ "items": [0] })).await.status, 200);
        let said = documents(world, &own, &external, 2).await;
        assert!(said.iter().all(|(number, total)| number.starts_with("FV/") && *total == 19_900), "{said:?}");

        assert_settled(world).await;
        // What the partner says of a document that was replaced comes too late.
        let late: uuid::Uuid = sqlx::query_scalar("SELECT id FROM documents WHERE state = 'replaced'")
            .fetch_one(&world.db)
            .await
            .unwrap();
        let late = json!({ "document_id": late });
        report(world, &own, &late, &json!({ "status": "issued" })).await.assert_problem(409, "contradiction");
    })
    .await;
}
