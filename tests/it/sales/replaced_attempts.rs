//! Attempts that another checkout replaced, and that are paid after all: what an operator learns of them.

use harness::steps::learner_cart::learner;
use harness::steps::learner_checkout::checkout;
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, cart_id, reference};
use harness::steps::refunds::other_course;
use harness::steps::vouchers::voucher;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

/// A learner's basket of the organisation's course.
async fn basket(world: &World, shop: &Organisation, seats: Option<i32>) -> Value {
    let mut body = world.basket(shop).await;
    if let Some(seats) = seats {
        body["items"][0]["seats"] = json!(seats);
    }
    body
}

async fn paid(world: &World, cart: &str) -> String {
    world.at_provider("pay", reference(&world.payment(cart).await), json!({})).await;
    world.cart_becomes(cart, "fulfilled").await;
    world.transaction(cart).await.2.unwrap_or_default()
}

async fn begun(world: &World, user: &Value, body: &Value) -> String {
    let reply = checkout(world, user, body, &[]).await;
    cart_id(&reply).to_owned()
}

#[tokio::test]
async fn a_replaced_attempt_that_is_paid_raises_an_alert_with_the_discount_of_its_voucher() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        // Neither provider can cancel an order.
        for shop in &ORGANISATIONS[2..] {
            let ada = learner(world, &format!("{}-{EMAIL}", shop.short_name)).await;
            let key = key(world, shop.short_name, &[Scope::Vouchers]).await;
            let terms = json!({ "code": "LAST", "kind": "percent", "value": 50, "max_uses": 1 });
            voucher(world, &key, terms).await;
            let mut carts = Vec::new();
            for course in [shop.course.to_owned(), other_course(world, shop).await] {
                let mut body = basket(world, shop, None).await;
                body["items"][0]["id"] = json!(course);
                body["voucher"] = json!("LAST");
                carts.push(begun(world, &ada, &body).await);
            }
            // The first has lost its use to the second.
            assert_eq!(world.transaction(&carts[0]).await.0, "superseded");
            let alert = paid(world, &carts[0]).await;
            let minor: i64 = sqlx::query_scalar("SELECT discount FROM voucher_uses WHERE cart_id = $1::uuid")
                .bind(&carts[0])
                .fetch_one(&world.db)
                .await
                .unwrap();
            let discount = format!("{}.{:02} {}", minor / 100, minor % 100, shop.currency);
            assert!(alert.contains("LAST") && alert.contains(&discount), "{discount}: {alert}");
            // The second has the use, and has replaced an attempt that was paid.
            let alert = paid(world, &carts[1]).await;
            assert!(!alert.contains("LAST") && alert.contains(&carts[0]), "{alert}");
        }
    })
    .await;
}

/// A learner's checkout, and another one that replaces it.
async fn replaced(world: &World, user: &Value, first: &Value, second: &Value) -> [String; 2] {
    let first = begun(world, user, first).await;
    let second = begun(world, user, second).await;
    assert_eq!(world.transaction(&first).await.0, "superseded");
    [first, second]
}

#[tokio::test]
async fn seats_that_a_learner_pays_for_twice_through_a_replaced_attempt_raise_an_alert() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[2];
        let three = basket(world, shop, Some(3)).await;
        let addressed = {
            let mut body = three.clone();
            body["billing_address"] = json!({ "company": "Engines & Sons", "country": "IN" });
            body
        };
        let five = basket(world, shop, Some(5)).await;
        for (nth, (other, is_first)) in
            [(&addressed, true), (&addressed, false), (&five, true)].into_iter().enumerate()
        {
            let ada = learner(world, &format!("buyer{nth}@example.com")).await;
            let [replaced, current] = replaced(world, &ada, &three, other).await;
            let (one, two) = if is_first { (&replaced, &current) } else { (&current, &replaced) };
            assert_eq!(paid(world, one).await, "");
            let alert = paid(world, two).await;
            assert!(alert.contains(one.as_str()), "{alert}");
            // What is bought later, apart from them, is no mistake.
            let later = begun(world, &ada, &five).await;
            assert_eq!(paid(world, &later).await, "");
        }
        // A guest's attempts replace none; twice the same seats at the same time are suspicious all the same.
        let mut guests = Vec::new();
        for body in [&three, &addressed] {
            let mut body = body.clone();
            body["email"] = json!(EMAIL);
            guests.push(cart_id(&world.post(GUEST_CHECKOUT, &body).await).to_owned());
        }
        assert_eq!(paid(world, &guests[0]).await, "");
        let alert = paid(world, &guests[1]).await;
        assert!(alert.contains(&guests[0]), "{alert}");
    })
    .await;
}

#[tokio::test]
async fn a_replaced_attempt_counts_whatever_it_bought_and_an_order_beside_it_does_not() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[3];
        let ada = learner(world, EMAIL).await;
        let own = basket(world, shop, None).await;
        let seats = basket(world, shop, Some(2)).await;
        let [replaced, current] = replaced(world, &ada, &own, &seats).await;
        assert_eq!(paid(world, &current).await, "");
        let alert = paid(world, &replaced).await;
        assert!(alert.contains(&current), "{alert}");

        // A guest's seats and place at the same time are two orders.
        let mut guests = Vec::new();
        for mut body in [own, seats] {
            body["email"] = json!("bea@example.com");
            let reply: Reply = world.post(GUEST_CHECKOUT, &body).await;
            guests.push(cart_id(&reply).to_owned());
        }
        for cart in &guests {
            assert_eq!(paid(world, cart).await, "");
        }
    })
    .await;
}
