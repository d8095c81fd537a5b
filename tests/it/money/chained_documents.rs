//! Documents of a chained seller: each carries the digest of the one before it, and what is changed or missing is found and named.

use futures_util::future::join_all;
use harness::steps::invoices::{SHOP, paid, report, requested, sold};
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{order, refund};
use harness::steps::tax::{import, rate, seller};
use harness::steps::vouchers::keyed;
use harness::steps::worker_program::{WorkerProcess, command, operator};
use harness::{Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::organisation_key::Scope;

use crate::invoices::{content, download, text};
use crate::transfer_codes::in_pdf;

const ALL: &[Scope] = &[Scope::Orders, Scope::Events, Scope::Documents, Scope::Refunds];

/// Makes the shop a seller with these terms.
async fn sell_as(world: &World, terms: Value) {
    import(world, &[seller(SHOP, "DE", terms), rate(SHOP, "DE", &[("USt", 19.0)])]).await.unwrap();
}

/// Runs `documents` for the shop's present year.
async fn documents(world: &World, word: &str) -> (bool, String) {
    let year = world.clock.now().format("%Y").to_string();
    operator(world, &["documents", word, SHOP.short_name, &year], &["database-url"]).await
}

/// The manifest of an export, and its further lines.
async fn exported(world: &World) -> (Value, Vec<String>) {
    let year = world.clock.now().format("%Y").to_string();
    let words = ["--log-filter=off", "documents", "export", SHOP.short_name, &year];
    let output = command(world, &words, &["database-url"]).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines().map(str::to_owned);
    (serde_json::from_str(&lines.next().unwrap()).unwrap(), lines.collect())
}

fn sha256(line: &str) -> String {
    Sha256::digest(line.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Verifies an export as its manifest says, with nothing of the storefront. Returns the documents.
fn audited(manifest: &Value, lines: &[String]) -> Vec<Value> {
    let (mut previous, mut position) = (manifest["previous"].clone(), manifest["first_position"].clone());
    let mut documents = Vec::new();
    for line in lines {
        let document: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&document["previous"], &document["position"]), (&previous, &position), "{line}");
        previous = json!(sha256(line));
        position = json!(position.as_i64().unwrap() + 1);
        documents.push(document);
    }
    assert_eq!(previous, manifest["digest"]);
    assert_eq!(position, json!(manifest["last_position"].as_i64().unwrap() + 1));
    assert_eq!(manifest["documents"], json!(lines.len()));
    documents
}

#[tokio::test]
#[ignore = "slow"]
async fn invoices_corrections_and_credit_notes_are_one_chain_that_an_auditor_verifies() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let url = "https://check.example/{number}?day={date}&total={total}&digest={digest}";
        sell_as(world, json!({ "chained": true, "qr_url": url, "invoice_prefix": "IN/" })).await;
        let own = key(world, SHOP.short_name, ALL).await;
        let first = sold(world, EMAIL, json!({ "name": "Ada \"Müller\" \u{1f600}", "country": "DE" })).await;
        world.drain().await;
        let body = json!({ "billing_address": { "company": "Engines & Sons", "country": "DE" } });
        let path = format!("/storeapi/payment/orders/{first}/invoice/");
        let corrected = keyed(world, Method::POST, &path, &own, &body).await;
        assert_eq!(corrected.status, 200, "{}", corrected.text);
        let second = sold(world, "bea@example.com", Value::Null).await;
        world.drain().await;
        for amount in [33.33, 10.0] {
            let refunded = refund(world, &own, &second, &json!({ "items": [0], "amount": amount })).await;
            assert_eq!(refunded.status, 200, "{}", refunded.text);
            world.drain().await;
        }

        let (ok, said) = documents(world, "verify").await;
        assert!(ok && said.contains(": documents 1 to 6 of the chain are as they were issued"), "{said}");
        assert!(!said.contains("outside"), "{said}");
        let (manifest, lines) = exported(world).await;
        let chain = audited(&manifest, &lines);
        assert!(said.contains(manifest["digest"].as_str().unwrap()));
        let numbers: Vec<&str> =
            chain.iter().map(|one| one["document"]["number"].as_str().unwrap()).collect();
        let year = world.clock.now().format("%y").to_string();
        let expected = ["IN/-1", "IN/-2", "CN-1", "IN/-3", "CN-2", "CN-3"];
        assert_eq!(numbers, expected.map(|number| number.replace('-', &format!("{year}-00000"))));

        // The documents show their own place, and the code on them leads to their digest.
        let shown = [order(world, &own, &first).await, order(world, &own, &second).await];
        for document in shown.iter().flat_map(|order| order["documents"].as_array().unwrap()) {
            let mut said = content(world, &own, document).await;
            let place = said.as_object_mut().unwrap().remove("chain").unwrap();
            let line = chain.iter().position(|one| one["document_id"] == document["document_id"]).unwrap();
            assert_eq!(said, chain[line]["document"]);
            let digest = sha256(&lines[line]);
            assert_eq!(
                place,
                json!({ "position": line + 1, "previous": chain[line]["previous"], "digest": digest })
            );
            let (_, pdf) = download(world, document["url"].as_str().unwrap()).await;
            assert!(text(&pdf).contains("Scan this code to check this document"));
            let total = format!("{:.2}", document["total"].as_f64().unwrap());
            let (number, day) = (said["number"].as_str().unwrap(), said["issued_on"].as_str().unwrap());
            let number = number.replace('/', "%2F");
            let expected = format!("https://check.example/{number}?day={day}&total={total}&digest={digest}");
            assert_eq!(in_pdf(&pdf), expected);
        }

        // What an erasure removes is in no document.
        let (ok, erased) = operator(world, &["learners", "erase", EMAIL], &["database-url"]).await;
        assert!(ok, "{erased}");
        assert_eq!(documents(world, "verify").await, (true, said));
        assert_eq!(exported(world).await, (manifest, lines));
    })
    .await;
}

