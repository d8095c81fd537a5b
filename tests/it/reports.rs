//! The report of an organisation's ledger.

use chrono::{DateTime, Utc};
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::orders::{pay, refund};
use crate::organisation_keys::{get, key};
use crate::payments::begun;

const REPORT: &str = "/storeapi/reports/ledger/";

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

async fn transaction(world: &World, cart: &str) -> String {
    sqlx::query_scalar("SELECT id::text FROM transactions WHERE cart_id = $1::uuid")
        .bind(cart)
        .fetch_one(&world.db)
        .await
        .unwrap()
}

#[tokio::test]
async fn every_movement_is_a_row_and_a_refunded_sale_adds_up_to_nothing() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let reports = key(world, "northwind", &[Scope::Reports]).await;
        let (cart, payment) = begun(world, &ORGANISATIONS[0], "ada@example.com").await;
        pay(world, &cart, at("2026-03-01T00:00:00Z")).await;
        let refunded = refund(world, &cart, 19_900, "=1+1", at("2026-03-31T23:59:59.999Z")).await;
        let (other, _) = begun(world, &ORGANISATIONS[2], "ada@example.com").await;
        pay(world, &other, at("2026-03-02T00:00:00Z")).await;
        let (late, _) = begun(world, &ORGANISATIONS[0], "bob@example.com").await;
        pay(world, &late, at("2026-04-01T00:00:00Z")).await;

        let reply = get(world, &format!("{REPORT}?from=2026-03-01&to=2026-03-31&format=json"), &reports).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"), "{}", reply.text);
        let transaction = transaction(world, &cart).await;
        let seq: Vec<i64> = reply.json.as_array().unwrap().iter().map(|row| row["seq"].as_i64().unwrap()).collect();
        assert!(seq.is_sorted(), "{seq:?}");
        let row = |seq: i64, at: &str, kind: &str, refund: Option<&str>, amount: i64, reference: &Value, price: Option<i64>| {
            json!({ "seq": seq, "at": at, "kind": kind, "cart_id": cart, "transaction_id": transaction,
                "refund_id": refund, "amount": amount, "tax": 0, "currency": "USD", "gateway": "stripe",
                "provider_reference": reference, "region": null, "list_price": price, "discounts": price.map(|_| 0),
                "voucher_discount": null, "voucher": null, "campaign": null, "document_number": null })
        };
        let expected = json!([
            row(seq[0], "2026-03-01T00:00:00Z", "captured", None, 199, &payment["reference"], Some(199)),
            row(seq[1], "2026-03-31T23:59:59.999Z", "refunded", Some(&refunded), -199, &json!("=1+1"), None),
        ]);
        assert_eq!(reply.json, expected);

        let csv = get(world, &format!("{REPORT}?from=2026-03-01&to=2026-03-31"), &reports).await;
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8; header=present");
        let file = "attachment; filename=\"ledger-2026-03-01-2026-03-31.csv\"";
        assert_eq!((csv.header("content-disposition"), csv.header("cache-control")), (file, "no-store"));
        let expected = format!(
            "seq,at,kind,cart_id,transaction_id,refund_id,amount,tax,currency,gateway,provider_reference,region,list_price,discounts,voucher_discount,voucher,campaign,document_number\r\n\
             {},2026-03-01T00:00:00Z,captured,{cart},{transaction},,199.00,0.00,USD,stripe,{},,199.00,0.00,,,,\r\n\
             {},2026-03-31T23:59:59.999Z,refunded,{cart},{transaction},{refunded},-199.00,0.00,USD,stripe,'=1+1,,,,,,,\r\n",
            seq[0],
            payment["reference"].as_str().unwrap(),
            seq[1],
        );
        assert_eq!(csv.text, expected);

        let none = get(world, &format!("{REPORT}?from=2025-01-01&to=2025-12-31&format=json"), &reports).await;
        assert_eq!((none.status, &none.json), (200, &json!([])));
        let none = get(world, &format!("{REPORT}?from=2025-01-01&to=2025-12-31&format=csv"), &reports).await;
        assert_eq!(none.text.lines().count(), 1, "the header alone");
    })
    .await;
}

