//! A line that was paid with a voucher moves only where the voucher would have been taken.

use harness::steps::learner_cart::{learner, send};
use harness::steps::learner_checkout::checkout;
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::other_course;
use harness::steps::staff::{act, staff};
use harness::steps::vouchers::voucher;
use harness::{ORGANISATIONS, Organisation, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const SHOP: &Organisation = &ORGANISATIONS[0];

/// The key of another course at the price of the first, whose lines their buyers may move.
async fn other_at_the_price(world: &World) -> (String, String) {
    let other = other_course(world, SHOP).await;
    let key = sqlx::query_scalar(
        "UPDATE course_modes m SET price = (SELECT price FROM course_modes WHERE course_id = $2::uuid AND slug = 'verified')
         FROM courses c WHERE m.course_id = $1::uuid AND m.slug = 'verified' AND c.id = m.course_id RETURNING c.openedx_course_id",
    )
    .bind(&other)
    .bind(SHOP.course)
    .fetch_one(&world.db)
    .await
    .unwrap();
    for statement in [
        "UPDATE courses SET starts_at = now() - interval '1 year'",
        "UPDATE organisations SET move_days = 14 WHERE short_name = 'northwind'",
    ] {
        sqlx::query(statement).execute(&world.db).await.unwrap();
    }
    (other, key)
}

/// A learner's order of the course with a voucher that pays all of it, and the path of its moves.
async fn paid_by(world: &World, user: &Value, voucher: &str) -> String {
    let mut body = world.basket(SHOP).await;
    body["voucher"] = json!(voucher);
    let answer = checkout(world, user, &body, &[]).await;
    assert_eq!(answer.json["status"], "free", "{}", answer.text);
    let cart = answer.json["cart_id"].as_str().unwrap().to_owned();
    world.cart_becomes(&cart, "fulfilled").await;
    world.platform_agrees(user["email"].as_str().unwrap(), SHOP.key, SHOP.mode, true).await;
    cart
}

#[tokio::test]
async fn a_line_keeps_the_conditions_of_its_voucher_when_it_moves() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (other, other_key) = other_at_the_price(world).await;
        let own = key(world, "northwind", &[Scope::Vouchers]).await;
        let terms = |code: &str, courses: Value| json!({ "code": code, "kind": "percent", "value": 100, "course_ids": courses });
        voucher(world, &own, terms("ONE", json!([SHOP.course]))).await;
        voucher(world, &own, terms("BOTH", json!([SHOP.course, other]))).await;
        voucher(world, &own, terms("ALL", json!([]))).await;
        let noor = staff(world, "northwind", "noor@example.com", &["support"]).await;
        let mut body = json!({ "position": 0, "to": { "openedx_course_id": other_key }, "reason": "Wrong run" });
        for (code, email) in [("ONE", EMAIL), ("BOTH", "both@example.com"), ("ALL", "all@example.com")] {
            let user = learner(world, email).await;
            let cart = paid_by(world, &user, code).await;
            let path = format!("/storeapi/payment/orders/{cart}/moves/");
            let asked = send(world, &user, SHOP.short_name, Method::POST, &path, Some(body.clone())).await;
            if code != "ONE" {
                assert_eq!(asked.status, 202, "{code}: {}", asked.text);
                continue;
            }
            assert!(asked.assert_problem(403, "forbidden").text.contains("voucher"), "{}", asked.text);
            let desk = format!("/storeapi/support/orders/{cart}/moves/");
            let refused = act(world, &noor, &desk, &body).await;
            assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["waive"]);
            assert_eq!(count(world, "SELECT count(*) FROM moves").await, 0);
            // The organisation can give it away.
            body["waive"] = json!(true);
            let moved = act(world, &noor, &desk, &body).await;
            assert_eq!(moved.status, 202, "{}", moved.text);
            body.as_object_mut().unwrap().remove("waive");
            world.platform_agrees(EMAIL, &other_key, SHOP.mode, true).await;
        }
        world.drain().await;
    })
    .await;
}
