//! Checkout by signed-in learners: who they are, and which courses they already hold.

use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, PAID_KEY, organisation};
use harness::steps::learner_checkout::checkout;
use harness::{Setup, World, world};
use serde_json::{Value, json};

pub async fn basket(world: &World, course: &str, mode: &str) -> Value {
    let items = json!([{ "type": "course", "id": course, "mode": mode }]);
    json!({ "organisation_id": organisation(world, "northwind").await, "items": items })
}

/// The newest cart: buyer, original price in minor units, discount in percent, price in minor units, and the mode
/// upgraded from.
async fn newest(world: &World) -> (String, i64, String, i64, Option<String>) {
    sqlx::query_as(
        "SELECT c.buyer, i.original_price, i.discount_pct::text, i.price, i.upgrade_from
         FROM carts c JOIN cart_items i ON i.cart_id = c.id ORDER BY c.id DESC LIMIT 1",
    )
    .fetch_one(&world.db)
    .await
    .unwrap()
}

#[tokio::test]
async fn a_free_basket_enrolls_the_signed_in_learner() {
    world(Setup::default(), async |world| {
        // The session has proved the address, so the worker need not look it up on the platform.
        let ada = world.platform_user("ada@example.com").await;
        let body = basket(world, FREE_COURSE, "audit").await;
        let reply = checkout(world, &ada, &body, &[]).await;
        assert_eq!((reply.status, &reply.json["status"]), (200, &json!("free")), "{}", reply.text);
        world.platform_agrees("ada@example.com", FREE_KEY, "audit", true).await;
        assert_eq!(newest(world).await.0, ada["user_id"].to_string());
        // The same basket again returns the same attempt.
        assert_eq!(checkout(world, &ada, &body, &[]).await.json["cart_id"], reply.json["cart_id"]);
        // A guest with the same address is a different buyer.
        let mut guest = body.clone();
        guest["email"] = json!("ada@example.com");
        let guest = world.post("/storeapi/discovery/guest/checkout/", &guest).await;
        assert_eq!(guest.status, 200, "{}", guest.text);
        assert_ne!(guest.json["cart_id"], reply.json["cart_id"]);
        assert!(world.emails("ada@example.com").await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn the_buyer_is_the_session_and_an_address_is_refused() {
    world(Setup::without_workers(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        let mut body = basket(world, FREE_COURSE, "audit").await;
        body["email"] = json!("bob@example.com");
        body["items"][0]["price"] = json!(0);
        let reply = checkout(world, &ada, &body, &[]).await;
        assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["items[0].price", "email"]);
    })
    .await;
}

#[tokio::test]
async fn an_idempotency_key_is_the_learners_own() {
    world(Setup::default(), async |world| {
        let (ada, bob) =
            (world.platform_user("ada@example.com").await, world.platform_user("bob@example.com").await);
        let body = basket(world, FREE_COURSE, "audit").await;
        let key = [("Idempotency-Key", "one")];
        let first = checkout(world, &ada, &body, &key).await;
        assert_eq!(checkout(world, &ada, &body, &key).await.json, first.json);
        let other = checkout(world, &bob, &body, &key).await;
        assert_eq!(other.status, 200, "{}", other.text);
        assert_ne!(other.json["cart_id"], first.json["cart_id"]);
        let changed = basket(world, FREE_COURSE, "verified").await;
        checkout(world, &ada, &changed, &key).await.assert_problem(422, "idempotency_mismatch");
    })
    .await;
}

#[tokio::test]
async fn an_upgrade_is_charged_by_its_difference_before_the_discount() {
    world(Setup::default(), async |world| {
        sqlx::query("UPDATE pricing_policy_countries SET percent_off = 100 WHERE country = 'BR'")
            .execute(&world.db)
            .await
            .unwrap();
        let ada = world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", PAID_COURSE, "verified").await;
        // 349 minus the 199 of the mode already held, with a 100 % discount in Brazil.
        let body = basket(world, PAID_COURSE, "professional").await;
        let reply = checkout(world, &ada, &body, &[("X-Visitor-Country", "BR")]).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        let expected =
            (ada["user_id"].to_string(), 15_000, "100.00".to_owned(), 0, Some("verified".to_owned()));
        assert_eq!(newest(world).await, expected);
        world.platform_agrees("ada@example.com", PAID_KEY, "professional", true).await;
    })
    .await;
}

#[tokio::test]
async fn a_mode_that_costs_no_more_than_the_held_one_is_free_and_lowers_nothing() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user("ada@example.com").await;
        world.enroll("ada@example.com", PAID_COURSE, "professional").await;
        for mode in ["professional", "verified"] {
            let body = basket(world, PAID_COURSE, mode).await;
            let reply = checkout(world, &ada, &body, &[]).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            let expected =
                (ada["user_id"].to_string(), 0, "0.00".to_owned(), 0, Some("professional".to_owned()));
            assert_eq!(newest(world).await, expected);
        }
        world.platform_agrees("ada@example.com", PAID_KEY, "professional", true).await;
        let modes: Vec<String> = sqlx::query_scalar(
            "SELECT mode FROM enrollment_grants WHERE ended_at IS NULL ORDER BY granted_at",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        // Such a checkout grants nothing.
        assert_eq!(modes, ["professional"]);
        // A guest's price must not reveal what the address holds: the guest pays in full.
        let mut guest = basket(world, PAID_COURSE, "verified").await;
        guest["email"] = json!("ada@example.com");
        let reply = world.post("/storeapi/discovery/guest/checkout/", &guest).await;
        assert_ne!(reply.json["status"], "free", "{}", reply.text);
    })
    .await;
}

#[tokio::test]
async fn an_unproved_address_gets_no_courses_of_others() {
    world(Setup::default(), async |world| {
        // An attacker registers with the victim's address and never confirms it.
        let thief = json!({ "email": "victim@example.com", "active": false, "hint": false });
        let thief = world.new_platform_user(thief).await;
        world.enroll("victim@example.com", PAID_COURSE, "verified").await;
        let reply = checkout(world, &thief, &basket(world, FREE_COURSE, "audit").await, &[]).await;
        assert_eq!((reply.status, &reply.json["status"]), (200, &json!("free")), "{}", reply.text);
        let reply = world.enroll("victim@example.com", FREE_COURSE, "verified").await;
        assert_eq!(reply.json["enrollment_state"], "pending_registration", "{}", reply.text);
        let states: Vec<String> =
            sqlx::query_scalar("SELECT DISTINCT state FROM enrollments").fetch_all(&world.db).await.unwrap();
        assert_eq!(states, ["pending_registration"]);
        assert!(world.on_platform("victim@example.com", PAID_KEY).await.is_none());
    })
    .await;
}

#[tokio::test]
async fn an_address_that_moves_takes_nothing_of_its_former_owner_along() {
    world(Setup::default(), async |world| {
        let owner = world.platform_user("shared@example.com").await;
        world.enroll("shared@example.com", PAID_COURSE, "professional").await;
        world.platform_agrees("shared@example.com", PAID_KEY, "professional", true).await;
        // Simulates another account that held the address until now.
        sqlx::query("UPDATE learners SET platform_user_id = 7, username = 'former'")
            .execute(&world.db)
            .await
            .unwrap();
        let reply = checkout(world, &owner, &basket(world, FREE_COURSE, "audit").await, &[]).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        world.enroll("shared@example.com", PAID_COURSE, "verified").await;
        let kept: Vec<(i64, String)> = sqlx::query_as(
            "SELECT l.platform_user_id, e.mode FROM enrollments e JOIN learners l ON l.id = e.learner_id
             JOIN courses c ON c.id = e.course_id WHERE c.openedx_course_id = $1 ORDER BY 1",
        )
        .bind(PAID_KEY)
        .fetch_all(&world.db)
        .await
        .unwrap();
        let new = owner["user_id"].as_i64().unwrap();
        assert_eq!(kept, [(7, "professional".to_owned()), (new, "verified".to_owned())]);
        world.platform_agrees("shared@example.com", PAID_KEY, "verified", true).await;
    })
    .await;
}
