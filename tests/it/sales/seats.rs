//! Seats: bought, mailed, assigned, redeemed with the code, taken back and refunded.

use chrono::TimeDelta;
use harness::steps::demo::{FREE_COURSE, PAID_COURSE, PAID_KEY, UNKNOWN_ID};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::order;
use harness::steps::seats::{QUOTE, assigned, basket, bought, counts, path, pool, without_email};
use harness::steps::vouchers::{VOUCHERS, keyed};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

pub const PAGE: &str = "https://shop.example/seats?lang=en";

/// A seat taken with the code.
pub async fn redeem(world: &World, organisation: &Organisation, email: &str, code: &str) -> Reply {
    crate::vouchers::buy(world, organisation, email, code).await
}

fn results(rows: &[Value]) -> Vec<(&str, Option<&str>, Option<&str>)> {
    rows.iter()
        .map(|row| {
            (row["email"].as_str().unwrap(), row["enrollment_state"].as_str(), row["message"].as_str())
        })
        .collect()
}

/// Address and status of each assignment, in the order of the addresses.
async fn holders(world: &World, key: &str, pool: &Value) -> Vec<(String, String)> {
    let shown = get(world, &path(pool, "?limit=100"), key).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = shown.json["assignments"].as_array().unwrap().iter();
    let mut holders: Vec<_> = all.map(|one| (text(&one["email"]), text(&one["status"]))).collect();
    holders.sort();
    holders
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(email, status)| ((*email).to_owned(), (*status).to_owned())).collect()
}

/// The mail that an address got about seats, with these words.
pub async fn mailed(world: &World, email: &str, words: &str) -> String {
    let found = async |world: &World| {
        let mails = world.emails(email).await;
        mails.iter().map(|mail| mail["text"].as_str().unwrap().to_owned()).find(|text| text.contains(words))
    };
    world.eventually("the mail", async |world| found(world).await.is_some()).await;
    found(world).await.unwrap()
}

pub async fn set_page(world: &World, page: Option<&str>) {
    sqlx::query("UPDATE organisations SET seats_url = $1").bind(page).execute(&world.db).await.unwrap();
}

#[tokio::test]
async fn a_quote_prices_all_seats() {
    world(Setup::selling(), async |world| {
        let organisation = &ORGANISATIONS[0];
        let body = basket(world, organisation, "boss@example.com", 5).await;
        let quoted = world.post(QUOTE, &without_email(&body)).await;
        let line = &quoted.json["items_detail"][0];
        assert_eq!(
            (&quoted.json["total_price"], &line["seats"], &line["originalPrice"], &line["price"]),
            (&json!(995), &json!(5), &json!(995), &json!(995)),
            "{}",
            quoted.text
        );
    })
    .await;
}

#[tokio::test]
async fn bought_seats_enroll_no_one_yet_and_their_code_is_mailed() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        set_page(world, Some(PAGE)).await;
        let key = key(world, "northwind", &[Scope::Seats, Scope::Orders]).await;
        world.platform_user("boss@example.com").await;
        let cart = bought(world, &ORGANISATIONS[0], "boss@example.com", 5).await;
        assert_eq!(world.payment(&cart).await["amount"], 99_500);
        // The buyer gets no place.
        assert_eq!(count(world, "SELECT count(*) FROM enrollments").await, 0);
        let order = order(world, &key, &cart).await;
        assert_eq!(
            (&order["items"][0]["seats"], &order["items"][0]["enrollment_state"]),
            (&json!(5), &Value::Null)
        );
        mailed(world, "boss@example.com", "5 seats: $995.00").await;

        let pool = pool(world, &key).await;
        let ready = mailed(world, "boss@example.com", "https://shop.example/seats").await;
        assert!(ready.contains(pool["code"].as_str().unwrap()), "{ready}");
        assert_eq!(
            (&pool["cart_id"], &pool["seats"], &pool["left"], &pool["item"]["id"], &pool["item"]["mode"]),
            (&json!(cart), &json!(5), &json!(5), &json!(PAID_COURSE), &json!("verified"))
        );
    })
    .await;
}

