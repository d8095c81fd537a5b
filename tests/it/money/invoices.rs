//! Invoices and credit notes: issued for what was paid and given back, under numbers without gaps, and served as issued.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::StreamExt;
use harness::steps::invoices::{SHOP, sell_with_tax, sold};
use harness::steps::learner_cart::learner;
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, begun, count, reference};
use harness::steps::refunds::{bought, order, refund, refund_again};
use harness::steps::tax::{cents, import, rate, seller};
use harness::steps::worker_program::WorkerProcess;
use harness::{GUEST_CHECKOUT, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::link::Purpose;
use shared::organisation_key::Scope;
use uuid::Uuid;

/// The text of a PDF, read by a library that has nothing to do with the one that writes it.
pub fn text(pdf: &[u8]) -> String {
    assert!(pdf.starts_with(b"%PDF-1.7"), "no PDF");
    pdf_extract::extract_text_from_mem(pdf).unwrap()
}

pub async fn download(world: &World, url: &str) -> (u16, Vec<u8>) {
    let path = url.strip_prefix("http://store.test").unwrap();
    let response = world.http.get(world.url(path)).send().await.unwrap();
    (response.status().as_u16(), response.bytes().await.unwrap().to_vec())
}

fn document_path(document: &Value) -> String {
    format!("/storeapi/payment/documents/{}/", document["document_id"].as_str().unwrap())
}

/// Reads the content of a document.
pub async fn content(world: &World, key: &str, document: &Value) -> Value {
    let request = world.http.get(world.url(&document_path(document))).header("organisationapikey", key);
    let reply = Reply::read(request.header("accept", "application/json")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json
}

/// Number, kind and total in cents of an order's documents.
pub fn numbers(order: &Value) -> Vec<(&str, &str, i64)> {
    let documents = order["documents"].as_array().unwrap().iter();
    documents
        .map(|one| (one["number"].as_str().unwrap(), one["kind"].as_str().unwrap(), cents(&one["total"])))
        .collect()
}

#[tokio::test]
#[ignore = "slow"]
async fn a_sale_has_an_invoice_that_mails_orders_and_the_route_show_alike() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let address = json!({ "company": "Engines & Sons", "name": "Ada Lovelace", "line1": "12 St James's Square",
            "city": "London", "postal_code": "SW1Y 4JH", "country": "DE", "tax_id": "DE123456789" });
        let cart = sold(world, EMAIL, address.clone()).await;
        world.drain().await;
        let key = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let order = order(world, &key, &cart).await;
        let year = world.clock.now().format("%y");
        let number = format!("IN{year}-000001");
        assert_eq!(numbers(&order), [(number.as_str(), "invoice", 19_900)]);

        let mails = world.emails(EMAIL).await;
        let receipt = mails.iter().find(|mail| mail["subject"].as_str().unwrap().contains("receipt")).unwrap();
        let attached = &receipt["attachments"][0];
        assert_eq!(
            (&attached["name"], &attached["content_type"]),
            (&json!(format!("{number}.pdf")), &json!("application/pdf"))
        );
        let document = &order["documents"][0];
        let (status, pdf) = download(world, document["url"].as_str().unwrap()).await;
        assert_eq!(status, 200);
        assert_eq!(attached["base64"], base64(&pdf), "the attached file is the one that is served");
        let mailed = receipt["text"].as_str().unwrap();
        let link = mailed.split_whitespace().find(|word| word.contains("/documents/")).unwrap();
        assert_eq!(download(world, link).await, (200, pdf.clone()));

        let text = text(&pdf);
        // 199.00 × 19 / 119 = 31.773…
        for said in [&number, "Engines & Sons", "DE123456789", "SW1Y 4JH London", "northwind Ltd.", "VAT ID XX123",
            "167.23", "31.77", "$199.00", "USt 19%", "Thank you.", cart.get(..8).unwrap()]
        {
            assert!(text.contains(said), "{said} is missing: {text}");
        }
        let said = content(world, &key, document).await;
        assert_eq!(
            (&said["number"], cents(&said["net"]), cents(&said["tax"]), cents(&said["total"])),
            (&json!(number), 16_723, 3_177, 19_900)
        );
        assert_eq!(said["taxes"], json!([{ "name": "USt", "rate": 19, "net": 167.23, "tax": 31.77 }]));
        assert_eq!((&said["buyer"]["company"], &said["refers_to"]), (&address["company"], &Value::Null));
        assert_eq!(count(world, "SELECT count(*) FROM documents_due").await, 0);
        let reports = harness::steps::organisation_keys::key(world, SHOP.short_name, &[Scope::Reports]).await;
        let today = world.clock.now().format("%Y-%m-%d");
        let path = format!("/storeapi/reports/ledger/?format=json&from={today}&to={today}");
        assert_eq!(get(world, &path, &reports).await.json[0]["document_number"], number);
    })
    .await;
}

