//! Access that ends by the clock: when, what is left, and buying it again.

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use harness::steps::demo::{PAID_COURSE, PROGRAM};
use harness::steps::learner_checkout::checkout;
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::steps::refunds::{bought, order, refund};
use harness::steps::seats;
use harness::steps::tax::{import, seller};
use harness::steps::vouchers::{VOUCHERS, keyed};
use harness::{ORGANISATIONS, Organisation, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const SHOP: &Organisation = &ORGANISATIONS[0];

fn setup() -> Setup {
    Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::selling() }
}

/// Sells the shop's mode with so many days of access.
async fn with_days(world: &World, days: i64) {
    let sql = "UPDATE course_modes SET access_days = $3 WHERE course_id = $1::uuid AND slug = $2";
    let days = i32::try_from(days).unwrap();
    sqlx::query(sql).bind(SHOP.course).bind(SHOP.mode).bind(days).execute(&world.db).await.unwrap();
}

async fn ends(world: &World, cart: &str) -> Option<DateTime<Utc>> {
    let sql = "SELECT ends_at FROM enrollment_grants WHERE cart_id = $1::uuid";
    sqlx::query_scalar(sql).bind(cart).fetch_one(&world.db).await.unwrap()
}

/// What `check-enrollment` says to a learner.
async fn checked(world: &World, user: &Value) -> Value {
    let path = format!("/storeapi/discovery/check-enrollment/{}/", SHOP.key);
    let request = world.request(reqwest::Method::GET, &path);
    harness::Reply::read(request.header("cookie", harness::steps::credentials::session(user))).await.json
}

/// A learner's paid and fulfilled order.
async fn order_of(world: &World, user: &Value) -> String {
    let reply = world.learner_checkout(SHOP, user).await;
    assert_eq!(reply.json["total_price"], json!(199), "{}", reply.text);
    let cart = cart_id(&reply).to_owned();
    let payment = world.payment(&cart).await;
    world.at_provider("pay", reference(&payment), json!({})).await;
    world.cart_becomes(&cart, "fulfilled").await;
    cart
}

async fn events(world: &World, kind: &str) -> Vec<Value> {
    let sql = "SELECT data FROM events WHERE type = $1 ORDER BY at";
    sqlx::query_scalar(sql).bind(kind).fetch_all(&world.db).await.unwrap()
}

/// How many mails to the learner have this in their subject.
async fn mails(world: &World, subject: &str) -> usize {
    let mails = world.emails(EMAIL).await;
    mails.iter().filter(|mail| mail["subject"].as_str().is_some_and(|text| text.contains(subject))).count()
}

/// Days as they begin by the zone database's rules (Python's zoneinfo, tzdata 2025b).
#[tokio::test]
async fn access_ends_with_a_day_at_the_seller_whenever_that_is() {
    world(setup(), async |world| {
        world.sell().await;
        for (nth, (zone, day, instant)) in [
            // The clocks go forward at midnight, so that the day begins at one.
            ("America/Santiago", "2036-09-07", "2036-09-07T04:00:00Z"),
            ("America/Santiago", "2036-09-08", "2036-09-08T03:00:00Z"),
            ("Asia/Kathmandu", "2037-01-01", "2036-12-31T18:15:00Z"),
            // Ramadan has the hour of UTC, and in tzdata 2026 the other months have it again, too.
            ("Africa/Casablanca", "2036-10-20", "2036-10-20T00:00:00Z"),
            // An hour later it is midnight once more.
            ("America/Havana", "2036-11-02", "2036-11-02T04:00:00Z"),
        ]
        .into_iter()
        .enumerate()
        {
            import(world, &[seller(SHOP, "CL", json!({ "time_zone": zone }))]).await.unwrap();
            let sql = "SELECT $1::date - ($2::timestamptz AT TIME ZONE $3)::date - 1";
            let days: i32 = sqlx::query_scalar(sql)
                .bind(day)
                .bind(world.clock.now())
                .bind(zone)
                .fetch_one(&world.db)
                .await
                .unwrap();
            with_days(world, days.into()).await;
            let email = format!("learner{nth}@example.com");
            world.platform_user(&email).await;
            let (cart, _) = bought(world, SHOP, &email).await;
            assert_eq!(ends(world, &cart).await, Some(instant.parse().unwrap()), "{zone} {day}");
        }
    })
    .await;
}

