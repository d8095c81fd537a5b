//! Documents that another program issues under its own numbers: the storefront asks for them, and keeps what is reported.

use harness::steps::invoices::{SHOP, report, requested, sell_through, sold};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{order, refund};
use harness::{Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::invoices::{content, download, numbers};

const ALL: &[Scope] = &[Scope::Orders, Scope::Events, Scope::Documents, Scope::Refunds, Scope::Reports];

fn issued(number: &str, total: f64) -> Value {
    json!({ "status": "issued", "number": number, "issued_on": "2026-02-03", "total": total,
        "file": { "media_type": "application/pdf", "base64": "JVBERi0xLjcKJSVFT0YK" } })
}

async fn attached(world: &World) -> Vec<Vec<Value>> {
    let mails = world.emails(EMAIL).await;
    let names = |mail: &Value| {
        mail["attachments"].as_array().into_iter().flatten().map(|one| one["name"].clone()).collect()
    };
    let about_money =
        mails.iter().filter(|mail| !mail["subject"].as_str().unwrap().starts_with("Your place"));
    about_money.map(names).collect()
}

#[tokio::test]
#[ignore = "slow"]
async fn another_program_issues_invoice_and_credit_note_under_its_own_numbers() {
    world(Setup::selling(), async |world| {
        sell_through(world, "external").await;
        let own = key(world, SHOP.short_name, ALL).await;
        let cart = sold(world, EMAIL, json!({ "company": "Engines & Sons", "country": "DE" })).await;
        world.drain().await;
        let [asked] = <[Value; 1]>::try_from(requested(world, &own).await).unwrap();
        assert_eq!(
            (&asked["number"], &asked["e_invoice"], &asked["total"]),
            (&Value::Null, &Value::Null, &json!(199))
        );
        assert_eq!(asked["document"]["number"], Value::Null);
        assert_eq!(count(world, "SELECT count(*) FROM document_series").await, 0);
        let reply =
            report(world, &own, &asked, &json!({ "status": "issued", "clearance": { "number": "1" } })).await;
        assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["number"]);
        let wrong = json!({ "status": "issued", "number": "1", "issued_on": "2026-02-03", "total": 1.001 });
        let reply = report(world, &own, &asked, &wrong).await;
        assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["total"]);

        let reply = report(world, &own, &asked, &issued("2026/00417", 199.0)).await;
        assert_eq!((reply.status, &reply.json["number"]), (200, &json!("2026/00417")), "{}", reply.text);
        assert_eq!(report(world, &own, &asked, &issued("2026/00417", 199.0)).await.json, reply.json);
        report(world, &own, &asked, &issued("2026/00418", 199.0)).await.assert_problem(409, "contradiction");
        report(world, &own, &asked, &issued("2026/00417", 198.0)).await.assert_problem(409, "contradiction");
        world.drain().await;
        let shown = order(world, &own, &cart).await;
        assert_eq!(numbers(&shown), [("2026/00417", "invoice", 19_900)]);
        let (status, pdf) = download(world, shown["documents"][0]["url"].as_str().unwrap()).await;
        assert_eq!((status, pdf.as_slice()), (200, &b"%PDF-1.7\n%%EOF\n"[..]), "as it was reported");
        assert_eq!(attached(world).await, [[json!("2026-00417.pdf")]]);
        let said = content(world, &own, &asked).await;
        assert_eq!((&said["number"], &said["issued_on"]), (&json!("2026/00417"), &json!("2026-02-03")));
        let path = format!("/storeapi/payment/documents/{}/", asked["document_id"].as_str().unwrap());
        let xml = world
            .http
            .get(world.url(&path))
            .header("organisationapikey", &own)
            .header("accept", "application/xml");
        harness::Reply::read(xml).await.assert_problem(406, "not_acceptable");
        // The tax report has it on the day that it shows.
        let taxes =
            get(world, "/storeapi/reports/taxes/?format=json&from=2026-02-03&to=2026-02-03", &own).await;
        assert_eq!(taxes.json[0]["count"], 1, "{}", taxes.text);

        assert_eq!(refund(world, &own, &cart, &json!({ "items": [0] })).await.status, 200);
        world.drain().await;
        let note = requested(world, &own).await.pop().unwrap();
        assert_eq!(
            (&note["kind"], &note["refers_to"], &note["number"]),
            (&json!("credit_note"), &json!("2026/00417"), &Value::Null)
        );
        let reply = report(world, &own, &note, &issued("2026/00417", 199.0)).await;
        assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["number"]);
        assert_eq!(report(world, &own, &note, &issued("G – 1a", 199.0)).await.status, 200);
        world.drain().await;
        assert_eq!(
            numbers(&order(world, &own, &cart).await),
            [("2026/00417", "invoice", 19_900), ("G – 1a", "credit_note", 19_900)]
        );
        assert_eq!(attached(world).await.pop().unwrap(), [json!("G---1a.pdf")]);
        assert_eq!(count(world, "SELECT count(*) FROM transactions WHERE alert IS NOT NULL").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_total_that_differs_from_the_books_is_kept_with_an_alert_and_a_file_may_be_missing() {
    world(Setup::selling(), async |world| {
        sell_through(world, "external").await;
        let own = key(world, SHOP.short_name, ALL).await;
        let cart = sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        let asked = requested(world, &own).await[0].clone();
        let mut body = issued("2026/00417", 167.23);
        body.as_object_mut().unwrap().remove("file");
        assert_eq!(report(world, &own, &asked, &body).await.status, 200);
        world.drain().await;
        let alert: String = sqlx::query_scalar("SELECT alert FROM transactions WHERE alert IS NOT NULL")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert_eq!(alert, "document 2026/00417 was issued over 167.23 USD, and the books have 199 USD");
        let said = content(world, &own, &asked).await;
        assert_eq!((&said["total"], &said["reported_total"]), (&json!(199), &json!(167.23)));
        assert_eq!(attached(world).await, [Vec::<Value>::new()], "the receipt waits for no file");
        let shown = order(world, &own, &cart).await;
        let (status, _) = download(world, shown["documents"][0]["url"].as_str().unwrap()).await;
        assert_eq!(status, 406);
        assert_eq!(count(world, "SELECT count(*) FROM documents_due").await, 0);
    })
    .await;
}