#[tokio::test]
async fn an_invoice_takes_letters_that_the_service_has_not_from_a_font_of_the_operator() {
    // The letters of Georgian from Noto Sans Georgian.
    let font = concat!(env!("CARGO_MANIFEST_DIR"), "/fonts/NotoSansGeorgian-Regular.ttf");
    let worker_args = vec![format!("--document-fonts={font}")];
    world(Setup { worker_args, ..Setup::selling() }, async |world| {
        sell_with_tax(world).await;
        let cart = sold(world, EMAIL, json!({ "name": "ნინო ⵣⵓⵣ", "country": "DE" })).await;
        world.drain().await;
        let key = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let order = order(world, &key, &cart).await;
        let (_, pdf) = download(world, order["documents"][0]["url"].as_str().unwrap()).await;
        let text = text(&pdf);
        assert!(text.contains("ნინო") && text.contains('�'), "{text}");
    })
    .await;
}

fn base64(bytes: &[u8]) -> Value {
    use base64::Engine;
    json!(base64::engine::general_purpose::STANDARD.encode(bytes))
}

#[tokio::test]
async fn a_document_opens_for_its_buyer_and_its_organisation_alone() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let cart = sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        let key = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let document = order(world, &key, &cart).await["documents"][0].clone();
        let path = document_path(&document);
        let pdf = |reply: &Reply| (reply.status, reply.header("content-type").to_owned());
        assert_eq!(pdf(&get(world, &path, &key).await), (200, "application/pdf".into()));
        assert_eq!(pdf(&world.get(&path).await), (200, "application/pdf".into()), "a trusted backend");
        let foreign = harness::steps::organisation_keys::key(world, "lindgren", &[Scope::Orders]).await;
        get(world, &path, &foreign).await.assert_problem(404, "not_found");
        let lacking = harness::steps::organisation_keys::key(world, SHOP.short_name, &[Scope::Reports]).await;
        get(world, &path, &lacking).await.assert_problem(403, "forbidden");
        let by = async |email: &str| {
            let user = learner(world, email).await;
            let cookie = format!("sessionid={}", user["sessionid"].as_str().unwrap());
            Reply::read(world.http.get(world.url(&path)).header("cookie", cookie)).await
        };
        assert_eq!(by(EMAIL).await.status, 200, "the guest's address is this learner's");
        by("grace@example.com").await.assert_problem(404, "not_found");
        Reply::read(world.http.get(world.url(&path))).await.assert_problem(401, "unauthenticated");
        // So does the link of the order, and that of another order does not.
        for (order, status) in [(cart.clone(), 200), (Uuid::now_v7().to_string(), 401)] {
            let (secrets, until) =
                (&world.api_config.links.link_secret, world.clock.now() + chrono::TimeDelta::days(1));
            let token = shared::link::sign(secrets, Purpose::Payment, order.parse::<Uuid>().unwrap(), until);
            let path = format!("{path}?token={token}");
            assert_eq!(Reply::read(world.http.get(world.url(&path))).await.status, status, "{path}");
        }
        // A link opens its own document alone.
        let token = document["url"].as_str().unwrap().split_once('?').unwrap().1;
        let other = sold(world, "grace@example.com", Value::Null).await;
        world.drain().await;
        let other = document_path(&order(world, &key, &other).await["documents"][0]);
        for (path, status) in [(format!("{path}?{token}"), 200), (format!("{other}?{token}"), 401)] {
            assert_eq!(Reply::read(world.http.get(world.url(&path))).await.status, status, "{path}");
        }
        world.clock.advance(chrono::TimeDelta::days(91));
        assert_eq!(Reply::read(world.http.get(world.url(&format!("{path}?{token}")))).await.status, 401);
        let unknown = format!("/storeapi/payment/documents/{}/", Uuid::now_v7());
        get(world, &unknown, &key).await.assert_problem(404, "not_found");
        get(world, "/storeapi/payment/documents/x/", &key).await.assert_problem(400, "invalid_request");
        let anonymous = world.http.get(world.url("/storeapi/payment/documents/x/"));
        Reply::read(anonymous).await.assert_problem(401, "unauthenticated");
        // One that was issued and is not rendered yet.
        sqlx::query("DROP TRIGGER document_files_append_only ON document_files")
            .execute(&world.db)
            .await
            .unwrap();
        sqlx::query("DELETE FROM document_files").execute(&world.db).await.unwrap();
        let early = get(world, &path, &key).await;
        early.assert_problem(503, "unavailable");
        assert!(!early.header("retry-after").is_empty());
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn what_is_given_back_is_credited_once_and_what_comes_back_too() {
    world(Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::selling() }, async |world| {
        sell_with_tax(world).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        let cart = sold(world, EMAIL, Value::Null).await;
        let year = world.clock.now().format("%y").to_string();
        let refunded = async |body: Value| {
            let reply = refund(world, &key, &cart, &body).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            world.drain().await;
            reply.json["refund_id"].as_str().unwrap().to_owned()
        };
        let documents = async || -> Vec<(String, i64)> {
            let order = order(world, &key, &cart).await;
            numbers(&order).into_iter().map(|(number, _, total)| (number.replace(&year, ""), total)).collect()
        };
        let entry = |number: &str, total| (number.to_owned(), total);
        refunded(json!({ "items": [], "amount": 50 })).await;
        assert_eq!(documents().await, [entry("IN-000001", 19_900), entry("CN-000001", 5_000)]);
        let mails = world.emails(EMAIL).await;
        let mail = mails.iter().find(|mail| mail["subject"].as_str().unwrap().contains("refund")).unwrap();
        assert_eq!(mail["attachments"][0]["name"], format!("CN{year}-000001.pdf"));
        // The second one fails later: its credit note stays, and the next one credits only what it did not.
        let failing = refunded(json!({ "items": [], "amount": 60 })).await;
        let id: String = sqlx::query_scalar("SELECT provider_reference FROM refunds WHERE id = $1::uuid")
            .bind(&failing)
            .fetch_one(&world.db)
            .await
            .unwrap();
        world.sim(Method::POST, &format!("/_sim/refunds/{id}/fail"), Some(json!({}))).await;
        world
            .eventually("the refund has failed", async |world| {
                count(world, "SELECT count(*) FROM refunds WHERE state = 'failed'").await == 1
            })
            .await;
        refunded(json!({ "items": [], "amount": 40 })).await;
        assert_eq!(documents().await.len(), 3, "what it gave back was credited before");
        refunded(json!({})).await;
        let issued = documents().await;
        assert_eq!(issued[2..], [entry("CN-000002", 6_000), entry("CN-000003", 8_900)]);
        // Together, the credit notes take back the invoice, to the cent of its tax.
        let order = order(world, &key, &cart).await;
        let (mut total, mut tax) = (0, 0);
        for document in &order["documents"].as_array().unwrap()[1..] {
            let said = content(world, &key, document).await;
            assert_eq!(said["refers_to"], format!("IN{year}-000001"));
            (total, tax) = (total + cents(&said["total"]), tax + cents(&said["tax"]));
        }
        assert_eq!((total, tax), (19_900, 3_177));
        let kept = "SELECT coalesce(sum(amount), 0)::bigint FROM ledger";
        assert_eq!(count(world, kept).await, 0);
        assert_eq!(count(world, "SELECT coalesce(sum(tax), 0)::bigint FROM ledger").await, 0);
        assert_eq!(count(world, "SELECT count(*) FROM documents_due").await, 0);
    })
    .await;
}

