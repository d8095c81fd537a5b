//! Requests of the worker to providers: addresses and names without blanks, each where the provider expects it, and calls
//! that may be repeated.

use chrono::TimeDelta;
use harness::steps::credentials::session;
use harness::steps::payments::{EMAIL, cart_id};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

/// Returns what a form sends of which only a part was filled in.
fn half_filled() -> Value {
    json!({ "name": " Ada Lovelace ", "line1": "12 St James's Square", "line2": "", "city": "London", "state": "  ",
        "postal_code": "", "country": "GB" })
}

async fn learner_checkout(world: &World, user: &Value, mode: &'static str, address: &Value) -> Reply {
    let mut body = world.basket(&Organisation { mode, ..ORGANISATIONS[0] }).await;
    body["billing_address"] = address.clone();
    let request =
        world.request(Method::POST, "/storeapi/discovery/checkout/").header("cookie", session(user));
    Reply::read(request.json(&body)).await
}

/// Stripe's only customer.
async fn customer(world: &World) -> Value {
    let customers = world.sim(Method::GET, "/_sim/customers", None).await;
    assert_eq!(customers.as_array().unwrap().len(), 1, "{customers}");
    customers[0].clone()
}

#[tokio::test]
async fn blank_fields_of_a_billing_address_count_as_absent() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let mut body = world.basket(organisation).await;
            body["email"] = json!(EMAIL);
            body["billing_address"] = half_filled();
            let reply = world.post(GUEST_CHECKOUT, &body).await;
            let stored: Value = sqlx::query_scalar("SELECT billing_address FROM carts WHERE id = $1::uuid")
                .bind(cart_id(&reply))
                .fetch_one(&world.db)
                .await
                .unwrap();
            assert_eq!((&stored["name"], &stored["line2"]), (&json!("Ada Lovelace"), &Value::Null));
            // Mollie takes a whole address or none: an address of blanks is none.
            body["email"] = json!("bob@example.com");
            body["billing_address"] = json!({ "name": "", "line1": " ", "city": "", "country": "" });
            cart_id(&world.post(GUEST_CHECKOUT, &body).await);
        }
    })
    .await;
}

#[tokio::test]
async fn a_learner_without_a_name_can_pay() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let user = world.new_platform_user(json!({ "email": EMAIL, "hint": false, "name": " " })).await;
        cart_id(&world.learner_checkout(&ORGANISATIONS[0], &user).await);
        assert_eq!(customer(world).await["name"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn stripe_keeps_a_learners_billing_address_with_the_customer_alone() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        cart_id(&learner_checkout(world, &ada, "verified", &half_filled()).await);
        let stored = customer(world).await;
        let expected = json!({ "line1": "12 St James's Square", "line2": null, "city": "London", "state": null,
            "postal_code": null, "country": "GB" });
        assert_eq!(stored["address"], expected);
        let request: Value = sqlx::query_scalar("SELECT provider_request -> 'intent' FROM transactions")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert!(!request.to_string().contains("shipping") && !request.to_string().contains("London"), "{request}");
        // The page can show, save and remove means of payment.
        let features = &stored["features"];
        for feature in ["payment_method_redisplay", "payment_method_save", "payment_method_remove"] {
            assert_eq!(features[feature], "enabled", "{features}");
        }
        // The address of the next checkout replaces it.
        let moved = json!({ "line1": "Kärntner Straße 1", "city": "Wien", "country": "AT" });
        cart_id(&learner_checkout(world, &ada, "professional", &moved).await);
        let address = customer(world).await["address"].clone();
        assert_eq!((&address["city"], &address["country"]), (&json!("Wien"), &json!("AT")));
    })
    .await;
}

#[tokio::test]
async fn stripe_is_asked_to_cancel_again_after_it_has_failed_to() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let reply = world.guest_checkout(organisation, EMAIL).await;
        let cart = cart_id(&reply);
        // Stripe stores its own failures for a day under the idempotency key of the call.
        world
            .fault(
                json!({ "target": "stripe", "path": "/cancel", "kind": "status", "status": 500, "count": 9 }),
            )
            .await;
        world.clock.advance(TimeDelta::hours(80));
        for _ in 0..4 {
            world.clock.advance(TimeDelta::days(2));
            tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
        }
        assert_eq!(world.status(cart).await["status"], "pending_payment");
        world.no_faults().await;
        world.clock.advance(TimeDelta::days(31));
        world.cart_becomes(cart, "expired").await;
        assert_eq!(world.payment(cart).await["status"], "cancelled");
    })
    .await;
}
