//! The money of seats: vouchers and tax on them, their invoice, and what disputes and late failures do to those that are left.

use chrono::TimeDelta;
use harness::steps::learner_cart::{CART, checkout, learner, send};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payment_commands::payments;
use harness::steps::payments::{EMAIL, allow_fulfilment, cart_id, count, reference, refuse_fulfilment};
use harness::steps::refunds::{at_provider, order, refund};
use harness::steps::seats::{QUOTE, assigned, basket, bought, counts, path, pool, without_email};
use harness::steps::tax::{cents, import, rate, seller};
use harness::steps::vouchers::{keyed, voucher};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

#[tokio::test]
async fn a_voucher_and_tax_are_of_all_seats_and_the_invoice_counts_them() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let on_top = seller(shop, "DE", json!({ "prices_include_tax": false }));
        import(world, &[on_top, rate(shop, "DE", &[("USt", 19.0)])]).await.unwrap();
        let scopes = [Scope::Orders, Scope::Vouchers, Scope::Seats, Scope::Refunds];
        let key = key(world, shop.short_name, &scopes).await;
        voucher(world, &key, json!({ "code": "THIRD", "kind": "percent", "value": 33.33 })).await;
        let mut body = basket(world, shop, EMAIL, 7).await;
        body["voucher"] = json!("THIRD");
        body["billing_address"] = json!({ "country": "DE", "company": "Engines & Sons" });
        // 7 × 199.00 = 1,393.00; 33.33 % of it, half-up, is 464.29; 19 % of the rest 176.45.
        let quote = world.post(QUOTE, &without_email(&body)).await.json;
        assert_eq!((cents(&quote["tax"]), cents(&quote["total_price"])), (17_645, 110_516), "{quote}");
        let cart = cart_id(&world.post(GUEST_CHECKOUT, &body).await).to_owned();
        let payment = world.payment(&cart).await;
        assert_eq!(payment["amount"], 110_516);
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        world.drain().await;
        let bought = order(world, &key, &cart).await;
        let document = bought["documents"][0]["document_id"].as_str().unwrap();
        let path = format!("/storeapi/payment/documents/{document}/");
        let request = world.http.get(world.url(&path)).header("organisationapikey", &key);
        let invoice = Reply::read(request.header("accept", "application/json")).await.json;
        let line = &invoice["lines"][0];
        assert_eq!((&line["quantity"], cents(&line["total"])), (&json!(7), 110_516), "{invoice}");

        let pool = pool(world, &key).await;
        assigned(world, &key, &pool, &["one@example.com", "two@example.com"]).await;
        // Five sevenths of 1,105.16, half-up.
        let refunded = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        assert_eq!(cents(&refunded.json["amount"]), 78_940, "{}", refunded.text);
    })
    .await;
}

#[tokio::test]
async fn a_learner_buys_seats_with_the_own_cart() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[2];
        let ada = learner(world, EMAIL).await;
        let key = key(world, shop.short_name, &[Scope::Seats]).await;
        let items = json!({ "items": [
            { "type": "course", "id": shop.course, "mode": shop.mode, "seats": 4 },
            { "type": "course", "id": shop.course, "mode": shop.mode },
        ] });
        let filled = send(world, &ada, shop.short_name, Method::PUT, CART, Some(items)).await;
        assert_eq!(cents(&filled.json["total_price"]), 5 * shop.subunits, "{}", filled.text);
        assert_eq!(filled.json["items"][0]["seats"], 4);
        let begun = checkout(world, &ada, shop).await;
        let cart = begun.json["cart_id"].as_str().unwrap().to_owned();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        // A place for the learner, and seats for others.
        world.platform_agrees(EMAIL, shop.key, shop.mode, true).await;
        assert_eq!(counts(world, &key).await, (4, 0, 4));
        let own = send(world, &ada, shop.short_name, Method::GET, "/storeapi/seats/", None).await;
        assert_eq!(own.json["pools"][0]["cart_id"], json!(cart), "{}", own.text);
    })
    .await;
}

/// Counts the seats of a key's only pool.
async fn seats(world: &World, key: &str) -> i64 {
    pool(world, key).await["seats"].as_i64().unwrap()
}

