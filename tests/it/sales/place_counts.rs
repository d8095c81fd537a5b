//! Places of a course with a capacity, by who has one: whatever opened the access takes one place, once.

use harness::steps::learner_checkout::checkout;
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, cart_id, reference};
use harness::steps::refunds::other_course;
use harness::steps::seats::{SEATS, assigned, bought, counts, path, pool};
use harness::steps::vouchers::{VOUCHERS, keyed, voucher};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::places::{assert_sold_out, limit, shows};
use crate::platform_holdings::joined;
use crate::seats::redeem;

const NORTHWIND: &Organisation = &ORGANISATIONS[0];

/// Gives the course a mode that the partner and the platform can give for nothing.
async fn add_audit(world: &World) {
    let mode = "INSERT INTO course_modes (course_id, slug, display_name, price, currency, price_order, visible)
                SELECT course_id, 'audit', 'Audit', 0, currency, 0, false FROM course_modes WHERE course_id = $1::uuid LIMIT 1";
    sqlx::query(mode).bind(NORTHWIND.course).execute(&world.db).await.unwrap();
}

async fn pay(world: &World, reply: &Reply) -> String {
    let cart = cart_id(reply).to_owned();
    world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    cart
}

/// Checks how many of ten places are left.
async fn left(world: &World, places: i64, after: &str) {
    limit(world, NORTHWIND.course, 10).await;
    eprintln!("after {after}");
    shows(world, NORTHWIND.key, json!(places)).await;
}

fn at_contract(seats: i32) -> Value {
    let item = json!({ "type": "course", "id": NORTHWIND.course, "mode": "verified" });
    json!({ "kind": "seat", "code": "CONTRACT", "item": item, "email": "boss@example.com", "max_uses": seats })
}

/// The source of the numbers is the documentation of `capacity`.
#[tokio::test]
async fn whatever_opens_an_access_takes_one_place_and_its_end_gives_it_back() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        add_audit(world).await;
        let key = key(world, "northwind", &[Scope::Vouchers, Scope::Seats]).await;
        left(world, 10, "nothing").await;
        let mut learners = Vec::new();
        for (email, mode, places, after) in [
            ("ada@example.com", "audit", 10, "a partner's audit"),
            ("bob@example.com", "verified", 9, "a partner's grant in another mode"),
        ] {
            learners.push(world.platform_user(email).await);
            assert_eq!(world.enroll(email, NORTHWIND.course, mode).await.status, 200);
            left(world, places, after).await;
        }
        let upgrade = Organisation { mode: "professional", ..*NORTHWIND };
        pay(world, &world.learner_checkout(NORTHWIND, &learners[0]).await).await;
        left(world, 8, "an upgrade of a partner's audit").await;
        pay(world, &world.learner_checkout(&upgrade, &learners[1]).await).await;
        left(world, 8, "an upgrade of what has a place").await;
        let cleo = world.platform_user("cleo@example.com").await;
        joined(world, &cleo, "audit", true).await;
        let sold = pay(world, &world.learner_checkout(NORTHWIND, &cleo).await).await;
        left(world, 7, "a purchase of what the platform gave as audit").await;
        let pool_id = voucher(world, &key, at_contract(3)).await;
        left(world, 4, "seats by contract").await;
        assert_eq!(redeem(world, NORTHWIND, "dora@example.com", "CONTRACT").await.status, 200);
        left(world, 4, "a seat that is redeemed").await;
        let path = format!("{VOUCHERS}{pool_id}/");
        let put = keyed(world, Method::PUT, &path, &key, &json!({ "max_uses": 4 })).await;
        assert_eq!(put.status, 200);
        left(world, 3, "a seat that was added").await;
        let again = redeem(world, NORTHWIND, "bob@example.com", "CONTRACT").await;
        assert_eq!(again.status, 200, "{}", again.text);
        left(world, 4, "a seat of somebody who has a place").await;
        world.at_provider("refund", reference(&world.payment(&sold).await), json!({})).await;
        world.cart_becomes(&sold, "refunded").await;
        left(world, 5, "a refund").await;
        world.unenroll("dora@example.com", NORTHWIND.course).await;
        left(world, 5, "a partner's removal, after which the pool has the seat again").await;
        let begun = world.guest_checkout(NORTHWIND, "eve@example.com").await;
        left(world, 4, "a basket that is not paid").await;
        pay(world, &begun).await;
        left(world, 4, "its payment").await;
    })
    .await;
}

