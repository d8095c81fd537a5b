//! Orders, as learners and an organisation's own backend read them.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use harness::steps::credentials::session;
use harness::steps::demo::{FREE_COURSE, PAID_COURSE, PAID_KEY, UNKNOWN_ID};
use harness::steps::orders::{pay, refund};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{begun, cart_id};
use harness::{ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const ORDERS: &str = "/storeapi/payment/orders/";
const NORTHWIND: &Organisation = &ORGANISATIONS[0];

/// As the api writes times.
fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

fn hours_ago(world: &World, hours: i64) -> DateTime<Utc> {
    let at = world.clock.now() - TimeDelta::hours(hours);
    DateTime::from_timestamp(at.timestamp(), 0).unwrap()
}

/// The list as a signed-in learner of the organisation sees it.
async fn of_learner(world: &World, user: &Value, organisation: &str, query: &str) -> Reply {
    let request = world.http.get(world.url(&format!("{ORDERS}{query}"))).header("orgName", organisation);
    Reply::read(request.header("cookie", session(user))).await
}

/// An order by its id, as a signed-in learner sees it.
async fn detail_of_learner(world: &World, user: &Value, cart: &str) -> Reply {
    let request = world.http.get(world.url(&format!("{ORDERS}{cart}/")));
    Reply::read(request.header("cookie", session(user))).await
}

fn carts(reply: &Reply) -> Vec<&str> {
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json["orders"].as_array().unwrap().iter().map(|order| order["cart_id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_key_sees_an_order_with_its_lines_refunds_and_buyer_and_a_client_secret_less() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        sqlx::query("UPDATE organisations SET refund_days = 14").execute(&world.db).await.unwrap();
        let starts = hours_ago(world, -24);
        sqlx::query("UPDATE courses SET starts_at = $1 WHERE openedx_course_id = $2")
            .bind(starts)
            .bind(PAID_KEY)
            .execute(&world.db)
            .await
            .unwrap();
        world.platform_user("ada@example.com").await;
        let mut body = world.basket(NORTHWIND).await;
        body["email"] = json!("ada@example.com");
        body["billing_address"] = json!({ "name": "Ada Byron", "country": "GB" });
        let cart = cart_id(&world.post(harness::GUEST_CHECKOUT, &body).await).to_owned();
        let paid_at = hours_ago(world, 2);
        pay(world, &cart, paid_at).await;
        world.cart_becomes(&cart, "fulfilled").await;
        let asked_at = hours_ago(world, 1);
        let refunded = refund(world, &cart, 5_000, "a fee was kept", asked_at).await;

        let key = key(world, "northwind", &[Scope::Orders]).await;
        let path = format!("{ORDERS}{cart}/");
        let mut order = get(world, &path, &key).await.json;
        assert!(order["placed_at"].take().is_string());
        let expected = json!({
            "cart_id": cart, "status": "fulfilled", "placed_at": null, "paid_at": time(paid_at),
            "standing": { "summary": "partly_refunded", "payment": "partly_refunded", "access": "open" },
            "gateway": "stripe", "total_price": 199, "currency": "USD", "language": "en", "reference": null, "voucher": null, "refunded_amount": 50, "lost_amount": 0,
            "items": [{
                "position": 0, "type": "course", "id": PAID_COURSE, "openedx_course_id": PAID_KEY,
                "name": order["items"][0]["name"], "mode": "verified", "originalPrice": 199, "discountPct": 0,
                "price": 199, "currency": "USD", "upgrade_from": null, "refunded_amount": 50,
                "refundable_until": time(starts + TimeDelta::days(14)), "enrollment_state": "enrolled",
            }],
            "refunds": [{ "refund_id": refunded, "status": "accepted", "amount": 50, "reason": "a fee was kept",
                "at": time(asked_at) }],
            "documents": [],
            "email": "ada@example.com", "metadata": {},
            "billing_address": { "name": "Ada Byron", "line1": null, "line2": null, "city": null, "state": null,
                "postal_code": null, "country": "GB", "company": null, "tax_id": null },
        });
        assert_eq!(order, expected);
        let mut listed = get(world, ORDERS, &key).await.json;
        listed["orders"][0]["placed_at"].take();
        assert_eq!(listed, json!({ "orders": [order], "total_count": 1, "has_more": false, "limit": 8, "page": 1,
            "offset": 0 }));
        // As on the status route, the client secret opens the order of an id that it knows, without the buyer.
        let shown = world.get(&path).await;
        assert_eq!((shown.status, &shown.json["items"]), (200, &order["items"]));
        assert!(shown.json.get("email").is_none() && shown.json.get("billing_address").is_none());
    })
    .await;
}

#[tokio::test]
async fn a_key_lists_the_orders_of_its_organisation_alone() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (key, other) = (
            key(world, "northwind", &[Scope::Orders]).await,
            key(world, "saraswati", &[Scope::Orders]).await,
        );
        let (ours, _) = begun(world, NORTHWIND, "ada@example.com").await;
        let (theirs, _) = begun(world, &ORGANISATIONS[2], "ada@example.com").await;
        // An open cart is no order.
        let ada = world.platform_user("ada@example.com").await;
        let cart = world.http.put(world.url("/storeapi/payment/cart/")).header("orgName", "northwind");
        let cart = cart.header("cookie", session(&ada)).header("origin", "http://store.test");
        let items = json!({ "items": [{ "type": "course", "id": PAID_COURSE, "mode": "professional" }] });
        let open = Reply::read(cart.json(&items)).await;
        let open = open.json["cart_id"].as_str().unwrap();
        assert_eq!(carts(&get(world, ORDERS, &key).await), [&ours]);
        assert_eq!(carts(&get(world, ORDERS, &other).await), [&theirs]);
        for (id, key, status) in [
            (&*ours, &key, 200),
            (&ours, &other, 404),
            (&theirs, &key, 404),
            (open, &key, 404),
            (UNKNOWN_ID, &key, 404),
        ] {
            let reply = get(world, &format!("{ORDERS}{id}/"), key).await;
            assert_eq!(reply.status, status, "{id}: {}", reply.text);
        }
        get(world, &format!("{ORDERS}x/"), &key).await.assert_problem(400, "invalid_request");
        // A joined checkout's id leads to the order.
        let again = world.guest_checkout(NORTHWIND, "ada@example.com").await;
        let again = cart_id(&again);
        assert_eq!(get(world, &format!("{ORDERS}{again}/"), &key).await.json["cart_id"], json!(ours));
    })
    .await;
}

