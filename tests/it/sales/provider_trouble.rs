//! Providers that fail, lost answers and webhooks, and buyers who never pay.

use harness::steps::payments::{EMAIL, begun, cart_id, reference};
use harness::{ORGANISATIONS, Setup, world};
use reqwest::Method;
use serde_json::json;

use crate::payments::assert_can_pay;

#[tokio::test]
async fn a_lost_notice_is_made_up_for_by_asking_the_provider() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        for organisation in &ORGANISATIONS {
            let (cart, payment) = &begun(world, organisation, EMAIL).await;
            world.at_provider("pay", reference(payment), json!({ "notify": false })).await;
            world.clock.advance(chrono::TimeDelta::minutes(2));
            world.cart_becomes(cart, "fulfilled").await;
            // The same for a refund whose webhook is lost.
            world.at_provider("refund", reference(payment), json!({ "notify": false })).await;
            world.clock.advance(chrono::TimeDelta::hours(3));
            world.cart_becomes(cart, "refunded").await;
        }
    })
    .await;
}

#[tokio::test]
async fn an_abandoned_payment_is_ended_at_its_provider_and_expires() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let reply = world.guest_checkout(organisation, EMAIL).await;
            let cart = cart_id(&reply);
            world.clock.advance(chrono::TimeDelta::hours(80));
            if !organisation.can_cancel {
                // The buyer can still pay the order, so the cart keeps waiting.
                tokio::time::sleep(std::time::Duration::from_millis(800)).await;
                assert_eq!(world.status(cart).await["status"], "pending_payment");
                continue;
            }
            world.cart_becomes(cart, "expired").await;
            assert_eq!(world.status(cart).await["safe_to_charge_again"], true);
            assert_eq!(world.payment(cart).await["status"], "cancelled");
            assert_eq!(world.transaction(cart).await.0, "cancelled");
        }
    })
    .await;
}

#[tokio::test]
async fn an_abandoned_payment_expires_although_the_answer_to_its_cancellation_is_lost() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let reply = world.guest_checkout(&ORGANISATIONS[0], EMAIL).await;
        let cart = cart_id(&reply);
        let lost = json!({ "target": "stripe", "path": "/cancel", "kind": "lost_answer", "count": 100 });
        world.fault(lost).await;
        world.clock.advance(chrono::TimeDelta::hours(80));
        world
            .eventually("it is cancelled at the provider", async |world| {
                world.payment(cart).await["status"] == "cancelled"
            })
            .await;
        world.no_faults().await;
        world.clock.advance(chrono::TimeDelta::days(1));
        world.cart_becomes(cart, "expired").await;
        assert_eq!(world.transaction(cart).await.0, "cancelled");
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_lost_answer_is_found_and_no_buyer_is_charged_twice() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let target = organisation.gateway.name();
            world.fault(json!({ "target": target, "kind": "lost_answer" })).await;
            let reply = world.guest_checkout(organisation, EMAIL).await;
            let payment = world.payment(cart_id(&reply)).await;
            assert_can_pay(organisation, &reply, &payment);
            // Both create calls lose their answer: the caller gets an error, and the next request finds the payment
            // that they made.
            world.fault(json!({ "target": target, "kind": "lost_answer", "count": 2 })).await;
            let reply = world.guest_checkout(organisation, "bob@example.com").await;
            reply.assert_problem(502, "gateway_error");
            world.no_faults().await;
            let reply = world.guest_checkout(organisation, "bob@example.com").await;
            let payment = world.payment(cart_id(&reply)).await;
            assert_can_pay(organisation, &reply, &payment);
        }
        let all = world.sim(Method::GET, "/_sim/payments", None).await;
        assert_eq!(all.as_array().unwrap().len(), 8);
    })
    .await;
}

#[tokio::test]
async fn a_provider_that_fails_is_a_gateway_error_and_one_that_refuses_leaves_the_basket_free() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let target = organisation.gateway.name();
            world.fault(json!({ "target": target, "kind": "status", "status": 503, "count": 4 })).await;
            let reply = world.guest_checkout(organisation, EMAIL).await;
            reply.assert_problem(502, "gateway_error");
            world.no_faults().await;
            let first: String = sqlx::query_scalar("SELECT id::text FROM carts ORDER BY id DESC LIMIT 1")
                .fetch_one(&world.db)
                .await
                .unwrap();
            assert_eq!(world.status(&first).await["safe_to_charge_again"], false);
            let reply = world.guest_checkout(organisation, EMAIL).await;
            assert_eq!(cart_id(&reply), first);

            world.fault(json!({ "target": target, "kind": "status", "status": 400 })).await;
            let reply = world.guest_checkout(organisation, "bob@example.com").await;
            reply.assert_problem(502, "gateway_error");
            let refused: String = sqlx::query_scalar("SELECT id::text FROM carts ORDER BY id DESC LIMIT 1")
                .fetch_one(&world.db)
                .await
                .unwrap();
            let status = world.status(&refused).await;
            assert_eq!(
                (&status["status"], &status["safe_to_charge_again"]),
                (&json!("cancelled"), &json!(true))
            );
            let reply = world.guest_checkout(organisation, "bob@example.com").await;
            assert_ne!(cart_id(&reply), refused);
        }
    })
    .await;
}
