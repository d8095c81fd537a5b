//! Payments that the provider still works on: bank transfers, vouchers, authorisations.

use chrono::TimeDelta;
use harness::steps::credentials::session;
use harness::steps::learner_cart;
use harness::steps::payments::{EMAIL, begun, cart_id, reference};
use harness::{ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

/// Each slow means of payment: the organisation, what happens at the provider, and whether the provider cancels it.
const SLOW: [(usize, &str, &str); 10] = [
    (0, "pending", "debit"),
    (0, "pending", "voucher"),
    (0, "pending", "bank_transfer"),
    (0, "authorize", "debit"),
    (1, "pending", "debit"),
    (1, "pending", "bank_transfer"),
    (1, "authorize", "debit"),
    // Mollie refuses to cancel it, which is found at that call.
    (1, "pending", "redirect"),
    (2, "authorize", "debit"),
    (3, "authorize", "debit"),
];

/// The provider's status of a cart's payment.
async fn at_provider(world: &World, cart: &str) -> Value {
    world.payment(cart).await["status"].clone()
}

async fn is_at_bank(world: &World, cart: &str) -> bool {
    world.status(cart).await["waiting_for_bank"] == true
}

#[tokio::test]
async fn a_payment_that_the_provider_works_on_is_superseded_and_counts_when_it_arrives() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for (nth, (organisation, what, method)) in SLOW.into_iter().enumerate() {
            let organisation = &ORGANISATIONS[organisation];
            let user = world.platform_user(&format!("buyer{nth}@example.com")).await;
            let first = world.learner_checkout(organisation, &user).await;
            let first = cart_id(&first).to_owned();
            let payment = world.payment(&first).await;
            let how = json!({ "method": method, "notify": false });
            world.at_provider(what, reference(&payment), how).await;
            let before = at_provider(world, &first).await;
            // The same basket is the same attempt.
            let again = world.learner_checkout(organisation, &user).await;
            assert_eq!(cart_id(&again), first, "{organisation:?} {method}");
            assert_eq!(is_at_bank(world, &first).await, method != "redirect", "{organisation:?} {method}");
            let other = Organisation { mode: organisation.other_mode, ..*organisation };
            let second = world.learner_checkout(&other, &user).await;
            assert_ne!(cart_id(&second), first);
            assert_eq!(at_provider(world, &first).await, before, "{organisation:?} {method}");
            assert_eq!(world.transaction(&first).await.0, "superseded");
            let status = world.status(&first).await;
            assert_eq!(
                (&status["status"], &status["waiting_for_bank"], &status["safe_to_charge_again"]),
                (&json!("cancelled"), &json!(true), &json!(false)),
                "{organisation:?} {method}"
            );
            world.at_provider("pay", reference(&payment), json!({})).await;
            world.cart_becomes(&first, "fulfilled").await;
            assert!(!is_at_bank(world, &first).await);
        }
    })
    .await;
}

#[tokio::test]
async fn a_buyer_at_the_banks_page_can_still_change_the_basket() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let user = world.platform_user(EMAIL).await;
        let first = world.learner_checkout(organisation, &user).await;
        let first = cart_id(&first).to_owned();
        let how = json!({ "method": "redirect", "notify": false });
        world.at_provider("pending", reference(&world.payment(&first).await), how).await;
        let other = Organisation { mode: organisation.other_mode, ..*organisation };
        cart_id(&world.learner_checkout(&other, &user).await);
        assert_eq!(at_provider(world, &first).await, "cancelled");
        assert_eq!(world.status(&first).await["safe_to_charge_again"], true);
    })
    .await;
}

