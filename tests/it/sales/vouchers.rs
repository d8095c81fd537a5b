//! Vouchers: created with a key, taken off in every checkout, quoted, and refused where they do not apply.

use chrono::TimeDelta;
use harness::steps::demo::{FREE_COURSE, PAID_COURSE, UNKNOWN_ID, organisation};
use harness::steps::learner_cart::{CART, checkout, items, learner, send};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::steps::vouchers::{VOUCHERS, keyed, voucher};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, at_each_gateway, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const QUOTE: &str = "/storeapi/discovery/quote/";

/// A guest's checkout of the organisation's course with a voucher.
pub async fn buy(world: &World, organisation: &Organisation, email: &str, code: &str) -> Reply {
    world.post_patiently(GUEST_CHECKOUT, &basket(world, organisation, email, code).await).await
}

pub async fn basket(world: &World, organisation: &Organisation, email: &str, code: &str) -> Value {
    let mut body = world.basket(organisation).await;
    body["email"] = json!(email);
    body["voucher"] = json!(code);
    body
}

async fn quoted(world: &World, organisation: &Organisation, code: &str) -> Value {
    let mut body = world.basket(organisation).await;
    body["voucher"] = json!(code);
    let reply = world.post(QUOTE, &body).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json
}

#[tokio::test]
async fn vouchers_are_created_listed_shown_and_changed() {
    world(Setup::default(), async |world| {
        let key = key(world, "northwind", &[Scope::Vouchers]).await;
        let many = json!({ "kind": "amount", "value": 12.5, "count": 3, "campaign": "fair", "max_uses_per_buyer": null });
        let created = keyed(world, Method::POST, VOUCHERS, &key, &many).await;
        assert_eq!(created.status, 201, "{}", created.text);
        let codes: Vec<&str> =
            created.json["vouchers"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
        assert!(codes.len() == 3 && codes.iter().all(|code| code.len() == 12), "{codes:?}");
        let terms = json!({
            "code": " spring-26 ", "kind": "percent", "value": 33.33, "max_uses": 2, "budget": 500,
            "valid_until": "2100-01-01T00:00:00Z", "course_ids": [PAID_COURSE, PAID_COURSE], "note": "for Mira",
        });
        let id = voucher(world, &key, terms).await;
        let shown = get(world, &format!("{VOUCHERS}{id}/"), &key).await;
        let expected = json!({
            "voucher_id": id, "code": "SPRING-26", "kind": "percent", "value": 33.33, "currency": "USD", "max_uses": 2,
            "max_uses_per_buyer": 1, "budget": 500, "valid_from": shown.json["valid_from"],
            "valid_until": "2100-01-01T00:00:00Z", "course_ids": [PAID_COURSE], "program_ids": [], "campaign": null,
            "note": "for Mira", "created_at": shown.json["created_at"], "uses": 0, "spent": 0, "voucher_uses": [],
            "total_count": 0, "has_more": false, "limit": 8, "page": 1, "offset": 0,
        });
        assert_eq!(shown.json, expected);
        let listed = async |query: &str| {
            let list = get(world, &format!("{VOUCHERS}?{query}"), &key).await.json;
            (list["total_count"].clone(), list["vouchers"].as_array().unwrap().len())
        };
        assert_eq!(listed("").await, (json!(4), 4));
        assert_eq!(listed("limit=1&page=2").await, (json!(4), 1));
        assert_eq!(listed("campaign=fair").await, (json!(3), 3));
        assert_eq!(listed("code=spring-26").await, (json!(1), 1));
        assert_eq!(listed("code=autumn").await, (json!(0), 0));

        let path = format!("{VOUCHERS}{id}/");
        let changes = json!({ "max_uses": 5, "valid_until": null, "note": null });
        let changed = keyed(world, Method::PUT, &path, &key, &changes).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        assert_eq!(
            (&changed.json["max_uses"], &changed.json["valid_until"], &changed.json["note"], &changed.json["budget"]),
            (&json!(5), &Value::Null, &Value::Null, &json!(500))
        );
        let audited = "SELECT count(*) FROM audit_log WHERE entity = 'voucher' AND actor LIKE 'key:%'";
        assert_eq!(count(world, audited).await, 5);
        // What is promised stays: a use for 100 has been taken.
        sqlx::query("UPDATE vouchers SET uses = 1, spent = 10000 WHERE id = $1::uuid")
            .bind(&id)
            .execute(&world.db)
            .await
            .unwrap();
        for (change, field) in [(json!({ "budget": 99.99 }), "budget"), (json!({ "max_uses": 0 }), "max_uses")] {
            let refused = keyed(world, Method::PUT, &path, &key, &change).await;
            refused.assert_problem(400, "invalid_request");
            assert_eq!(refused.faulty_fields(), [field], "{}", refused.text);
        }
        let exact = keyed(world, Method::PUT, &path, &key, &json!({ "budget": 100, "max_uses": 1 })).await;
        assert_eq!((exact.status, &exact.json["budget"]), (200, &json!(100)), "{}", exact.text);
        // Another organisation's key finds nothing of it.
        let other = harness::steps::organisation_keys::key(world, "lindgren", &[Scope::Vouchers]).await;
        get(world, &path, &other).await.assert_problem(404, "not_found");
        keyed(world, Method::PUT, &path, &other, &changes).await.assert_problem(404, "not_found");
        assert_eq!(get(world, VOUCHERS, &other).await.json["total_count"], 0);
    })
    .await;
}

#[tokio::test]
async fn wrong_vouchers_are_refused_with_each_fault_and_nothing_is_stored() {
    world(Setup::default(), async |world| {
        let key = key(world, "northwind", &[Scope::Vouchers]).await;
        let id = voucher(world, &key, json!({ "code": "ONCE", "kind": "percent", "value": 10, "max_uses": 3 })).await;
        let foreign = ORGANISATIONS[1].course;
        for (body, fields) in [
            (json!({}), vec!["kind", "value"]),
            (json!({ "kind": "gift", "value": 1 }), vec!["kind"]),
            (json!({ "kind": "percent", "value": 0 }), vec!["value"]),
            (json!({ "kind": "percent", "value": 100.01 }), vec!["value"]),
            (json!({ "kind": "percent", "value": 0.001 }), vec!["value"]),
            (json!({ "kind": "amount", "value": 0.001 }), vec!["value"]),
            (json!({ "kind": "amount", "value": 0, "budget": -1 }), vec!["value", "budget"]),
            (json!({ "kind": "amount", "value": "5" }), vec!["value"]),
            (json!({ "kind": "percent", "value": 5, "code": "a b" }), vec!["code"]),
            (json!({ "kind": "percent", "value": 5, "code": "once" }), vec!["code"]),
            (json!({ "kind": "percent", "value": 5, "code": "NEW", "count": 2 }), vec!["count"]),
            (json!({ "kind": "percent", "value": 5, "count": 1001, "max_uses": 0 }), vec!["count", "max_uses"]),
            (json!({ "kind": "percent", "value": 5, "valid_until": "2020-01-01T00:00:00Z" }), vec!["valid_until"]),
            (json!({ "kind": "percent", "value": 5, "valid_from": "tomorrow" }), vec!["valid_from"]),
            (
                json!({ "kind": "percent", "value": 5, "course_ids": [PAID_COURSE, foreign], "program_ids": [UNKNOWN_ID] }),
                vec!["course_ids[1]", "program_ids[0]"],
            ),
            (json!({ "kind": "percent", "value": 5, "course_ids": ["x"] }), vec!["course_ids[0]"]),
            (json!({ "kind": "percent", "value": 5, "campaign": "x".repeat(101) }), vec!["campaign"]),
            (json!({ "kind": "percent", "value": 5, "uses": 1 }), vec!["uses"]),
        ] {
            let reply = keyed(world, Method::POST, VOUCHERS, &key, &body).await;
            reply.assert_problem(400, "invalid_request");
            assert_eq!(reply.faulty_fields(), fields, "{body}");
        }
        sqlx::query("UPDATE vouchers SET uses = 2").execute(&world.db).await.unwrap();
        for (body, field) in [
            (json!({ "max_uses": 1 }), "max_uses"),
            (json!({ "max_uses": null }), "max_uses"),
            (json!({ "budget": 10 }), "budget"),
            (json!({ "value": 20 }), "value"),
        ] {
            let reply = keyed(world, Method::PUT, &format!("{VOUCHERS}{id}/"), &key, &body).await;
            reply.assert_problem(400, "invalid_request");
            assert_eq!(reply.faulty_fields(), [field], "{body}");
        }
        assert_eq!(count(world, "SELECT count(*) FROM vouchers WHERE max_uses = 3 AND budget IS NULL").await, 1);
        assert_eq!(count(world, "SELECT count(*) FROM vouchers").await, 1);
        // The same key again answers the same vouchers.
        let body = json!({ "kind": "percent", "value": 5 });
        let again = async || {
            let request = world.http.post(world.url(VOUCHERS)).header("organisationapikey", &key);
            Reply::read(request.header("Idempotency-Key", "k").json(&body)).await.json
        };
        assert_eq!(again().await, again().await);
        assert_eq!(count(world, "SELECT count(*) FROM vouchers").await, 2);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_quote_is_what_every_gateway_charges_and_order_receipt_and_report_show_the_voucher() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        at_each_gateway(async |organisation| {
            let scopes = [Scope::Vouchers, Scope::Orders, Scope::Reports];
            let key = key(world, organisation.short_name, &scopes).await;
            let terms = json!({ "code": "SPRING", "kind": "percent", "value": 33.33, "campaign": "spring" });
            let id = voucher(world, &key, terms).await;
            let discount = (organisation.subunits * 3_333 + 5_000) / 10_000;
            let left = organisation.subunits - discount;
            let quote = quoted(world, organisation, "spring").await;
            assert_eq!(quote["voucher"], json!({ "code": "SPRING", "accepted": true, "reason": null }));
            let reply = buy(world, organisation, EMAIL, "Spring").await;
            let cart = cart_id(&reply);
            assert_eq!(quote["total_price"], reply.json["total_price"]);
            assert_eq!(quote["items_detail"], reply.json["items_detail"]);
            let item = &reply.json["items_detail"][0];
            let minor = |value: &Value| (value.as_f64().unwrap() * 100.0).round() as i64;
            assert_eq!((minor(&item["price"]), minor(&item["voucher_discount"])), (left, discount));
            assert_eq!(
                (minor(&item["originalPrice"]), &item["discountPct"]),
                (organisation.subunits, &json!(0))
            );
            let payment = world.payment(cart).await;
            assert_eq!(payment["amount"], left);
            // A repeat joins the attempt, and its use.
            assert_eq!(cart_id(&buy(world, organisation, EMAIL, "SPRING").await), cart);
            let state =
                async || get(world, &format!("{VOUCHERS}{id}/"), &key).await.json["voucher_uses"].clone();
            let uses = state().await;
            assert_eq!((uses.as_array().unwrap().len(), &uses[0]["status"]), (1, &json!("held")), "{uses}");
            world.at_provider("pay", reference(&payment), json!({})).await;
            world.cart_becomes(cart, "fulfilled").await;
            let used = &state().await[0];
            assert_eq!(
                (&used["status"], &used["email"], &used["cart_id"]),
                (&json!("used"), &json!(EMAIL), &json!(cart))
            );
            assert_eq!(minor(&used["discount"]), discount);

            let order = get(world, &format!("/storeapi/payment/orders/{cart}/"), &key).await.json;
            assert_eq!((&order["voucher"], minor(&order["total_price"])), (&json!("SPRING"), left));
            assert_eq!(order["items"][0]["voucher_discount"], item["voucher_discount"]);
            let report = "/storeapi/reports/ledger/?from=2026-01-01&to=2026-12-31&format=json";
            let row = &get(world, report, &key).await.json[0];
            assert_eq!((&row["voucher"], &row["campaign"]), (&json!("SPRING"), &json!("spring")), "{row}");
            assert_eq!(
                (&row["voucher_discount"], &row["discounts"]),
                (&item["voucher_discount"], &item["voucher_discount"])
            );
        })
        .await;
        let receipts = async |world: &World| {
            let mails = world.emails(EMAIL).await.into_iter().map(|mail| mail["text"].to_string());
            mails.filter(|text| text.contains("Voucher SPRING saved you")).collect::<Vec<_>>()
        };
        world.eventually("the receipts", async |world| receipts(world).await.len() == 4).await;
        let receipts = receipts(world).await.concat();
        assert!(receipts.contains("Voucher SPRING saved you $66.33."), "{receipts}");
    })
    .await;
}

#[tokio::test]
async fn a_voucher_that_does_not_apply_is_quoted_with_its_reason_and_refused_by_the_checkout() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, "northwind", &[Scope::Vouchers]).await;
        let later = world.clock.now() + TimeDelta::days(1);
        let percent = |code: &str, more: Value| {
            let mut terms = json!({ "code": code, "kind": "percent", "value": 50 });
            terms.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            terms
        };
        voucher(world, &key, percent("LATER", json!({ "valid_from": later }))).await;
        let ended = voucher(world, &key, percent("ENDED", json!({}))).await;
        let now = json!({ "valid_until": world.clock.now() });
        keyed(world, Method::PUT, &format!("{VOUCHERS}{ended}/"), &key, &now).await;
        voucher(world, &key, percent("FREE-COURSE", json!({ "course_ids": [FREE_COURSE] }))).await;
        voucher(world, &key, percent("EURO", json!({ "budget": 100 }))).await;
        sqlx::query("UPDATE vouchers SET currency = 'EUR' WHERE code = 'EURO'")
            .execute(&world.db)
            .await
            .unwrap();
        voucher(world, &key, percent("GONE", json!({ "max_uses": 1 }))).await;
        assert_eq!(buy(world, &ORGANISATIONS[0], "bea@example.com", "GONE").await.status, 200);
        let carts = count(world, "SELECT count(*) FROM carts").await;
        for (code, reason, message) in [
            ("NEVER", "unknown", "is not known"),
            ("!", "unknown", "is not known"),
            ("LATER", "not_started", "is not valid yet"),
            ("ENDED", "expired", "is no longer valid"),
            ("FREE-COURSE", "not_for_these_items", "is not for these items"),
            ("EURO", "currency", "is for another currency"),
        ] {
            let quote = quoted(world, &ORGANISATIONS[0], code).await;
            assert_eq!(quote["voucher"], json!({ "code": code, "accepted": false, "reason": reason }));
            assert_eq!(quote["total_price"], 199);
            let reply = buy(world, &ORGANISATIONS[0], EMAIL, code).await;
            reply.assert_problem(400, "invalid_request");
            assert_eq!(reply.json["errors"], json!([{ "field": "voucher", "message": message }]), "{code}");
        }
        voucher(world, &key, percent("SMALL", json!({ "budget": 99 }))).await;
        let quote = quoted(world, &ORGANISATIONS[0], "SMALL").await;
        assert_eq!((&quote["voucher"]["reason"], &quote["total_price"]), (&json!("exhausted"), &json!(199)));
        // What is left to pay is less than the gateway charges.
        voucher(world, &key, json!({ "code": "NEARLY", "kind": "amount", "value": 198.6, "max_uses": 1 }))
            .await;
        buy(world, &ORGANISATIONS[0], EMAIL, "NEARLY").await.assert_problem(400, "invalid_items");
        // A quote cannot know the buyer; it says what is left.
        assert_eq!(quoted(world, &ORGANISATIONS[0], "GONE").await["voucher"]["reason"], "exhausted");
        let reply = buy(world, &ORGANISATIONS[0], EMAIL, "GONE").await;
        assert_eq!(reply.json["errors"], json!([{ "field": "voucher", "message": "has no uses left" }]));
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, carts);
        // Of another organisation.
        let reply = buy(world, &ORGANISATIONS[1], EMAIL, "LATER").await;
        assert_eq!(reply.faulty_fields(), ["voucher"]);
        // An empty field is none.
        assert_eq!(buy(world, &ORGANISATIONS[0], EMAIL, " ").await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_basket_that_a_voucher_makes_free_is_granted_at_once() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let key = key(world, "northwind", &[Scope::Vouchers, Scope::Orders]).await;
        let id =
            voucher(world, &key, json!({ "code": "ALL", "kind": "amount", "value": 1000, "max_uses": 2 }))
                .await;
        let reply = buy(world, &ORGANISATIONS[0], EMAIL, "ALL").await;
        assert_eq!((reply.status, &reply.json["status"]), (200, &json!("free")), "{}", reply.text);
        let cart = reply.json["cart_id"].as_str().unwrap();
        assert_eq!(world.status(cart).await["status"], "fulfilled");
        world.platform_agrees(EMAIL, ORGANISATIONS[0].key, ORGANISATIONS[0].mode, true).await;
        // An unknown address holds its use until it registers; when its enrollment is removed, the use is free again.
        let held = buy(world, &ORGANISATIONS[0], "new@example.com", "ALL").await;
        assert_eq!(world.status(held.json["cart_id"].as_str().unwrap()).await["status"], "held");
        let shown = get(world, &format!("{VOUCHERS}{id}/"), &key).await.json;
        assert_eq!((&shown["uses"], &shown["spent"]), (&json!(2), &json!(398)));
        assert!(
            shown["voucher_uses"].as_array().unwrap().iter().all(|one| one["status"] == "used"),
            "{shown}"
        );
        assert_eq!(world.unenroll("new@example.com", ORGANISATIONS[0].course).await.status, 200);
        let shown = get(world, &format!("{VOUCHERS}{id}/"), &key).await.json;
        assert_eq!((&shown["uses"], &shown["spent"]), (&json!(1), &json!(199)));
        // A free basket needs no voucher, and takes no use.
        let organisation_id = organisation(world, "northwind").await;
        let body = json!({ "email": "bea@example.com", "organisation_id": organisation_id, "voucher": "ALL",
            "items": [{ "type": "course", "id": FREE_COURSE, "mode": "audit" }] });
        let free = world.post(GUEST_CHECKOUT, &body).await;
        assert_eq!(free.json["status"], "free");
        assert_eq!(get(world, &format!("{VOUCHERS}{id}/"), &key).await.json["uses"], 1);
        let path = format!("/storeapi/payment/orders/{}/", free.json["cart_id"].as_str().unwrap());
        assert_eq!(get(world, &path, &key).await.json["voucher"], Value::Null);
        let mut body = body;
        body.as_object_mut().unwrap().remove("email");
        assert_eq!(world.post(QUOTE, &body).await.json["voucher"]["accepted"], true);
        // A basket that costs something is another matter.
        voucher(
            world,
            &key,
            json!({ "code": "TINY", "kind": "amount", "value": 1, "course_ids": [FREE_COURSE] }),
        )
        .await;
        body["voucher"] = json!("TINY");
        let paid = json!({ "type": "course", "id": PAID_COURSE, "mode": "verified" });
        body["items"].as_array_mut().unwrap().push(paid);
        assert_eq!(world.post(QUOTE, &body).await.json["voucher"]["reason"], "not_for_these_items");
    })
    .await;
}

