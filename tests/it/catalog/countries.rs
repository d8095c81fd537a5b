//! Codes that are not countries: a visitor's counts as unknown, and any other is refused by name.

use harness::steps::invoices::{SHOP, sell_with_tax, sold};
use harness::steps::learner_cart::{CART, checkout, items, learner, put, send};
use harness::steps::organisation_keys::key;
use harness::steps::payments::EMAIL;
use harness::steps::tax::{cents, import, rate, seller};
use harness::steps::vouchers::keyed;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use shared::region::Country;

#[path = "../../../deploy/example-shop/src/country.rs"]
mod shop;

const QUOTE: &str = "/storeapi/discovery/quote/";

/// Posts the shop's basket for a visitor from here.
async fn visit(world: &World, path: &str, visitor: &str) -> Reply {
    let mut body = world.basket(SHOP).await;
    if path == GUEST_CHECKOUT {
        body["email"] = json!(EMAIL);
    }
    Reply::read(world.request(Method::POST, path).header("X-Visitor-Country", visitor).json(&body)).await
}

#[tokio::test]
async fn a_visitor_from_no_country_pays_the_sellers_own_tax() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        for visitor in ["XX", "zz", "EU", "AP", "UK", "T1", ""] {
            for path in [QUOTE, GUEST_CHECKOUT] {
                let reply = visit(world, path, visitor).await;
                assert_eq!(reply.status, 200, "{}", reply.text);
                let tax = cents(&reply.json["items_detail"][0]["tax"]);
                assert_eq!(tax, 3177, "{visitor} {}", reply.text);
            }
        }
        // A country without a rate is another matter.
        assert_eq!(cents(&visit(world, QUOTE, "JP").await.json["tax"]), 0);
        visit(world, QUOTE, "DEU").await.assert_problem(400, "invalid_request");
        let kept: Vec<Option<String>> = sqlx::query_scalar("SELECT DISTINCT region::text FROM transactions")
            .fetch_all(&world.db)
            .await
            .unwrap();
        assert_eq!(kept, [None]);
    })
    .await;
}

#[tokio::test]
async fn an_address_in_no_country_is_refused_by_its_field_and_writes_nothing() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let ada = learner(world, EMAIL).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let sold = sold(world, "grace@example.com", json!({ "name": "Grace", "country": "DE" })).await;
        let invoice = format!("/storeapi/payment/orders/{sold}/invoice/");
        for (country, reason) in [
            ("ZZ", "is not a country of ISO 3166-1"),
            ("XX", "is not a country of ISO 3166-1"),
            ("eu", "is not a country of ISO 3166-1"),
            ("UK", "is not a country of ISO 3166-1; the United Kingdom is GB"),
            ("EL", "is not a country of ISO 3166-1; Greece is GR"),
        ] {
            let mut body = world.basket(SHOP).await;
            body["billing_address"] = json!({ "country": country });
            let mut guest = body.clone();
            guest["email"] = json!(EMAIL);
            let mut cart = items(&[(SHOP.course, SHOP.mode)]);
            cart["billing_address"] = body["billing_address"].clone();
            let correction = json!({ "billing_address": { "name": "Grace", "country": country } });
            for reply in [
                world.post(QUOTE, &body).await,
                world.post(GUEST_CHECKOUT, &guest).await,
                send(world, &ada, SHOP.short_name, Method::PUT, CART, Some(cart)).await,
                keyed(world, Method::POST, &invoice, &key, &correction).await,
            ] {
                reply.assert_problem(400, "invalid_request");
                let error = &reply.json["errors"][0];
                assert_eq!(
                    (&error["field"], &error["message"]),
                    (&json!("billing_address.country"), &json!(reason))
                );
            }
        }
        let carts: i64 = sqlx::query_scalar("SELECT count(*) FROM carts").fetch_one(&world.db).await.unwrap();
        assert_eq!(carts, 1);
    })
    .await;
}

#[tokio::test]
async fn a_cart_of_an_earlier_release_is_checked_out_for_a_country_or_not_at_all() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let ada = learner(world, EMAIL).await;
        let cart = put(world, &ada, SHOP).await;
        let store = async |billing: Value| {
            sqlx::query(
                "UPDATE carts SET country = 'XX', billing_address = $1, tax_terms = NULL WHERE id = $2::uuid",
            )
            .bind(billing)
            .bind(cart.json["cart_id"].as_str())
            .execute(&world.db)
            .await
            .unwrap();
        };
        store(json!({ "country": "ZZ" })).await;
        let refused = checkout(world, &ada, SHOP).await;
        assert_eq!(
            refused.assert_problem(400, "invalid_request").faulty_fields(),
            ["billing_address.country"]
        );
        store(json!({ "name": "Ada" })).await;
        let begun = checkout(world, &ada, SHOP).await;
        assert_eq!(begun.status, 200, "{}", begun.text);
        let tax: i64 = sqlx::query_scalar("SELECT tax FROM transactions").fetch_one(&world.db).await.unwrap();
        assert_eq!(tax, 3177);
    })
    .await;
}

#[tokio::test]
async fn a_catalog_sells_taxes_and_discounts_in_countries_alone() {
    world(Setup::without_workers(), async |world| {
        let shop = &ORGANISATIONS[0];
        let policy = json!({ "kind": "pricing_policy", "organisation": shop.short_name, "enabled": true,
            "countries": [{ "country": "EL", "percent_off": 10 }] });
        for (record, fault) in [
            (
                seller(shop, "UK", json!({})),
                "seller: country UK is not a country of ISO 3166-1; the United Kingdom is GB",
            ),
            (rate(shop, "XX", &[("T", 1.0)]), "country XX is not a country of ISO 3166-1"),
            (policy, "country EL is not a country of ISO 3166-1; Greece is GR"),
        ] {
            let refused = import(world, &[record]).await.unwrap_err();
            assert!(refused.contains(fault), "{refused}");
        }
    })
    .await;
}

#[test]
fn the_example_shop_has_the_countries_of_the_api() {
    let letters = || 'A'..='Z';
    let codes: Vec<String> = letters().flat_map(|a| letters().map(move |b| format!("{a}{b}"))).collect();
    let of_api = codes.iter().filter(|code| code.parse::<Country>().is_ok());
    assert_eq!(
        codes.iter().filter_map(|code| shop::known(code)).collect::<Vec<_>>(),
        of_api.cloned().collect::<Vec<_>>()
    );
}