#[tokio::test]
async fn a_lost_dispute_withdraws_the_seats_that_are_left_and_a_reversed_one_returns_them() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let mollie = &ORGANISATIONS[1];
        let key = key(world, mollie.short_name, &[Scope::Seats]).await;
        let cart = bought(world, mollie, EMAIL, 3).await;
        let payment = world.payment(&cart).await;
        let pool = pool(world, &key).await;
        world.platform_user("bea@example.com").await;
        assigned(world, &key, &pool, &["bea@example.com"]).await;
        world
            .at_provider("dispute", reference(&payment), json!({ "outcome": "opened", "notify": true }))
            .await;
        world.clock.advance(TimeDelta::days(1));
        world.cart_becomes(&cart, "refunded").await;
        assert_eq!(counts(world, &key).await, (1, 1, 0));
        // Who has a seat keeps it: the dispute is the buyer's.
        world.platform_agrees("bea@example.com", mollie.key, mollie.mode, true).await;
        world.at_provider("dispute", reference(&payment), json!({ "outcome": "won", "notify": true })).await;
        world.clock.advance(TimeDelta::days(3));
        world.cart_becomes(&cart, "fulfilled").await;
        world.eventually("the seats are back", async |world| seats(world, &key).await == 3).await;
        assert_eq!(counts(world, &key).await, (3, 1, 2));
    })
    .await;
}

/// Takes back the seat of an address.
async fn revoke(world: &World, key: &str, pool: &Value, email: &str) {
    let body = json!({ "emails": [email] });
    let reply = keyed(world, Method::POST, &path(pool, "revoke/"), key, &body).await;
    assert_eq!((reply.status, &reply.json["revoked"][0]["freed"]), (200, &json!(true)), "{}", reply.text);
}

#[tokio::test]
async fn a_seat_that_is_taken_back_after_all_its_money_has_gone_cannot_be_given_out_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let mollie = &ORGANISATIONS[1];
        let key = key(world, mollie.short_name, &[Scope::Seats]).await;
        let cart = bought(world, mollie, EMAIL, 2).await;
        let payment = world.payment(&cart).await;
        let pool = pool(world, &key).await;
        assigned(world, &key, &pool, &["one@example.com", "two@example.com"]).await;
        world.at_provider("refund", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "refunded").await;
        revoke(world, &key, &pool, "one@example.com").await;
        assert_eq!(counts(world, &key).await, (1, 1, 0));
        let late = assigned(world, &key, &pool, &["late@example.com"]).await;
        assert_eq!(late[0]["message"], "no seats left");
    })
    .await;
}

#[tokio::test]
async fn a_seat_that_the_organisation_gave_after_all_the_money_had_gone_can_be_given_out_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let mollie = &ORGANISATIONS[1];
        let key = key(world, mollie.short_name, &[Scope::Seats, Scope::Vouchers]).await;
        let cart = bought(world, mollie, EMAIL, 2).await;
        let payment = world.payment(&cart).await;
        let pool = pool(world, &key).await;
        assigned(world, &key, &pool, &["one@example.com", "two@example.com"]).await;
        world.at_provider("refund", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "refunded").await;
        let voucher = format!("/storeapi/vouchers/{}/", pool["voucher_id"].as_str().unwrap());
        let raised = keyed(world, Method::PUT, &voucher, &key, &json!({ "max_uses": 3 })).await;
        assert_eq!(raised.status, 200, "{}", raised.text);
        assigned(world, &key, &pool, &["gift@example.com"]).await;
        assert_eq!(counts(world, &key).await, (3, 3, 0));
        revoke(world, &key, &pool, "gift@example.com").await;
        assert_eq!(counts(world, &key).await, (3, 2, 1), "the gift is left");
        revoke(world, &key, &pool, "one@example.com").await;
        assert_eq!(counts(world, &key).await, (2, 1, 1), "what was refunded is not");
        let late = assigned(world, &key, &pool, &["late@example.com", "later@example.com"]).await;
        assert_eq!((&late[0]["status"], &late[1]["message"]), (&json!("done"), &json!("no seats left")));
    })
    .await;
}