#[tokio::test]
async fn a_payment_at_the_bank_expires_when_the_provider_says_so() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let cases = [(0, "voucher"), (0, "bank_transfer"), (0, "debit"), (1, "bank_transfer"), (1, "debit")];
        let mut carts = Vec::new();
        for (nth, (organisation, method)) in cases.into_iter().enumerate() {
            let email = format!("buyer{nth}@example.com");
            let (cart, payment) = begun(world, &ORGANISATIONS[organisation], &email).await;
            let payment = reference(&payment).to_owned();
            world.at_provider("pending", &payment, json!({ "method": method })).await;
            carts.push((cart, payment));
        }
        world.clock.advance(TimeDelta::minutes(2));
        for (cart, _) in &carts {
            world.eventually("the status names the bank", async |world| is_at_bank(world, cart).await).await;
        }
        world.clock.advance(TimeDelta::hours(80));
        let (unpaid, _) = begun(world, &ORGANISATIONS[0], EMAIL).await;
        world.clock.advance(TimeDelta::hours(80));
        world.cart_becomes(&unpaid, "expired").await;
        for (cart, _) in &carts {
            let status = world.status(cart).await;
            assert_eq!(
                (&status["status"], &status["waiting_for_bank"], &status["safe_to_charge_again"]),
                (&json!("pending_payment"), &json!(true), &json!(false))
            );
            assert_eq!(at_provider(world, cart).await, "pending");
        }
        for (cart, payment) in &carts {
            world.at_provider("expire", payment, json!({ "notify": false })).await;
            world.clock.advance(TimeDelta::hours(25));
            world.cart_becomes(cart, "expired").await;
            let status = world.status(cart).await;
            assert_eq!(
                (&status["waiting_for_bank"], &status["safe_to_charge_again"]),
                (&json!(false), &json!(true))
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_replaced_voucher_that_was_never_paid_is_ended_at_last() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let user = world.platform_user(EMAIL).await;
        let first = world.learner_checkout(organisation, &user).await;
        let first = cart_id(&first).to_owned();
        let payment = world.payment(&first).await;
        world.at_provider("pending", reference(&payment), json!({ "method": "voucher" })).await;
        let other = Organisation { mode: organisation.other_mode, ..*organisation };
        cart_id(&world.learner_checkout(&other, &user).await);
        assert_eq!(world.transaction(&first).await.0, "superseded");
        world.at_provider("expire", reference(&payment), json!({})).await;
        world.clock.advance(TimeDelta::hours(2));
        world
            .eventually("the old payment is ended", async |world| {
                world.status(&first).await["safe_to_charge_again"] == true
            })
            .await;
        assert_eq!(at_provider(world, &first).await, "cancelled");
    })
    .await;
}

#[tokio::test]
async fn the_pages_say_that_the_bank_is_awaited_and_offer_no_other_payment() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner_cart::learner(world, EMAIL).await;
        let organisation = &ORGANISATIONS[0];
        learner_cart::put(world, &ada, organisation).await;
        let reply = learner_cart::checkout(world, &ada, organisation).await;
        let cart = reply.json["cart_id"].as_str().unwrap().to_owned();
        let page = async |route: &str| {
            let path = format!("/storeapi/payment/{route}/{cart}/");
            let request = world.http.request(Method::GET, world.url(&path)).header("accept", "text/html");
            Reply::read(request.header("cookie", session(&ada))).await.text.replace("&#x2f;", "/")
        };
        assert!(page("pay").await.contains("/stripe/v3/"));
        let payment = world.payment(&cart).await;
        world.at_provider("pending", reference(&payment), json!({ "method": "bank_transfer" })).await;
        world.eventually("the status names the bank", async |world| is_at_bank(world, &cart).await).await;
        let (pay, status) = (page("pay").await, page("status").await);
        // Without something to start, the page loads no script of the provider and shows no form.
        assert!(!pay.contains("/stripe/v3/") && pay.contains("\"start\": null"), "{pay}");
        assert!(status.contains("waiting for your bank"), "{status}");
        // The payment fails at the bank: the learner can try again.
        world.at_provider("fail", reference(&payment), json!({})).await;
        world.eventually("the bank has answered", async |world| !is_at_bank(world, &cart).await).await;
        assert!(page("pay").await.contains("/stripe/v3/"));
    })
    .await;
}
