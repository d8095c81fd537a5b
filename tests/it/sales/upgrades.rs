//! Upgrades and checkouts of what a learner holds: what they grant, what they rest on, and what a refund leaves.

use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, PAID_KEY};
use harness::steps::learner_checkout::checkout;
use harness::steps::organisation_keys::key;
use harness::steps::payment_commands::{payments, refuses};
use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::steps::refunds::refund;
use harness::{ORGANISATIONS, Organisation, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::learner_checkout::basket;

const UPGRADE: Organisation = Organisation { mode: "professional", ..ORGANISATIONS[0] };

/// A learner's paid and fulfilled cart: its id, and the provider's reference.
async fn bought(world: &World, organisation: &Organisation, user: &Value) -> (String, String) {
    let (cart, payment) = begun(world, organisation, user).await;
    world.at_provider("pay", &payment, json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    (cart, payment)
}

async fn begun(world: &World, organisation: &Organisation, user: &Value) -> (String, String) {
    let reply = world.learner_checkout(organisation, user).await;
    let cart = cart_id(&reply).to_owned();
    let payment = world.payment(&cart).await;
    (cart, reference(&payment).to_owned())
}

/// The source of the grant on which a cart's grant rests.
async fn rests_on(world: &World, cart: &str) -> Option<String> {
    sqlx::query_scalar(
        "SELECT b.source FROM enrollment_grants g LEFT JOIN enrollment_grants b ON b.id = g.rests_on
         WHERE g.cart_id = $1::uuid",
    )
    .bind(cart)
    .fetch_one(&world.db)
    .await
    .unwrap()
}

#[tokio::test]
async fn what_is_held_is_free_and_ends_with_the_refund_of_what_was_paid() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let organisation = &ORGANISATIONS[0];
        let (paid, payment) = bought(world, organisation, &ada).await;
        let again = world.learner_checkout(organisation, &ada).await;
        assert_eq!(again.json["status"], "free", "{}", again.text);
        let free = again.json["cart_id"].as_str().unwrap();
        assert_ne!(free, paid);
        let status = world.status(free).await;
        assert_eq!(
            (&status["status"], &status["items"][0]["enrollment_state"]),
            (&json!("fulfilled"), &json!("enrolled"))
        );
        assert_eq!(count(world, "SELECT count(*) FROM enrollment_grants").await, 1);
        world.at_provider("refund", &payment, json!({})).await;
        world.platform_agrees(EMAIL, organisation.key, organisation.mode, false).await;
        assert_eq!(world.status(free).await["items"][0]["enrollment_state"], "removed");
    })
    .await;
}