#[tokio::test]
async fn a_refund_that_is_refused_after_all_the_money_has_gone_returns_no_seats() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let key = key(world, shop.short_name, &[Scope::Seats, Scope::Refunds]).await;
        let cart = bought(world, shop, EMAIL, 4).await;
        let payment = world.payment(&cart).await;
        let lost =
            json!({ "target": "stripe", "path": "refund", "kind": "status", "status": 500, "count": 4 });
        world.fault(lost).await;
        let asked = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        assert_eq!((asked.status, &asked.json["status"]), (202, &json!("asked")), "{}", asked.text);
        world.no_faults().await;
        world.at_provider("refund", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "refunded").await;
        world.clock.advance(TimeDelta::minutes(5));
        let failed = "SELECT count(*) FROM refunds WHERE state = 'failed'";
        world.eventually("the first refund was refused", async |world| count(world, failed).await == 1).await;
        assert_eq!(counts(world, &key).await, (0, 0, 0));
    })
    .await;
}

#[tokio::test]
async fn a_dashboard_refund_that_fails_returns_the_seats() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.sim(Method::POST, "/_sim/refunds", Some(json!({ "wait": true }))).await;
        let shop = &ORGANISATIONS[0];
        let key = key(world, shop.short_name, &[Scope::Seats, Scope::Refunds]).await;
        let cart = bought(world, shop, EMAIL, 4).await;
        let payment = world.payment(&cart).await;
        world.at_provider("refund", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "refunded").await;
        assert_eq!(counts(world, &key).await, (0, 0, 0));
        let id = at_provider(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
        world.sim(Method::POST, &format!("/_sim/refunds/{id}/fail"), Some(json!({ "notify": true }))).await;
        world.eventually("the seats are back", async |world| seats(world, &key).await == 4).await;
        let again = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        assert_eq!(cents(&again.json["amount"]), 4 * shop.subunits, "{}", again.text);
    })
    .await;
}

#[tokio::test]
async fn seats_that_the_organisation_adds_are_not_refunded() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let scopes = [Scope::Seats, Scope::Refunds, Scope::Vouchers];
        let key = key(world, shop.short_name, &scopes).await;
        let cart = bought(world, shop, EMAIL, 2).await;
        let pool = pool(world, &key).await;
        assigned(world, &key, &pool, &["one@example.com", "two@example.com"]).await;
        let voucher = format!("/storeapi/vouchers/{}/", pool["voucher_id"].as_str().unwrap());
        let too_many = keyed(world, Method::PUT, &voucher, &key, &json!({ "max_uses": 100_001 })).await;
        assert_eq!(too_many.faulty_fields(), ["max_uses"], "{}", too_many.text);
        let raised = keyed(world, Method::PUT, &voucher, &key, &json!({ "max_uses": 5 })).await;
        assert_eq!(raised.json["max_uses"], 5, "{}", raised.text);
        let refused = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        assert_eq!(refused.faulty_fields(), ["cart_id"], "{}", refused.text);
        // One of the paid seats becomes free, and its money can go back; the added ones stay.
        revoke(world, &key, &pool, "one@example.com").await;
        let refunded = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        assert_eq!(cents(&refunded.json["amount"]), shop.subunits, "{}", refunded.text);
        assert_eq!(counts(world, &key).await, (4, 1, 3));
    })
    .await;
}

