//! The code of a pool of seats: what it pays for, for whom, and what of it is no longer asked.

use harness::steps::demo::{FREE_COURSE, PAID_COURSE, PAID_KEY, PROGRAM};
use harness::steps::learner_cart::{CART, checkout, learner, send};
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::steps::refunds::order;
use harness::steps::seats::{QUOTE, assigned, bought, counts, pool};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::seats::redeem;

/// A pool of the first organisation's course with so many seats, the key that reads it, and its code.
async fn sold(world: &World, seats: i32) -> (Value, String, String) {
    world.sell().await;
    let key = key(world, "northwind", &[Scope::Seats, Scope::Orders]).await;
    bought(world, &ORGANISATIONS[0], EMAIL, seats).await;
    let pool = pool(world, &key).await;
    let code = pool["code"].as_str().unwrap().to_owned();
    (pool, key, code)
}

/// Quotes the course with a code.
async fn quoted(world: &World, code: &str) -> Reply {
    let mut body = world.basket(&ORGANISATIONS[0]).await;
    body["voucher"] = json!(code);
    world.post(QUOTE, &body).await
}

/// Changes the course by the rest of an UPDATE.
async fn change(world: &World, table: &str, key: &str, columns: &str) {
    let sql = format!("UPDATE {table} SET {columns} WHERE {key} = $1::uuid");
    sqlx::query(sqlx::AssertSqlSafe(sql)).bind(PAID_COURSE).execute(&world.db).await.unwrap();
}

#[tokio::test]
async fn a_code_is_for_one_place_in_its_item_and_mode_alone() {
    world(Setup::selling(), async |world| {
        let (_, _, code) = sold(world, 2).await;
        let mut body = world.basket(&ORGANISATIONS[0]).await;
        let place = body["items"][0].clone();
        let with = |field: &str, value: Value| {
            let mut item = place.clone();
            item[field] = value;
            item
        };
        let free = json!({ "type": "course", "id": FREE_COURSE, "mode": "audit" });
        body["voucher"] = json!(code);
        for items in [
            json!([with("mode", json!(ORGANISATIONS[0].other_mode))]),
            json!([with("seats", json!(1))]),
            json!([place, free]),
            json!([free]),
        ] {
            body["items"] = items;
            let quoted = world.post(QUOTE, &body).await;
            assert_eq!(quoted.json["voucher"]["reason"], "not_for_these_items", "{}", quoted.text);
            let mut basket = body.clone();
            basket["email"] = json!("guest@example.com");
            let refused = world.post(GUEST_CHECKOUT, &basket).await;
            let expected = json!([{ "field": "voucher", "message": "is not for these items" }]);
            assert_eq!(refused.json["errors"], expected, "{}", refused.text);
        }
    })
    .await;
}

#[tokio::test]
async fn a_seat_is_taken_of_what_is_no_longer_on_sale_while_its_mode_exists() {
    world(Setup::selling(), async |world| {
        let (pool, key, code) = sold(world, 2).await;
        let closed = "is_published = false, is_invite_only = true, enrollment_end = now() - interval '1 day'";
        change(world, "courses", "id", closed).await;
        let quote = quoted(world, &code).await;
        assert_eq!(
            (
                &quote.json["total_price"],
                &quote.json["voucher"]["accepted"],
                &quote.json["items_detail"][0]["voucher_discount"]
            ),
            (&json!(0), &json!(true), &json!(199)),
            "{}",
            quote.text
        );
        let taken = redeem(world, &ORGANISATIONS[0], "guest@example.com", &code).await;
        assert_eq!((taken.status, &taken.json["status"]), (200, &json!("free")), "{}", taken.text);
        // The same checkout again is the same attempt.
        let again = redeem(world, &ORGANISATIONS[0], "guest@example.com", &code).await;
        assert_eq!(again.json, taken.json);
        assert_eq!(counts(world, &key).await, (2, 1, 1));
        // A pool's code opens it for others, so an order that it has paid for does not show it.
        let cart = taken.json["cart_id"].as_str().unwrap();
        assert_eq!(order(world, &key, cart).await["voucher"], Value::Null);

        change(world, "course_modes", "course_id", "expires_at = now() - interval '1 day'").await;
        let refused = redeem(world, &ORGANISATIONS[0], "emma@example.com", &code).await;
        refused.assert_problem(400, "invalid_items");
        assert_eq!(refused.faulty_fields(), ["items[0].mode"]);
        let row = assigned(world, &key, &pool, &["emma@example.com"]).await;
        assert!(row[0]["message"].as_str().unwrap().contains("cannot be bought"), "{row:?}");
    })
    .await;
}