#[tokio::test]
async fn access_that_is_bought_again_goes_on_and_then_ends() {
    world(setup(), async |world| {
        world.sell().await;
        with_days(world, 30).await;
        let ada = world.platform_user(EMAIL).await;
        let first = order_of(world, &ada).await;
        let end = ends(world, &first).await.unwrap();
        assert_eq!(checked(world, &ada).await["access_ends_at"], json!(end));
        // 30 days more, for the full price, without an alert about a second purchase.
        let again = order_of(world, &ada).await;
        let later = ends(world, &again).await.unwrap();
        assert_eq!(later - end, TimeDelta::days(30));
        assert_eq!(checked(world, &ada).await["access_ends_at"], json!(later));
        assert_eq!(count(world, "SELECT count(*) FROM transactions WHERE alert IS NOT NULL").await, 0);
        // Another one lasts longer, so that the end of the first is no news.
        world.clock.advance(end - world.clock.now() + TimeDelta::seconds(1));
        world
            .eventually("the first period is over", async |world| {
                events(world, "enrollment.ended").await.len() == 1
            })
            .await;
        let told = events(world, "enrollment.ended").await;
        assert_eq!(
            (
                &told[0]["cart_id"],
                &told[0]["openedx_course_id"],
                told[0]["ends_at"].as_str().map(|at| at.parse().unwrap())
            ),
            (&json!(first), &json!(SHOP.key), Some(end))
        );
        assert_eq!(checked(world, &ada).await["enrolled"], json!(true));
        world.clock.advance(TimeDelta::days(23));
        world.eventually("a reminder", async |world| mails(world, "ends soon").await == 1).await;
        world.clock.advance(TimeDelta::days(7));
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        world.eventually("a mail at the end", async |world| mails(world, "has ended").await == 1).await;
        assert_eq!(mails(world, "ends soon").await, 1);
        assert_eq!(checked(world, &ada).await, json!({ "enrolled": false, "mode": null }));
        let over = "SELECT count(*) FROM enrollment_grants WHERE ended_reason = 'its time is up'";
        assert_eq!(count(world, over).await, 2);
        let own = key(world, "northwind", &[Scope::Orders]).await;
        let line = order(world, &own, &again).await["items"][0].clone();
        assert_eq!(
            (&line["access_days"], &line["access_ends_at"], &line["enrollment_state"]),
            (&json!(30), &json!(later), &json!("removed")),
            "{line}"
        );
        // It is not held any more: 30 days from now on.
        let third = order_of(world, &ada).await;
        let end = ends(world, &third).await.unwrap();
        assert!(
            end > world.clock.now() + TimeDelta::days(30) && end <= world.clock.now() + TimeDelta::days(31),
            "{end}"
        );
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
    })
    .await;
}

#[tokio::test]
async fn other_access_to_the_course_stays_when_the_time_is_up() {
    world(setup(), async |world| {
        world.sell().await;
        with_days(world, 1).await;
        let ada = world.platform_user(EMAIL).await;
        world.enroll(EMAIL, PAID_COURSE, "professional").await;
        sqlx::query("UPDATE enrollment_grants SET mode = 'audit'").execute(&world.db).await.unwrap();
        sqlx::query("UPDATE enrollments SET mode = 'audit'").execute(&world.db).await.unwrap();
        let cart = order_of(world, &ada).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
        let end = ends(world, &cart).await.unwrap();
        world.clock.advance(end - world.clock.now() + TimeDelta::seconds(1));
        world.platform_agrees(EMAIL, SHOP.key, "audit", true).await;
        assert_eq!(checked(world, &ada).await, json!({ "enrolled": true, "mode": "audit" }));
    })
    .await;
}

#[tokio::test]
async fn the_days_begin_with_the_account_and_a_move_does_not_begin_them_again() {
    world(setup(), async |world| {
        world.sell().await;
        with_days(world, 10).await;
        let (cart, _) = bought(world, SHOP, "new@example.com").await;
        assert_eq!(ends(world, &cart).await, None);
        world.clock.advance(TimeDelta::days(40));
        world.platform_user("new@example.com").await;
        world.platform_agrees("new@example.com", SHOP.key, SHOP.mode, true).await;
        let end = ends(world, &cart).await.unwrap();
        let from_now = end - world.clock.now();
        assert!(from_now > TimeDelta::days(10) && from_now <= TimeDelta::days(11), "{from_now}");
        world.clock.advance(TimeDelta::days(5));
        world.platform_user("grace@example.com").await;
        let own = key(world, "northwind", &[Scope::Support]).await;
        let path = format!("/storeapi/payment/orders/{cart}/moves/");
        let request = world.request(reqwest::Method::POST, &path).header("organisationapikey", &own);
        let moved = harness::Reply::read(request.json(
            &json!({ "position": 0, "to": { "email": "grace@example.com" }, "reason": "Left the company" }),
        ))
        .await;
        assert_eq!(moved.status, 202, "{}", moved.text);
        world.platform_agrees("grace@example.com", SHOP.key, SHOP.mode, true).await;
        let sql = "SELECT g.ends_at FROM enrollment_grants g JOIN moves m ON m.to_grant = g.id";
        let kept: DateTime<Utc> = sqlx::query_scalar(sql).fetch_one(&world.db).await.unwrap();
        assert_eq!(kept, end, "whether the account was known when the access moved or not");
    })
    .await;
}

