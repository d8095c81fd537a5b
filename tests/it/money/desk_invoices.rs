//! The buyer on an invoice, as the support desk corrects it.

use harness::steps::console::{OWN, get, key, post, with_console};
use harness::steps::invoices::{sell_with_tax, sold};
use harness::steps::organisation_keys;
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::order;
use harness::steps::staff::{act, look, staff};
use harness::{World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::reverse_charge::sell_from_sweden;

const CORRECTED: &str = "Your corrected invoice";

/// Fills in the form of an order's invoice, and sends it. Returns where it has led.
async fn correct(world: &World, cookie: &str, page: &str, fields: &[(&str, &str)]) -> String {
    let shown = get(world, cookie, page).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    let form_key = key(&shown);
    let mut all = vec![("key", form_key.as_str())];
    all.extend(fields);
    let sent = post(world, cookie, page, OWN, &all).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    sent.header("location").rsplit_once("?done=").unwrap().1.to_owned()
}

/// How many mails with the corrected invoice the buyer has got.
async fn mailed(world: &World) -> usize {
    let mails = world.emails(EMAIL).await;
    mails.iter().filter(|mail| mail["subject"].as_str().unwrap().starts_with(CORRECTED)).count()
}

/// The orders whose invoices a person is asked about.
async fn asked(world: &World, cookie: &str) -> Vec<Value> {
    let list = look(world, cookie, "/storeapi/support/attention/").await.json;
    let entries = list["entries"].as_array().unwrap().iter().filter(|entry| entry["kind"] == "invoice");
    entries.map(|entry| entry["cart_id"].clone()).collect()
}

#[tokio::test]
async fn support_asks_for_an_invoice_whose_tax_is_paid_back_and_finance_confirms_it() {
    world(with_console(), async |world| {
        sell_from_sweden(world, json!({})).await;
        let cart = sold(world, EMAIL, json!({ "name": "Ada", "country": "DE" })).await;
        world.drain().await;
        let sam = staff(world, "northwind", "sam@example.com", &["support"]).await;
        let fay = staff(world, "northwind", "fay@example.com", &["finance"]).await;
        let page = format!("/console/northwind/orders/{cart}/invoice/");
        let company = [("company", "Engines GmbH"), ("tax_id", "de 100"), ("name", "Ada"), ("country", "DE")];
        assert_eq!(correct(world, &sam, &page, &company).await, "invoice-asked");
        let refunds = "SELECT count(*) FROM refunds";
        assert_eq!((count(world, refunds).await, mailed(world).await), (0, 0));
        let seen = get(world, &sam, &format!("/console/northwind/orders/{cart}/")).await.text;
        assert!(seen.contains("Finance is asked for a corrected invoice"), "{seen}");
        assert_eq!((asked(world, &fay).await, asked(world, &sam).await), (vec![json!(cart)], vec![]));
        let start = get(world, &fay, "/console/northwind/").await.text.replace("&#x2f;", "/");
        assert!(start.contains(&page), "{start}");
        // Finance opens it with the form filled in.
        let form = get(world, &fay, &page).await.text;
        for filled in ["value=\"Engines GmbH\"", "value=\"de 100\"", "The support asked for this buyer"] {
            assert!(form.contains(filled), "{filled}: {form}");
        }
        assert_eq!(correct(world, &fay, &page, &company).await, "invoice");
        world.eventually("the tax is paid back", async |world| count(world, refunds).await == 1).await;
        world.eventually("the buyer has the invoice", async |world| mailed(world).await == 1).await;
        assert_eq!(asked(world, &fay).await, Vec::<Value>::new());
        let own = organisation_keys::key(world, "northwind", &[Scope::Orders, Scope::Reports]).await;
        let corrected = order(world, &own, &cart).await;
        assert_eq!(corrected["reverse_charge"]["status"], "applied", "{corrected}");
        // An EC sales list needs the number of the company.
        let today = world.clock.now().format("%Y-%m-%d");
        let ledger = format!("/storeapi/reports/ledger/?format=json&from={today}&to={today}");
        let rows = organisation_keys::get(world, &ledger, &own).await.json;
        assert_eq!(
            (&rows[0]["tax_id"], &rows[0]["reverse_charge"]),
            (&json!("de 100"), &json!(true)),
            "{rows}"
        );
    })
    .await;
}

#[tokio::test]
async fn support_corrects_a_company_where_no_money_moves_and_the_buyer_gets_the_invoice() {
    world(with_console(), async |world| {
        sell_with_tax(world).await;
        let cart = sold(world, EMAIL, json!({ "name": "Ada", "country": "DE" })).await;
        world.drain().await;
        let sam = staff(world, "northwind", "sam@example.com", &["support"]).await;
        let mia = staff(world, "northwind", "mia@example.com", &["manager"]).await;
        let eve = staff(world, "lindgren", "eve@lindgren.example", &["support"]).await;
        let page = format!("/console/northwind/orders/{cart}/invoice/");
        let german = [("company", "Engines GmbH"), ("tax_id", "DE123456789"), ("country", "DE")];
        assert_eq!(correct(world, &sam, &page, &german).await, "invoice");
        world.eventually("the buyer has the invoice", async |world| mailed(world).await == 1).await;
        let shown = get(world, &sam, &format!("/console/northwind/orders/{cart}/")).await.text;
        assert!(shown.contains("Engines GmbH") && shown.contains("DE123456789"), "{shown}");
        // The same again does nothing, and mails nothing.
        assert_eq!(correct(world, &sam, &page, &german).await, "invoice");
        world.drain().await;
        assert_eq!(mailed(world).await, 1);
        assert_eq!(get(world, &mia, &page).await.status, 403);
        assert_eq!(get(world, &eve, &page.replace("northwind", "lindgren")).await.status, 404);
        // An address that changes the tax is refused in words, and the form comes back with its fields: another country, or a part of
        // Germany without its VAT.
        for place in [[("country", "FR"), ("postal_code", "")], [("country", "DE"), ("postal_code", "27498")]]
        {
            let form_key = key(&get(world, &sam, &page).await);
            let fields = [&[("key", form_key.as_str()), ("company", "Machines SARL")], &place[..]].concat();
            let refused = post(world, &sam, &page, OWN, &fields).await;
            for words in [
                "This address changes the tax",
                "value=\"Machines SARL\"",
                "role=\"search\"",
                "Open the order",
            ] {
                assert!(refused.status == 400 && refused.text.contains(words), "{words}: {}", refused.text);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn finance_refuses_an_invoice_that_support_asks_for() {
    world(with_console(), async |world| {
        sell_from_sweden(world, json!({})).await;
        let cart = sold(world, EMAIL, json!({ "name": "Ada", "country": "DE" })).await;
        world.drain().await;
        let sam = staff(world, "northwind", "sam@example.com", &["support"]).await;
        let fay = staff(world, "northwind", "fay@example.com", &["finance"]).await;
        let path = format!("/storeapi/support/orders/{cart}/invoice/");
        let body =
            json!({ "billing_address": { "company": "Engines GmbH", "country": "DE", "tax_id": "DE100" } });
        assert_eq!(act(world, &sam, &path, &body).await.status, 204);
        let detail = look(world, &sam, &format!("/storeapi/support/orders/{cart}/")).await.json;
        assert_eq!(detail["invoice_request"]["billing_address"]["company"], "Engines GmbH", "{detail}");
        let refusal = format!("{path}refusal/");
        act(world, &sam, &refusal, &Value::Null).await.assert_problem(403, "forbidden");
        assert_eq!(act(world, &fay, &refusal, &Value::Null).await.status, 204);
        assert_eq!(asked(world, &fay).await, Vec::<Value>::new());
        act(world, &fay, &refusal, &Value::Null).await.assert_problem(400, "invalid_request");
        let detail = look(world, &sam, &format!("/storeapi/support/orders/{cart}/")).await;
        assert!(detail.text.contains("Finance refused the corrected invoice."), "{}", detail.text);
        assert_eq!(count(world, "SELECT count(*) FROM documents").await, 1);
    })
    .await;
}