#[tokio::test]
async fn a_learners_cart_keeps_its_voucher_and_its_checkout_takes_the_use() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, EMAIL).await;
        let key = key(world, "northwind", &[Scope::Vouchers]).await;
        let id = voucher(world, &key, json!({ "code": "TEN", "kind": "amount", "value": 10, "max_uses": 1 }))
            .await;
        let mut body = items(&[(PAID_COURSE, "verified")]);
        body["voucher"] = json!("ten");
        let at = async |method, body| send(world, &ada, "northwind", method, CART, body).await;
        let filled = at(Method::PUT, Some(body.clone())).await;
        assert_eq!(
            (&filled.json["total_price"], &filled.json["voucher"]),
            (&json!(189), &json!("TEN")),
            "{}",
            filled.text
        );
        assert_eq!(at(Method::GET, None).await.json, filled.json);
        let uses = async || get(world, &format!("{VOUCHERS}{id}/"), &key).await.json["uses"].clone();
        assert_eq!(uses().await, 0, "a cart reserves nothing");
        let paying = checkout(world, &ada, &ORGANISATIONS[0]).await;
        assert_eq!(
            (&paying.json["status"], &paying.json["total_price"]),
            (&json!("payment_required"), &json!(189))
        );
        assert_eq!(uses().await, 1);
        // The same cart again changes nothing; another buyer finds the voucher used up.
        assert_eq!(at(Method::PUT, Some(body.clone())).await.json["status"], "pending_payment");
        let bea = learner(world, "bea@example.com").await;
        let refused = send(world, &bea, "northwind", Method::PUT, CART, Some(body)).await;
        assert_eq!((refused.status, refused.faulty_fields()), (400, vec!["voucher"]));
        // The payment ends: the use is free again, and the cart is open with its voucher.
        let cart = paying.json["cart_id"].as_str().unwrap();
        let payment = world.payment(cart).await;
        world.at_provider("expire", reference(&payment), json!({})).await;
        world.cart_becomes(cart, "cancelled").await;
        assert_eq!(uses().await, 0);
        assert_eq!(at(Method::GET, None).await.json["voucher"], "TEN");
        let again = checkout(world, &ada, &ORGANISATIONS[0]).await;
        assert_eq!((&again.json["total_price"], uses().await), (&json!(189), json!(1)));
        // An address that is erased goes from the uses too.
        let named = "SELECT count(*) FROM voucher_uses WHERE email = 'ada@example.com'";
        assert_eq!(count(world, named).await, 2);
        sqlx::query("UPDATE carts SET email = 'erased-1@erased.invalid' WHERE email = $1")
            .bind(EMAIL)
            .execute(&world.db)
            .await
            .unwrap();
        assert_eq!(count(world, named).await, 0);
    })
    .await;
}

