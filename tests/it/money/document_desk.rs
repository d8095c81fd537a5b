//! Documents of other systems in the console: where they stand, what waits too long, and what finance reports by hand.

use chrono::TimeDelta;
use harness::steps::console::{OWN, get, key, post, with_console};
use harness::steps::invoices::{SHOP, requested, sell_through, sold};
use harness::steps::organisation_keys;
use harness::steps::payments::EMAIL;
use harness::steps::refunds::order;
use harness::steps::staff::{look, staff};
use harness::{World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::invoices::numbers;

/// Sends a form of an order's page about its one document. Returns the status, and where it has led.
async fn report(
    world: &World,
    cookie: &str,
    cart: &str,
    action: &str,
    fields: &[(&str, &str)],
) -> (u16, String) {
    let page = format!("/console/northwind/orders/{cart}/");
    let shown = get(world, cookie, &page).await;
    let id: String = sqlx::query_scalar("SELECT id::text FROM documents WHERE state <> 'replaced'")
        .fetch_one(&world.db)
        .await
        .unwrap();
    let form_key = key(&shown);
    let mut all = vec![("key", form_key.as_str()), ("document_id", id.as_str()), ("currency", "USD")];
    all.extend(fields);
    let sent = post(world, cookie, &format!("{page}{action}/"), OWN, &all).await;
    (
        sent.status,
        sent.header("location").rsplit_once("?done=").map(|(_, word)| word.to_owned()).unwrap_or_default(),
    )
}

/// What a person is asked to do about documents.
async fn waiting(world: &World, cookie: &str) -> Vec<Value> {
    let list = look(world, cookie, "/storeapi/support/attention/").await.json;
    let entries = list["entries"].as_array().unwrap().iter().filter(|entry| entry["kind"] == "document");
    entries.map(|entry| entry["subject"].clone()).collect()
}

#[tokio::test]
#[ignore = "slow"]
async fn finance_sees_what_waits_and_reports_refusal_clearance_and_cancellation() {
    world(with_console(), async |world| {
        sell_through(world, "cleared").await;
        let own = organisation_keys::key(world, SHOP.short_name, &[Scope::Orders, Scope::Events]).await;
        let cart = sold(world, EMAIL, json!({ "name": "Ada", "country": "DE" })).await;
        world.drain().await;
        let number = requested(world, &own).await[0]["number"].clone();
        let sam = staff(world, "northwind", "sam@example.com", &["support"]).await;
        let fay = staff(world, "northwind", "fay@example.com", &["finance"]).await;
        let page = format!("/console/northwind/orders/{cart}/");
        let seen = get(world, &sam, &page).await.text;
        assert!(seen.contains(number.as_str().unwrap()) && seen.contains("requested"), "{seen}");
        assert!(!seen.contains("Report what came of it"), "{seen}");
        assert_eq!(report(world, &sam, &cart, "document-refused", &[("reason", "no")]).await.0, 403);
        assert_eq!(waiting(world, &fay).await, [] as [Value; 0]);
        world.clock.advance(TimeDelta::hours(25));
        assert_eq!((waiting(world, &fay).await, waiting(world, &sam).await), (vec![number.clone()], vec![]));
        assert_eq!(world.waiting("documents_requested").await, 1);

        let done = (303, "document".to_owned());
        assert_eq!(report(world, &fay, &cart, "document-refused", &[("reason", "")]).await.0, 400);
        assert_eq!(report(world, &fay, &cart, "document-refused", &[("reason", "tax number")]).await, done);
        let seen = get(world, &fay, &page).await.text;
        assert!(seen.contains("refused") && seen.contains("tax number"), "{seen}");
        assert_eq!(waiting(world, &fay).await, [] as [Value; 0], "it has an alert");
        let cleared = [("authority", "KSeF"), ("number", "526-1"), ("qr", "")];
        assert_eq!(report(world, &fay, &cart, "document-cleared", &cleared).await, done);
        world.drain().await;
        assert_eq!(
            numbers(&order(world, &own, &cart).await),
            [(number.as_str().unwrap(), "invoice", 19_900)]
        );
        assert_eq!(world.waiting("documents_requested").await, 0);
        assert_eq!(report(world, &fay, &cart, "document-refused", &[("reason", "no")]).await.0, 409);
        assert_eq!(
            report(world, &fay, &cart, "document-cancelled", &[("reason", "wrong buyer")]).await,
            done
        );
        let seen = get(world, &fay, &page).await.text;
        assert!(seen.contains("cancelled") && seen.contains("wrong buyer"), "{seen}");
        assert!(
            !get(world, &sam, &page).await.text.contains("Request it anew")
                && seen.contains("Request it anew"),
            "{seen}"
        );
        assert_eq!(report(world, &sam, &cart, "document-requested", &[]).await.0, 403);
        assert_eq!(report(world, &fay, &cart, "document-requested", &[]).await, done);
        world.drain().await;
        assert!(requested(world, &own).await[1]["number"].as_str().unwrap().ends_with("-000002"));
        let other = sold(world, "grace@example.com", Value::Null).await;
        assert_eq!(
            report(world, &fay, &other, "document-cleared", &cleared).await.0,
            404,
            "it is of another order"
        );
    })
    .await;
}

#[tokio::test]
async fn finance_reports_what_another_program_has_issued() {
    world(with_console(), async |world| {
        sell_through(world, "external").await;
        let own = organisation_keys::key(world, SHOP.short_name, &[Scope::Orders]).await;
        let cart = sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        let fay = staff(world, "northwind", "fay@example.com", &["finance"]).await;
        let fields = |total| [("number", "R 2026–a/417"), ("issued_on", "2026-02-03"), ("total", total)];
        assert_eq!(report(world, &fay, &cart, "document-issued", &fields("a lot")).await.0, 400);
        assert_eq!(report(world, &fay, &cart, "document-issued", &fields("199,00")).await.0, 303);
        world.drain().await;
        assert_eq!(numbers(&order(world, &own, &cart).await), [("R 2026–a/417", "invoice", 19_900)]);
        let found = get(world, &fay, "/console/northwind/search/?q=%20R%202026%E2%80%93a/417").await;
        assert!(found.status == 303 && found.header("location").contains(&cart), "{}", found.text);
    })
    .await;
}