#[tokio::test]
async fn a_basket_grants_what_is_not_held_and_nothing_else() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user(EMAIL).await;
        world.enroll(EMAIL, PAID_COURSE, "verified").await;
        let mut body = basket(world, PAID_COURSE, "verified").await;
        body["items"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "type": "course", "id": FREE_COURSE, "mode": "audit" }));
        let reply = checkout(world, &ada, &body, &[]).await;
        assert_eq!(reply.json["status"], "free", "{}", reply.text);
        world.platform_agrees(EMAIL, FREE_KEY, "audit", true).await;
        world.platform_agrees(EMAIL, PAID_KEY, "verified", true).await;
        assert_eq!(count(world, "SELECT count(*) FROM enrollment_grants WHERE source = 'free'").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_free_basket_grants_again_once_the_partner_has_removed_what_was_held() {
    world(Setup::default(), async |world| {
        let ada = world.platform_user(EMAIL).await;
        world.enroll(EMAIL, FREE_COURSE, "audit").await;
        let body = basket(world, FREE_COURSE, "audit").await;
        let held = checkout(world, &ada, &body, &[]).await;
        assert_eq!(checkout(world, &ada, &body, &[]).await.json["cart_id"], held.json["cart_id"]);
        assert_eq!(count(world, "SELECT count(*) FROM enrollment_grants").await, 1);
        world.unenroll(EMAIL, FREE_COURSE).await;
        world.platform_agrees(EMAIL, FREE_KEY, "audit", false).await;
        let again = checkout(world, &ada, &body, &[]).await;
        assert_eq!(again.json["status"], "free", "{}", again.text);
        assert_ne!(again.json["cart_id"], held.json["cart_id"]);
        world.platform_agrees(EMAIL, FREE_KEY, "audit", true).await;
    })
    .await;
}

#[tokio::test]
async fn an_upgrade_rests_on_what_it_was_credited_for() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        bought(world, &ORGANISATIONS[0], &ada).await;
        let (upgrade, _) = bought(world, &UPGRADE, &ada).await;
        assert_eq!(rests_on(world, &upgrade).await.as_deref(), Some("cart"));
        // A grant that cannot be refunded is preferred.
        let bob = world.platform_user("bob@example.com").await;
        bought(world, &ORGANISATIONS[0], &bob).await;
        world.enroll("bob@example.com", PAID_COURSE, "verified").await;
        let (upgrade, _) = bought(world, &UPGRADE, &bob).await;
        assert_eq!(rests_on(world, &upgrade).await.as_deref(), Some("partner"));
        // A mode that costs nothing is credited with nothing.
        let cem = world.platform_user("cem@example.com").await;
        let free_mode = "INSERT INTO course_modes (course_id, slug, display_name, price, currency, price_order, visible)
            SELECT course_id, 'honor', 'Honor', 0, currency, 0, false FROM course_modes WHERE course_id = $1::uuid LIMIT 1";
        sqlx::query(free_mode).bind(PAID_COURSE).execute(&world.db).await.unwrap();
        world.enroll("cem@example.com", PAID_COURSE, "honor").await;
        let (full, _) = bought(world, &ORGANISATIONS[0], &cem).await;
        assert_eq!(rests_on(world, &full).await, None);
        assert!(world.transaction(&full).await.2.is_none());
    })
    .await;
}

#[tokio::test]
async fn an_upgrade_whose_base_was_refunded_meanwhile_waits_for_an_operator() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let (_, base) = bought(world, &ORGANISATIONS[0], &ada).await;
        let (upgrade, payment) = begun(world, &UPGRADE, &ada).await;
        world.at_provider("refund", &base, json!({})).await;
        world.platform_agrees(EMAIL, UPGRADE.key, "verified", false).await;
        world.at_provider("pay", &payment, json!({ "copies": 2 })).await;
        world
            .eventually("an alert is set", async |world| {
                world.transaction(&upgrade).await.2.is_some_and(|alert| alert.contains("has ended"))
            })
            .await;
        // Neither another delivery nor the reconciler grants it.
        world.clock.advance(chrono::TimeDelta::hours(1));
        tokio::time::sleep(std::time::Duration::from_millis(700)).await;
        assert_eq!(world.status(&upgrade).await["status"], "paid");
        assert_eq!(count(world, "SELECT count(*) FROM enrollment_grants WHERE ended_at IS NULL").await, 0);
        // It does not hold up the learner's other purchases.
        let (other, _) = bought(world, &ORGANISATIONS[1], &ada).await;
        assert_eq!(world.transaction(&other).await.2, None);
        let restore =
            async |cart: &str| payments(world, &["restore", cart, "--reason", "agreed on the phone"]).await;
        refuses(&restore(&other).await, "cart has no ended access to restore");
        let (ok, text) = restore(&upgrade).await;
        assert!(ok, "{text}");
        world.cart_becomes(&upgrade, "fulfilled").await;
        world.platform_agrees(EMAIL, UPGRADE.key, "professional", true).await;
        let actors: i64 = count(
            world,
            "SELECT count(*) FROM audit_log WHERE actor = 'operator:Mira' AND detail ->> 'grant' = 'restored'",
        )
        .await;
        assert_eq!(actors, 1);
    })
    .await;
}

#[tokio::test]
async fn an_upgrade_rests_on_another_grant_of_the_mode_if_there_is_one() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let (_, base) = bought(world, &ORGANISATIONS[0], &ada).await;
        let (upgrade, payment) = begun(world, &UPGRADE, &ada).await;
        world.enroll(EMAIL, PAID_COURSE, "verified").await;
        world.at_provider("refund", &base, json!({})).await;
        world
            .eventually("the base has ended", async |world| {
                count(world, "SELECT count(*) FROM enrollment_grants WHERE ended_at IS NOT NULL").await == 1
            })
            .await;
        world.at_provider("pay", &payment, json!({})).await;
        world.cart_becomes(&upgrade, "fulfilled").await;
        assert_eq!(rests_on(world, &upgrade).await.as_deref(), Some("partner"));
    })
    .await;
}