#[tokio::test]
async fn access_until_a_time_cannot_be_bought_when_that_is_over_nor_twice() {
    world(setup(), async |world| {
        world.sell().await;
        let until = world.clock.now() + TimeDelta::days(100);
        let sql = "UPDATE course_modes SET access_until = $3 WHERE course_id = $1::uuid AND slug = $2";
        sqlx::query(sql).bind(SHOP.course).bind(SHOP.mode).bind(until).execute(&world.db).await.unwrap();
        let ada = world.platform_user(EMAIL).await;
        let cart = order_of(world, &ada).await;
        let end = ends(world, &cart).await.unwrap();
        assert_eq!(end.timestamp_micros(), until.timestamp_micros());
        // Nothing would be longer for it.
        let again = world.learner_checkout(SHOP, &ada).await;
        assert_eq!(again.json["status"], "free", "{}", again.text);
        world.clock.advance(TimeDelta::days(101));
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        let basket = world.basket(SHOP).await;
        checkout(world, &ada, &basket, &[]).await.assert_problem(400, "invalid_items");
    })
    .await;
}

#[tokio::test]
async fn a_refund_of_the_first_days_leaves_no_more_than_the_second_were_sold_with() {
    world(setup(), async |world| {
        world.sell().await;
        with_days(world, 30).await;
        let ada = world.platform_user(EMAIL).await;
        let first = order_of(world, &ada).await;
        let end = ends(world, &first).await.unwrap();
        let second = order_of(world, &ada).await;
        let own = key(world, "northwind", &[Scope::Orders, Scope::Refunds]).await;
        let refunded = refund(world, &own, &first, &json!({})).await;
        assert_eq!(refunded.status, 200, "{}", refunded.text);
        world.cart_becomes(&first, "refunded").await;
        assert_eq!(ends(world, &second).await, Some(end));
        let line = order(world, &own, &first).await["items"][0].clone();
        assert_eq!(line.get("access_ends_at"), None, "{line}");
    })
    .await;
}

#[tokio::test]
async fn waiting_days_begin_whatever_opens_the_course_and_those_of_two_orders_add_up() {
    world(setup(), async |world| {
        world.sell().await;
        with_days(world, 30).await;
        let (first, _) = bought(world, SHOP, EMAIL).await;
        let payment = {
            let mut basket = world.basket(SHOP).await;
            basket["email"] = json!(EMAIL);
            let reply = world.post(harness::GUEST_CHECKOUT, &basket).await;
            let cart = cart_id(&reply).to_owned();
            (cart.clone(), reference(&world.payment(&cart).await).to_owned())
        };
        world.at_provider("pay", &payment.1, json!({})).await;
        world.cart_becomes(&payment.0, "fulfilled").await;
        assert_eq!((ends(world, &first).await, ends(world, &payment.0).await), (None, None));
        world.platform_user(EMAIL).await;
        // A partner's grant finds the account before the worker looks for it.
        world.enroll(EMAIL, PAID_COURSE, "audit").await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
        let (first, second) = (ends(world, &first).await.unwrap(), ends(world, &payment.0).await.unwrap());
        assert_eq!(second - first, TimeDelta::days(30));
    })
    .await;
}

#[tokio::test]
async fn a_seat_has_the_days_that_its_pool_was_sold_with() {
    world(setup(), async |world| {
        world.sell().await;
        with_days(world, 30).await;
        seats::bought(world, SHOP, "buyer@example.com", 2).await;
        with_days(world, 3).await;
        let own = key(world, "northwind", &[Scope::Seats]).await;
        let pool = seats::pool(world, &own).await;
        world.platform_user(EMAIL).await;
        seats::assigned(world, &own, &pool, &[EMAIL]).await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
        let sql = "SELECT ends_at FROM enrollment_grants";
        let end: DateTime<Utc> = sqlx::query_scalar(sql).fetch_one(&world.db).await.unwrap();
        assert!(end > world.clock.now() + TimeDelta::days(29), "{end}");
    })
    .await;
}