#[tokio::test]
async fn an_upgrade_of_what_took_no_place_takes_the_last_one() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        add_audit(world).await;
        limit(world, NORTHWIND.course, 1).await;
        let mut learners = Vec::new();
        for email in ["ada@example.com", "bob@example.com", "cleo@example.com"] {
            learners.push(world.platform_user(email).await);
            world.enroll(email, NORTHWIND.course, "audit").await;
        }
        let first = world.learner_checkout(NORTHWIND, &learners[0]).await;
        assert_eq!(first.json["items_detail"][0]["upgrade_from"], "audit", "{}", first.text);
        assert_sold_out(&world.learner_checkout(NORTHWIND, &learners[1]).await);
        pay(world, &first).await;
        assert_sold_out(&world.learner_checkout(NORTHWIND, &learners[2]).await);
        assert_sold_out(&world.guest_checkout(NORTHWIND, "dora@example.com").await);
        limit(world, NORTHWIND.course, 1).await;
        shows(world, NORTHWIND.key, json!(0)).await;
        // Who has the place buys a better mode of it.
        let better = Organisation { mode: "professional", ..*NORTHWIND };
        assert_eq!(world.learner_checkout(&better, &learners[0]).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn seats_that_are_given_out_or_added_take_places() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Vouchers, Scope::Seats]).await;
        limit(world, NORTHWIND.course, 2).await;
        voucher(world, &key, at_contract(2)).await;
        assert_sold_out(&world.guest_checkout(NORTHWIND, "eve@example.com").await);
        for email in ["ada@example.com", "bob@example.com"] {
            assert_eq!(redeem(world, NORTHWIND, email, "CONTRACT").await.status, 200);
        }
        assert_sold_out(&world.guest_checkout(NORTHWIND, "eve@example.com").await);

        limit(world, NORTHWIND.course, 5).await;
        bought(world, NORTHWIND, EMAIL, 1).await;
        let pools = get(world, SEATS, &key).await;
        let pool =
            pools.json["pools"].as_array().unwrap().iter().find(|pool| pool["seats"] == 1).unwrap().clone();
        let voucher = pool["voucher_id"].as_str().unwrap();
        let raised =
            keyed(world, Method::PUT, &format!("{VOUCHERS}{voucher}/"), &key, &json!({ "max_uses": 3 }))
                .await;
        assert_eq!(raised.status, 200, "{}", raised.text);
        assert_sold_out(&world.guest_checkout(NORTHWIND, "eve@example.com").await);
        let people = ["cleo@example.com", "dora@example.com", "fay@example.com"];
        let rows = assigned(world, &key, &pool, &people).await;
        assert!(rows.iter().all(|row| row["enrollment_state"] == "pending_registration"), "{rows:?}");
        assert_sold_out(&world.guest_checkout(NORTHWIND, "eve@example.com").await);
    })
    .await;
}

/// A program on sale with this course and another one. Returns its id.
async fn program_of(world: &World, course: &str) -> String {
    let sold =
        "UPDATE programs p SET is_invite_only = false, is_published = true, price = 5000, currency = 'USD',
                    price_order = 50 FROM organisations o
                WHERE o.id = p.organisation_id AND o.short_name = 'northwind' RETURNING p.id::text";
    let program: String = sqlx::query_scalar(sold).fetch_one(&world.db).await.unwrap();
    let none = sqlx::query("DELETE FROM program_courses WHERE program_id = $1::uuid").bind(&program);
    none.execute(&world.db).await.unwrap();
    let other = other_course(world, NORTHWIND).await;
    for (position, course) in (0..).zip([course, &other]) {
        let part =
            "INSERT INTO program_courses (program_id, course_id, position) VALUES ($1::uuid, $2::uuid, $3)";
        let part = sqlx::query(part).bind(&program).bind(course).bind(position);
        part.execute(&world.db).await.unwrap();
    }
    program
}