/// Writes the third document again, in another place.
const COPY: &str = "INSERT INTO documents (id, organisation_id, kind, number, cart_id, version, issued_at, total, currency, content,
        chain_position, previous_digest, digest)
    SELECT gen_random_uuid(), organisation_id, kind, 'X', cart_id, 3, issued_at, total, currency, content,
        $1, CASE WHEN $2 THEN digest END, CASE WHEN $3 THEN digest END
    FROM documents WHERE chain_position = 3";

/// Changes of the documents 1 to 5 by an owner of the database, and what the commands say: 1 and 4 are invoices with the credit notes 2
/// and 5, and 3 is an invoice.
const TAMPERING: [(&str, &str); 13] = [
    (
        r#"UPDATE documents SET content = jsonb_set(content, '{buyer,email}', '"x@example.com"') WHERE chain_position = 3"#,
        "document 3, IN",
    ),
    (
        "UPDATE documents SET content = jsonb_set(content, '{total}', '1e300') WHERE chain_position = 3",
        "document 3, IN",
    ),
    ("UPDATE documents SET total = 1 WHERE chain_position = 2", "document 2, CN"),
    ("UPDATE documents SET state = 'cancelled' WHERE chain_position = 3", "document 3, IN"),
    ("UPDATE documents SET number = 'IN-9' WHERE chain_position = 4", "document 4, IN-9, has another number"),
    (
        "UPDATE documents SET issued_at = issued_at - interval '1 day' WHERE chain_position = 1",
        "document 1, IN",
    ),
    ("UPDATE documents SET digest = sha256('x') WHERE chain_position = 5", "document 5, CN"),
    (
        "UPDATE documents SET previous_digest = sha256('x') WHERE chain_position = 5",
        "does not carry the digest of the one before it",
    ),
    ("DELETE FROM documents WHERE chain_position = 3", "document 3 is missing"),
    ("DELETE FROM documents WHERE chain_position = 5", "document 5 is missing"),
    ("DELETE FROM documents WHERE chain_position = 1", "document 1 is missing"),
    // Moved into other years.
    (
        r#"UPDATE documents SET content = jsonb_set(content, '{issued_on}', '"2001-01-01"') WHERE chain_position = 1"#,
        "document 1, IN",
    ),
    (
        r#"UPDATE documents SET content = jsonb_set(content, '{issued_on}', '"2101-01-01"') WHERE chain_position = 5"#,
        "document 5, CN",
    ),
];