#[tokio::test]
async fn the_totals_of_vouchers_and_their_uses_end_at_a_thousand_and_the_pages_continue() {
    world(Setup::without_workers(), async |world| {
        let key = key(world, "northwind", &[Scope::Vouchers]).await;
        let sql = "WITH made AS (
                       INSERT INTO vouchers (id, organisation_id, code, kind, percent, currency, valid_from, created_at)
                       SELECT gen_random_uuid(), o.id, 'MANY' || n, 'percent', 10, 'USD', now(), now()
                       FROM generate_series(1, 1105) n, organisations o WHERE o.short_name = 'northwind' RETURNING id, code),
                   bought AS (
                       INSERT INTO carts (id, kind, buyer, email, organisation_id, state, basket_hash, currency, total, created_at)
                       SELECT gen_random_uuid(), 'discovery', 'guest:' || n, n || '@example.com', o.id, 'cancelled', '', 'USD', 0, now()
                       FROM generate_series(1, 1105) n, organisations o WHERE o.short_name = 'northwind' RETURNING id, email)
                   INSERT INTO voucher_uses (cart_id, voucher_id, email, discount, state, at)
                   SELECT bought.id, made.id, email, 1, 'used', now() FROM bought, made WHERE code = 'MANY1'";
        sqlx::query(sql).execute(&world.db).await.unwrap();
        let first = get(world, &format!("{VOUCHERS}?code=MANY1"), &key).await;
        let uses = |reply: &Reply| (reply.json["vouchers"][0]["uses"].clone(), reply.json["vouchers"][0]["spent"].clone());
        assert_eq!(uses(&first), (json!(1105), json!(11.05)));
        let released = "UPDATE voucher_uses SET state = 'released' WHERE email LIKE '11%'";
        let released = sqlx::query(released).execute(&world.db).await.unwrap().rows_affected();
        let left = uses(&get(world, &format!("{VOUCHERS}?code=MANY1"), &key).await).0;
        assert_eq!(left, json!(1105 - released));
        let one = format!("{VOUCHERS}{}/", first.json["vouchers"][0]["voucher_id"].as_str().unwrap());
        for (path, items) in [(VOUCHERS, "vouchers"), (&*one, "voucher_uses")] {
            for (page, shown, more) in [(10, 100, true), (11, 100, true), (12, 5, false), (13, 0, false)] {
                let reply = get(world, &format!("{path}?limit=100&page={page}"), &key).await;
                assert_eq!(reply.json[items].as_array().unwrap().len(), shown, "{items}, page {page}: {}", reply.text);
                assert_eq!((&reply.json["total_count"], &reply.json["has_more"]), (&json!(1000), &json!(more)), "page {page}");
            }
        }
    })
    .await;
}