#[tokio::test]
async fn a_learner_sees_their_own_orders_and_those_of_a_confirmed_address() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user("ada@example.com").await;
        let bob = world.platform_user("bob@example.com").await;
        // An account that has not confirmed the address of a guest.
        let thief = json!({ "email": "carol@example.com", "active": false, "hint": false });
        let thief = world.new_platform_user(thief).await;
        let (as_guest, _) = begun(world, NORTHWIND, "ada@example.com").await;
        let own = world.learner_checkout(NORTHWIND, &ada).await;
        let own = cart_id(&own).to_owned();
        let (carols, _) = begun(world, NORTHWIND, "carol@example.com").await;

        let list = of_learner(world, &ada, "northwind", "").await;
        assert_eq!(carts(&list), [&own, &as_guest], "newest first");
        let order = &list.json["orders"][0];
        assert!(order.get("email").is_none() && order.get("billing_address").is_none(), "{order}");
        assert_eq!(order["items"][0]["refundable_until"], Value::Null);
        assert_eq!(carts(&of_learner(world, &ada, "saraswati", "").await), [""; 0]);
        assert_eq!(carts(&of_learner(world, &bob, "northwind", "").await), [""; 0]);
        assert_eq!(carts(&of_learner(world, &thief, "northwind", "").await), [""; 0]);
        for (user, cart, status) in [
            (&ada, &own, 200),
            (&ada, &as_guest, 200),
            (&ada, &carols, 404),
            (&bob, &own, 404),
            (&bob, &as_guest, 404),
            (&thief, &carols, 404),
        ] {
            let reply = detail_of_learner(world, user, cart).await;
            assert_eq!(reply.status, status, "{cart}: {}", reply.text);
        }
        // What only a key can filter by is refused rather than ignored; CSV is for keys too.
        for name in ["email", "from", "to"] {
            let refused = of_learner(world, &ada, "northwind", &format!("?{name}=")).await;
            assert_eq!(refused.status, 200, "an empty parameter counts as not given");
        }
        let refused = of_learner(world, &ada, "northwind", "?email=bob@example.com").await;
        assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["email"]);
        let refused = of_learner(world, &ada, "northwind", "?from=2026-01-01").await;
        assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["from"]);
        let csv =
            world.http.get(world.url(ORDERS)).header("orgName", "northwind").header("accept", "text/csv");
        let csv = Reply::read(csv.header("cookie", session(&ada))).await;
        assert_eq!(csv.header("content-type"), "application/json");
    })
    .await;
}