#[tokio::test]
async fn refunds_of_the_dashboard_are_credited_and_taxes_on_top_are_shown_by_component() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let terms = json!({ "prices_include_tax": false, "fiscal_year_starts": 4 });
        let mut igst = rate(SHOP, "IN/Karnataka", &[("CGST", 9.0), ("SGST", 9.0)]);
        igst["note"] = json!("Reverse charge: no.");
        import(world, &[seller(SHOP, "IN", terms), igst]).await.unwrap();
        let key = key(world, SHOP.short_name, &[Scope::Orders]).await;
        let cart = sold(world, EMAIL, json!({ "country": "IN", "state": "karnataka" })).await;
        world.drain().await;
        let said = content(world, &key, &order(world, &key, &cart).await["documents"][0]).await;
        // 199.00 × 18 % = 35.82, of which half is each.
        assert_eq!(
            (cents(&said["net"]), cents(&said["tax"]), cents(&said["total"])),
            (19_900, 3_582, 23_482)
        );
        let of = |nth: usize| (said["taxes"][nth]["name"].clone(), cents(&said["taxes"][nth]["tax"]));
        assert_eq!((of(0), of(1)), ((json!("CGST"), 1_791), (json!("SGST"), 1_791)));
        assert_eq!(said["notes"], json!(["Reverse charge: no."]));
        let payment = world.payment(&cart).await;
        world.at_provider("refund", reference(&payment), json!({ "amount": 11_741 })).await;
        world
            .eventually("the refund is credited", async |world| {
                count(world, "SELECT count(*) FROM documents WHERE kind = 'credit_note'").await == 1
            })
            .await;
        world.drain().await;
        let note = content(world, &key, &order(world, &key, &cart).await["documents"][1]).await;
        assert_eq!((cents(&note["total"]), cents(&note["tax"])), (11_741, 1_791));
        let booked = "SELECT coalesce(sum(tax), 0)::bigint FROM ledger";
        assert_eq!(count(world, booked).await, 1_791);
        // What was sold needs its seller for good.
        let mut without = seller(SHOP, "IN", json!({}));
        without.as_object_mut().unwrap().remove("seller");
        let refused = import(world, &[without]).await.unwrap_err();
        assert!(refused.contains("northwind: its record no longer has a seller"), "{refused}");
    })
    .await;
}