#[tokio::test]
async fn what_a_live_upgrade_rests_on_is_refunded_after_it() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let key = key(world, "northwind", &[Scope::Refunds]).await;
        let (base, _) = bought(world, &ORGANISATIONS[0], &ada).await;
        let (upgrade, _) = bought(world, &UPGRADE, &ada).await;
        let refused = async |body: Value| {
            let refused = refund(world, &key, &base, &body).await;
            assert_eq!(
                refused.assert_problem(400, "invalid_request").faulty_fields(),
                ["items[0]"],
                "{body}"
            );
            assert!(refused.text.contains("was upgraded by a later purchase"), "{}", refused.text);
        };
        refused(json!({ "items": [0] })).await;
        refused(json!({ "items": [0], "amount": 5 })).await;
        refused(json!({})).await;
        // Goodwill ends no access, unless it takes all the money.
        refused(json!({ "items": [], "amount": 199 })).await;
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 0);
        let goodwill = refund(world, &key, &base, &json!({ "items": [], "amount": 9 })).await;
        assert_eq!(goodwill.json["remaining"].as_f64(), Some(190.0), "{}", goodwill.text);
        refused(json!({ "items": [], "amount": 190 })).await;
        world.platform_agrees(EMAIL, UPGRADE.key, "professional", true).await;

        let first = refund(world, &key, &upgrade, &json!({})).await;
        assert_eq!((first.status, first.json["remaining"].as_f64()), (200, Some(0.0)), "{}", first.text);
        world.platform_agrees(EMAIL, UPGRADE.key, "verified", true).await;
        let second = refund(world, &key, &base, &json!({ "items": [0] })).await;
        assert_eq!((second.status, second.json["remaining"].as_f64()), (200, Some(0.0)), "{}", second.text);
        world.cart_becomes(&base, "refunded").await;
        world.platform_agrees(EMAIL, UPGRADE.key, "verified", false).await;
    })
    .await;
}

#[tokio::test]
async fn an_upgrade_ends_with_its_base_and_an_alert_asks_to_refund_the_difference() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let (base, payment) = bought(world, &ORGANISATIONS[0], &ada).await;
        let (upgrade, difference) = bought(world, &UPGRADE, &ada).await;
        world.platform_agrees(EMAIL, UPGRADE.key, "professional", true).await;
        world.at_provider("refund", &payment, json!({})).await;
        world.cart_becomes(&base, "refunded").await;
        world
            .eventually("an alert is set", async |world| world.transaction(&upgrade).await.2.is_some())
            .await;
        let (state, refunded, alert) = world.transaction(&upgrade).await;
        // The money of the difference waits for the operator.
        assert_eq!((state.as_str(), refunded), ("succeeded", 0));
        let alert = alert.unwrap();
        for part in [format!("cart {base}"), format!("refund the difference of cart {upgrade}")] {
            assert!(alert.contains(&part), "{part:?}: {alert}");
        }
        world
            .eventually("the access has ended", async |world| {
                let seen = world.on_platform(EMAIL, UPGRADE.key).await;
                seen.is_some_and(|seen| seen["is_active"] == false)
            })
            .await;
        assert_eq!(world.transaction(&base).await.2, None);
        world.at_provider("refund", &difference, json!({})).await;
        world.cart_becomes(&upgrade, "refunded").await;
    })
    .await;
}