#[tokio::test]
async fn orders_are_filtered_and_paged() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Orders]).await;
        let mut made = Vec::new();
        for (email, paid_at) in [
            ("ada@example.com", Some("2026-03-01T00:00:00Z")),
            ("bob@example.com", Some("2026-03-01T23:59:59.999999Z")),
            ("carol@example.com", Some("2026-03-02T00:00:00Z")),
            ("dan@example.com", None),
        ] {
            let (cart, _) = begun(world, NORTHWIND, email).await;
            if let Some(paid_at) = paid_at {
                pay(world, &cart, paid_at.parse().unwrap()).await;
                // An unknown address: the purchase waits for its registration, and the order is fulfilled.
                world.cart_becomes(&cart, "fulfilled").await;
            }
            made.push(cart);
        }
        let [ada, bob, carol, dan] = [&made[0], &made[1], &made[2], &made[3]];
        for (query, expected) in [
            ("", vec![dan, carol, bob, ada]),
            ("?status=fulfilled", vec![carol, bob, ada]),
            ("?status=pending_payment", vec![dan]),
            ("?status=refunded", vec![]),
            ("?email=Bob%40Example.com", vec![bob]),
            ("?from=2026-03-01&to=2026-03-01", vec![bob, ada]),
            ("?from=2026-03-02", vec![carol]),
            ("?to=2026-03-01T00:00:00Z", vec![ada]),
            ("?from=2026-03-01T02:00:00%2B02:00&to=2026-03-01T23:59:59.999998Z", vec![ada]),
            ("?email=ada@example.com&status=pending_payment", vec![]),
            ("?limit=2", vec![dan, carol]),
            ("?limit=2&page=2", vec![bob, ada]),
            ("?limit=3&page=2&status=", vec![ada]),
            ("?page=3", vec![]),
            ("?utm_source=x&utm_source=y&limit=1", vec![dan]),
        ] {
            let reply = get(world, &format!("{ORDERS}{query}"), &key).await;
            let expected: Vec<_> = expected.into_iter().map(String::as_str).collect();
            assert_eq!(carts(&reply), expected, "{query}");
            if !query.contains("limit=") && !query.contains("page=") {
                assert_eq!(reply.json["total_count"], expected.len(), "{query}");
            }
        }
        let page = get(world, &format!("{ORDERS}?limit=1&page=2"), &key).await.json;
        let envelope = ["total_count", "has_more", "limit", "page", "offset"].map(|name| page[name].clone());
        assert_eq!(envelope, [json!(4), json!(true), json!(1), json!(2), json!(1)]);
    })
    .await;
}

