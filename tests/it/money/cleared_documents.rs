//! Documents that an authority clears: frozen and numbered here, and the buyer's once a partner has reported the clearance.

use chrono::TimeDelta;
use harness::steps::invoices::{SHOP, report, requested, sell_through, sell_with_tax, sold};
use harness::steps::learner_cart::learner;
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{at_provider, order, refund};
use harness::steps::vouchers::keyed;
use harness::steps::worker_program::operator;
use harness::{Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::messages::{Message, SendEmail};
use shared::organisation_key::Scope;
use uuid::Uuid;

use crate::invoices::{content, download, numbers, text};

const ALL: &[Scope] = &[Scope::Orders, Scope::Events, Scope::Documents, Scope::Refunds, Scope::Reports];

/// Clearances as an authority of Poland and one of India give them.
fn cleared() -> Value {
    json!({ "status": "issued", "clearance": { "authority": "KSeF", "number": "5265877635-20261124-0100001AF629-AF",
        "at": "2026-11-24T10:20:30+01:00", "qr": "https://ksef.example/invoice/5265877635/24-11-2026/UtQp9Gpc51y" },
        "file": { "media_type": "application/xml", "base64": "PEZhLz4=" } })
}

fn signed() -> Value {
    json!({ "status": "issued", "clearance": { "number": "a5c12dca80e743321740b001fd70953e", "qr": "e".repeat(900) } })
}

/// The mails about money that the buyer has got: their subjects, and the names of what is attached.
async fn mails(world: &World) -> Vec<(String, Vec<String>)> {
    let mails = world.emails(EMAIL).await;
    let attached = |mail: &Value| {
        let attachments = mail["attachments"].as_array().cloned().unwrap_or_default();
        attachments.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let about_money =
        mails.iter().filter(|mail| !mail["subject"].as_str().unwrap().starts_with("Your place"));
    about_money.map(|mail| (mail["subject"].as_str().unwrap().to_owned(), attached(mail))).collect()
}

async fn path_with(world: &World, key: &str, document: &Value, accept: &str) -> Reply {
    let path = format!("/storeapi/payment/documents/{}/", document["document_id"].as_str().unwrap());
    let request = world.http.get(world.url(&path)).header("organisationapikey", key);
    Reply::read(request.header("accept", accept)).await
}

#[tokio::test]
#[ignore = "slow"]
async fn a_cleared_invoice_is_the_buyers_once_it_is_reported_with_number_and_code() {
    world(Setup::selling(), async |world| {
        sell_through(world, "cleared").await;
        let own = key(world, SHOP.short_name, ALL).await;
        let cart = sold(world, EMAIL, json!({ "company": "Engines & Sons", "country": "DE" })).await;
        world.drain().await;
        let number = format!("IN{}-000001", world.clock.now().format("%y"));
        let [asked] = <[Value; 1]>::try_from(requested(world, &own).await).unwrap();
        assert_eq!(
            (&asked["number"], &asked["cart_id"], &asked["kind"], &asked["total"]),
            (&json!(number), &json!(cart), &json!("invoice"), &json!(199))
        );
        assert_eq!(asked["document"]["buyer"]["company"], "Engines & Sons");
        assert!(asked["e_invoice"].as_str().unwrap().contains(&number), "{asked}");

        // The seller's own systems alone see it, and the receipt waits.
        assert_eq!(order(world, &own, &cart).await["documents"], json!([]));
        assert_eq!(mails(world).await, []);
        let user = learner(world, EMAIL).await;
        let path = format!("/storeapi/payment/documents/{}/", asked["document_id"].as_str().unwrap());
        let cookie = format!("sessionid={}", user["sessionid"].as_str().unwrap());
        let by_buyer = async |world: &World| {
            Reply::read(world.http.get(world.url(&path)).header("cookie", &cookie)).await
        };
        by_buyer(world).await.assert_problem(404, "not_found");
        path_with(world, &own, &asked, "application/pdf").await.assert_problem(406, "not_acceptable");
        assert_eq!(
            path_with(world, &own, &asked, "application/xml").await.text,
            asked["e_invoice"].as_str().unwrap()
        );
        assert_eq!(path_with(world, &own, &asked, "application/json").await.json, asked["document"]);
        assert_eq!(count(world, "SELECT count(*) FROM documents_due").await, 0, "its report makes it due");

        let reply = report(world, &own, &asked, &cleared()).await;
        assert_eq!((reply.status, &reply.json["status"]), (200, &json!("issued")), "{}", reply.text);
        world.drain().await;
        let shown = order(world, &own, &cart).await;
        assert_eq!(numbers(&shown), [(number.as_str(), "invoice", 19_900)]);
        let [(subject, attached)] = <[_; 1]>::try_from(mails(world).await).unwrap();
        assert!(
            subject.contains("receipt") && attached == [format!("{number}.pdf")],
            "{subject} {attached:?}"
        );
        let (status, pdf) = download(world, shown["documents"][0]["url"].as_str().unwrap()).await;
        let said = text(&pdf);
        for part in [&number, "KSeF", "5265877635-20261124-0100001AF629-AF", "10:20:30 UTC+01:00"] {
            assert!(status == 200 && said.contains(part), "{part} is missing: {said}");
        }
        assert_eq!(by_buyer(world).await.status, 200);
        let ubl = path_with(world, &own, &asked, "application/xml").await.text;
        assert!(ubl.contains("<cbc:ID>5265877635-20261124-0100001AF629-AF</cbc:ID>"), "{ubl}");
        assert!(ubl.contains("<cbc:URI>https://ksef.example/invoice/"), "{ubl}");
        let said = content(world, &own, &asked).await;
        assert_eq!(said["clearance"], cleared()["clearance"]);
        let original = get(world, &format!("{path}original/"), &own).await;
        assert_eq!((original.status, original.text.as_str()), (200, "<Fa/>"));
        let told = get(world, "/storeapi/events/?types=document.issued", &own).await.json;
        assert_eq!(told["events"][0]["data"]["document_id"], asked["document_id"]);
    })
    .await;
}

#[tokio::test]
async fn the_same_report_again_changes_nothing_and_another_one_is_refused() {
    world(Setup::selling(), async |world| {
        sell_through(world, "cleared").await;
        let own = key(world, SHOP.short_name, ALL).await;
        let cart = sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        let asked = requested(world, &own).await[0].clone();
        let first = report(world, &own, &asked, &signed()).await;
        assert_eq!(first.status, 200, "{}", first.text);
        world.drain().await;
        let before = count(world, "SELECT count(*) FROM audit_log").await;
        assert_eq!(report(world, &own, &asked, &signed()).await.json, first.json);
        let refused = json!({ "status": "refused", "reason": "no" });
        for other in [&cleared(), &json!({ "status": "issued" }), &refused] {
            report(world, &own, &asked, other).await.assert_problem(409, "contradiction");
        }
        world.drain().await;
        assert_eq!(count(world, "SELECT count(*) FROM audit_log").await, before);
        assert_eq!(count(world, "SELECT count(*) FROM document_files").await, 1);
        // A signed text makes a code, and no link.
        assert!(!path_with(world, &own, &asked, "application/xml").await.text.contains("<cbc:URI>"));

        let cancelled = json!({ "status": "cancelled", "reason": "wrong buyer" });
        let reply = report(world, &own, &asked, &cancelled).await;
        assert_eq!(
            (&reply.json["status"], &reply.json["reason"]),
            (&json!("cancelled"), &json!("wrong buyer"))
        );
        assert_eq!(report(world, &own, &asked, &cancelled).await.json, reply.json);
        assert_eq!(
            report(world, &own, &asked, &signed()).await.json["status"],
            "cancelled",
            "an old report again"
        );
        report(world, &own, &asked, &refused).await.assert_problem(409, "contradiction");
        world.drain().await;
        assert_eq!(order(world, &own, &cart).await["documents"], json!([]));
        let told = get(world, "/storeapi/events/?types=document.cancelled", &own).await.json;
        assert_eq!(told["events"][0]["data"]["number"], asked["number"]);
        let today = world.clock.now().format("%Y-%m-%d");
        let taxes =
            get(world, &format!("/storeapi/reports/taxes/?format=json&from={today}&to={today}"), &own).await;
        assert_eq!(taxes.json, json!([]), "{}", taxes.text);
        let alert = "SELECT count(*) FROM transactions WHERE alert LIKE '%was cancelled: wrong buyer'";
        assert_eq!(count(world, alert).await, 1);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_receipt_goes_without_its_invoice_after_a_while_and_the_invoice_follows() {
    let worker_args = vec!["--reconcile-every=200ms".into(), "--document-wait=15m".into()];
    world(Setup { worker_args, ..Setup::selling() }, async |world| {
        sell_through(world, "cleared").await;
        let own = key(world, SHOP.short_name, ALL).await;
        sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        world.clock.advance(TimeDelta::minutes(14));
        world.settle().await;
        assert_eq!(mails(world).await, []);
        world.clock.advance(TimeDelta::minutes(2));
        world.eventually("the receipt has gone", async |world| mails(world).await.len() == 1).await;
        world.drain().await;
        let [(receipt, attached)] = <[_; 1]>::try_from(mails(world).await).unwrap();
        assert!(receipt.contains("receipt") && attached.is_empty(), "{receipt}: {attached:?}");
        // It waits for as long as it takes, and longer than mails are kept otherwise.
        world.clock.advance(TimeDelta::days(40));
        world.settle().await;
        let asked = requested(world, &own).await;
        assert_eq!(asked, [] as [Value; 0], "the feed has forgotten it");
        let id: uuid::Uuid =
            sqlx::query_scalar("SELECT id FROM documents").fetch_one(&world.db).await.unwrap();
        let asked = json!({ "document_id": id });
        assert_eq!(report(world, &own, &asked, &cleared()).await.status, 200);
        world.eventually("the invoice has followed", async |world| mails(world).await.len() == 2).await;
        let (subject, attached) = mails(world).await.pop().unwrap();
        assert!(subject.contains("Your document") && attached.len() == 1, "{subject}: {attached:?}");
        world.drain().await;
        assert_eq!(count(world, "SELECT count(*) FROM mails").await, 0);
    })
    .await;
}

/// The task that its document releases is another one than the task that has put it off.
#[tokio::test]
#[ignore = "slow"]
async fn a_mail_that_another_task_repeats_has_the_same_message_id() {
    world(Setup::selling(), async |world| {
        sell_through(world, "cleared").await;
        let own = key(world, SHOP.short_name, ALL).await;
        sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        let mail_id: Uuid = sqlx::query_scalar("SELECT id FROM mails").fetch_one(&world.db).await.unwrap();
        let [asked] = <[Value; 1]>::try_from(requested(world, &own).await).unwrap();
        world.fault(json!({ "target": "smtp", "kind": "lost_answer" })).await;
        assert_eq!(report(world, &own, &asked, &cleared()).await.status, 200);
        world.eventually("the receipt has gone", async |world| mails(world).await.len() == 1).await;
        let task = serde_json::to_vec(&SendEmail { mail_id }).unwrap();
        world.publish_raw(SendEmail::KIND, &Uuid::now_v7().to_string(), &task).await;
        world.drain().await;
        let sent = world.emails(EMAIL).await;
        let ids: Vec<_> = sent
            .iter()
            .filter(|mail| mail["subject"].as_str().unwrap().contains("receipt"))
            .map(|mail| &mail["message_id"])
            .collect();
        assert!(ids.len() == 2 && ids[0] == ids[1], "{ids:?}");
        assert!(ids[0].as_str().unwrap().starts_with(&mail_id.to_string()), "{ids:?}");
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_refused_invoice_is_issued_late_or_anew_for_another_buyer() {
    world(Setup::selling(), async |world| {
        sell_through(world, "cleared").await;
        let own = key(world, SHOP.short_name, ALL).await;
        let cart = sold(world, EMAIL, json!({ "company": "Engines", "country": "DE" })).await;
        world.drain().await;
        let first = requested(world, &own).await[0].clone();
        let alerts = async |like: &str| {
            let alerts =
                sqlx::query_scalar::<_, i64>("SELECT count(*) FROM transactions WHERE alert LIKE $1");
            alerts.bind(like).fetch_one(&world.db).await.unwrap()
        };
        let refused = |reason: &str| json!({ "status": "refused", "reason": reason });
        let reply = report(world, &own, &first, &refused("tax number unknown")).await;
        assert_eq!(
            (reply.status, &reply.json["reason"]),
            (200, &json!("tax number unknown")),
            "{}",
            reply.text
        );
        assert_eq!(alerts("invoice IN%-000001 was refused: tax number unknown").await, 1);
        assert_eq!(report(world, &own, &first, &refused("tax number unknown")).await.json, reply.json);
        // The authority was unavailable; now it says why.
        let reply = report(world, &own, &first, &refused("country missing")).await;
        assert_eq!(
            (&reply.json["status"], &reply.json["reason"]),
            (&json!("refused"), &json!("country missing"))
        );
        assert_eq!(alerts("invoice IN%-000001 was refused: country missing").await, 1);
        report(world, &own, &first, &json!({ "status": "cancelled", "reason": "x" }))
            .await
            .assert_problem(409, "contradiction");

        // Anew, under the next number, for the buyer that the authority takes. Nothing is credited: it was never issued.
        let body = json!({ "billing_address": { "company": "Engines Ltd.", "country": "DE" } });
        let path = format!("/storeapi/payment/orders/{cart}/invoice/");
        let corrected = keyed(world, Method::POST, &path, &own, &body).await;
        assert_eq!((corrected.status, &corrected.json["documents"]), (200, &json!([])), "{}", corrected.text);
        world.drain().await;
        assert_eq!(alerts("%").await, 0);
        let [_, second] = <[Value; 2]>::try_from(requested(world, &own).await).unwrap();
        assert!(second["number"].as_str().unwrap().ends_with("-000002"), "{second}");
        assert_eq!(second["document"]["buyer"]["company"], "Engines Ltd.");
        let again = keyed(world, Method::POST, &path, &own, &body).await;
        assert_eq!((again.status, requested(world, &own).await.len()), (200, 2), "a repeat does nothing");
        let other = json!({ "billing_address": { "company": "Others", "country": "DE" } });
        keyed(world, Method::POST, &path, &own, &other).await.assert_problem(400, "invalid_request");
        report(world, &own, &first, &cleared()).await.assert_problem(409, "contradiction");

        // Refused as well, and issued after all.
        assert_eq!(report(world, &own, &second, &refused("busy")).await.status, 200);
        assert_eq!(report(world, &own, &second, &cleared()).await.json["status"], "issued");
        assert_eq!(alerts("%").await, 0);
        world.drain().await;
        let shown = order(world, &own, &cart).await;
        assert_eq!(numbers(&shown), [(second["number"].as_str().unwrap(), "invoice", 19_900)]);
        let attached: Vec<_> = mails(world).await.into_iter().map(|(_, attached)| attached.len()).collect();
        assert_eq!(attached, [1, 1], "the receipt and the corrected invoice");
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_refund_waits_for_no_document_and_its_credit_note_waits_for_its_invoice() {
    world(Setup::selling(), async |world| {
        sell_through(world, "cleared").await;
        let own = key(world, SHOP.short_name, ALL).await;
        let cart = sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        let reply = refund(world, &own, &cart, &json!({ "items": [], "amount": 50 })).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        world.drain().await;
        assert_eq!(at_provider(world, &cart).await.len(), 1);
        let [invoice] = <[Value; 1]>::try_from(requested(world, &own).await).unwrap();
        assert_eq!(report(world, &own, &invoice, &cleared()).await.status, 200);
        world.drain().await;
        let [_, note] = <[Value; 2]>::try_from(requested(world, &own).await).unwrap();
        assert_eq!(
            (&note["kind"], &note["refers_to"], &note["total"]),
            (&json!("credit_note"), &invoice["number"], &json!(50))
        );
        assert_eq!(note["document"]["refers_to_cleared"], cleared()["clearance"]["number"]);
        assert!(
            note["e_invoice"].as_str().unwrap().contains("5265877635-20261124-0100001AF629-AF"),
            "{note}"
        );
        assert_eq!(mails(world).await.len(), 1, "the mail about the refund waits for its credit note");
        // An invoice with a credit note is not cancelled before it.
        let cancelled = json!({ "status": "cancelled", "reason": "x" });
        report(world, &own, &invoice, &cancelled).await.assert_problem(409, "contradiction");
        let of_note = json!({ "status": "issued", "clearance": { "number": "note-1" } });
        assert_eq!(report(world, &own, &note, &of_note).await.status, 200);
        world.drain().await;
        let [_, (_, attached)] = <[_; 2]>::try_from(mails(world).await).unwrap();
        assert_eq!(attached, [format!("{}.pdf", note["number"].as_str().unwrap())]);
        let kinds: Vec<_> =
            numbers(&order(world, &own, &cart).await).iter().map(|one| (one.1.to_owned(), one.2)).collect();
        assert_eq!(kinds, [("invoice".to_owned(), 19_900), ("credit_note".to_owned(), 5_000)]);
        assert_eq!(content(world, &own, &note).await["clearance"], of_note["clearance"]);
    })
    .await;
}

#[tokio::test]
async fn an_erased_buyer_is_in_no_event_and_the_document_is_cleared_all_the_same() {
    world(Setup::selling(), async |world| {
        sell_through(world, "cleared").await;
        let own = key(world, SHOP.short_name, ALL).await;
        let address = json!({ "name": "Ada Lovelace", "line1": "12 St James's Square", "country": "DE" });
        let cart = sold(world, EMAIL, address).await;
        world.drain().await;
        let asked = requested(world, &own).await[0].clone();
        assert!(asked["document"].to_string().contains("Lovelace"), "{asked}");
        let (done, said) = operator(world, &["learners", "erase", EMAIL], &["database-url"]).await;
        assert!(done, "{said}");
        let told = requested(world, &own).await[0].clone();
        assert_eq!((&told["document"], &told["e_invoice"]), (&Value::Null, &Value::Null));
        assert_eq!(told["number"], asked["number"]);
        // Books are kept as they were issued: who has to clear one reads it by its route.
        assert_eq!(path_with(world, &own, &asked, "application/json").await.json, asked["document"]);
        assert_eq!(report(world, &own, &asked, &cleared()).await.status, 200);
        world.drain().await;
        assert_eq!(numbers(&order(world, &own, &cart).await).len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_document_is_reported_by_its_own_seller_in_full_and_only_if_another_system_issues_it() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let own = key(world, SHOP.short_name, ALL).await;
        let cart = sold(world, EMAIL, Value::Null).await;
        world.drain().await;
        let document = order(world, &own, &cart).await["documents"][0].clone();
        let reply = report(world, &own, &document, &cleared()).await;
        assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["document_id"]);
        let lacking = key(world, SHOP.short_name, &[Scope::Orders]).await;
        report(world, &lacking, &document, &cleared()).await.assert_problem(403, "forbidden");
        let foreign = key(world, "lindgren", &[Scope::Documents]).await;
        report(world, &foreign, &document, &cleared()).await.assert_problem(404, "not_found");
        let unknown = json!({ "document_id": uuid::Uuid::now_v7() });
        report(world, &own, &unknown, &cleared()).await.assert_problem(404, "not_found");
        let with = |field: &str, value: Value| {
            let mut body = cleared();
            body[field] = value;
            body
        };
        for (body, fields) in [
            (json!({}), &["status"][..]),
            (json!({ "status": "lost" }), &["status"]),
            (json!({ "status": "refused" }), &["reason"]),
            (json!({ "status": "refused", "reason": " " }), &["reason"]),
            (json!({ "status": "cancelled", "reason": "x", "number": "1", "file": { "media_type": "application/pdf", "base64": "YQ==" } }), &["number", "file"]),
            (json!({ "status": "issued", "number": "1" }), &["issued_on", "total"]),
            (json!({ "status": "issued", "number": "1", "issued_on": "2026-11-29", "total": -1 }), &["total"]),
            (json!({ "status": "issued", "number": "x".repeat(65), "issued_on": "29.11.2026", "total": "1" }), &["number", "issued_on", "total"]),
            (with("total", json!(199)), &["clearance", "number", "issued_on"]),
            (with("clearance", json!({ "qr": "" })), &["clearance.qr"]),
            (with("clearance", json!({ "qr": "e".repeat(2001), "at": "today", "irn": "1" })), &["clearance.at", "clearance.qr", "clearance.irn"]),
            (with("file", json!({ "media_type": "text/html", "base64": "?" })), &["file.base64", "file.media_type"]),
            (with("file", json!({ "media_type": "application/xml", "base64": "A".repeat(1_398_104) })), &["file.base64"]),
            (with("more", json!(1)), &["more"]),
        ] {
            let reply = report(world, &own, &document, &body).await;
            assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), fields, "{}", reply.text);
        }
        report(world, &own, &document, &with("file", json!("A".repeat(1_500_000)))).await.assert_problem(413, "body_too_large");
        assert_eq!(count(world, "SELECT count(*) FROM documents WHERE state <> 'issued'").await, 0);
    })
    .await;
}

/// Settlement locks the payment of an order before the note that its documents are due. What does the same the other way round would
/// wait for it while it waits.
#[tokio::test]
async fn reports_and_corrections_wait_for_the_payment_before_they_lock_what_is_due() {
    world(Setup::selling(), async |world| {
        sell_through(world, "cleared").await;
        let own = key(world, SHOP.short_name, ALL).await;
        let cart = sold(world, EMAIL, json!({ "company": "Engines & Sons", "country": "DE" })).await;
        world.drain().await;
        let asked = requested(world, &own).await[0].clone();
        let settle = async || {
            let mut settlement = world.db.begin().await.unwrap();
            let lock = "SELECT FROM transactions WHERE cart_id = $1::uuid FOR UPDATE";
            sqlx::query(lock).bind(&cart).execute(&mut *settlement).await.unwrap();
            let waiting = "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                WHERE NOT l.granted AND a.datname = current_database()";
            world.eventually("the other waits", async |world| count(world, waiting).await > 0).await;
            let note =
                "INSERT INTO documents_due (cart_id, since, next_attempt_at) VALUES ($1::uuid, now(), now())
                ON CONFLICT (cart_id) DO UPDATE SET next_attempt_at = now()";
            sqlx::query(note).bind(&cart).execute(&mut *settlement).await.unwrap();
            settlement.commit().await.unwrap();
        };
        let refused = json!({ "status": "refused", "reason": "the number of the buyer is unknown" });
        let (reply, ()) = tokio::join!(report(world, &own, &asked, &refused), settle());
        assert_eq!(reply.status, 200, "{}", reply.text);
        let path = format!("/storeapi/payment/orders/{cart}/invoice/");
        let body = json!({ "billing_address": { "company": "Engines Ltd.", "country": "DE" } });
        let (reply, ()) = tokio::join!(keyed(world, Method::POST, &path, &own, &body), settle());
        assert_eq!(reply.status, 200, "{}", reply.text);
    })
    .await;
}