#[tokio::test]
async fn learners_take_seats_in_both_checkouts() {
    world(Setup::selling(), async |world| {
        let (_, key, code) = sold(world, 3).await;
        let bea = learner(world, "bea@example.com").await;
        let mut body = world.basket(&ORGANISATIONS[0]).await;
        body["voucher"] = json!(code);
        let session = format!("sessionid={}", bea["sessionid"].as_str().unwrap());
        let check_out = async || {
            let request =
                world.request(Method::POST, "/storeapi/discovery/checkout/").header("cookie", &session);
            Reply::read(request.json(&body)).await
        };
        let first = check_out().await;
        assert_eq!(first.json["status"], "free", "{}", first.text);
        assert_eq!(check_out().await.json, first.json);
        world.platform_agrees("bea@example.com", PAID_KEY, "verified", true).await;

        let cleo = learner(world, "cleo@example.com").await;
        let own = json!({ "items": body["items"], "voucher": code });
        let filled = send(world, &cleo, "northwind", Method::PUT, CART, Some(own)).await;
        let shown = (&filled.json["total_price"], &filled.json["voucher"]);
        assert_eq!(shown, (&json!(0), &json!(code)), "{}", filled.text);
        let done = checkout(world, &cleo, &ORGANISATIONS[0]).await;
        assert_eq!(done.json["status"], "enrollment_pending", "{}", done.text);
        world.platform_agrees("cleo@example.com", PAID_KEY, "verified", true).await;
        assert_eq!(counts(world, &key).await, (3, 2, 1));
        // The platform is told as of a purchase, which closed windows do not stop.
        assert_eq!(count(world, "SELECT count(*) FROM enrollment_grants WHERE source = 'cart'").await, 2);
    })
    .await;
}

#[tokio::test]
async fn an_address_has_one_seat_and_a_pool_no_more_than_it_has() {
    world(Setup::selling(), async |world| {
        let (pool, key, code) = sold(world, 1).await;
        let dora = learner(world, "dora@example.com").await;
        let own = json!({ "items": world.basket(&ORGANISATIONS[0]).await["items"], "voucher": code });
        let fill = async || send(world, &dora, "northwind", Method::PUT, CART, Some(own.clone())).await;
        assert_eq!(fill().await.status, 200);
        let rows = assigned(world, &key, &pool, &["dora@example.com"]).await;
        assert_eq!(rows[0]["enrollment_state"], "enrolled");
        for refused in [checkout(world, &dora, &ORGANISATIONS[0]).await, fill().await] {
            assert_eq!(refused.faulty_fields(), ["voucher"], "{}", refused.text);
        }
        let refused = redeem(world, &ORGANISATIONS[0], "emma@example.com", &code).await;
        assert_eq!(refused.json["errors"][0]["message"], "has no uses left", "{}", refused.text);
        assert_eq!(assigned(world, &key, &pool, &["emma@example.com"]).await[0]["message"], "no seats left");
        let quote = quoted(world, &code).await;
        let shown = (&quote.json["total_price"], &quote.json["voucher"]["reason"]);
        assert_eq!(shown, (&json!(199), &json!("exhausted")), "{}", quote.text);
    })
    .await;
}

#[tokio::test]
async fn a_seat_in_a_program_is_what_the_program_is_on_that_day() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Seats]).await;
        let mut body = world.basket(&ORGANISATIONS[0]).await;
        body["items"] = json!([{ "type": "program", "id": PROGRAM, "mode": "verified", "seats": 2 }]);
        body["email"] = json!(EMAIL);
        let reply = world.post(GUEST_CHECKOUT, &body).await;
        let cart = cart_id(&reply).to_owned();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        let pool = pool(world, &key).await;
        assert_eq!((&pool["item"]["type"], &pool["item"]["id"]), (&json!("program"), &json!(PROGRAM)));
        let granted = "SELECT count(*) FROM enrollment_grants WHERE ended_at IS NULL";
        assert_eq!(assigned(world, &key, &pool, &["bea@example.com"]).await[0]["status"], "done");
        let before = count(world, granted).await;
        // A course leaves the program, and the program is no longer sold.
        for sql in [
            "DELETE FROM program_courses WHERE program_id = $1::uuid AND position = (
                 SELECT max(position) FROM program_courses WHERE program_id = $1::uuid)",
            "UPDATE programs SET is_published = false, price = NULL, currency = NULL WHERE id = $1::uuid",
        ] {
            sqlx::query(sql).bind(PROGRAM).execute(&world.db).await.unwrap();
        }
        let rows = assigned(world, &key, &pool, &["cleo@example.com"]).await;
        assert_eq!(rows[0]["status"], "done", "{rows:?}");
        assert_eq!(count(world, granted).await, 2 * before - 1);
    })
    .await;
}
