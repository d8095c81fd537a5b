//! Access that ends and returns when refunds, disputes and upgrades meet in one cart.

use chrono::TimeDelta;
use harness::steps::demo::organisation;
use harness::steps::learner_checkout::checkout;
use harness::steps::organisation_keys::key;
use harness::steps::payment_commands::{payments, refuses};
use harness::steps::payments::{EMAIL, allow_fulfilment, cart_id, count, reference, refuse_fulfilment};
use harness::steps::refunds::{at_provider, bought, order, other_course, refund, refund_again};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

/// A basket of the organisation's course in this mode, and of another one.
async fn two_courses(world: &World, organisation_of: &Organisation, mode: &str) -> Value {
    let seller = organisation(world, organisation_of.short_name).await;
    let other = other_course(world, organisation_of).await;
    let items = [(organisation_of.course, mode), (other.as_str(), "verified")];
    let items: Vec<Value> =
        items.iter().map(|(id, mode)| json!({ "type": "course", "id": id, "mode": mode })).collect();
    json!({ "organisation_id": seller, "items": items })
}

/// Returns the status of the enrollments of an order's two lines.
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
        // A course whose access ends before the platform has heard of it is never opened there.
        world.platform_agrees(EMAIL, mollie.key, mollie.mode, true).await;
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

#[tokio::test]
async fn access_is_said_to_have_ended_only_if_it_ends() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let northwind = &ORGANISATIONS[0];
        let key = key(world, northwind.short_name, &[Scope::Refunds]).await;
        let certificates = json!({ "target": "platform", "path": "certificates", "kind": "status", "status": 503, "count": 99 });
        for (email, is_earned, is_silent) in [(EMAIL, true, false), ("bob@example.com", false, true)] {
            world.platform_user(email).await;
            let (cart, _) = bought(world, northwind, email).await;
            world.platform_agrees(email, northwind.key, northwind.mode, true).await;
            if is_earned {
                let certificate = json!({ "email": email, "course_id": northwind.key, "status": "downloadable" });
                world.sim(Method::POST, "/_sim/certificates", Some(certificate)).await;
            }
            if is_silent {
                world.fault(certificates.clone()).await;
            }
            let ended = async |world: &World| {
                let reply = refund_again(world, &key, &cart, &json!({}), email).await;
                assert_eq!((reply.status, reply.json["remaining"].as_f64()), (200, Some(0.0)), "{}", reply.text);
                reply.json["items"][0]["access_ended"].clone()
            };
            assert_eq!(ended(world).await, false);
            world.no_faults().await;
            // The same request again tells what has become of it.
            let state = "SELECT platform_state FROM enrollments WHERE email = $1";
            let settled = if is_earned { "refused" } else { "synced" };
            world.clock.advance(chrono::TimeDelta::hours(2));
            world
                .eventually("the platform has decided", async |world| {
                    let state: String =
                        sqlx::query_scalar(state).bind(email).fetch_one(&world.db).await.unwrap();
                    state == settled
                })
                .await;
            world.platform_agrees(email, northwind.key, northwind.mode, is_earned).await;
            assert_eq!(ended(world).await, !is_earned);
        }
    })
    .await;
}

/// Has the provider send its newest refund of a cart back.
async fn refund_fails(world: &World, cart: &str) {
    let id = at_provider(world, cart).await.last().unwrap()["id"].as_str().unwrap().to_owned();
    world.sim(Method::POST, &format!("/_sim/refunds/{id}/fail"), Some(json!({ "notify": true }))).await;
    world.eventually("the refund has failed", async |world| world.transaction(cart).await.1 == 0).await;
}

/// Checks that each enrolled enrollment has a live grant, and each removed one none.
async fn assert_granted(world: &World) {
    let ungranted = "SELECT count(*) FROM enrollments e WHERE (e.state <> 'removed') <> EXISTS (
        SELECT FROM enrollment_grants g WHERE g.enrollment_id = e.id AND g.ended_at IS NULL)";
    assert_eq!(count(world, ungranted).await, 0);
}

/// Checks that the buyer was told of the order once.
async fn assert_told_once(world: &World) {
    world.drain().await;
    let fulfilled = "SELECT count(*) FROM events WHERE type = 'order.fulfilled'";
    assert_eq!(count(world, fulfilled).await, 1);
    let mails = world.emails(EMAIL).await;
    let receipts = mails.iter().filter(|mail| mail["subject"].as_str().unwrap().contains("receipt"));
    assert_eq!(receipts.count(), 1, "{mails:?}");
}