async fn execute(world: &World, statements: &[&'static str]) {
    for statement in statements {
        sqlx::query(*statement).execute(&world.db).await.unwrap();
    }
}

/// Sells to three buyers, and gives a part back to two of them: documents 1 to 5.
async fn five_documents(world: &World) {
    world.sell().await;
    sell_as(world, json!({ "chained": true })).await;
    let own = key(world, SHOP.short_name, ALL).await;
    for email in [EMAIL, "bea@example.com", "eve@example.com"] {
        let cart = sold(world, email, Value::Null).await;
        world.drain().await;
        if email != "bea@example.com" {
            refund(world, &own, &cart, &json!({ "items": [], "amount": 10 })).await;
            world.drain().await;
        }
    }
}

#[tokio::test]
async fn the_table_refuses_a_gap_and_every_change_for_its_owner_too() {
    world(Setup::selling(), async |world| {
        five_documents(world).await;
        for statement in [
            "UPDATE documents SET digest = sha256('x') WHERE chain_position = 3",
            "UPDATE documents SET chain_position = 9 WHERE chain_position = 5",
            "UPDATE documents SET state = 'cancelled' WHERE chain_position = 5",
            "DELETE FROM documents WHERE chain_position = 5",
        ] {
            let refused = sqlx::query(statement).execute(&world.db).await.unwrap_err();
            assert!(refused.to_string().contains("append-only"), "{statement}: {refused}");
        }
        for (position, has_previous, has_digest, refusal) in [
            (Some(7_i64), true, true, "document 7 of the chain does not follow"),
            (Some(6), true, true, "document 6 of the chain does not follow"),
            (Some(6), false, true, "document 6 of the chain does not follow"),
            (Some(4), true, true, "documents_chain_key"),
            (Some(1), false, true, "documents_chain_key"),
            (Some(1), true, true, "documents_chain_digests"),
            (Some(1), false, false, "documents_chain_digests"),
            (None, false, false, "documents_chained"),
        ] {
            let copied = sqlx::query(COPY).bind(position).bind(has_previous).bind(has_digest);
            let refused = copied.execute(&world.db).await.unwrap_err();
            assert!(refused.to_string().contains(refusal), "{position:?}: {refused}");
        }
        assert!(documents(world, "verify").await.0);
    })
    .await;
}

#[tokio::test]
async fn a_document_that_an_owner_of_the_database_has_changed_or_removed_is_named() {
    world(Setup::selling(), async |world| {
        five_documents(world).await;
        let (ok, said) = documents(world, "verify").await;
        assert!(ok && said.contains("1 to 5 of the chain"), "{said}");
        let prepared = [
            "CREATE TABLE kept AS SELECT * FROM documents",
            "ALTER TABLE document_files DROP CONSTRAINT document_files_document_id_fkey",
            "ALTER TABLE documents DROP CONSTRAINT documents_refers_to_fkey",
            "ALTER TABLE documents DISABLE TRIGGER USER",
        ];
        execute(world, &prepared).await;
        for (tampering, fault) in TAMPERING {
            execute(world, &[tampering]).await;
            for word in ["verify", "export"] {
                let (ok, said) = documents(world, word).await;
                let is_named = said.contains("the chain is broken: ") && said.contains(fault);
                assert!(!ok && is_named, "{tampering}: {said}");
            }
            let restored =
                ["DELETE FROM documents", "INSERT INTO documents SELECT * FROM kept ORDER BY chain_position"];
            execute(world, &restored).await;
        }
        assert_eq!(documents(world, "verify").await, (true, said));
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn workers_that_issue_for_one_seller_at_once_make_one_chain() {
    world(Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::selling() }, async |world| {
        world.sell().await;
        sell_as(world, json!({ "chained": true })).await;
        let own = key(world, SHOP.short_name, ALL).await;
        let workers: Vec<WorkerProcess> = (0..2).map(|_| WorkerProcess::start(world)).collect();
        let world = &*world;
        let sell = async |nth: usize| {
            let mut body = world.basket(SHOP).await;
            body["email"] = json!(format!("buyer{nth}@example.com"));
            paid(world, &body).await
        };
        let carts = join_all((0..16).map(sell)).await;
        let issued = "SELECT count(*) FROM documents";
        world.eventually("all are invoiced", async |world| count(world, issued).await == 16).await;
        // Corrections issue an invoice and a credit note, refunds a credit note.
        let change = async |(nth, cart): (usize, &String)| match nth % 2 {
            0 => {
                let path = format!("/storeapi/payment/orders/{cart}/invoice/");
                let body =
                    json!({ "billing_address": { "company": format!("Engines {nth}"), "country": "DE" } });
                keyed(world, Method::POST, &path, &own, &body).await
            }
            _ => refund(world, &own, cart, &json!({ "items": [0], "amount": 10 })).await,
        };
        for reply in join_all(carts.iter().enumerate().map(change)).await {
            assert_eq!(reply.status, 200, "{}", reply.text);
        }
        world.eventually("all are issued", async |world| count(world, issued).await == 40).await;
        let (ok, said) = documents(world, "verify").await;
        assert!(ok && said.contains("documents 1 to 40 of the chain"), "{said}");
        let (manifest, lines) = exported(world).await;
        audited(&manifest, &lines);
        let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        assert_eq!(count(world, deadlocks).await, 0);
        drop(workers);
    })
    .await;
}

#[tokio::test]
async fn a_chain_begins_with_the_next_document_and_what_is_outside_of_it_is_counted() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (ok, said) = documents(world, "verify").await;
        assert!(!ok && said.contains("is not a seller"), "{said}");
        let sell = async |chained: bool, email: &str| {
            sell_as(world, json!({ "chained": chained })).await;
            let cart = sold(world, email, Value::Null).await;
            world.drain().await;
            cart
        };
        sell(false, EMAIL).await;
        let (ok, said) = documents(world, "verify").await;
        assert!(!ok && said.contains("is in the chain; outside of it: 1"), "{said}");
        sell(true, "bea@example.com").await;
        let (ok, said) = documents(world, "verify").await;
        assert!(
            ok && said.contains("documents 1 to 1 of the chain")
                && said.contains("without `chained`: 1, from"),
            "{said}"
        );
        sell(true, "cleo@example.com").await;
        sell(false, "dora@example.com").await;
        sell(true, "eve@example.com").await;
        let (ok, said) = documents(world, "verify").await;
        assert!(ok && said.contains("1 to 3 of the chain"), "{said}");
        let day = world.clock.now().format("%Y-%m-%d");
        let outside = format!("without `chained`: 2, from {day} to {day}");
        assert!(said.contains(&outside), "{said}");
        let (manifest, lines) = exported(world).await;
        audited(&manifest, &lines);
        assert_eq!(manifest["unchained"], 2);
        // The next year continues, and lacks the end of this one.
        let next = (world.clock.now() + chrono::TimeDelta::days(366)).format("%Y").to_string();
        let (ok, said) =
            operator(world, &["documents", "verify", SHOP.short_name, &next], &["database-url"]).await;
        assert!(!ok && said.contains("is in the chain; outside of it: 0"), "{said}");
        let (ok, said) =
            operator(world, &["documents", "verify", "atlantis", &next], &["database-url"]).await;
        assert!(!ok && said.contains("there is no organisation atlantis"), "{said}");
    })
    .await;
}

