//! Orders of a former shop as people see them here: found by their old number, closed to refunds and changes, and not purchases of this
//! shop.

use harness::steps::console::with_console;
use harness::steps::credentials::session;
use harness::steps::former_shop::{DATA, Export, OldOrder, move_in, moved_cart, sales};
use harness::steps::invoices::SHOP;
use harness::steps::learner_cart::learner;
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::refund;
use harness::steps::staff::{act, look, staff};
use harness::{Reply, Setup, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

#[tokio::test]
async fn the_number_of_the_former_shop_finds_the_order_everywhere() {
    world(with_console(), async |world| {
        world.sell().await;
        let user = learner(world, EMAIL).await;
        let (done, said) = move_in(world, &sales(user["user_id"].as_i64().unwrap()), &["--apply"]).await;
        assert!(done, "{said}");
        let id = moved_cart(world, "OLD-100001").await;
        let own = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let page = get(world, "/storeapi/payment/orders/?reference=OLD-100001", &own).await;
        assert_eq!(page.json["orders"][0]["cart_id"], json!(id), "{}", page.text);
        let receipt =
            world.http.get(world.url("/checkout/receipt/?order_number=OLD-100001")).send().await.unwrap();
        let location = receipt.headers()["location"].to_str().unwrap().to_owned();
        assert!(
            receipt.status() == 302 && location.ends_with(&format!("/storeapi/payment/status/{id}/")),
            "{location}"
        );
        let unknown =
            world.http.get(world.url("/checkout/receipt/?order_number=OLD-1")).send().await.unwrap();
        assert_eq!(unknown.status(), 404);

        let cookie = staff(world, SHOP.short_name, "noor@example.com", &["support", "finance"]).await;
        for text in ["old-100001", "PAYID-1", EMAIL] {
            let found = look(world, &cookie, &format!("/console/northwind/search/?q={text}")).await;
            // One result alone is opened at once.
            let is_opened = found.status == 303 && found.header("location").contains(&id);
            assert!(is_opened || found.text.contains(&id), "{text}: {} {}", found.status, found.text);
        }
        let page = look(world, &cookie, &format!("/console/northwind/orders/{id}/")).await;
        assert!(page.text.contains("Sold by old.example.com before it was moved in"), "{}", page.text);
        for action in ["/refund/", "/receipt/", "/address/", "/move/"] {
            assert!(
                !page.text.contains(&format!("{id}{action}\" method"))
                    && !page.text.contains(&format!("action=\"/console/northwind/orders/{id}{action}")),
                "{action}"
            );
        }
        let mine = world.http.get(world.url("/storeapi/payment/history/")).header("cookie", session(&user));
        let mine = Reply::read(mine).await;
        assert!(mine.text.contains("149"), "{}", mine.text);
    })
    .await;
}

#[tokio::test]
async fn whoever_asks_for_a_refund_or_a_change_is_sent_to_the_former_shop() {
    world(with_console(), async |world| {
        world.sell().await;
        let user = learner(world, EMAIL).await;
        let (done, said) = move_in(world, &sales(user["user_id"].as_i64().unwrap()), &["--apply"]).await;
        assert!(done, "{said}");
        let id = moved_cart(world, "OLD-100001").await;
        let own = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds, Scope::Payments]).await;
        let refused = refund(world, &own, &id, &json!({ "reason": "no" })).await;
        assert_eq!((refused.status, &refused.json["code"]), (403, &json!("forbidden")), "{}", refused.text);
        assert!(refused.text.contains("sold by old.example.com"), "{}", refused.text);
        let learners =
            world.request(Method::POST, &harness::steps::refunds::path(&id)).header("cookie", session(&user));
        let learners =
            learners.header("origin", "http://store.test").header("idempotency-key", "mine").json(&json!({}));
        let learners = Reply::read(learners).await;
        assert!(
            learners.status == 403 && learners.text.contains("sold by old.example.com"),
            "{}",
            learners.text
        );
        let report = world
            .request(Method::POST, &format!("/storeapi/payment/orders/{id}/payments/"))
            .header("organisationapikey", &own);
        let body = json!({ "amount": 149, "received_at": "2026-01-05T09:00:00Z", "reference": "7" });
        let report = Reply::read(report.header("idempotency-key", "once").json(&body)).await;
        assert_eq!(report.status, 403, "{}", report.text);
        let cookie = staff(world, SHOP.short_name, "noor@example.com", &["support", "finance"]).await;
        for (action, body) in [("receipt", Value::Null), ("address", json!({ "email": "eve@example.com" }))] {
            let answer =
                act(world, &cookie, &format!("/storeapi/support/orders/{id}/{action}/"), &body).await;
            assert_eq!(answer.status, 403, "{action}: {}", answer.text);
        }
        let support = key(world, SHOP.short_name, &[Scope::Support, Scope::Orders]).await;
        let moved = world
            .request(Method::POST, &format!("/storeapi/payment/orders/{id}/moves/"))
            .header("organisationapikey", &support);
        let moved =
            Reply::read(moved.json(&json!({ "position": 0, "to": { "email": "eve@example.com" } }))).await;
        assert_eq!(moved.status, 403, "{}", moved.text);
        assert_eq!(count(world, "SELECT count(*) FROM refunds WHERE state = 'asked'").await, 0);
        assert_eq!(count(world, "SELECT count(*) FROM mails").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_former_order_neither_counts_as_bought_nor_alerts_when_the_course_is_bought_here() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let user = learner(world, EMAIL).await;
        let mut export = Export::default();
        export.user(7, user["user_id"].as_i64().unwrap(), EMAIL);
        // The same course that the shop sells in the tests.
        export.change("product", |product| {
            if product["id"] == DATA.1 {
                product["course"] = json!(SHOP.key);
            }
        });
        export.order(&OldOrder::of(1, 7));
        let (done, said) = move_in(world, &export, &["--apply"]).await;
        assert!(done, "{said}");
        let bought = world.learner_checkout(SHOP, &user).await;
        let id = harness::steps::payments::cart_id(&bought).to_owned();
        let payment = world.payment(&id).await;
        world.at_provider("pay", payment["reference"].as_str().unwrap(), json!({})).await;
        world.cart_becomes(&id, "fulfilled").await;
        assert_eq!(count(world, "SELECT count(*) FROM transactions WHERE alert IS NOT NULL").await, 0);
    })
    .await;
}