#[tokio::test]
async fn a_pool_that_the_organisation_makes_has_a_period_of_its_own_or_that_of_the_mode() {
    world(setup(), async |world| {
        world.sell().await;
        with_days(world, 3).await;
        world.platform_user(EMAIL).await;
        let own = key(world, "northwind", &[Scope::Seats, Scope::Vouchers]).await;
        let item = json!({ "type": "course", "id": SHOP.course, "mode": SHOP.mode });
        let made = |period: Value| {
            let mut body =
                json!({ "kind": "seat", "item": item, "email": "office@example.com", "max_uses": 1 });
            body.as_object_mut().unwrap().extend(period.as_object().unwrap().clone());
            body
        };
        let now = world.clock.now();
        for (period, field) in [
            (json!({ "access_days": 0 }), "access_days"),
            (json!({ "access_days": 36_501 }), "access_days"),
            (json!({ "access_until": now - TimeDelta::hours(1) }), "access_until"),
            (json!({ "access_until": "soon" }), "access_until"),
            (
                json!({ "access_until": now + TimeDelta::days(1), "valid_from": now + TimeDelta::days(2) }),
                "access_until",
            ),
        ] {
            let reply = keyed(world, Method::POST, VOUCHERS, &own, &made(period)).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), [field]);
        }
        let until: DateTime<Utc> = (now + TimeDelta::days(90)).trunc_subsecs(0);
        // The days of a second seat follow those of the first.
        let table = [
            (json!({}), Value::Null, Value::Null, 3),
            (json!({ "access_days": 30 }), json!(30), Value::Null, 33),
            (json!({ "access_until": until }), Value::Null, json!(until), 90),
        ];
        for (period, days, until, in_all) in table {
            let reply = keyed(world, Method::POST, VOUCHERS, &own, &made(period)).await;
            assert_eq!(reply.status, 201, "{}", reply.text);
            let pools = get(world, seats::SEATS, &own).await.json["pools"].clone();
            let pool = &pools[0];
            let told = (&pool["access_days"], &pool["access_until"], &pool["valid_until"]);
            assert_eq!(told, (&days, &until, &until));
            let mut body = world.basket(SHOP).await;
            body["voucher"] = pool["code"].clone();
            let quoted = world.post(seats::QUOTE, &body).await.json["items_detail"][0].clone();
            let shown = if days.is_null() && until.is_null() { json!(3) } else { days.clone() };
            let told = |name: &str| quoted.get(name).cloned().unwrap_or_default();
            assert_eq!((told("access_days"), told("access_until")), (shown, until.clone()), "{quoted}");
            seats::assigned(world, &own, pool, &[EMAIL]).await;
            let sql = "SELECT max(ends_at) FROM enrollment_grants";
            let end: DateTime<Utc> = sqlx::query_scalar(sql).fetch_one(&world.db).await.unwrap();
            let path = format!("{VOUCHERS}{}/", pool["voucher_id"].as_str().unwrap());
            let endless = json!({ "valid_until": null });
            assert!([200, 204].contains(&keyed(world, Method::PUT, &path, &own, &endless).await.status));
            let kept = get(world, seats::SEATS, &own).await.json["pools"][0]["valid_until"].clone();
            assert_eq!(kept, until, "seats are worth nothing after their access");
            let days = (end - now).num_hours();
            assert!((in_all * 24 - 1..=in_all * 24 + 25).contains(&days), "{end}");
        }
    })
    .await;
}

/// Pays for the shop's course, which costs this.
async fn buy_at(world: &World, user: &Value, price: Value) -> String {
    let reply = world.learner_checkout(SHOP, user).await;
    assert_eq!(reply.json["total_price"], price, "{}", reply.text);
    let cart = cart_id(&reply).to_owned();
    world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
    // The clock is ahead of the provider's, whose webhooks may count as too old: the next check finds the payment.
    sqlx::query("UPDATE transactions SET next_check_at = now()").execute(&world.db).await.unwrap();
    world.cart_becomes(&cart, "fulfilled").await;
    world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
    cart
}

