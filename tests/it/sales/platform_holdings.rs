//! What the course platform gave a learner by itself: the end of a purchase falls back to it.

use harness::steps::demo::{PAID_COURSE, PAID_KEY};
use harness::steps::payments::{EMAIL, count, reference};
use harness::{ORGANISATIONS, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

/// Enrolls a learner at the platform itself, and deactivates the enrollment unless `is_active`.
async fn joined(world: &World, user: &Value, mode: &str, is_active: bool) {
    let token = world.sim_service_token().await;
    let url = world.simulators.url("/platform/api/enrollment/v1/enrollment");
    let states: &[bool] = if is_active { &[true] } else { &[true, false] };
    for is_active in states {
        let body = json!({ "user": user["username"], "mode": mode, "is_active": is_active, "course_details": { "course_id": PAID_KEY } });
        let request = world.http.post(&url).header("authorization", format!("JWT {token}")).json(&body);
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
}

async fn bought(world: &World, user: &Value) -> String {
    let cart =
        world.learner_checkout(&ORGANISATIONS[0], user).await.json["cart_id"].as_str().unwrap().to_owned();
    let payment = world.payment(&cart).await;
    world.at_provider("pay", reference(&payment), json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    world.platform_agrees(EMAIL, PAID_KEY, "verified", true).await;
    reference(&payment).to_owned()
}

async fn holdings(world: &World) -> i64 {
    count(world, "SELECT count(*) FROM enrollment_grants WHERE source = 'platform' AND ended_at IS NULL")
        .await
}

#[tokio::test]
async fn a_refunded_upgrade_falls_back_to_the_audit_that_the_platform_gave() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        joined(world, &ada, "audit", true).await;
        let payment = bought(world, &ada).await;
        assert_eq!(holdings(world).await, 1);
        world.at_provider("refund", &payment, json!({})).await;
        world.platform_agrees(EMAIL, PAID_KEY, "audit", true).await;
        // A second purchase upgrades it again.
        let again = bought(world, &ada).await;
        world.at_provider("refund", &again, json!({})).await;
        world.platform_agrees(EMAIL, PAID_KEY, "audit", true).await;
        assert_eq!(holdings(world).await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_change_of_its_own_is_not_taken_for_the_platforms() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let down = json!({ "target": "platform", "path": "/api/enrollment", "kind": "status", "status": 503, "count": 10_000 });
        world.fault(down).await;
        let cart = world.learner_checkout(&ORGANISATIONS[0], &ada).await.json["cart_id"].as_str().unwrap().to_owned();
        let payment = world.payment(&cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        // The worker had looked, and its first change has reached the platform without an answer.
        sqlx::query("UPDATE enrollments SET platform_seen_at = now()").execute(&world.db).await.unwrap();
        world.sim(Method::DELETE, "/_sim/faults", None).await;
        joined(world, &ada, "verified", true).await;
        world
            .eventually("the platform agrees", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE platform_state = 'synced'").await == 1
            })
            .await;
        assert_eq!(holdings(world).await, 0);
        world.at_provider("refund", reference(&payment), json!({})).await;
        world.platform_agrees(EMAIL, PAID_KEY, "verified", false).await;
    })
    .await;
}

#[tokio::test]
async fn what_was_over_at_the_platform_does_not_come_back() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        joined(world, &ada, "audit", false).await;
        let payment = bought(world, &ada).await;
        assert_eq!(holdings(world).await, 0);
        world.at_provider("refund", &payment, json!({})).await;
        world.platform_agrees(EMAIL, PAID_KEY, "verified", false).await;
    })
    .await;
}

#[tokio::test]
async fn a_better_mode_of_the_platform_stays() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        joined(world, &ada, "professional", true).await;
        let cart = world.learner_checkout(&ORGANISATIONS[0], &ada).await.json["cart_id"].as_str().unwrap().to_owned();
        let payment = world.payment(&cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        world
            .eventually("the platform was asked", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE platform_state = 'synced' AND mode = 'professional'").await == 1
            })
            .await;
        world.platform_agrees(EMAIL, PAID_KEY, "professional", true).await;
        let check = format!("/storeapi/discovery/check-enrollment/{PAID_KEY}/");
        let jwt = format!("JWT {}", ada["jwt"].as_str().unwrap());
        let reply = harness::Reply::read(world.http.get(world.url(&check)).header("authorization", jwt)).await;
        assert_eq!(reply.json["mode"], "professional", "{} {PAID_COURSE}", reply.text);
    })
    .await;
}
