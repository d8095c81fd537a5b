//! The billing address as a part of the basket: another address is another payment attempt.

use harness::steps::learner_cart::{CART, checkout, learner, send};
use harness::steps::notifications::gateways;
use harness::steps::payments::{EMAIL, cart_id, reference};
use harness::steps::seats::QUOTE;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

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

#[tokio::test]
async fn a_quote_takes_what_is_known_of_an_address_and_says_what_its_checkout_needs() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let [stripe, mollie, ..] = &ORGANISATIONS;
        let quoted = async |organisation: &Organisation, address: Value| {
            let mut body = world.basket(organisation).await;
            body["billing_address"] = address;
            let quote = world.post(QUOTE, &body).await;
            assert_eq!(quote.status, 200, "{}", quote.text);
            body["email"] = json!(EMAIL);
            let checkout = world.post(GUEST_CHECKOUT, &body).await;
            let fields = checkout.faulty_fields().into_iter();
            let refused: Vec<&str> =
                fields.map(|field| field.strip_prefix("billing_address.").unwrap_or(field)).collect();
            let missing = quote.json.get("billing_address_missing").cloned().unwrap_or(json!([]));
            (missing, json!(refused))
        };
        let (missing, refused) = quoted(mollie, json!({ "country": "DE" })).await;
        assert_eq!((&missing, &refused), (&json!(["name", "line1", "city"]), &missing));
        for (organisation, address) in [
            (mollie, Value::Null),
            (mollie, json!({ "name": "Ada", "line1": "1 High Street", "city": "Berlin", "country": "DE" })),
            (stripe, json!({ "country": "DE" })),
        ] {
            assert_eq!(quoted(organisation, address).await, (json!([]), json!([])));
        }
        let account = json!({ "secret_key": "sk_test_demo_northwind", "public_key": "pk_northwind",
            "notification_secret": "whsec_demo_northwind", "requires_billing_address": true });
        let words = ["set", "northwind", "stripe"];
        let (done, said) = gateways(world, &words, &account.to_string()).await;
        assert!(done, "{said}");
        let (missing, refused) = quoted(stripe, Value::Null).await;
        assert_eq!(
            (missing, refused),
            (json!(["name", "line1", "city", "country"]), json!(["billing_address"]))
        );
    })
    .await;
}
