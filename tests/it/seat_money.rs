//! The money of seats: vouchers and tax on them, their invoice, and what disputes and late failures do to those that are left.

use chrono::TimeDelta;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Setup, World, world};
use reqwest::Method;
use serde_json::json;
use shared::organisation_key::Scope;

use crate::learner_cart::{CART, checkout, learner, send};
use crate::organisation_keys::{get, key};
use crate::payment_commands::payments;
use crate::payments::{EMAIL, cart_id, reference};
use crate::refund_faults::at_provider;
use crate::refunds::{ledger, order, refund};
use crate::seats::{QUOTE, assigned, basket, bought, counts, pool, without_email};
use crate::tax::{cents, import, rate, seller};
use crate::vouchers::voucher;

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
        let invoice = harness::Reply::read(request.header("accept", "application/json")).await.json;
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

/// How many seats a key's only pool has.
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

#[tokio::test]
async fn seats_of_a_refund_that_fails_later_wait_for_an_operator() {
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
        world.clock.advance(TimeDelta::days(3));
        let id = at_provider(world, &cart).await[0]["id"].as_str().unwrap().to_owned();
        world.sim(Method::POST, &format!("/_sim/refunds/{id}/fail"), Some(json!({ "notify": true }))).await;
        world
            .eventually("the refund has failed", async |world| {
                order(world, &key, &cart).await["refunds"][0]["status"] == "failed"
            })
            .await;
        assert_eq!(counts(world, &key).await, (1, 1, 0));
        let words = ["restore", &cart, "--reason", "bank details were wrong", "--by", "Mira"];
        let (done, said) = payments(world, &words).await;
        assert!(done, "{said}");
        assert_eq!(counts(world, &key).await, (4, 1, 3));
        assert_eq!(ledger(world, &cart).await.len(), 3);
        // The pool is as it was: the buyer got no second one.
        world.drain().await;
        assert_eq!(get(world, "/storeapi/seats/", &key).await.json["total_count"], 1);
    })
    .await;
}
