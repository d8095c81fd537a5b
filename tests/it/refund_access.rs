//! Which access ends and returns when refunds, disputes and upgrades meet in one cart.

use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::learner_checkout::checkout;
use crate::organisation;
use crate::organisation_keys::key;
use crate::payments::{EMAIL, cart_id, reference};
use crate::refunds::{order, other_course, refund};

/// A basket of the organisation's course in this mode, and of another one.
async fn two_courses(world: &World, organisation_of: &Organisation, mode: &str) -> Value {
    let seller = organisation(world, organisation_of.short_name).await;
    let other = other_course(world, organisation_of).await;
    let items = [(organisation_of.course, mode), (other.as_str(), "verified")];
    let items: Vec<Value> =
        items.iter().map(|(id, mode)| json!({ "type": "course", "id": id, "mode": mode })).collect();
    json!({ "organisation_id": seller, "items": items })
}

/// How the enrollments of an order's two lines stand.
async fn lines(world: &World, key: &str, cart: &str) -> [Value; 2] {
    let order = order(world, key, cart).await;
    [0, 1].map(|line| order["items"][line]["enrollment_state"].clone())
}

#[tokio::test]
async fn a_reversed_chargeback_restores_what_it_ended_and_not_what_a_refund_ended() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let mollie = &ORGANISATIONS[1];
        let key = key(world, mollie.short_name, &[Scope::Refunds, Scope::Orders]).await;
        let mut basket = two_courses(world, mollie, mollie.mode).await;
        basket["email"] = json!(EMAIL);
        let reply = world.post(GUEST_CHECKOUT, &basket).await;
        let cart = cart_id(&reply).to_owned();
        let payment = world.payment(&cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        // A fee is kept.
        let first = refund(world, &key, &cart, &json!({ "items": [0], "amount": 100 })).await;
        assert_eq!(first.status, 200, "{}", first.text);
        assert_eq!(lines(world, &key, &cart).await, [json!("removed"), json!("enrolled")]);
        world.at_provider("dispute", reference(&payment), json!({ "outcome": "opened" })).await;
        world.cart_becomes(&cart, "refunded").await;
        assert_eq!(lines(world, &key, &cart).await, [json!("removed"), json!("removed")]);
        world.at_provider("dispute", reference(&payment), json!({ "outcome": "won" })).await;
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(lines(world, &key, &cart).await, [json!("removed"), json!("enrolled")]);
        world.platform_agrees(EMAIL, mollie.key, mollie.mode, false).await;
    })
    .await;
}

#[tokio::test]
async fn a_cart_that_waits_for_its_upgrade_is_granted_once_the_upgrade_is_refunded() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let northwind = &ORGANISATIONS[0];
        let key = key(world, northwind.short_name, &[Scope::Refunds, Scope::Orders]).await;
        let base = world.learner_checkout(northwind, &ada).await;
        let base = world.payment(cart_id(&base)).await;
        world.at_provider("pay", reference(&base), json!({})).await;
        world.platform_agrees(EMAIL, northwind.key, "verified", true).await;
        let reply = checkout(world, &ada, &two_courses(world, northwind, "professional").await, &[]).await;
        let cart = cart_id(&reply).to_owned();
        let payment = world.payment(&cart).await;
        world.at_provider("refund", reference(&base), json!({})).await;
        world.platform_agrees(EMAIL, northwind.key, "verified", false).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world
            .eventually("an operator is told", async |world| world.transaction(&cart).await.2.is_some())
            .await;
        assert_eq!(world.status(&cart).await["status"], "paid");
        let refunded = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        assert_eq!(refunded.status, 200, "{}", refunded.text);
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(lines(world, &key, &cart).await, [Value::Null, json!("enrolled")]);
    })
    .await;
}