#[tokio::test]
async fn what_rests_on_a_grant_rests_on_its_like_once_two_enrollments_are_one() {
    let setup = Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::default() };
    world(setup, async |world| {
        let ada = world.platform_user("new@example.com").await;
        checkout(world, &ada, &basket(world, FREE_COURSE, "audit").await, &[]).await;
        world.enroll("new@example.com", PAID_COURSE, "verified").await;
        world.platform_agrees("new@example.com", PAID_KEY, "verified", true).await;
        // The storefront knows the account under its former address; the new address is granted the course again while
        // the platform is down.
        for table in ["learners", "enrollments"] {
            let sql = format!("UPDATE {table} SET email = 'old@example.com'");
            sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&world.db).await.unwrap();
        }
        world.fault(json!({ "target": "platform", "path": "/api/user", "kind": "status", "status": 500, "count": 1000 })).await;
        let reply = world.enroll("new@example.com", PAID_COURSE, "verified").await;
        assert_eq!(reply.json["enrollment_state"], "pending_registration", "{}", reply.text);
        sqlx::query(
            "UPDATE enrollment_grants SET rests_on = (
                 SELECT g.id FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
                 WHERE e.state = 'pending_registration')
             WHERE source = 'free'",
        )
        .execute(&world.db)
        .await
        .unwrap();
        world.no_faults().await;
        world
            .eventually("the two enrollments are one", async |world| {
                count(world, "SELECT count(*) FROM enrollments WHERE state = 'removed'").await == 1
            })
            .await;
        let base: (String, bool) = sqlx::query_as(
            "SELECT e.email, b.ended_at IS NULL FROM enrollment_grants g JOIN enrollment_grants b ON b.id = g.rests_on
             JOIN enrollments e ON e.id = b.enrollment_id WHERE g.source = 'free'",
        )
        .fetch_one(&world.db)
        .await
        .unwrap();
        assert_eq!(base, ("old@example.com".to_owned(), true));
    })
    .await;
}

/// Sets the dated price of a mode of the shop's course, in percent of its full price.
async fn reduced(world: &World, mode: &str, percent_off: i32) {
    let price = json!([{ "name": "Sale", "percent_off": percent_off }]);
    sqlx::query("UPDATE course_modes SET dated_prices = $3 WHERE course_id = $1::uuid AND slug = $2")
        .bind(ORGANISATIONS[0].course)
        .bind(mode)
        .bind(price)
        .execute(&world.db)
        .await
        .unwrap();
}

#[tokio::test]
async fn an_upgrade_costs_the_difference_of_the_prices_that_hold_and_at_most_that_of_the_full_ones() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        bought(world, &ORGANISATIONS[0], &ada).await;
        let price = async || {
            let body = world.basket(&UPGRADE).await;
            let cookie = harness::steps::credentials::session(&ada);
            let request =
                world.request(reqwest::Method::POST, "/storeapi/discovery/quote/").header("cookie", cookie);
            let quote = harness::Reply::read(request.json(&body)).await.json;
            (quote["total_price"].clone(), quote["items_detail"][0]["originalPrice"].clone())
        };
        assert_eq!(price().await, (json!(150), json!(150)));
        reduced(world, "verified", 50).await;
        assert_eq!(
            price().await,
            (json!(150), json!(150)),
            "what the held mode costs now makes it no dearer"
        );
        reduced(world, "professional", 20).await;
        // 279.20 less 99.50 is more than 349 less 199.
        assert_eq!(price().await, (json!(150), json!(150)));
        reduced(world, "verified", 0).await;
        sqlx::query("UPDATE course_modes SET dated_prices = '[]' WHERE slug = 'verified'")
            .execute(&world.db)
            .await
            .unwrap();
        assert_eq!(price().await, (json!(80.2), json!(150)));
    })
    .await;
}

#[tokio::test]
async fn an_upgrade_that_a_dated_price_makes_free_ends_with_what_it_is_an_upgrade_of() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user(EMAIL).await;
        let (paid, payment) = bought(world, &ORGANISATIONS[0], &ada).await;
        reduced(world, "professional", 60).await;
        let free = world.learner_checkout(&UPGRADE, &ada).await;
        assert_eq!(free.json["status"], "free", "{}", free.text);
        world.platform_agrees(EMAIL, PAID_KEY, "professional", true).await;
        assert_eq!(
            rests_on(world, free.json["cart_id"].as_str().unwrap()).await,
            Some("cart".to_owned()),
            "{paid}"
        );
        world.at_provider("refund", &payment, json!({})).await;
        world.platform_agrees(EMAIL, PAID_KEY, "professional", false).await;
    })
    .await;
}