#[tokio::test]
async fn the_total_of_a_large_list_ends_at_a_thousand_and_its_pages_continue() {
    world(Setup::without_workers(), async |world| {
        let key = key(world, "northwind", &[Scope::Orders]).await;
        let sql = "INSERT INTO carts (id, kind, buyer, email, organisation_id, state, basket_hash, currency, total, created_at)
                   SELECT gen_random_uuid(), 'discovery', 'guest:' || n, n || '@example.com', o.id, 'cancelled', '', 'USD', 0, now()
                   FROM generate_series(1, 1105) n, organisations o WHERE o.short_name = 'northwind'";
        sqlx::query(sql).execute(&world.db).await.unwrap();
        for (page, shown, more) in [(10, 100, true), (11, 100, true), (12, 5, false), (13, 0, false)] {
            let reply = get(world, &format!("{ORDERS}?limit=100&page={page}"), &key).await;
            assert_eq!(reply.json["orders"].as_array().unwrap().len(), shown, "page {page}");
            assert_eq!((&reply.json["total_count"], &reply.json["has_more"]), (&json!(1000), &json!(more)), "page {page}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_filter_that_cannot_be_read_is_refused_by_name() {
    world(Setup::without_workers(), async |world| {
        let key = key(world, "northwind", &[Scope::Orders]).await;
        for (query, field) in [
            ("limit=ten", "limit"),
            ("page=one", "page"),
            ("status=open", "status"),
            ("status=paid,held", "status"),
            ("email=ada", "email"),
            ("email=a@example.com&email=b@example.com", "email"),
            ("from=yesterday", "from"),
            ("from=2026-02-30", "from"),
            ("from=2026-3-1", "from"),
            ("to=2026-03-01T25:00:00Z", "to"),
            ("to=2026-03-01T00:00:00", "to"),
            ("from=2026-03-02&to=2026-03-01", "to"),
            ("from=2026-03-01T16:00:00+08:00", "from"),
        ] {
            let refused = get(world, &format!("{ORDERS}?{query}"), &key).await;
            assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), [field], "{query}");
            let has_a_plus = query.contains('+');
            assert_eq!(refused.text.contains("send it as %2B"), has_a_plus, "{query}: {}", refused.text);
        }
    })
    .await;
}

#[tokio::test]
async fn a_key_gets_orders_as_csv_in_which_no_cell_is_a_formula() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Orders]).await;
        sqlx::query("UPDATE courses SET display_name = $1 WHERE id = $2::uuid")
            .bind("=HYPERLINK(\"http://evil.test\",\"x\")")
            .bind(PAID_COURSE)
            .execute(&world.db)
            .await
            .unwrap();
        let mut body = world.basket(NORTHWIND).await;
        body["email"] = json!("+ada@example.com");
        body["billing_address"] = json!({ "name": "Byron, Ada", "line1": "@home", "country": "GB" });
        body["items"].as_array_mut().unwrap().push(json!({ "type": "course", "id": FREE_COURSE, "mode": "audit" }));
        let mut seats = body["items"][0].clone();
        seats["seats"] = json!(2);
        body["items"].as_array_mut().unwrap().push(seats);
        let cart = cart_id(&world.post(harness::GUEST_CHECKOUT, &body).await).to_owned();
        let request = world.http.get(world.url(ORDERS)).header("organisationapikey", &key);
        let reply = Reply::read(request.header("accept", "text/csv")).await;
        assert_eq!(reply.header("content-type"), "text/csv; charset=utf-8; header=present");
        assert_eq!(reply.header("cache-control"), "no-store");
        let rows: Vec<&str> = reply.text.split_terminator("\r\n").collect();
        assert_eq!(rows.len(), 4, "a header and a row for each line: {}", reply.text);
        let header = "cart_id,status,placed_at,paid_at,gateway,total_price,tax,currency,voucher,refunded_amount,\
                      lost_amount,email,billing_name,billing_line1,billing_line2,billing_city,billing_state,\
                      billing_postal_code,billing_country,billing_company,billing_tax_id,item_position,item_type,\
                      item_id,item_openedx_course_id,item_name,item_mode,item_originalPrice,item_discountPct,\
                      item_price,item_voucher_discount,item_tax,item_upgrade_from,item_refunded_amount,\
                      item_refundable_until,item_enrollment_state,item_seats,reference,metadata";
        assert_eq!(rows[0], header);
        assert!(rows[1].starts_with(&format!("{cart},pending_payment,2")), "{}", rows[1]);
        let buyer = ",stripe,597.00,,USD,,0.00,0.00,'+ada@example.com,\"Byron, Ada\",'@home,,,,,GB,,,";
        assert!(rows[1].contains(buyer) && rows[2].contains(buyer), "{}", reply.text);
        let line = format!(
            ",0,course,{PAID_COURSE},{PAID_KEY},\"'=HYPERLINK(\"\"http://evil.test\"\",\"\"x\"\")\",verified,199.00,0,199.00,,,,0.00,,,,,"
        );
        assert!(rows[1].ends_with(&line), "{}", rows[1]);
        assert!(rows[2].contains(&format!(",1,course,{FREE_COURSE},")), "{}", rows[2]);
        assert!(rows[3].ends_with("verified,398.00,0,398.00,,,,0.00,,,2,,"), "{}", rows[3]);
        let same = world.request(Method::GET, ORDERS).header("organisationapikey", &key);
        let same = Reply::read(same.header("accept", "text/csv, application/json")).await;
        assert_eq!(same.header("content-type"), "application/json", "JSON where the caller accepts both");
    })
    .await;
}
