//! E-invoices: each form in which the route serves a document, what they say about its tax, what has none, and the event that an
//! access point or an accounting program waits for. The harness adds up the e-invoices of every test; the suite `e-invoices`
//! has the official rules check them.

use harness::steps::invoices::{SHOP, paid, sell_with_tax, sold};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::EMAIL;
use harness::steps::refunds::{order, refund};
use harness::steps::tax::{import, rate, seller};
use harness::steps::vouchers::voucher;
use harness::{Reply, Setup, World, world};
use pdf_extract::{Document, Object};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::invoices::download;

/// Fetches a document as XML.
async fn xml(world: &World, key: &str, document: &Value, query: &str) -> Reply {
    let path = format!("/storeapi/payment/documents/{}/{query}", document["document_id"].as_str().unwrap());
    let request = world.http.get(world.url(&path)).header("organisationapikey", key);
    Reply::read(request.header("accept", "application/xml")).await
}

/// The e-invoice of an order's first document.
async fn ubl_of(world: &World, key: &str, cart: &str) -> String {
    world.drain().await;
    let document = order(world, key, cart).await["documents"][0].clone();
    let reply = xml(world, key, &document, "").await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.text
}

fn says(xml: &str, words: &[&str]) {
    for said in words {
        assert!(xml.contains(said), "{said} is missing: {xml}");
    }
}

/// The file inside a PDF, read by a library that has nothing to do with the one that writes it.
fn embedded(pdf: &[u8]) -> Option<String> {
    let pdf = Document::load_mem(pdf).unwrap();
    let root = pdf.catalog().unwrap();
    let metadata = pdf.get_object(root.get(b"Metadata").unwrap().as_reference().unwrap()).unwrap();
    let metadata = String::from_utf8(metadata.as_stream().unwrap().content.clone()).unwrap();
    says(&metadata, &["<pdfaid:part>3</pdfaid:part>", "<pdfuaid:part>1</pdfuaid:part>"]);
    let Ok(files) = root.get(b"AF") else {
        assert!(!metadata.contains("factur-x"), "{metadata}");
        return None;
    };
    says(&metadata, &["<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>", "<pdfaSchema:prefix>fx<"]);
    let followed = |object: &Object| match object.as_reference() {
        Ok(id) => pdf.get_object(id).unwrap().clone(),
        Err(_) => object.clone(),
    };
    let files = followed(files).as_array().unwrap().clone();
    assert_eq!(files.len(), 1);
    let file = followed(&files[0]).as_dict().unwrap().clone();
    assert_eq!(file.get(b"AFRelationship").unwrap().as_name().unwrap(), b"Alternative");
    assert_eq!(file.get(b"F").unwrap().as_str().unwrap(), b"factur-x.xml");
    let streams = followed(file.get(b"EF").unwrap()).as_dict().unwrap().clone();
    let stream = followed(streams.get(b"F").unwrap());
    Some(String::from_utf8(stream.as_stream().unwrap().decompressed_content().unwrap()).unwrap())
}

#[tokio::test]
async fn a_document_is_served_in_both_syntaxes_and_its_pdf_has_one_inside() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        let address = json!({ "company": "Engines & Sons", "name": "Ada Lovelace", "line1": "Hauptstraße 7", "city": "Berlin",
            "postal_code": "10115", "country": "DE", "tax_id": "DE 123 456 789" });
        let mut body = world.basket(SHOP).await;
        (body["email"], body["billing_address"], body["reference"]) = (json!(EMAIL), address, json!("PO-2026-0117"));
        let cart = paid(world, &body).await;
        assert_eq!(refund(world, &key, &cart, &json!({ "items": [0], "amount": 33.33 })).await.status, 200);
        world.drain().await;
        let order = order(world, &key, &cart).await;
        let [invoice, note] = [0, 1].map(|nth| order["documents"][nth].clone());
        let ubl = xml(world, &key, &invoice, "").await;
        assert_eq!((ubl.status, ubl.header("content-type")), (200, "application/xml"));
        assert_eq!(ubl.header("cache-control"), "no-store");
        assert_eq!(xml(world, &key, &invoice, "?syntax=ubl").await.text, ubl.text);
        says(&ubl.text, &["<cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>", "Engines &amp; Sons", ">DE123456789<",
            ">ada@example.com<", ">PO-2026-0117<", "<cbc:Percent>19</cbc:Percent>", ">167.23<", ">31.77<", ">Thank you.<",
            "<cbc:PayableAmount currencyID=\"USD\">0.00</cbc:PayableAmount>", &cart]);
        let number = invoice["number"].as_str().unwrap();
        let credit = xml(world, &key, &note, "").await.text;
        says(&credit, &["<cbc:CreditNoteTypeCode>381</cbc:CreditNoteTypeCode>", ">33.33<", number]);
        for document in [&invoice, &note] {
            let cii = xml(world, &key, document, "?syntax=cii").await;
            says(&cii.text, &["<rsm:CrossIndustryInvoice", document["number"].as_str().unwrap()]);
            let (_, pdf) = download(world, document["url"].as_str().unwrap()).await;
            assert_eq!(embedded(&pdf).unwrap(), cii.text);
        }
        let wrong = xml(world, &key, &invoice, "?syntax=edifact").await;
        assert_eq!(wrong.assert_problem(400, "invalid_request").json["errors"][0]["field"], "syntax");
        // The link of a mail opens it, too.
        let link = world.http.get(world.url(invoice["url"].as_str().unwrap().strip_prefix("http://store.test").unwrap()));
        assert_eq!(Reply::read(link.header("accept", "application/xml")).await.text, ubl.text);
    })
    .await;
}

