//! The billing address as a part of the basket: another address is another payment attempt.

use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

use crate::learner_cart::{CART, checkout, learner, send};
use crate::payments::{EMAIL, cart_id, reference};

async fn guest(world: &World, address: Option<Value>, key: Option<&str>) -> Reply {
    let mut body = world.basket(&ORGANISATIONS[0]).await;
    body["email"] = json!(EMAIL);
    if let Some(address) = address {
        body["billing_address"] = address;
    }
    let request = world.request(Method::POST, GUEST_CHECKOUT).json(&body);
    Reply::read(key.iter().fold(request, |request, key| request.header("Idempotency-Key", *key))).await
}

fn address() -> Value {
    json!({ "name": "Ada Lovelace", "line1": "12 St James's Square", "city": "London", "country": "GB" })
}

#[tokio::test]
async fn a_stranger_who_types_a_guests_email_does_not_join_the_guests_attempt() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let own = guest(world, Some(address()), Some("k")).await;
        let stranger = guest(world, None, None).await;
        assert_ne!(cart_id(&stranger), cart_id(&own));
        assert_ne!(stranger.json["client_secret"], own.json["client_secret"]);
        let mut other = address();
        other["line1"] = json!("13 St James's Square");
        assert_ne!(cart_id(&guest(world, Some(other), None).await), cart_id(&own));
        // The guest's own repeats: by the same key, or by the same address and items.
        assert_eq!(guest(world, Some(address()), Some("k")).await.json, own.json);
        assert_eq!(cart_id(&guest(world, Some(address()), None).await), cart_id(&own));
    })
    .await;
}

#[tokio::test]
async fn a_blank_field_of_an_address_is_as_good_as_none() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let none = guest(world, None, None).await;
        let blank = json!({ "name": "", "line1": "  ", "city": null });
        assert_eq!(cart_id(&guest(world, Some(blank), None).await), cart_id(&none));
        let own = guest(world, Some(address()), None).await;
        let mut padded = address();
        padded["line1"] = json!(" 12 St James's Square ");
        padded["line2"] = json!("");
        assert_eq!(cart_id(&guest(world, Some(padded), None).await), cart_id(&own));
    })
    .await;
}

#[tokio::test]
async fn another_address_of_a_learners_cart_replaces_its_payment() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, EMAIL).await;
        let organisation = &ORGANISATIONS[0];
        let items = json!([{ "type": "course", "id": organisation.course, "mode": organisation.mode }]);
        let put = async |address: Option<Value>| {
            let body = json!({ "items": items, "billing_address": address });
            send(world, &ada, organisation.short_name, Method::PUT, CART, Some(body)).await
        };
        put(None).await;
        let first = checkout(world, &ada, organisation).await;
        let first = first.json["cart_id"].as_str().unwrap().to_owned();
        assert_eq!(put(None).await.json["cart_id"], first);
        let changed = put(Some(address())).await;
        assert_eq!(changed.json["status"], "open", "{}", changed.text);
        assert_ne!(changed.json["cart_id"], first);
        assert_eq!(world.transaction(&first).await.0, "cancelled");
        let second = checkout(world, &ada, organisation).await;
        assert_eq!(second.json["status"], "payment_required", "{}", second.text);
        let payment = world.payment(second.json["cart_id"].as_str().unwrap()).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.platform_agrees(EMAIL, organisation.key, organisation.mode, true).await;
    })
    .await;
}
