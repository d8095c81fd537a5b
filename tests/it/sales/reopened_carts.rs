//! A learner's cart after the end of its payment.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use harness::steps::invoices::{SHOP, sell_with_tax};
use harness::steps::learner_cart::{CART, checkout, learner, put, send};
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, reference};
use harness::steps::vouchers::voucher;
use harness::steps::withdrawals::{all_consents, offer};
use harness::{ORGANISATIONS, Organisation, Reply, SECRET, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

async fn shown(world: &World, user: &Value, organisation: &Organisation) -> Value {
    send(world, user, organisation.short_name, Method::GET, CART, None).await.json
}

/// Fills the learner's cart and begins its payment: the cart's id, and the provider's reference.
async fn paying(world: &World, user: &Value, organisation: &Organisation) -> (String, String) {
    put(world, user, organisation).await;
    let reply = checkout(world, user, organisation).await;
    let cart = reply.json["cart_id"].as_str().expect("a cart").to_owned();
    let payment = world.payment(&cart).await;
    (cart, reference(&payment).to_owned())
}

#[tokio::test]
async fn a_cart_whose_payment_expired_at_the_provider_is_open_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, EMAIL).await;
        let organisation = &ORGANISATIONS[1];
        let (cart, _) = paying(world, &ada, organisation).await;
        // Mollie gives the buyer 15 minutes.
        world.sim(Method::POST, "/_sim/clock", Some(json!({ "seconds": 16 * 60 }))).await;
        world.cart_becomes(&cart, "expired").await;
        let again = shown(world, &ada, organisation).await;
        assert_eq!((&again["status"], &again["total_price"]), (&json!("open"), &json!(240)));
        assert_ne!(again["cart_id"], cart);
        assert_eq!(checkout(world, &ada, organisation).await.json["status"], "payment_required");
    })
    .await;
}

#[tokio::test]
async fn a_cart_whose_payment_was_cancelled_at_the_provider_is_open_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, EMAIL).await;
        let organisation = &ORGANISATIONS[0];
        let (cart, payment) = paying(world, &ada, organisation).await;
        world.at_provider("expire", &payment, json!({})).await;
        world.cart_becomes(&cart, "cancelled").await;
        assert_eq!(shown(world, &ada, organisation).await["status"], "open");
        assert_eq!(shown(world, &ada, organisation).await["items"].as_array().unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_cart_whose_payment_was_superseded_is_open_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, EMAIL).await;
        for organisation in &ORGANISATIONS {
            let (cart, payment) = paying(world, &ada, organisation).await;
            if organisation.can_cancel {
                world.at_provider("pending", &payment, json!({ "method": "bank_transfer" })).await;
            }
            // The learner checks another basket out, which replaces the cart's payment.
            let other = Organisation { mode: organisation.other_mode, ..*organisation };
            let reply = world.learner_checkout(&other, &ada).await;
            assert_eq!(reply.json["status"], "success", "{}", reply.text);
            assert_eq!(world.transaction(&cart).await.0, "superseded", "{organisation:?}");
            let again = shown(world, &ada, organisation).await;
            assert_eq!(
                (&again["status"], again["items"].as_array().map(Vec::len)),
                (&json!("open"), Some(1))
            );
            assert_ne!(again["cart_id"], cart);
        }
    })
    .await;
}

#[tokio::test]
async fn a_cart_that_waited_too_long_stays_closed() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, EMAIL).await;
        let organisation = &ORGANISATIONS[0];
        let (cart, _) = paying(world, &ada, organisation).await;
        world.clock.advance(TimeDelta::hours(80));
        world.cart_becomes(&cart, "expired").await;
        assert_eq!(shown(world, &ada, organisation).await["cart_id"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn a_dead_payment_leaves_a_cart_that_the_learner_has_filled_since() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, EMAIL).await;
        let organisation = &ORGANISATIONS[1];
        let (cart, payment) = paying(world, &ada, organisation).await;
        world.at_provider("fail", &payment, json!({ "notify": false })).await;
        // The provider is asked before the cart is changed.
        let other = Organisation { mode: organisation.other_mode, ..*organisation };
        let filled = put(world, &ada, &other).await;
        assert_eq!(filled.json["status"], "open", "{}", filled.text);
        assert_ne!(filled.json["cart_id"], cart);
        assert_eq!(shown(world, &ada, organisation).await["items"][0]["mode"], organisation.other_mode);
    })
    .await;
}