/// The example of `docs/events.md`.
#[tokio::test]
#[ignore = "slow"]
async fn the_feed_tells_a_whole_life_bought_early_ended_bought_again_and_refunded() {
    world(setup(), async |world| {
        world.sell().await;
        with_days(world, 10).await;
        let until = world.clock.now() + TimeDelta::days(1);
        let rules = json!([{ "name": "Early bird", "until": until, "percent_off": "50" }]);
        let sql = "UPDATE course_modes SET dated_prices = $2 WHERE course_id = $1::uuid AND price > 0";
        sqlx::query(sql).bind(SHOP.course).bind(rules).execute(&world.db).await.unwrap();
        let own = key(world, "northwind", &[Scope::Events, Scope::Refunds]).await;
        let ada = world.platform_user(EMAIL).await;
        buy_at(world, &ada, json!(99.5)).await;
        world.clock.advance(TimeDelta::days(5));
        world.eventually("a reminder", async |world| mails(world, "ends soon").await == 1).await;
        world.clock.advance(TimeDelta::days(6));
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        world.eventually("a mail at the end", async |world| mails(world, "has ended").await == 1).await;
        let again = buy_at(world, &ada, json!(199)).await;
        assert_eq!(refund(world, &own, &again, &json!({})).await.status, 200);
        world.cart_becomes(&again, "refunded").await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        world.drain().await;
        let feed = get(world, "/storeapi/events/?limit=1000", &own).await.json;
        let told = feed["events"].as_array().unwrap().iter().map(|event| {
            let (kind, data) = (event["type"].as_str().unwrap(), &event["data"]);
            match kind {
                "order.paid" => format!("{kind} {}", data["total_price"]),
                "order.refunded" => format!("{kind} {}", data["amount"]),
                "enrollment.changed" => format!("{kind} {}", data["enrollment_state"].as_str().unwrap()),
                _ => kind.to_owned(),
            }
        });
        let mut told: Vec<String> = told.collect();
        told.dedup();
        let life = [
            "order.pending",
            "order.paid 99.5",
            "enrollment.changed enrolled",
            "order.fulfilled",
            "enrollment.changed enrolled",
            "enrollment.ended",
            "enrollment.changed removed",
            "order.pending",
            "order.paid 199",
            "enrollment.changed enrolled",
            "order.fulfilled",
            "enrollment.changed enrolled",
            "enrollment.changed removed",
            "order.refunded 199",
            "enrollment.changed removed",
        ];
        assert_eq!(told, life);
    })
    .await;
}

/// The demo catalog's program has three courses.
#[tokio::test]
async fn a_program_has_a_period_of_its_own_and_its_learner_is_told_once() {
    world(setup(), async |world| {
        world.sell().await;
        let until = world.clock.now() - TimeDelta::days(1);
        let sql = "UPDATE course_modes SET access_until = $1";
        sqlx::query(sql).bind(until).execute(&world.db).await.unwrap();
        let sql = "UPDATE programs SET access_days = 30 WHERE id = $1::uuid";
        sqlx::query(sql).bind(PROGRAM).execute(&world.db).await.unwrap();
        let ada = world.platform_user(EMAIL).await;
        let alone = world.basket(SHOP).await;
        let refused = checkout(world, &ada, &alone, &[]).await;
        refused.assert_problem(400, "invalid_items");
        assert!(refused.text.contains("is over"), "{}", refused.text);

        let mut basket = alone;
        basket["items"] = json!([{ "type": "program", "id": PROGRAM, "mode": SHOP.mode }]);
        let reply = checkout(world, &ada, &basket, &[]).await;
        let cart = cart_id(&reply).to_owned();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        // Its first course is held for longer otherwise: the other two end.
        let longer = "INSERT INTO enrollment_grants (id, enrollment_id, mode, source, granted_at)
                      SELECT gen_random_uuid(), id, mode, 'partner', now() FROM enrollments ORDER BY course_id LIMIT 1";
        sqlx::query(longer).execute(&world.db).await.unwrap();
        world.clock.advance(TimeDelta::days(25));
        world.eventually("a reminder", async |world| mails(world, "ends soon").await == 1).await;
        world.clock.advance(TimeDelta::days(7));
        world.eventually("a mail at the end", async |world| mails(world, "has ended").await == 1).await;
        let ended = "SELECT count(*) FROM enrollment_grants WHERE ended_reason = 'its time is up'";
        world.eventually("all have ended", async |world| count(world, ended).await == 3).await;
        assert_eq!((mails(world, "ends soon").await, mails(world, "has ended").await), (1, 1));
    })
    .await;
}
