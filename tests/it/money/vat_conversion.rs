//! The VAT in the currency of the seller's state: at which rate, what waits for one, and what does not.

use chrono::{Days, NaiveDate};
use harness::steps::invoices::{SHOP, sold};
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{order, refund};
use harness::steps::tax::{cents, import, rate, seller};
use harness::steps::worker_program::operator;
use harness::{Reply, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::invoices::{content, download, text};

/// Makes the shop, whose prices are in dollars, a seller in Sweden that states its VAT in kronor.
async fn sell_from_sweden(world: &World) {
    world.sell().await;
    let terms = json!({ "vat_currency": "SEK", "tax_ids": [{ "name": "VAT", "value": "SE556677889901" }] });
    let rates = [rate(SHOP, "SE", &[("Moms", 25.0)]), rate(SHOP, "FI", &[("ALV", 25.5)])];
    import(world, &[&[seller(SHOP, "SE", terms)][..], &rates].concat()).await.unwrap();
}

/// Sets the rate of a day as an operator does.
async fn set(world: &World, day: NaiveDate, rate: &str) {
    let day = day.to_string();
    let words =
        ["vat-exchange-rates", "set", SHOP.short_name, &day, "USD", "SEK", rate, "--source", "Riksbanken"];
    let (done, said) = operator(world, &words, &["database-url"]).await;
    assert!(done, "{said}");
}

async fn alert(world: &World, cart: &str) -> Option<String> {
    sqlx::query_scalar("SELECT alert FROM transactions WHERE cart_id = $1::uuid")
        .bind(cart)
        .fetch_one(&world.db)
        .await
        .unwrap()
}

async fn ubl(world: &World, key: &str, document: &Value) -> String {
    let url =
        world.url(&format!("/storeapi/payment/documents/{}/", document["document_id"].as_str().unwrap()));
    let request = world.http.get(url).header("organisationapikey", key).header("accept", "application/xml");
    Reply::read(request).await.text.lines().map(str::trim).collect()
}

#[tokio::test]
#[ignore = "slow"]
async fn an_invoice_waits_for_the_rate_of_its_day_and_refunds_do_not() {
    let worker_args = vec!["--reconcile-every=200ms".into(), "--document-wait=1s".into()];
    world(Setup { worker_args, ..Setup::selling() }, async |world| {
        sell_from_sweden(world).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        let today = world.clock.now().date_naive();
        // Eight days are too old.
        set(world, today - Days::new(8), "9").await;
        let cart = sold(world, EMAIL, json!({ "country": "SE" })).await;
        world
            .eventually("the invoice waits", async |world| {
                count(world, "SELECT count(*) FROM documents_due WHERE awaits_rate").await == 1
            })
            .await;
        assert!(alert(world, &cart).await.unwrap().contains("waits for an exchange rate"));
        let refunded = refund(world, &key, &cart, &json!({ "items": [0], "amount": 10 })).await;
        assert_eq!(refunded.status, 200, "{}", refunded.text);
        assert_eq!(order(world, &key, &cart).await["documents"], json!([]));
        // As after a weekend.
        set(world, today - Days::new(3), "10.5").await;
        world
            .eventually("the documents are issued", async |world| {
                count(world, "SELECT count(*) FROM document_files").await == 2
            })
            .await;
        assert_eq!(alert(world, &cart).await, None);
        let documents = order(world, &key, &cart).await["documents"].clone();
        for document in documents.as_array().unwrap() {
            let said = content(world, &key, document).await;
            let (converted, tax) = (&said["converted_tax"], cents(&said["tax"]));
            let at = json!({ "currency": "SEK", "rate": 10.5, "day": today - Days::new(3), "source": "Riksbanken" });
            assert_eq!((&converted["at"], cents(&converted["tax"])), (&at, (tax * 21 + 1) / 2));
            let xml = ubl(world, &key, document).await;
            let kronor = cents(&converted["tax"]);
            let amount = format!(
                "<cbc:TaxAmount currencyID=\"SEK\">{}.{:02}</cbc:TaxAmount>",
                kronor / 100,
                kronor % 100
            );
            assert!(xml.contains("<cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode>") && xml.contains(&amount), "{xml}");
            let (_, pdf) = download(world, document["url"].as_str().unwrap()).await;
            assert!(text(&pdf).contains("Tax in SEK") && text(&pdf).contains("Riksbanken") && text(&pdf).contains("10.5 SEK"), "{}", text(&pdf));
        }
        let mails = "SELECT count(*) FROM mails";
        world.eventually("the document follows", async |world| count(world, mails).await == 0).await;
    })
    .await;
}

#[tokio::test]
async fn the_vat_of_another_country_and_prices_in_the_states_currency_need_no_rate() {
    world(Setup::selling(), async |world| {
        sell_from_sweden(world).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders]).await;
        for (email, country) in [("a@example.com", "FI"), ("b@example.com", "US")] {
            let cart = sold(world, email, json!({ "country": country })).await;
            world.drain().await;
            let document = order(world, &key, &cart).await["documents"][0].clone();
            assert_eq!(content(world, &key, &document).await.get("converted_tax"), None, "{country}");
        }
        let terms = json!({ "vat_currency": "USD" });
        import(world, &[seller(SHOP, "SE", terms)]).await.unwrap();
        let cart = sold(world, "c@example.com", json!({ "country": "SE" })).await;
        world.drain().await;
        let document = order(world, &key, &cart).await["documents"][0].clone();
        assert_eq!(content(world, &key, &document).await.get("converted_tax"), None);
        for (words, fault) in [
            (["2026-11-27", "USD", "USD", "1"], "needs no rate to itself"),
            (["2026-11-27", "USD", "SEK", "0"], "is not positive"),
            (["2026-11-27", "HRK", "SEK", "1"], "withdrawn"),
            (["2026-11-27", "EUR", "SEK", "1"], "states its VAT in USD, not in SEK"),
            (["2099-11-27", "EUR", "USD", "1"], "is in the future"),
        ] {
            let words =
                [&["vat-exchange-rates", "set", SHOP.short_name][..], &words, &["--source", "ECB"]].concat();
            let (done, said) = operator(world, &words, &["database-url"]).await;
            assert!(!done && said.contains(fault), "{said}");
        }
    })
    .await;
}