#[tokio::test]
async fn assigned_addresses_are_enrolled_or_invited_each_once() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Seats]).await;
        bought(world, &ORGANISATIONS[0], "boss@example.com", 5).await;
        let pool = pool(world, &key).await;
        world.platform_user("ada@example.com").await;
        let rows = assigned(
            world,
            &key,
            &pool,
            &["Ada@example.com", "new@example.com", "no address", "ada@example.com", "second@example.com"],
        )
        .await;
        let email_fault = rows[2]["message"].as_str().unwrap().to_owned();
        assert_eq!(
            results(&rows),
            [
                ("ada@example.com", Some("enrolled"), None),
                ("new@example.com", Some("pending_registration"), None),
                ("no address", None, Some(&*email_fault)),
                ("ada@example.com", None, Some("repeats row 1")),
                ("second@example.com", Some("pending_registration"), None),
            ]
        );
        world.platform_agrees("ada@example.com", PAID_KEY, "verified", true).await;
        let told = mailed(world, "ada@example.com", "boss@example.com has given you a place").await;
        assert!(!told.contains("registrations"), "{told}");
        let invited = mailed(world, "new@example.com", "boss@example.com has given you a place").await;
        assert!(invited.contains("/storeapi/registrations/"), "{invited}");
        assert_eq!(world.emails("new@example.com").await.len(), 1);
        assert_eq!(
            results(&assigned(world, &key, &pool, &["ada@example.com"]).await)[0].2,
            Some("has one of these seats")
        );
        assert_eq!(counts(world, &key).await, (5, 3, 2));

        world.platform_user("new@example.com").await;
        world.platform_agrees("new@example.com", PAID_KEY, "verified", true).await;
        let expected = pairs(&[
            ("ada@example.com", "enrolled"),
            ("new@example.com", "enrolled"),
            ("second@example.com", "pending"),
        ]);
        assert_eq!(holders(world, &key, &pool).await, expected);
        let csv = world
            .http
            .get(world.url(&path(&pool, "")))
            .header("organisationapikey", &key)
            .header("accept", "text/csv");
        let csv = Reply::read(csv).await;
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8; header=present");
        assert!(
            csv.text.starts_with("email,status,at,mail_failed\r\n") && csv.text.lines().count() == 4,
            "{}",
            csv.text
        );
    })
    .await;
}

#[tokio::test]
async fn seats_are_taken_back_and_waiting_addresses_are_reminded() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        set_page(world, None).await;
        let key = key(world, "northwind", &[Scope::Seats]).await;
        bought(world, &ORGANISATIONS[0], EMAIL, 3).await;
        let pool = pool(world, &key).await;
        // Without a page of the organisation, the mail has the code alone.
        let ready = mailed(world, EMAIL, pool["code"].as_str().unwrap()).await;
        assert!(!ready.contains("http"), "{ready}");
        world.platform_user("bea@example.com").await;
        let people = ["bea@example.com", "cleo@example.com", "dora@example.com"];
        assigned(world, &key, &pool, &people).await;
        world.platform_agrees("bea@example.com", PAID_KEY, "verified", true).await;
        let act = async |action: &str, body: Value| {
            let reply = keyed(world, Method::POST, &path(&pool, action), &key, &body).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            reply.json
        };
        let revoked = act("revoke/", json!({ "emails": ["bea@example.com", "cleo@example.com", "zoe@example.com"] })).await;
        let mut freed: Vec<_> = revoked["revoked"].as_array().unwrap().clone();
        freed.sort_by_key(|one| one["email"].to_string());
        assert_eq!(
            (json!(freed), &revoked["not_found"]),
            (
                json!([{ "email": "bea@example.com", "freed": false }, { "email": "cleo@example.com", "freed": true }]),
                &json!(["zoe@example.com"])
            )
        );
        world.platform_agrees("bea@example.com", PAID_KEY, "verified", false).await;
        assert_eq!(counts(world, &key).await, (3, 2, 1));
        let expected = pairs(&[("bea@example.com", "ended"), ("dora@example.com", "pending")]);
        assert_eq!(holders(world, &key, &pool).await, expected);
        // What is taken back is not taken back again, and its address may get another seat if it was free.
        let again = act("revoke/", json!({ "emails": ["bea@example.com", "cleo@example.com"] })).await;
        assert_eq!(again["revoked"], json!([]));
        let rows = assigned(world, &key, &pool, &["cleo@example.com", "bea@example.com"]).await;
        assert_eq!(rows[0]["enrollment_state"], "pending_registration");
        assert_eq!(rows[1]["enrollment_state"], "enrolled");

        // The mails of the assignments are less than a day old.
        let none = act("remind/", json!({})).await;
        assert_eq!((&none["reminded"], none["skipped"].as_array().unwrap().len()), (&json!([]), 2));
        assert_eq!(none["too_recent"], none["skipped"]);
        world.clock.advance(TimeDelta::hours(25));
        let reminded = act("remind/", json!({ "emails": ["dora@example.com", "bea@example.com"] })).await;
        let expected = json!({ "reminded": ["dora@example.com"], "skipped": ["bea@example.com"], "too_recent": [] });
        assert_eq!(reminded, expected);
        mailed(world, "dora@example.com", "is still waiting for you").await;
        let all = act("remind/", json!({})).await;
        let dora = json!(["dora@example.com"]);
        assert_eq!(all, json!({ "reminded": ["cleo@example.com"], "skipped": dora, "too_recent": dora }));
    })
    .await;
}