/// A learner who has one course of a program needs no other place in it.
#[tokio::test]
async fn a_learner_needs_no_second_place_in_a_course_of_a_program() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user("ada@example.com").await;
        pay(world, &world.learner_checkout(NORTHWIND, &ada).await).await;
        let program = program_of(world, NORTHWIND.course).await;
        limit(world, NORTHWIND.course, 1).await;
        let mut body = world.basket(NORTHWIND).await;
        body["items"][0] = json!({ "type": "program", "id": program, "mode": "verified" });
        let bought = checkout(world, &ada, &body, &[]).await;
        assert_eq!(bought.status, 200, "{}", bought.text);
        body["email"] = json!("bob@example.com");
        assert_sold_out(&world.post(GUEST_CHECKOUT, &body).await);
    })
    .await;
}

#[tokio::test]
async fn a_seat_that_was_taken_back_is_the_same_learners_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Seats]).await;
        bought(world, NORTHWIND, EMAIL, 1).await;
        let pool = pool(world, &key).await;
        let bea = world.platform_user("bea@example.com").await;
        assigned(world, &key, &pool, &["bea@example.com"]).await;
        let better = Organisation { mode: "professional", ..*NORTHWIND };
        pay(world, &world.learner_checkout(&better, &bea).await).await;
        world.platform_agrees("bea@example.com", NORTHWIND.key, "professional", true).await;
        let revoke = async || {
            let body = json!({ "emails": ["bea@example.com"] });
            let revoked = keyed(world, Method::POST, &path(&pool, "revoke/"), &key, &body).await;
            assert_eq!(revoked.json["revoked"].as_array().map(Vec::len), Some(1), "{}", revoked.text);
            world.platform_agrees("bea@example.com", NORTHWIND.key, "professional", false).await;
        };
        revoke().await;
        // Its code alone gives it back to nobody, and the pool serves no other.
        redeem(world, NORTHWIND, "bea@example.com", pool["code"].as_str().unwrap())
            .await
            .assert_problem(400, "invalid_request");
        assert_eq!(assigned(world, &key, &pool, &["cleo@example.com"]).await[0]["message"], "no seats left");
        let rows = assigned(world, &key, &pool, &["bea@example.com"]).await;
        assert_eq!(rows[0]["enrollment_state"], "enrolled", "{rows:?}");
        // With the upgrade that rested on it.
        world.platform_agrees("bea@example.com", NORTHWIND.key, "professional", true).await;
        assert_eq!(counts(world, &key).await, (1, 1, 0));
        assert_eq!(
            assigned(world, &key, &pool, &["bea@example.com"]).await[0]["message"],
            "has one of these seats"
        );
        // A place that was sold meanwhile is gone.
        revoke().await;
        limit(world, NORTHWIND.course, 1).await;
        let sold = pay(world, &world.guest_checkout(NORTHWIND, "dora@example.com").await).await;
        let rows = assigned(world, &key, &pool, &["bea@example.com"]).await;
        assert_eq!(rows[0]["message"], "the course is sold out");
        world.at_provider("refund", reference(&world.payment(&sold).await), json!({})).await;
        world.cart_becomes(&sold, "refunded").await;
        assert_eq!(
            assigned(world, &key, &pool, &["bea@example.com"]).await[0]["enrollment_state"],
            "enrolled"
        );
        // Nothing is given back of a pool whose money has gone back.
        revoke().await;
        let cart = pool["cart_id"].as_str().unwrap();
        world.at_provider("refund", reference(&world.payment(cart).await), json!({})).await;
        world.cart_becomes(cart, "refunded").await;
        assert_eq!(
            assigned(world, &key, &pool, &["bea@example.com"]).await[0]["message"],
            "has one of these seats"
        );
    })
    .await;
}