#[tokio::test]
async fn an_e_invoice_says_how_the_sale_was_taxed() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let mut exempt = rate(SHOP, "ES", &[("IVA", 0.0)]);
        exempt["note"] = json!("Exempt, article 132");
        let india = rate(SHOP, "IN", &[("CGST", 9.0), ("SGST", 9.0)]);
        import(world, &[exempt, india, rate(SHOP, "IT", &[("IVA", 0.0)])]).await.unwrap();
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Vouchers]).await;
        voucher(world, &key, json!({ "code": "HALF", "kind": "percent", "value": 50 })).await;
        let category = |code: &str| format!("<cac:TaxCategory><cbc:ID>{code}</cbc:ID>");
        for (nth, (country, code, words)) in [
            (json!("ES"), "E", &["<cbc:TaxExemptionReason>Exempt, article 132</cbc:TaxExemptionReason>"][..]),
            (json!("IT"), "Z", &["<cbc:Percent>0</cbc:Percent>"]),
            (json!("JP"), "O", &["VATEX-EU-O", "<cbc:IdentificationCode>JP</cbc:IdentificationCode>"]),
            (json!("IN"), "S", &["<cbc:Percent>18</cbc:Percent>"]),
            // A buyer who says nothing is taxed where the seller is.
            (
                Value::Null,
                "S",
                &["<cbc:IdentificationCode>DE</cbc:IdentificationCode>", "<cbc:Percent>19</cbc:Percent>"],
            ),
        ]
        .into_iter()
        .enumerate()
        {
            let mut body = world.basket(SHOP).await;
            (body["email"], body["voucher"]) = (json!(format!("buyer{nth}@example.com")), json!("HALF"));
            body["items"][0]["seats"] = json!(3);
            body["billing_address"] =
                if country.is_null() { Value::Null } else { json!({ "country": country, "tax_id": "X1" }) };
            let cart = paid(world, &body).await;
            let ubl = ubl_of(world, &key, &cart).await;
            let flat = ubl.lines().map(str::trim).collect::<String>();
            says(
                &flat,
                &[&category(code), "<cbc:InvoicedQuantity unitCode=\"C62\">3</cbc:InvoicedQuantity>", "HALF"],
            );
            says(&flat, words);
        }
    })
    .await;
}

#[tokio::test]
async fn what_en_16931_cannot_write_is_refused_and_its_pdf_stands_alone() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let without = json!({ "tax_ids": [] });
        import(world, &[seller(SHOP, "US", without), rate(SHOP, "US", &[("Sales tax", 8.875)])])
            .await
            .unwrap();
        let cart = sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        let document = order(world, &key, &cart).await["documents"][0].clone();
        let refused = xml(world, &key, &document, "").await;
        let detail = refused.assert_problem(406, "not_acceptable").json["detail"].as_str().unwrap();
        assert!(detail.contains("BR-S-02"), "{detail}");
        let (status, pdf) = download(world, document["url"].as_str().unwrap()).await;
        assert_eq!((status, embedded(&pdf)), (200, None));
    })
    .await;
}

#[tokio::test]
async fn each_document_is_told_in_the_feed() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds, Scope::Events]).await;
        let mut body = world.basket(SHOP).await;
        (body["email"], body["reference"], body["metadata"]) = (json!(EMAIL), json!("PO-7"), json!({ "deal": "42" }));
        let cart = paid(world, &body).await;
        world.drain().await;
        let correction = json!({ "billing_address": { "company": "Engines & Sons", "country": "DE" } });
        let path = format!("/storeapi/payment/orders/{cart}/invoice/");
        let request = world.http.post(world.url(&path)).header("organisationapikey", &key).json(&correction);
        assert_eq!(Reply::read(request).await.status, 200);
        let refunded = refund(world, &key, &cart, &json!({ "items": [0], "amount": 33.33 })).await;
        world.drain().await;
        let documents = order(world, &key, &cart).await["documents"].as_array().unwrap().clone();
        assert_eq!(documents.len(), 4);
        let feed = "/storeapi/events/?types=document.issued";
        let mut events = Vec::new();
        world
            .eventually("all documents are told", async |world| {
                events = get(world, feed, &key).await.json["events"].as_array().unwrap().clone();
                events.len() == documents.len()
            })
            .await;
        for document in documents {
            let event = events.iter().find(|event| event["data"]["number"] == document["number"]).unwrap();
            let content = crate::invoices::content(world, &key, &document).await;
            let is_of_refund = document["kind"] == "credit_note" && document["total"] == json!(33.33);
            let refund_id = if is_of_refund { refunded.json["refund_id"].clone() } else { Value::Null };
            let expected = json!({ "organisation": SHOP.short_name, "cart_id": cart, "document_id": document["document_id"],
                "number": document["number"], "kind": document["kind"], "refers_to": content["refers_to"],
                "refund_id": refund_id, "total": document["total"], "currency": "USD", "reference": "PO-7",
                "metadata": { "deal": "42" } });
            assert_eq!(event["data"], expected);
        }
    })
    .await;
}
