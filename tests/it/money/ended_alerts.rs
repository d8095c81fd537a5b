//! Alerts that end by themselves, once what they report is over.

use harness::steps::organisation_keys::key;
use harness::steps::payment_commands::payments_calling;
use harness::steps::payments::{EMAIL, begun, count, reference};
use harness::steps::refunds::{bought, refund};
use harness::steps::staff::{act, look, staff};
use harness::{ORGANISATIONS, Organisation, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const SHOP: &Organisation = &ORGANISATIONS[0];

/// The kinds of what needs a person at the shop.
async fn waiting(world: &World, cookie: &str) -> Vec<String> {
    let reply = look(world, cookie, "/storeapi/support/attention/").await;
    let entries = reply.json["entries"].as_array().unwrap().clone();
    entries.iter().map(|entry| entry["kind"].as_str().unwrap().to_owned()).collect()
}

async fn alert(world: &World, cart: &str) -> Option<String> {
    world.transaction(cart).await.2
}

/// A paid order that the platform refuses to open.
async fn refused(world: &World) -> String {
    world.platform_user(EMAIL).await;
    world.sim(Method::POST, "/_sim/courses", Some(json!({ "course_id": SHOP.key, "veto": true }))).await;
    let (cart, payment) = begun(world, SHOP, EMAIL).await;
    world.at_provider("pay", reference(&payment), json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    world.eventually("the alert", async |world| alert(world, &cart).await.is_some()).await;
    world.sim(Method::POST, "/_sim/courses", Some(json!({ "course_id": SHOP.key, "veto": false }))).await;
    cart
}

#[tokio::test]
async fn a_refusal_needs_nobody_any_more_once_a_retry_has_worked() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let cart = refused(world).await;
        let noor = staff(world, SHOP.short_name, "noor@example.com", &["support"]).await;
        assert_eq!(waiting(world, &noor).await.len(), 2, "the payment and the enrollment");
        let shown = look(world, &noor, &format!("/storeapi/support/orders/{cart}/")).await.json;
        let again = json!({ "enrollment_id": shown["access"][0]["enrollment_id"] });
        assert_eq!(act(world, &noor, "/storeapi/support/enrollments/", &again).await.status, 204);
        world.eventually("nothing waits", async |world| waiting(world, &noor).await.is_empty()).await;
        assert_eq!(alert(world, &cart).await, None);
        let closed = "SELECT count(*) FROM audit_log WHERE entity = 'transaction' AND detail ->> 'closed' LIKE 'paid, and the platform refuses%'";
        assert_eq!(count(world, closed).await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_refusal_needs_nobody_any_more_once_the_order_is_refunded() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let cart = refused(world).await;
        let key = key(world, SHOP.short_name, &[Scope::Refunds]).await;
        let reply = refund(world, &key, &cart, &json!({})).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        let noor = staff(world, SHOP.short_name, "noor@example.com", &["support"]).await;
        world.eventually("nothing waits", async |world| waiting(world, &noor).await.is_empty()).await;
        assert_eq!(alert(world, &cart).await, None);
    })
    .await;
}

#[tokio::test]
async fn what_was_bought_twice_needs_nobody_any_more_once_either_is_refunded() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, SHOP.short_name, &[Scope::Refunds]).await;
        for (email, refunds_first) in [("one@example.com", true), ("two@example.com", false)] {
            let (first, _) = bought(world, SHOP, email).await;
            // Another basket, so that the second checkout does not join the first.
            let (second, _) = bought(world, SHOP, email).await;
            assert!(alert(world, &second).await.is_some_and(|alert| alert.contains(&first)));
            // Goodwill leaves both purchases as they are.
            let goodwill = refund(world, &key, &first, &json!({ "items": [], "amount": 5 })).await;
            assert_eq!(goodwill.status, 200, "{}", goodwill.text);
            assert!(alert(world, &second).await.is_some());
            let undone = if refunds_first { &first } else { &second };
            let reply = refund(world, &key, undone, &json!({})).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            world.cart_becomes(undone, "refunded").await;
            assert_eq!(alert(world, &second).await, None, "{email}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_contradiction_needs_nobody_any_more_once_the_provider_agrees() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = begun(world, SHOP, EMAIL).await;
        let other = "the order was paid 30 hours after the checkout";
        sqlx::query("UPDATE transactions SET alert = 'the provider disagrees: its amount is 1 usd, in subunits; ' || $2 WHERE cart_id = $1::uuid")
            .bind(&cart)
            .bind(other)
            .execute(&world.db)
            .await
            .unwrap();
        let (done, said) = payments_calling(world, &["check", &cart]).await;
        assert!(done, "{said}");
        assert_eq!(alert(world, &cart).await.as_deref(), Some(other));
        assert_ne!(world.status(&cart).await["status"], Value::Null);
    })
    .await;
}
