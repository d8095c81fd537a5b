//! Paid baskets of signed-in learners: upgrades, and baskets that replace open payment attempts.

use harness::steps::demo::PAID_COURSE;
use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::{ORGANISATIONS, Organisation, Setup, world};
use serde_json::json;

#[tokio::test]
async fn a_learner_pays_the_difference_and_keeps_the_provider_as_a_customer() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        world.enroll(EMAIL, PAID_COURSE, "verified").await;
        let organisation = Organisation { mode: "professional", ..ORGANISATIONS[0] };
        let reply = world.learner_checkout(&organisation, &ada).await;
        let cart = cart_id(&reply);
        assert_eq!(reply.json["total_price"], 150);
        assert_eq!(reply.json["items_detail"][0]["upgrade_from"], "verified");
        assert!(reply.json["customer_session_client_secret"].as_str().unwrap().starts_with("cuss_"));
        let customer: String =
            sqlx::query_scalar("SELECT reference FROM gateway_customers").fetch_one(&world.db).await.unwrap();
        assert!(customer.starts_with("cus_"));
        let payment = world.payment(cart).await;
        assert_eq!(payment["amount"], 15_000);
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.platform_agrees(EMAIL, organisation.key, "professional", true).await;
        assert_eq!(world.transaction(cart).await.2, None);
        // After the refund the learner has the mode from before the upgrade.
        world.at_provider("refund", reference(&payment), json!({})).await;
        world.platform_agrees(EMAIL, organisation.key, "verified", true).await;
        // A guest with the same address pays the full price and gets no customer session.
        let guest = world.guest_checkout(&organisation, EMAIL).await;
        assert_eq!(
            (&guest.json["total_price"], guest.json.get("customer_session_client_secret")),
            (&json!(349), None)
        );
    })
    .await;
}

#[tokio::test]
async fn a_learners_other_basket_replaces_the_open_attempt() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        for organisation in &ORGANISATIONS {
            let first = world.learner_checkout(organisation, &ada).await;
            let first = cart_id(&first);
            let old = world.payment(first).await;
            let other = Organisation { mode: organisation.other_mode, ..*organisation };
            let second = world.learner_checkout(&other, &ada).await;
            let second = cart_id(&second);
            assert_ne!(first, second);
            // The worker watches an order that it cannot cancel, and charging again is not safe.
            let expected = if organisation.can_cancel { "cancelled" } else { "superseded" };
            assert_eq!(world.transaction(first).await.0, expected, "{organisation:?}");
            let status = world.status(first).await;
            assert_eq!(
                (&status["status"], &status["safe_to_charge_again"]),
                (&json!("cancelled"), &json!(organisation.can_cancel))
            );
            if organisation.can_cancel {
                continue;
            }
            // The buyer pays both: the worker settles both and raises an alert.
            let new = world.payment(second).await;
            world.at_provider("pay", reference(&new), json!({})).await;
            world.cart_becomes(second, "fulfilled").await;
            world.at_provider("pay", reference(&old), json!({})).await;
            world.cart_becomes(first, "fulfilled").await;
            let (state, _, alert) = world.transaction(first).await;
            assert_eq!(state, "succeeded");
            assert!(alert.unwrap().contains(second), "{organisation:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_replaced_attempt_that_was_paid_counts_in_the_next_price() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        for organisation in
            ORGANISATIONS.iter().filter(|organisation| organisation.other_mode == "professional")
        {
            let first = world.learner_checkout(organisation, &ada).await;
            let first = cart_id(&first);
            let payment = world.payment(first).await;
            // The buyer pays, and the webhook is lost.
            world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
            let upgrade = Organisation { mode: organisation.other_mode, ..*organisation };
            let second = world.learner_checkout(&upgrade, &ada).await;
            assert_eq!(second.json["items_detail"][0]["upgrade_from"], "verified", "{}", second.text);
            assert_ne!(cart_id(&second), first);
            assert_eq!(world.status(first).await["status"], "fulfilled");
            // A learner checks out again what they have just paid for: nothing is left to pay.
            let bob = world.platform_user(&format!("bob-{}@example.com", organisation.short_name)).await;
            let reply = world.learner_checkout(organisation, &bob).await;
            let payment = world.payment(cart_id(&reply)).await;
            world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
            let again = world.learner_checkout(organisation, &bob).await;
            assert_eq!(again.json["status"], "free", "{}", again.text);
        }
    })
    .await;
}

#[tokio::test]
async fn nothing_new_is_charged_while_the_old_attempt_cannot_be_asked_for() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let first = world.learner_checkout(&ORGANISATIONS[0], &ada).await;
        let first = cart_id(&first).to_owned();
        world.fault(json!({ "target": "stripe", "kind": "status", "status": 500, "count": 20 })).await;
        let other = Organisation { mode: "professional", ..ORGANISATIONS[0] };
        world.learner_checkout(&other, &ada).await.assert_problem(502, "gateway_error");
        assert_eq!(world.status(&first).await["status"], "pending_payment");
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 1);
        // The same basket needs no call to the provider.
        let again = world.learner_checkout(&ORGANISATIONS[0], &ada).await;
        assert_eq!(cart_id(&again), first);
    })
    .await;
}