#[tokio::test]
async fn a_learner_corrects_the_buyer_of_their_own_orders_alone() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let cart = sold(world, EMAIL, json!({ "name": "Ada", "country": "DE" })).await;
        world.drain().await;
        let correct = async |email: &str, company: &str| {
            let user = learner(world, email).await;
            let cookie = format!("sessionid={}", user["sessionid"].as_str().unwrap());
            let path = format!("/storeapi/payment/orders/{cart}/invoice/");
            let body = json!({ "billing_address": { "company": company, "country": "DE" } });
            let request = world.http.post(world.url(&path)).json(&body).header("origin", "http://store.test");
            Reply::read(request.header("cookie", cookie)).await
        };
        correct("eve@example.com", "Eve Ltd.").await.assert_problem(404, "not_found");
        let own = correct(EMAIL, "Engines & Sons").await;
        assert_eq!(own.status, 200, "{}", own.text);
        assert_eq!(own.json["documents"].as_array().unwrap().len(), 3);
        assert!(own.json.get("billing_address").is_none(), "only a key sees it");
    })
    .await;
}

#[tokio::test]
async fn without_a_seller_or_a_charge_there_is_no_document() {
    world(Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::selling() }, async |world| {
        world.sell().await;
        let (before, _) = bought(world, SHOP, EMAIL).await;
        import(world, &[seller(SHOP, "DE", json!({}))]).await.unwrap();
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        // Paid before there was a seller: neither the sale nor its refund is documented.
        refund(world, &key, &before, &json!({ "items": [], "amount": 10 })).await;
        let mut free = world.basket(SHOP).await;
        free["email"] = json!(EMAIL);
        free["items"] =
            json!([{ "type": "course", "id": harness::steps::demo::FREE_COURSE, "mode": "audit" }]);
        world.post(GUEST_CHECKOUT, &free).await;
        world.drain().await;
        let none = "SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM documents_due)";
        assert_eq!(count(world, none).await, 0);
        // Without a rate, an invoice shows no tax. Its order waits for an operator and has no receipt: the reconciler
        // issues it.
        let (cart, _) = begun(world, SHOP, "grace@example.com").await;
        sqlx::query("UPDATE carts SET grant_blocked_at = now() WHERE id = $1::uuid")
            .bind(&cart)
            .execute(&world.db)
            .await
            .unwrap();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "paid").await;
        assert_eq!(count(world, "SELECT count(*) FROM documents_due").await, 1);
        sqlx::query("UPDATE documents_due SET next_attempt_at = since").execute(&world.db).await.unwrap();
        world
            .eventually("the invoice is issued", async |world| {
                count(world, "SELECT count(*) FROM document_files").await == 1
            })
            .await;
        let order = order(world, &key, &cart).await;
        let said = content(world, &key, &order["documents"][0]).await;
        assert_eq!((&said["taxes"], &said["tax"], &said["net"]), (&json!([]), &json!(0), &json!(199)));
        world.eventually("nothing waits", async |world| world.waiting("documents_missing").await == 0).await;
    })
    .await;
}