/// A sale, with 3,500 chargebacks of a cent and reversals, which balance. Returns a key that reads the report.
async fn with_long_report(world: &World) -> String {
    world.sell().await;
    let reports = key(world, "northwind", &[Scope::Reports]).await;
    let (cart, _) = begun(world, &ORGANISATIONS[0], "ada@example.com").await;
    pay(world, &cart, at("2026-03-01T00:00:00Z")).await;
    sqlx::query(
        "INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway)
         SELECT t.at, organisation_id, kind, cart_id, id, amount, currency, gateway
         FROM (SELECT '2026-03-10T00:00:01Z'::timestamptz - n * interval '1 second' AS at, x.organisation_id, x.cart_id, x.id,
                      x.currency, x.gateway, CASE n % 2 WHEN 0 THEN 'chargeback' ELSE 'chargeback_reversed' END AS kind,
                      CASE n % 2 WHEN 0 THEN -1 ELSE 1 END AS amount
               FROM transactions x, generate_series(1, 3500) n WHERE x.cart_id = $1::uuid) t",
    )
    .bind(cart)
    .execute(&world.db)
    .await
    .unwrap();
    reports
}

#[tokio::test]
async fn a_report_that_is_sent_for_longer_than_connections_may_idle_is_sent_to_its_end() {
    world(Setup::default(), async |world| {
        let reports = with_long_report(world).await;
        world.configure(vec!["--idle-timeout=5ms".to_owned()], Vec::new());
        world.start_api().await;
        let url = format!("http://{}{REPORT}?from=2026-03-01&to=2026-03-31", world.apis[1].public);
        let reply = Reply::read(world.http.get(url).header("organisationapikey", &reports)).await;
        assert_eq!(reply.text.lines().count(), 3502);
    })
    .await;
}

#[tokio::test]
async fn a_long_report_has_every_movement_once_in_order() {
    world(Setup::default(), async |world| {
        let reports = with_long_report(world).await;
        let reply =
            get(world, &format!("{REPORT}?from=2026-03-01&to=2026-03-31&format=json"), &reports).await;
        let rows = reply.json.as_array().unwrap();
        let seq: Vec<i64> = rows.iter().map(|row| row["seq"].as_i64().unwrap()).collect();
        assert_eq!(rows.len(), 3501);
        assert!(
            seq.windows(2).all(|pair| pair[0] < pair[1]),
            "each once, in the order in which they were booked"
        );
        let cents = |row: &Value| (row["amount"].as_f64().unwrap() * 100.0).round();
        assert!((rows.iter().map(cents).sum::<f64>() - 19_900.0).abs() < 0.1);
        let csv = get(world, &format!("{REPORT}?from=2026-03-01&to=2026-03-31"), &reports).await;
        assert_eq!(csv.text.lines().count(), 3502);
        // Days whose movements were booked in another order.
        let day = get(world, &format!("{REPORT}?from=2026-03-10&to=2026-03-10&format=json"), &reports).await;
        assert_eq!(day.json.as_array().unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_wrong_missing_or_reversed_range_is_refused_by_its_field() {
    world(Setup::without_workers(), async |world| {
        let reports = key(world, "northwind", &[Scope::Reports]).await;
        for (query, fields) in [
            ("", &["from", "to"][..]),
            ("from=2026-01-01", &["to"]),
            ("to=2026-01-01", &["from"]),
            ("from=&to=2026-01-01", &["from"]),
            ("from=2026-01-02&to=2026-01-01", &["to"]),
            ("from=2026-01-01&to=2027-01-02", &["to"]),
            ("from=2026-02-29&to=2026-03-01", &["from"]),
            ("from=2026-1-1&to=2026-03-01", &["from"]),
            ("from=2026-01-01T00:00:00Z&to=2026-03-01", &["from"]),
            ("from=01.01.2026&to=%2B2026-03-01", &["from", "to"]),
            ("from=2026-01-01&from=2026-01-02&to=2026-03-01", &["from"]),
            ("from=2026-01-01&to=2026-01-01&format=xlsx", &["format"]),
        ] {
            let refused = get(world, &format!("{REPORT}?{query}"), &reports).await;
            assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), fields, "{query}");
        }
        for query in [
            "from=2026-01-01&to=2026-01-01",
            "from=2024-01-01&to=2024-12-31",
            "from=2026-01-01&to=2027-01-01",
        ] {
            assert_eq!(get(world, &format!("{REPORT}?{query}"), &reports).await.status, 200, "{query}");
        }
        for query in ["from=0000-01-01&to=0000-01-01", "from=9999-12-31&to=9999-12-31"] {
            assert_eq!(get(world, &format!("{REPORT}?{query}"), &reports).await.status, 200, "{query}");
        }
        world.postgres.cut();
        get(world, &format!("{REPORT}?from=2026-01-01&to=2026-01-01"), &reports)
            .await
            .assert_problem(503, "unavailable");
        world.postgres.mend();
    })
    .await;
}
