//! Corrections of the buyer on an invoice: a credit note and a new invoice, while the money stays where it is.

use chrono::TimeDelta;
use harness::steps::invoices::{SHOP, sell_with_tax, sold};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, begun, count};
use harness::steps::refunds::{order, refund};
use harness::steps::tax::{import, rate};
use harness::steps::vouchers::keyed;
use harness::{Setup, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::invoices::{content, download, numbers, text};

#[tokio::test]
#[ignore = "slow"]
async fn the_buyer_on_an_invoice_is_corrected_three_times_and_money_stays_where_it_is() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        let cart = sold(world, EMAIL, json!({ "name": "Ada", "country": "DE" })).await;
        world.drain().await;
        let path = format!("/storeapi/payment/orders/{cart}/invoice/");
        let correct = async |address: Value| {
            let body = json!({ "billing_address": address });
            keyed(world, Method::POST, &path, &key, &body).await
        };
        for (address, field) in [
            (json!({ "name": "Ada", "country": "FR" }), "billing_address"),
            (json!({}), "billing_address"),
            (json!({ "name": "Ada", "tax_id": "x".repeat(33) }), "billing_address.tax_id"),
        ] {
            let refused = correct(address).await;
            refused.assert_problem(400, "invalid_request");
            assert_eq!(refused.faulty_fields(), [field]);
        }
        for (nth, company) in ["One Ltd.", "Two Ltd.", "Three Ltd."].into_iter().enumerate() {
            let address = json!({ "company": company, "country": "DE" });
            let reply = correct(address.clone()).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            assert_eq!(reply.json["billing_address"]["company"], company);
            let documents = reply.json["documents"].as_array().unwrap();
            assert_eq!(documents.len(), 3 + 2 * nth);
            let again = correct(address).await;
            assert_eq!(numbers(&again.json), numbers(&reply.json), "a repeat does nothing");
            let newest = documents.iter().rfind(|one| one["kind"] == "invoice").unwrap();
            assert_eq!(content(world, &key, newest).await["buyer"]["company"], company);
            let (status, pdf) = download(world, newest["url"].as_str().unwrap()).await;
            assert!(status == 200 && text(&pdf).contains(company));
        }
        let fourth = correct(json!({ "company": "Four Ltd.", "country": "DE" })).await;
        fourth.assert_problem(400, "invalid_request");
        let order = order(world, &key, &cart).await;
        let sum = |kind: &str| {
            numbers(&order).iter().filter(|(_, own, _)| *own == kind).map(|(.., total)| total).sum::<i64>()
        };
        assert_eq!((sum("invoice"), sum("credit_note")), (4 * 19_900, 3 * 19_900));
        assert_eq!(count(world, "SELECT count(*) FROM ledger").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_correction_to_another_place_of_the_same_rate_moves_the_place_of_the_tax() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        import(world, &[rate(SHOP, "AT", &[("USt", 19.0)])]).await.unwrap();
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Reports]).await;
        let cart = sold(world, EMAIL, json!({ "name": "Ada", "country": "DE", "state": "Bayern" })).await;
        world.drain().await;
        let [from, to] = [-1, 1].map(|days| (world.clock.now() + TimeDelta::days(days)).format("%Y-%m-%d"));
        let report = format!("/storeapi/reports/ledger/?format=json&from={from}&to={to}");
        let places = async || {
            let order = order(world, &key, &cart).await;
            let newest = order["documents"].as_array().unwrap().iter().rfind(|one| one["kind"] == "invoice");
            let invoice = content(world, &key, newest.unwrap()).await;
            let row = get(world, &report, &key).await.json[0].clone();
            [invoice, row].map(|said| json!([said["tax_country"], said["tax_state"]]))
        };
        assert_eq!(places().await, [json!(["DE", "Bayern"]), json!(["DE", "Bayern"])]);
        let path = format!("/storeapi/payment/orders/{cart}/invoice/");
        let body = json!({ "billing_address": { "name": "Ada", "country": "AT" } });
        let corrected = keyed(world, Method::POST, &path, &key, &body).await;
        assert_eq!(corrected.status, 200, "{}", corrected.text);
        assert_eq!(places().await, [json!(["AT", null]), json!(["AT", null])]);
    })
    .await;
}

#[tokio::test]
async fn an_invoice_with_refunds_or_of_another_organisation_is_not_corrected() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        let cart = sold(world, EMAIL, json!({ "name": "Ada", "country": "DE" })).await;
        world.drain().await;
        let path = format!("/storeapi/payment/orders/{cart}/invoice/");
        let body = json!({ "billing_address": { "name": "Grace", "country": "DE" } });
        let corrected = keyed(world, Method::POST, &path, &key, &body).await.json;
        // The refund refers to the invoice that is valid.
        refund(world, &key, &cart, &json!({ "items": [], "amount": 10 })).await;
        world.drain().await;
        let order = order(world, &key, &cart).await;
        let documents = order["documents"].as_array().unwrap();
        let standing =
            corrected["documents"].as_array().unwrap().iter().rfind(|one| one["kind"] == "invoice").unwrap();
        assert_eq!(documents.len(), 4);
        assert_eq!(content(world, &key, &documents[3]).await["refers_to"], standing["number"]);
        let body = json!({ "billing_address": { "name": "Eve" } });
        keyed(world, Method::POST, &path, &key, &body).await.assert_problem(400, "invalid_request");
        let foreign = harness::steps::organisation_keys::key(world, "lindgren", &[Scope::Orders]).await;
        keyed(world, Method::POST, &path, &foreign, &body).await.assert_problem(404, "not_found");
        let unpaid = begun(world, SHOP, "grace@example.com").await.0;
        let path = format!("/storeapi/payment/orders/{unpaid}/invoice/");
        keyed(world, Method::POST, &path, &key, &body).await.assert_problem(400, "invalid_request");
    })
    .await;
}
