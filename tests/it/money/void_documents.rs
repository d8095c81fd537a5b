//! Documents that were refused or cancelled where they are cleared or issued, and what takes their place.

use chrono::Datelike;
use harness::steps::invoices::{SHOP, report, requested, sell_through, sold};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{order, refund};
use harness::steps::vouchers::keyed;
use harness::{Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::invoices::numbers;
use crate::on_account;

const ALL: &[Scope] =
    &[Scope::Orders, Scope::Events, Scope::Documents, Scope::Refunds, Scope::Reports, Scope::Payments];

fn refused() -> Value {
    json!({ "status": "refused", "reason": "tax number unknown" })
}

fn cancelled() -> Value {
    json!({ "status": "cancelled", "reason": "wrong amount" })
}

fn issued() -> Value {
    json!({ "status": "issued" })
}

fn anew() -> Value {
    json!({ "status": "requested" })
}

/// Reports about a document, and waits until all is done.
async fn told(world: &World, key: &str, document: &Value, body: &Value) {
    let reply = report(world, key, document, body).await;
    assert_eq!(reply.status, 200, "{body}: {}", reply.text);
    world.drain().await;
}

/// The newest document that was requested.
async fn newest(world: &World, key: &str) -> Value {
    requested(world, key).await.pop().unwrap()
}

/// The tax report's sum of today, and the documents that the month lacks: kind and amount.
async fn books(world: &World, key: &str) -> (Value, Vec<(Value, Value)>) {
    let now = world.clock.now().date_naive();
    let taxes = get(world, &format!("/storeapi/reports/taxes/?format=json&from={now}&to={now}"), key).await;
    let month = format!("/storeapi/reports/month/?month={}-{:02}", now.year(), now.month());
    let month = get(world, &month, key).await;
    let lacking = month.json["missing_documents"].as_array().unwrap().iter();
    let lacking = lacking.map(|row| (row["kind"].clone(), row["amount"].clone())).collect();
    (taxes.json[0]["net"].clone(), lacking)
}

async fn alerts(world: &World) -> i64 {
    count(world, "SELECT count(*) FROM transactions WHERE alert IS NOT NULL").await
}

/// A price of 199.00 has 31.77 as German tax; 50.00 of it have 7.98.
#[tokio::test]
#[ignore = "slow"]
async fn a_refused_credit_note_is_requested_anew_and_the_tax_report_is_right_again() {
    world(Setup::selling(), async |world| {
        sell_through(world, "cleared").await;
        let own = key(world, SHOP.short_name, ALL).await;
        let cart = sold(world, EMAIL, json!({ "country": "DE" })).await;
        world.drain().await;
        let invoice = newest(world, &own).await;
        report(world, &own, &invoice, &anew()).await;
        assert_eq!(requested(world, &own).await.len(), 1, "it waits already");
        told(world, &own, &invoice, &issued()).await;
        report(world, &own, &invoice, &anew()).await.assert_problem(409, "contradiction");
        assert_eq!(refund(world, &own, &cart, &json!({ "items": [], "amount": 50 })).await.status, 200);
        world.drain().await;
        let note = newest(world, &own).await;
        let lacking = vec![(json!("credit_note"), json!(50))];
        told(world, &own, &note, &refused()).await;
        assert_eq!(books(world, &own).await, (json!(167.23), lacking.clone()));
        assert_eq!(alerts(world).await, 1);
        for _ in 0..2 {
            told(world, &own, &note, &anew()).await;
        }
        assert_eq!((requested(world, &own).await.len(), alerts(world).await), (3, 0));
        report(world, &own, &note, &issued()).await.assert_problem(409, "contradiction");
        let second = newest(world, &own).await;
        assert_eq!((&second["refers_to"], &second["total"]), (&invoice["number"], &json!(50)), "{second}");
        told(world, &own, &second, &issued()).await;
        assert_eq!(books(world, &own).await, (json!(125.21), vec![]));
        // The buyer has got it, so that one in its place follows in a mail of its own.
        let mails = world.emails(EMAIL).await.len();
        told(world, &own, &second, &cancelled()).await;
        assert_eq!(books(world, &own).await, (json!(167.23), lacking));
        told(world, &own, &second, &anew()).await;
        told(world, &own, &newest(world, &own).await, &issued()).await;
        assert_eq!(books(world, &own).await, (json!(125.21), vec![]));
        assert_eq!((world.emails(EMAIL).await.len(), alerts(world).await), (mails + 1, 0));
        assert_eq!(count(world, "SELECT count(*) FROM mails").await, 0);
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_refused_credit_note_does_not_keep_its_invoice_and_credits_the_one_in_its_place() {
    world(Setup::selling(), async |world| {
        sell_through(world, "cleared").await;
        let own = key(world, SHOP.short_name, ALL).await;
        let cart = sold(world, EMAIL, json!({ "country": "DE" })).await;
        world.drain().await;
        let first = newest(world, &own).await;
        told(world, &own, &first, &issued()).await;
        assert_eq!(refund(world, &own, &cart, &json!({ "items": [], "amount": 50 })).await.status, 200);
        world.drain().await;
        let note = newest(world, &own).await;
        report(world, &own, &first, &cancelled()).await.assert_problem(409, "contradiction");
        told(world, &own, &note, &refused()).await;
        told(world, &own, &first, &cancelled()).await;
        // It would credit an invoice that does not count.
        report(world, &own, &note, &issued()).await.assert_problem(409, "contradiction");
        assert_eq!(books(world, &own).await.1.len(), 2);
        told(world, &own, &first, &anew()).await;
        let second = newest(world, &own).await;
        told(world, &own, &second, &issued()).await;
        told(world, &own, &note, &anew()).await;
        let anew = newest(world, &own).await;
        assert_eq!((&anew["kind"], &anew["refers_to"]), (&json!("credit_note"), &second["number"]));
        told(world, &own, &anew, &issued()).await;
        assert_eq!(books(world, &own).await, (json!(125.21), vec![]));
        let shown = order(world, &own, &cart).await;
        let kinds: Vec<_> = numbers(&shown).into_iter().map(|(_, kind, minor)| (kind, minor)).collect();
        assert_eq!((kinds, alerts(world).await), (vec![("invoice", 19_900), ("credit_note", 5_000)], 0));
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn the_credit_note_of_a_correction_is_requested_anew_and_missing_until_it_is_issued() {
    world(Setup::selling(), async |world| {
        sell_through(world, "cleared").await;
        let own = key(world, SHOP.short_name, ALL).await;
        let cart = sold(world, EMAIL, json!({ "company": "Engines", "country": "DE" })).await;
        world.drain().await;
        told(world, &own, &newest(world, &own).await, &issued()).await;
        let body = json!({ "billing_address": { "company": "Engines Ltd.", "country": "DE" } });
        let path = format!("/storeapi/payment/orders/{cart}/invoice/");
        let corrected = keyed(world, Method::POST, &path, &own, &body).await;
        assert_eq!(corrected.status, 200, "{}", corrected.text);
        world.drain().await;
        let [first, invoice, note] = <[Value; 3]>::try_from(requested(world, &own).await).unwrap();
        let both = vec![(json!("credit_note"), json!(199)), (json!("invoice"), json!(199))];
        assert_eq!(books(world, &own).await, (json!(167.23), both));
        told(world, &own, &invoice, &issued()).await;
        told(world, &own, &note, &refused()).await;
        assert_eq!(books(world, &own).await.1, [(json!("credit_note"), json!(199))]);
        told(world, &own, &note, &anew()).await;
        let second = newest(world, &own).await;
        assert_eq!((&second["refers_to"], &second["total"]), (&first["number"], &json!(199)), "{second}");
        told(world, &own, &second, &issued()).await;
        assert_eq!(books(world, &own).await, (json!(167.23), vec![]));
        // Only the current invoice is issued anew.
        told(world, &own, &second, &cancelled()).await;
        told(world, &own, &first, &cancelled()).await;
        report(world, &own, &first, &anew()).await.assert_problem(409, "contradiction");
        assert_eq!(books(world, &own).await, (json!(167.23), vec![]));
        told(world, &own, &second, &anew()).await;
        assert_eq!(requested(world, &own).await.len(), 4, "its invoice needs it no more");
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn nothing_waits_for_the_refused_invoice_of_a_cancelled_order() {
    for refused_first in [true, false] {
        world(Setup::selling(), async |world| {
            on_account::sells_on_account(world, json!({ "grant": "now" })).await;
            let cleared = r#"UPDATE organisations SET seller = seller || '{"documents": "cleared"}'"#;
            sqlx::query(cleared).execute(&world.db).await.unwrap();
            let own = key(world, SHOP.short_name, ALL).await;
            let cart = on_account::ordered(world, EMAIL).await;
            world.cart_becomes(&cart, "fulfilled").await;
            world.drain().await;
            let invoice = newest(world, &own).await;
            if refused_first {
                told(world, &own, &invoice, &refused()).await;
            }
            assert_eq!(on_account::cancel(world, &own, &cart).await.status, 200);
            world.drain().await;
            if !refused_first {
                told(world, &own, &invoice, &refused()).await;
            }
            world
                .eventually("no mail waits", async |world| {
                    count(world, "SELECT count(*) FROM mails").await == 0
                })
                .await;
            assert_eq!((world.waiting("documents_requested").await, alerts(world).await), (0, 0));
            let subjects: Vec<_> =
                world.emails(EMAIL).await.iter().map(|mail| mail["subject"].clone()).collect();
            assert!(
                !subjects.iter().any(|subject| subject.as_str().unwrap().contains("nvoice")),
                "{subjects:?}"
            );
            assert_eq!(order(world, &own, &cart).await["documents"], json!([]));
            report(world, &own, &invoice, &issued()).await.assert_problem(409, "contradiction");
        })
        .await;
    }
}