#[tokio::test]
async fn a_chain_of_another_program_and_a_bad_url_of_the_code_are_refused() {
    world(Setup::selling(), async |world| {
        for (terms, fault) in [
            (
                json!({ "chained": true, "documents": "external" }),
                "seller: chained and qr_url are of documents that the storefront issues",
            ),
            (
                json!({ "qr_url": "https://check.example/{digest}" }),
                "seller: qr_url has {digest}, which only documents of a chained",
            ),
            (json!({ "qr_url": "check.example/{number}" }), "seller: qr_url is not an http or https URL"),
            (json!({ "qr_url": "https://check.example/{no}" }), "seller: qr_url has {no}, which is none of"),
        ] {
            let refused = import(world, &[seller(SHOP, "DE", terms)]).await.unwrap_err();
            assert!(refused.contains(fault), "{refused}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_document_that_an_authority_clears_is_chained_as_it_was_requested() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        sell_as(world, json!({ "chained": true, "documents": "cleared" })).await;
        let own = key(world, SHOP.short_name, ALL).await;
        for email in [EMAIL, "bea@example.com"] {
            sold(world, email, Value::Null).await;
            world.drain().await;
        }
        let before = exported(world).await;
        audited(&before.0, &before.1);
        let asked = requested(world, &own).await;
        assert_eq!(asked.len(), 2);
        let cleared =
            json!({ "status": "issued", "clearance": { "authority": "KSeF", "number": "5265877635-1" } });
        assert_eq!(report(world, &own, &asked[0], &cleared).await.status, 200);
        let refused = json!({ "status": "refused", "reason": "the buyer has no tax number" });
        assert_eq!(report(world, &own, &asked[1], &refused).await.status, 200);
        world.drain().await;
        let (ok, said) = documents(world, "verify").await;
        assert!(ok && said.contains("1 to 2 of the chain"), "{said}");
        assert_eq!(exported(world).await, before);
    })
    .await;
}