#[tokio::test]
async fn seats_of_a_refund_that_fails_are_back_then_or_later() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.sim(Method::POST, "/_sim/refunds", Some(json!({ "wait": true }))).await;
        let shop = &ORGANISATIONS[0];
        let key = key(world, shop.short_name, &[Scope::Seats, Scope::Refunds, Scope::Orders]).await;
        let cart = bought(world, shop, EMAIL, 4).await;
        let pool = pool(world, &key).await;
        assigned(world, &key, &pool, &["bea@example.com"]).await;
        let asked = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        assert_eq!((asked.status, &asked.json["status"]), (200, &json!("accepted")), "{}", asked.text);
        assert_eq!(counts(world, &key).await, (1, 1, 0));
        // A second refund, of a seat that became free meanwhile, is refused at once.
        revoke(world, &key, &pool, "bea@example.com").await;
        world.fault(json!({ "target": "stripe", "path": "refund", "kind": "status", "status": 400, "count": 100 })).await;
        let refused = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        refused.assert_problem(502, "gateway_error");
        world.no_faults().await;
        assert_eq!(counts(world, &key).await, (1, 0, 1));

        world.clock.advance(TimeDelta::days(3));
        let id = at_provider(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
        world.sim(Method::POST, &format!("/_sim/refunds/{id}/fail"), Some(json!({ "notify": true }))).await;
        let failed = "SELECT count(*) FROM refunds WHERE state = 'failed'";
        world.eventually("the first refund has failed", async |world| count(world, failed).await == 2).await;
        assert_eq!(counts(world, &key).await, (4, 0, 4));
        let words = ["restore", &cart, "--reason", "bank details were wrong", "--by", "Mira"];
        let (done, said) = payments(world, &words).await;
        assert!(done, "{said}");
        assert_eq!(counts(world, &key).await, (4, 0, 4));
        let again = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        assert_eq!(cents(&again.json["amount"]), 4 * shop.subunits, "{}", again.text);
        world.drain().await;
        // The buyer has one pool and one receipt.
        assert_eq!(get(world, "/storeapi/seats/", &key).await.json["total_count"], 1);
        let mails = world.emails(EMAIL).await;
        let receipts = mails.iter().filter(|mail| mail["subject"].as_str().unwrap().contains("receipt"));
        assert_eq!(receipts.count(), 1, "{mails:?}");
    })
    .await;
}

#[tokio::test]
async fn a_learner_who_repeats_a_paid_checkout_of_seats_pays_once() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let ada = learner(world, EMAIL).await;
        let session = format!("sessionid={}", ada["sessionid"].as_str().unwrap());
        let body = without_email(&basket(world, shop, EMAIL, 3).await);
        let check_out = async || {
            let request =
                world.request(Method::POST, "/storeapi/discovery/checkout/").header("cookie", &session);
            Reply::read(request.json(&body)).await
        };
        let cart = cart_id(&check_out().await).to_owned();
        let lost = json!({ "target": "stripe", "kind": "drop_notification", "count": 10 });
        world.fault(lost).await;
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        let again = check_out().await;
        assert_eq!((again.status, &again.json["cart_id"]), (200, &json!(cart)), "{}", again.text);
        assert_eq!(count(world, "SELECT count(*) FROM transactions").await, 1);
        world.no_faults().await;
    })
    .await;
}

#[tokio::test]
async fn a_refund_that_is_asked_before_the_pool_exists_withdraws_its_seats() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.sim(Method::POST, "/_sim/refunds", Some(json!({ "wait": true }))).await;
        for (shop, fails_later) in [(&ORGANISATIONS[0], true), (&ORGANISATIONS[1], false)] {
            let key = key(world, shop.short_name, &[Scope::Seats, Scope::Refunds]).await;
            refuse_fulfilment(world).await;
            let begun = world.post(GUEST_CHECKOUT, &basket(world, shop, EMAIL, 4).await).await;
            let cart = cart_id(&begun).to_owned();
            world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
            world.cart_becomes(&cart, "paid").await;
            let provider = shop.gateway.name();
            let unanswered =
                json!({ "target": provider, "path": "refund", "kind": "status", "status": 500, "count": 4 });
            world.fault(unanswered).await;
            let asked = refund(world, &key, &cart, &json!({ "items": [0] })).await;
            assert_eq!((asked.status, &asked.json["status"]), (202, &json!("asked")), "{}", asked.text);
            assert_eq!(get(world, "/storeapi/seats/", &key).await.json["total_count"], 0);

            world.no_faults().await;
            allow_fulfilment(world).await;
            world.cart_becomes(&cart, "fulfilled").await;
            assert_eq!(counts(world, &key).await, (0, 0, 0));
            world.clock.advance(TimeDelta::minutes(2));
            world.cart_becomes(&cart, "refunded").await;
            assert_eq!(counts(world, &key).await, (0, 0, 0));
            if fails_later {
                let id = at_provider(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
                let fail = Some(json!({ "notify": true }));
                world.sim(Method::POST, &format!("/_sim/refunds/{id}/fail"), fail).await;
                world.eventually("the seats are back", async |world| seats(world, &key).await == 4).await;
                assert_eq!(counts(world, &key).await, (4, 0, 4));
            }
        }
    })
    .await;
}