#[tokio::test]
async fn wrong_seats_are_refused_and_nothing_is_stored() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        for (seats, status, field) in [
            (json!(0), "invalid_request", "items[0].seats"),
            (json!(1001), "invalid_request", "items[0].seats"),
            (json!("3"), "invalid_request", "items[0].seats"),
            (json!(2.5), "invalid_request", "items[0].seats"),
        ] {
            let mut body = basket(world, organisation, EMAIL, 1).await;
            body["items"][0]["seats"] = seats;
            let refused = world.post(GUEST_CHECKOUT, &body).await;
            refused.assert_problem(400, status);
            assert_eq!(refused.faulty_fields(), [field]);
        }
        let mut body = basket(world, organisation, EMAIL, 3).await;
        body["items"][0] = json!({ "type": "course", "id": FREE_COURSE, "mode": "audit", "seats": 3 });
        let refused = world.post(GUEST_CHECKOUT, &body).await;
        refused.assert_problem(400, "invalid_items");
        assert_eq!(refused.faulty_fields(), ["items[0].seats"]);
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 0);
        // A place and seats of the same course go together.
        let mut body = basket(world, organisation, EMAIL, 3).await;
        let own = json!({ "type": "course", "id": organisation.course, "mode": organisation.mode });
        body["items"].as_array_mut().unwrap().push(own);
        let both = world.post(GUEST_CHECKOUT, &body).await;
        assert_eq!(both.json["total_price"], 796, "{}", both.text);

        let key = key(world, "northwind", &[Scope::Vouchers]).await;
        let item = json!({ "type": "course", "id": PAID_COURSE, "mode": "verified" });
        for (body, fields) in [
            (json!({ "kind": "seat" }), vec!["item", "email", "max_uses"]),
            (json!({ "kind": "seat", "item": item, "email": "x", "max_uses": 3 }), vec!["email"]),
            (json!({ "kind": "seat", "item": item, "email": EMAIL, "max_uses": 1001 }), vec!["max_uses"]),
            (json!({ "kind": "seat", "item": item, "email": EMAIL, "max_uses": 3, "value": 5 }), vec!["value"]),
            (json!({ "kind": "seat", "item": { "type": "course", "id": UNKNOWN_ID, "mode": "audit" }, "email": EMAIL, "max_uses": 3 }), vec!["item.id"]),
            (json!({ "kind": "seat", "item": { "type": "course", "id": ORGANISATIONS[1].course, "mode": "verified" }, "email": EMAIL, "max_uses": 3 }), vec!["item.id"]),
            (json!({ "kind": "seat", "item": { "type": "course", "id": PAID_COURSE, "mode": "credit" }, "email": EMAIL, "max_uses": 3 }), vec!["item.mode"]),
        ] {
            let refused = keyed(world, Method::POST, VOUCHERS, &key, &body).await;
            refused.assert_problem(400, "invalid_request");
            assert_eq!(refused.faulty_fields(), fields, "{body}");
        }
        assert_eq!(count(world, "SELECT count(*) FROM vouchers").await, 0);
    })
    .await;
}