/// Sells the shop's course to this guest, who repeats what got no answer, as a client does, and pays at the provider.
async fn sell_in_trouble(world: &World, nth: usize) {
    let mut body = world.basket(SHOP).await;
    body["email"] = json!(format!("buyer{nth}@example.com"));
    loop {
        let request =
            world.request(Method::POST, GUEST_CHECKOUT).header("idempotency-key", format!("sale-{nth}"));
        let begun = Reply::read(request.json(&body)).await;
        if begun.status == 200 {
            return world.at_provider("pay", &world.payment_told(&begun).await, json!({})).await;
        }
        assert!([409, 503, 504].contains(&begun.status), "{}", begun.text);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Sums what the shop has: by its documents, by its ledger, and at the provider.
async fn sums(world: &World) -> (i64, i64, i64) {
    let documents = "SELECT sum(CASE kind WHEN 'invoice' THEN total ELSE -total END)::bigint FROM documents";
    let payments = world.sim(Method::GET, "/_sim/payments", None).await;
    let held =
        |payment: &Value| payment["captured"].as_i64().unwrap() - payment["refunded"].as_i64().unwrap();
    (
        count(world, documents).await,
        count(world, "SELECT sum(amount)::bigint FROM ledger").await,
        payments.as_array().unwrap().iter().map(held).sum(),
    )
}

#[tokio::test]
#[ignore = "slow"]
async fn a_thousand_invoices_of_four_workers_that_die_have_the_numbers_from_one_to_a_thousand() {
    let setup = Setup {
        workers: 0,
        worker_args: vec!["--reconcile-every=1s".into()],
        api_args: vec!["--ask-deadline=3s".into()],
        ..Setup::selling()
    };
    world(setup, async |world| {
        sell_with_tax(world).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        let mut workers: Vec<WorkerProcess> = (0..4).map(|_| WorkerProcess::start(world)).collect();
        let world = &*world;
        let sales = async {
            futures_util::stream::iter(0..1_000)
                .for_each_concurrent(8, |nth| sell_in_trouble(world, nth))
                .await;
        };
        let issued = "SELECT count(*) FROM documents";
        let deaths = async {
            for deaths in 1..=6 {
                let mut more = async |world: &World| count(world, issued).await >= deaths * 150;
                world.eventually_within(Duration::from_secs(240), "more are issued", &mut more).await;
                workers.remove(0);
                workers.push(WorkerProcess::start(world));
            }
        };
        tokio::join!(sales, deaths);
        let mut all = async |world: &World| count(world, "SELECT count(*) FROM document_files").await == 1_000;
        world.eventually_within(Duration::from_secs(240), "all are rendered", &mut all).await;
        let rows: Vec<(String, i64, bool)> = sqlx::query_as(
            "SELECT number, total, issued_at >= lag(issued_at, 1, issued_at) OVER (ORDER BY number) FROM documents ORDER BY number",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        let year = world.clock.now().format("%y");
        for (index, (number, total, is_in_order)) in rows.iter().enumerate() {
            assert_eq!((number, *total), (&format!("IN{year}-{:06}", index + 1), 19_900));
            assert!(is_in_order, "{number} is older than the one before it");
        }
        assert_eq!(count(world, "SELECT count(DISTINCT cart_id) FROM documents").await, 1_000);
        assert_eq!(sums(world).await, (19_900_000, 19_900_000, 19_900_000));
        credit_forty(world, &key).await;
        world.settle().await;
        drop(workers);
    })
    .await;
}

/// Gives forty of a thousand sales back, each second one in part, and compares documents, ledger and provider again.
async fn credit_forty(world: &World, key: &str) {
    let carts: Vec<Uuid> =
        sqlx::query_scalar("SELECT id FROM carts ORDER BY id LIMIT 40").fetch_all(&world.db).await.unwrap();
    for (nth, cart) in carts.iter().enumerate() {
        let body = if nth % 2 == 0 { json!({}) } else { json!({ "items": [0], "amount": 33.33 }) };
        let (cart, idempotency) = (cart.to_string(), Uuid::now_v7().to_string());
        let mut refunded = refund_again(world, key, &cart, &body, &idempotency).await;
        while refunded.status == 504 {
            // Beside other work the answer may be late: asking again under the same key refunds once.
            refunded = refund_again(world, key, &cart, &body, &idempotency).await;
        }
        assert!([200, 202].contains(&refunded.status), "{}", refunded.text);
    }
    let credited = "SELECT count(*) FROM documents WHERE kind = 'credit_note'";
    let mut all = async |world: &World| count(world, credited).await == 40;
    world.eventually_within(Duration::from_secs(60), "all are credited", &mut all).await;
    let left = 19_900_000 - 20 * 19_900 - 20 * 3_333;
    assert_eq!(sums(world).await, (left, left, left));
}

#[tokio::test]
async fn the_database_rewrites_no_document_and_gives_no_number_twice() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        let before: HashMap<Uuid, Value> = sqlx::query_as("SELECT id, content FROM documents")
            .fetch_all(&world.db)
            .await
            .unwrap()
            .into_iter()
            .collect();
        for statement in [
            "UPDATE documents SET content = '{}'",
            "DELETE FROM documents",
            "UPDATE document_files SET pdf = ''",
            "TRUNCATE documents CASCADE",
            "TRUNCATE document_files",
            "DELETE FROM document_files",
        ] {
            let refused = sqlx::query(statement).execute(&world.db).await.unwrap_err().to_string();
            assert!(refused.contains("append-only") || refused.contains("permission denied") || refused.contains("must be owner"), "{statement}: {refused}");
        }
        let again = "INSERT INTO documents SELECT gen_random_uuid(), organisation_id, kind, number, cart_id, 1, NULL, NULL,
            issued_at, total, currency, content FROM documents";
        let refused = sqlx::query(again).execute(&world.db).await.unwrap_err().to_string();
        assert!(refused.contains("documents_number_key"), "{refused}");
        assert_eq!(before.len(), 1);
    })
    .await;
}