/// A cart's columns as its writers fill them. Null are those alone that later events fill, and the shop that sold an order before.
async fn columns(world: &World) -> Value {
    let row = "SELECT to_jsonb(c) - ARRAY['id', 'created_at', 'state'] #- '{consents,at}' FROM carts c ORDER BY created_at DESC LIMIT 1";
    let row: Value = sqlx::query_scalar(row).fetch_one(&world.db).await.unwrap();
    let empty: BTreeSet<_> = row
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, value)| value.is_null())
        .map(|(name, _)| name.as_str())
        .collect();
    let later = [
        "asked_invoice",
        "former_shop",
        "fulfil_requested_at",
        "fulfilled_at",
        "grant_blocked_at",
        "paid_at",
    ];
    assert_eq!(empty, BTreeSet::from(later), "{row}");
    row
}

#[tokio::test]
async fn every_column_of_a_cart_is_written_when_it_is_new_changed_and_open_again() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        offer(world, SHOP, json!({ "kind": "service" })).await;
        let key = key(world, SHOP.short_name, &[Scope::Vouchers]).await;
        for code in ["SPRING", "SUMMER"] {
            voucher(world, &key, json!({ "code": code, "kind": "percent", "value": 50 })).await;
        }
        let ada = learner(world, EMAIL).await;
        world.learner_checkout(SHOP, &ada).await;
        let put = async |country: &str, language: &str, reference: &str, voucher: &str, mode: &str, name: &str| {
            let body = json!({ "items": [{ "type": "course", "id": SHOP.course, "mode": mode }], "voucher": voucher,
                "language": language, "reference": reference, "metadata": { "for": reference }, "consents": all_consents(),
                "billing_address": { "name": name, "line1": "Unter den Linden 1", "city": "Berlin", "postal_code": "10117", "country": country } });
            let request = world.http.put(world.url(CART)).header("orgName", SHOP.short_name).header("clientapisecret", SECRET);
            let request = request.header("X-Visitor-Country", country).header("authorization", format!("JWT {}", ada["jwt"].as_str().unwrap()));
            let reply = Reply::read(request.json(&body)).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            columns(world).await
        };
        let first = put("DE", "de", "PO-1", "SPRING", SHOP.mode, "Ada").await;
        let second = put("FR", "pt-BR", "PO-2", "SUMMER", SHOP.other_mode, "Grace").await;
        for (row, country, language, reference, name) in [(&first, "DE", "de", "PO-1", "Ada"), (&second, "FR", "pt-BR", "PO-2", "Grace")] {
            assert_eq!(
                (&row["email"], &row["country"], &row["language"], &row["reference"], &row["metadata"]["for"]),
                (&json!(EMAIL), &json!(country), &json!(language), &json!(reference), &json!(reference)),
            );
            assert_eq!((&row["billing_address"]["name"], &row["tax_terms"]["country"]), (&json!(name), &json!(country)));
        }
        for differs in ["voucher_id", "total", "basket_hash", "tax_terms"] {
            assert_ne!(first[differs], second[differs], "{differs}");
        }
        let begun = checkout(world, &ada, SHOP).await;
        let cart = begun.json["cart_id"].as_str().expect("a cart").to_owned();
        world.at_provider("expire", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "cancelled").await;
        assert_eq!(shown(world, &ada, SHOP).await["status"], "open");
        assert_eq!(columns(world).await, second);
    })
    .await;
}
