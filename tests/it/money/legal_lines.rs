//! What laws ask of documents beyond the sums: the code of a service, the place of supply, the price of one seat, and whom a buyer
//! asks.

use harness::steps::invoices::{SHOP, paid};
use harness::steps::organisation_keys::key;
use harness::steps::payments::EMAIL;
use harness::steps::refunds::{order, refund};
use harness::steps::tax::{import, rate, seller};
use harness::{Reply, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::invoices::{content, download, text};

/// The record of the course that the shop's basket has.
fn course(world_basket: &Value) -> Value {
    let id = &world_basket["items"][0]["id"];
    let records = include_str!("../../../deploy/demo-catalog/catalog.jsonl").lines();
    let mut records = records.map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.find(|record| record["kind"] == "course" && record["id"] == *id).unwrap()
}

async fn e_invoice(world: &World, key: &str, document: &Value, syntax: &str) -> String {
    let id = document["document_id"].as_str().unwrap();
    let url = world.url(&format!("/storeapi/payment/documents/{id}/?syntax={syntax}"));
    let request = world.http.get(url).header("organisationapikey", key).header("accept", "application/xml");
    let reply = Reply::read(request).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.text.lines().map(str::trim).collect()
}

fn says(text: &str, words: &[&str]) {
    for said in words {
        assert!(text.contains(said), "{said} is missing: {text}");
    }
}

/// A seller in Karnataka, who charges CGST and SGST there and IGST elsewhere.
async fn sell_from_india(world: &World, terms: Value) {
    world.sell().await;
    let mut all = json!({ "state": "KA", "tax_ids": [{ "name": "GSTIN", "value": "29ABCDE1234F1Z5" }],
        "prices_include_tax": false });
    for (field, value) in terms.as_object().unwrap() {
        all[field] = value.clone();
    }
    let rates =
        [rate(SHOP, "IN/Karnataka", &[("CGST", 9.0), ("SGST", 9.0)]), rate(SHOP, "IN", &[("IGST", 18.0)])];
    import(world, &[&[seller(SHOP, "IN", all)][..], &rates].concat()).await.unwrap();
}

#[tokio::test]
async fn an_indian_document_names_code_place_of_supply_price_of_a_seat_and_contact() {
    world(Setup::selling(), async |world| {
        let terms = json!({ "service_code": { "scheme": "SAC", "code": "999293" }, "contact_name": "Accounts",
            "phone": "+91 80 1234 5678", "email": "accounts@northwind.example" });
        sell_from_india(world, terms).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        let mut body = world.basket(SHOP).await;
        (body["email"], body["items"][0]["seats"]) = (json!(EMAIL), json!(7));
        body["billing_address"] = json!({ "name": "Priya", "country": "IN", "state": "in-mh" });
        let cart = paid(world, &body).await;
        assert_eq!(refund(world, &key, &cart, &json!({ "items": [0], "amount": 10 })).await.status, 200);
        world.drain().await;
        let documents = order(world, &key, &cart).await["documents"].clone();
        let invoice = content(world, &key, &documents[0]).await;
        let place = json!({ "country": "IN", "state": { "code": "27", "name": "Maharashtra" } });
        assert_eq!(invoice["place_of_supply"], place);
        let line = &invoice["lines"][0];
        assert_eq!(line["service_code"], json!({ "scheme": "SAC", "code": "999293" }));
        let each = line["net"].as_f64().unwrap() / 7.0;
        assert!((line["unit_price"].as_f64().unwrap() - each).abs() < 0.0001, "{line}");
        let (status, pdf) = download(world, documents[0]["url"].as_str().unwrap()).await;
        assert_eq!(status, 200);
        let shown = text(&pdf);
        says(&shown, &["SAC 999293", "Place of supply", "Maharashtra (27)", "each, before tax"]);
        says(&shown, &["Accounts", "+91 80 1234 5678"]);
        let ubl = e_invoice(world, &key, &documents[0], "ubl").await;
        says(&ubl, &["<cbc:ItemClassificationCode listID=\"GN\">999293</cbc:ItemClassificationCode>"]);
        says(&ubl, &["<cbc:CountrySubentity>Maharashtra (27)</cbc:CountrySubentity>"]);
        says(&ubl, &["<cbc:Name>Accounts</cbc:Name><cbc:Telephone>+91 80 1234 5678</cbc:Telephone>"]);
        let cii = e_invoice(world, &key, &documents[0], "cii").await;
        says(
            &cii,
            &[
                "<ram:ClassCode listID=\"GN\">999293</ram:ClassCode>",
                "<ram:PersonName>Accounts</ram:PersonName>",
            ],
        );
        says(&cii, &["<ram:CountrySubDivisionName>Maharashtra (27)</ram:CountrySubDivisionName>"]);
        let note = content(world, &key, &documents[1]).await;
        assert_eq!(
            (&note["place_of_supply"], &note["lines"][0]["service_code"]),
            (&place, &line["service_code"])
        );
        assert_eq!(note["lines"][0].get("unit_price"), None, "a refund may be of any part of a line");
    })
    .await;
}

#[tokio::test]
async fn the_code_of_a_course_comes_before_the_sellers_and_stays_on_what_was_issued() {
    world(Setup::selling(), async |world| {
        sell_from_india(world, json!({})).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let mut body = world.basket(SHOP).await;
        let buy = async |body: &mut Value, email: &str| {
            body["email"] = json!(email);
            let cart = paid(world, body).await;
            world.drain().await;
            let document = order(world, &key, &cart).await["documents"][0].clone();
            (content(world, &key, &document).await, document)
        };
        let (plain, _) = buy(&mut body, "a@example.com").await;
        assert_eq!(plain["lines"][0].get("service_code"), None);
        // The buyer's place is unknown, so it is the seller's.
        assert_eq!(plain["place_of_supply"]["state"]["code"], "29");
        let mut record = course(&body);
        for code in
            [json!({ "scheme": "SAC", "code": "9992" }), json!({ "scheme": "CPV", "code": "80420000-4" })]
        {
            record["service_code"] = code.clone();
            import(world, &[record.clone()]).await.unwrap();
            let email = format!("{}@example.com", code["code"].as_str().unwrap());
            let (invoice, document) = buy(&mut body, &email).await;
            assert_eq!(invoice["lines"][0]["service_code"], code);
            import(world, &[course(&body)]).await.unwrap();
            assert_eq!(content(world, &key, &document).await, invoice);
        }
        record["service_code"] = json!({ "scheme": "SAC", "code": "12" });
        let refused = import(world, &[record]).await.unwrap_err();
        assert!(
            refused.contains("service_code: code \"12\" of SAC is not 4 to 8 digits that begin with 99"),
            "{refused}"
        );
    })
    .await;
}