#[tokio::test]
async fn restore_gives_nothing_back_that_the_partner_removed_before_the_refund_failed() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        world.sim(Method::POST, "/_sim/refunds", Some(json!({ "wait": true }))).await;
        let shop = &ORGANISATIONS[0];
        let key = key(world, shop.short_name, &[Scope::Refunds, Scope::Orders]).await;
        let mut basket = two_courses(world, shop, shop.mode).await;
        basket["email"] = json!(EMAIL);
        let cart = cart_id(&world.post(GUEST_CHECKOUT, &basket).await).to_owned();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        world.platform_agrees(EMAIL, shop.key, shop.mode, true).await;
        assert_eq!(world.unenroll(EMAIL, shop.course).await.status, 200);
        world.platform_agrees(EMAIL, shop.key, shop.mode, false).await;
        let refunded = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        assert_eq!(refunded.json["status"], "accepted", "{}", refunded.text);
        world.clock.advance(TimeDelta::days(1));
        refund_fails(world, &cart).await;

        // The refund has ended no access.
        let words = ["restore", &cart, "--reason", "bank details were wrong", "--by", "Mira"];
        refuses(&payments(world, &words).await, "cart has no ended access to restore");
        world.drain().await;
        assert_eq!(lines(world, &key, &cart).await, [json!("removed"), json!("enrolled")]);
        assert_granted(world).await;
        // The other line's refund ends its access, which returns; the partner's decision stays.
        let all = refund(world, &key, &cart, &json!({})).await;
        assert_eq!(all.json["status"], "accepted", "{}", all.text);
        world.cart_becomes(&cart, "refunded").await;
        world.clock.advance(TimeDelta::days(1));
        refund_fails(world, &cart).await;
        let (done, said) = payments(world, &words).await;
        assert!(done, "{said}");
        world.cart_becomes(&cart, "fulfilled").await;
        world.drain().await;
        assert_eq!(lines(world, &key, &cart).await, [json!("removed"), json!("enrolled")]);
        assert_granted(world).await;
        let again = refund(world, &key, &cart, &json!({ "items": [1] })).await;
        assert_eq!(again.json["items"][0]["access_ended"], true, "{}", again.text);
        world.drain().await;
        assert_eq!(lines(world, &key, &cart).await, [json!("removed"), json!("removed")]);
        assert_granted(world).await;
    })
    .await;
}

#[tokio::test]
async fn restore_grants_a_line_that_was_refunded_before_its_grant_and_nothing_else() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        world.sim(Method::POST, "/_sim/refunds", Some(json!({ "wait": true }))).await;
        let shop = &ORGANISATIONS[0];
        let key = key(world, shop.short_name, &[Scope::Refunds, Scope::Orders]).await;
        let mut basket = two_courses(world, shop, shop.mode).await;
        basket["email"] = json!(EMAIL);
        refuse_fulfilment(world).await;
        let cart = cart_id(&world.post(GUEST_CHECKOUT, &basket).await).to_owned();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "paid").await;
        let refunded = refund(world, &key, &cart, &json!({ "items": [1] })).await;
        assert_eq!(refunded.json["status"], "accepted", "{}", refunded.text);
        allow_fulfilment(world).await;
        world.cart_becomes(&cart, "fulfilled").await;
        world.platform_agrees(EMAIL, shop.key, shop.mode, true).await;
        assert_eq!(world.unenroll(EMAIL, shop.course).await.status, 200);
        world.clock.advance(TimeDelta::days(1));
        refund_fails(world, &cart).await;

        let words = ["restore", &cart, "--reason", "bank details were wrong", "--by", "Mira"];
        let (done, said) = payments(world, &words).await;
        assert!(done, "{said}");
        world
            .eventually("the line is granted", async |world| {
                lines(world, &key, &cart).await == [json!("removed"), json!("enrolled")]
            })
            .await;
        assert_told_once(world).await;
        assert_granted(world).await;
        assert_eq!(lines(world, &key, &cart).await, [json!("removed"), json!("enrolled")]);
        let again = refund(world, &key, &cart, &json!({ "items": [1] })).await;
        assert_eq!(again.json["items"][0]["access_ended"], true, "{}", again.text);
        world.drain().await;
        assert_eq!(lines(world, &key, &cart).await, [json!("removed"), json!("removed")]);
        assert_granted(world).await;
    })
    .await;
}
