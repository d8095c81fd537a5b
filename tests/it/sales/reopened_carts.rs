//! A learner's cart after the end of its payment.

use chrono::TimeDelta;
use harness::steps::learner_cart::{CART, checkout, learner, put, send};
use harness::steps::payments::{EMAIL, reference};
use harness::{ORGANISATIONS, Organisation, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

async fn shown(world: &World, user: &Value, organisation: &Organisation) -> Value {
    send(world, user, organisation.short_name, Method::GET, CART, None).await.json
}

/// Fills the learner's cart and begins its payment: the cart's id, and the provider's reference.
async fn paying(world: &World, user: &Value, organisation: &Organisation) -> (String, String) {
    put(world, user, organisation).await;
    let reply = checkout(world, user, organisation).await;
    let cart = reply.json["cart_id"].as_str().expect("a cart").to_owned();
    let payment = world.payment(&cart).await;
    (cart, reference(&payment).to_owned())
}

#[tokio::test]
async fn a_cart_whose_payment_expired_at_the_provider_is_open_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, EMAIL).await;
        let organisation = &ORGANISATIONS[1];
        let (cart, _) = paying(world, &ada, organisation).await;
        // Mollie gives the buyer 15 minutes.
        world.sim(Method::POST, "/_sim/clock", Some(json!({ "seconds": 16 * 60 }))).await;
        world.cart_becomes(&cart, "expired").await;
        let again = shown(world, &ada, organisation).await;
        assert_eq!((&again["status"], &again["total_price"]), (&json!("open"), &json!(240)));
        assert_ne!(again["cart_id"], cart);
        assert_eq!(checkout(world, &ada, organisation).await.json["status"], "payment_required");
    })
    .await;
}

#[tokio::test]
async fn a_cart_whose_payment_was_cancelled_at_the_provider_is_open_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, EMAIL).await;
        let organisation = &ORGANISATIONS[0];
        let (cart, payment) = paying(world, &ada, organisation).await;
        world.at_provider("expire", &payment, json!({})).await;
        world.cart_becomes(&cart, "cancelled").await;
        assert_eq!(shown(world, &ada, organisation).await["status"], "open");
        assert_eq!(shown(world, &ada, organisation).await["items"].as_array().unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_cart_whose_payment_was_superseded_is_open_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, EMAIL).await;
        for organisation in &ORGANISATIONS {
            let (cart, payment) = paying(world, &ada, organisation).await;
            if organisation.can_cancel {
                world.at_provider("pending", &payment, json!({ "method": "bank_transfer" })).await;
            }
            // The learner checks another basket out, which replaces the cart's payment.
            let other = Organisation { mode: organisation.other_mode, ..*organisation };
            let reply = world.learner_checkout(&other, &ada).await;
            assert_eq!(reply.json["status"], "success", "{}", reply.text);
            assert_eq!(world.transaction(&cart).await.0, "superseded", "{organisation:?}");
            let again = shown(world, &ada, organisation).await;
            assert_eq!(
                (&again["status"], again["items"].as_array().map(Vec::len)),
                (&json!("open"), Some(1))
            );
            assert_ne!(again["cart_id"], cart);
        }
    })
    .await;
}

#[tokio::test]
async fn a_cart_that_waited_too_long_stays_closed() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, EMAIL).await;
        let organisation = &ORGANISATIONS[0];
        let (cart, _) = paying(world, &ada, organisation).await;
        world.clock.advance(TimeDelta::hours(80));
        world.cart_becomes(&cart, "expired").await;
        assert_eq!(shown(world, &ada, organisation).await["cart_id"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn a_dead_payment_leaves_a_cart_that_the_learner_has_filled_since() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, EMAIL).await;
        let organisation = &ORGANISATIONS[1];
        let (cart, payment) = paying(world, &ada, organisation).await;
        world.at_provider("fail", &payment, json!({ "notify": false })).await;
        // The provider is asked before the cart is changed.
        let other = Organisation { mode: organisation.other_mode, ..*organisation };
        let filled = put(world, &ada, &other).await;
        assert_eq!(filled.json["status"], "open", "{}", filled.text);
        assert_ne!(filled.json["cart_id"], cart);
        assert_eq!(shown(world, &ada, organisation).await["items"][0]["mode"], organisation.other_mode);
    })
    .await;
}
