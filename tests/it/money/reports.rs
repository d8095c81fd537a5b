//! The report of an organisation's ledger.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use harness::steps::orders::{pay, refund};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, begun, cart_id, reference};
use harness::steps::tax::{import, rate, seller};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

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
            json!({ "seq": seq, "at": at, "day": at[..10], "kind": kind, "cart_id": cart, "transaction_id": transaction,
                "refund_id": refund, "amount": amount, "tax": 0, "currency": "USD", "gateway": "stripe",
                "provider_reference": reference, "region": null, "list_price": price, "discounts": price.map(|_| 0),
                "voucher_discount": null, "voucher": null, "campaign": null, "document_number": null, "tax_country": null,
                "tax_state": null, "tax_rate": null, "language": "en", "reference": null, "metadata": {},
                "bank_day": null, "bank_reference": null, "tax_id": null, "reverse_charge": false })
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
            "seq,at,day,kind,cart_id,transaction_id,refund_id,amount,tax,currency,gateway,provider_reference,region,list_price,discounts,voucher_discount,voucher,campaign,document_number,tax_country,tax_state,tax_rate,language,reference,metadata,bank_day,bank_reference,tax_id,reverse_charge\r\n\
             {},2026-03-01T00:00:00Z,2026-03-01,captured,{cart},{transaction},,199.00,0.00,USD,stripe,{},,199.00,0.00,,,,,,,,en,,,,,,false\r\n\
             {},2026-03-31T23:59:59.999Z,2026-03-31,refunded,{cart},{transaction},{refunded},-199.00,0.00,USD,stripe,'=1+1,,,,,,,,,,,en,,,,,,false\r\n",
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

/// The rows of a report.
async fn rows(world: &World, key: &str, period: &str) -> Vec<Value> {
    let reply = get(world, &format!("{REPORT}?{period}&format=json"), key).await;
    assert_eq!(reply.status, 200, "{period}: {}", reply.text);
    reply.json.as_array().unwrap().clone()
}

#[tokio::test]
async fn the_report_names_the_place_that_was_taxed_and_its_rate() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let [_, mollie, razorpay, _] = &ORGANISATIONS;
        // Mollie takes a whole address or none.
        let whole = |mut address: Value| {
            for (field, value) in
                [("name", "Ada"), ("line1", "1 High Street"), ("city", "Anytown"), ("postal_code", "12345")]
            {
                address[field] = json!(value);
            }
            address
        };
        let india = [("CGST", 9.0), ("SGST", 9.0)];
        let records = [
            rate(mollie, "DE", &[("USt", 19.0)]),
            seller(razorpay, "IN", json!({ "prices_include_tax": false })),
            rate(razorpay, "IN/Karnataka", &india),
        ];
        import(world, &records).await.unwrap();
        for (shop, address, expected) in [
            // The visitor is in Sweden, the buyer in Germany.
            (mollie, whole(json!({ "country": "DE", "state": "Bayern" })), json!(["DE", "Bayern", 19])),
            (mollie, Value::Null, json!(["SE", null, 25])),
            // Nothing is taxed there.
            (mollie, whole(json!({ "country": "US" })), json!(["US", null, 0])),
            (razorpay, json!({ "country": "IN", "state": "Karnataka" }), json!(["IN", "Karnataka", 18])),
        ] {
            let key = key(world, shop.short_name, &[Scope::Reports, Scope::Refunds, Scope::Orders]).await;
            let mut body = world.basket(shop).await;
            body["email"] = json!(EMAIL);
            body["billing_address"] = address;
            let request = world.request(Method::POST, GUEST_CHECKOUT).header("X-Visitor-Country", "SE");
            let begun = Reply::read(request.json(&body)).await;
            let cart = cart_id(&begun).to_owned();
            world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
            world.cart_becomes(&cart, "fulfilled").await;
            let refunded = harness::steps::refunds::refund(world, &key, &cart, &json!({})).await;
            assert_eq!(refunded.status, 200, "{}", refunded.text);

            let [from, to] =
                [-1, 1].map(|days| (world.clock.now() + TimeDelta::days(days)).format("%Y-%m-%d"));
            let rows = rows(world, &key, &format!("from={from}&to={to}")).await;
            let own: Vec<&Value> = rows.iter().filter(|row| row["cart_id"] == json!(cart)).collect();
            assert_eq!(own.len(), 2, "{rows:?}");
            for row in own {
                let taxed = json!([row["tax_country"], row["tax_state"], row["tax_rate"]]);
                assert_eq!((&taxed, &row["region"]), (&expected, &json!("SE")), "{row}");
            }
            // The invoice and the credit note name the same place.
            world.drain().await;
            let order = harness::steps::refunds::order(world, &key, &cart).await;
            let documents = order["documents"].as_array().unwrap();
            assert_eq!(documents.len(), 2, "{order}");
            for document in documents {
                let id = document["document_id"].as_str().unwrap();
                let request = world.request(Method::GET, &format!("/storeapi/payment/documents/{id}/"));
                let said = Reply::read(request.header("accept", "application/json")).await.json;
                let place = json!([said["tax_country"], said["tax_state"], said["lines"][0]["rate"]]);
                assert_eq!(place, expected, "{said}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn the_days_of_a_report_are_those_of_the_seller() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[3];
        import(world, &[seller(shop, "MY", json!({ "time_zone": "Asia/Kuala_Lumpur" }))]).await.unwrap();
        let key = key(world, shop.short_name, &[Scope::Reports]).await;
        // Eight hours ahead of UTC: the first and the third are of other months than in UTC.
        let times = [
            "2026-02-28T15:59:59.999999Z",
            "2026-02-28T16:00:00Z",
            "2026-03-31T15:59:59.999999Z",
            "2026-03-31T16:00:00Z",
        ];
        for (nth, time) in times.iter().enumerate() {
            let (cart, _) = begun(world, shop, &format!("buyer{nth}@example.com")).await;
            pay(world, &cart, at(time)).await;
        }
        for (period, expected) in [
            ("from=2026-03-01&to=2026-03-31", &times[1..3]),
            ("from=2026-02-28&to=2026-02-28", &times[..1]),
            ("from=2026-04-01&to=2026-04-01", &times[3..]),
            // Times are what they say, and both are included.
            ("from=2026-02-28T16:00:00Z&to=2026-03-31T16:00:00Z", &times[1..]),
            ("from=2026-03-01T00:00:00%2B08:00&to=2026-03-31", &times[1..3]),
        ] {
            let rows = rows(world, &key, period).await;
            let found: Vec<&Value> = rows.iter().map(|row| &row["at"]).collect();
            assert_eq!(json!(found), json!(expected), "{period}");
        }
        let days: Vec<Value> = rows(world, &key, "from=2026-01-01&to=2026-12-31")
            .await
            .iter()
            .map(|row| row["day"].clone())
            .collect();
        assert_eq!(json!(days), json!(["2026-02-28", "2026-03-01", "2026-03-31", "2026-04-01"]));
        let named =
            get(world, &format!("{REPORT}?from=2026-03-01T00:00:00%2B08:00&to=2026-03-31"), &key).await;
        let file = "attachment; filename=\"ledger-20260228T160000Z-2026-03-31.csv\"";
        assert_eq!(named.header("content-disposition"), file);
        // In Stockholm, 366 days are an hour longer where the clocks are set back twice in them.
        let lindgren = harness::steps::organisation_keys::key(world, "lindgren", &[Scope::Reports]).await;
        rows(world, &lindgren, "from=2026-10-25&to=2027-10-25").await;
        rows(world, &lindgren, "from=2027-10-31&to=2028-10-30").await;
        let refused = get(world, &format!("{REPORT}?from=2026-10-25&to=2027-10-26"), &lindgren).await;
        assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), ["to"]);
    })
    .await;
}

#[tokio::test]
async fn a_wrong_missing_or_reversed_range_is_refused_by_its_field() {
    world(Setup { proxied: true, ..Setup::without_workers() }, async |world| {
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
            ("from=2026-01-01T00:00:00&to=2026-03-01", &["from"]),
            ("from=2026-01-02T00:00:00Z&to=2026-01-01", &["to"]),
            ("from=2026-01-02T00:00:00Z&to=2026-01-01T23:59:59Z", &["to"]),
            ("from=2026-01-01T00:00:00Z&to=2027-01-03T00:00:00Z", &["to"]),
            ("from=01.01.2026&to=%2B2026-03-01", &["from", "to"]),
            ("from=2026-01-01&from=2026-01-02&to=2026-03-01", &["from"]),
            ("from=2026-01-01&to=2026-01-01&format=ods", &["format"]),
        ] {
            let refused = get(world, &format!("{REPORT}?{query}"), &reports).await;
            assert_eq!(refused.assert_problem(400, "invalid_request").faulty_fields(), fields, "{query}");
        }
        for query in [
            "from=2026-01-01&to=2026-01-01",
            "from=2024-01-01&to=2024-12-31",
            "from=2026-01-01&to=2027-01-01",
            "from=2026-01-01T00:00:00Z&to=2027-01-01",
            "from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z",
            "from=2026-01-01T00:00:00%2B08:00&to=2026-01-31",
        ] {
            assert_eq!(get(world, &format!("{REPORT}?{query}"), &reports).await.status, 200, "{query}");
        }
        for query in ["from=0000-01-01&to=0000-01-01", "from=9999-12-31&to=9999-12-31"] {
            assert_eq!(get(world, &format!("{REPORT}?{query}"), &reports).await.status, 200, "{query}");
        }
        world.postgres().cut();
        get(world, &format!("{REPORT}?from=2026-01-01&to=2026-01-01"), &reports)
            .await
            .assert_problem(503, "unavailable");
        world.postgres().restore();
    })
    .await;
}

/// Before, the second part of a streamed answer waited 40 ms for the client's acknowledgement of the first, on each connection that
/// was used before.
#[tokio::test]
async fn a_report_on_a_connection_that_was_used_before_takes_no_longer() {
    world(Setup::default(), async |world| {
        world.sell().await;
        let reports = key(world, "northwind", &[Scope::Reports]).await;
        let (cart, _) = begun(world, &ORGANISATIONS[0], EMAIL).await;
        pay(world, &cart, at("2026-03-01T00:00:00Z")).await;
        let path = format!("{REPORT}?from=2026-03-01&to=2026-03-31");
        let time = async |client: reqwest::Client| {
            let begun = Instant::now();
            let request = client.get(world.url(&path)).header("organisationapikey", &reports);
            assert_eq!(Reply::read(request).await.text.lines().count(), 2);
            begun.elapsed()
        };
        let (mut fresh, mut used) = (Duration::MAX, Duration::MAX);
        // In turns, and until one was fast enough: other work on the machine can slow many in a row.
        for _ in 0..100 {
            fresh = fresh.min(time(reqwest::Client::builder().no_proxy().build().unwrap()).await);
            used = used.min(time(world.http.clone()).await);
            if used < fresh + Duration::from_millis(30) {
                return;
            }
        }
        panic!("{used:?}, on new connections {fresh:?}");
    })
    .await;
}

/// A report of several statements, whose reader goes at any point of it.
#[tokio::test]
async fn a_report_that_is_cancelled_gives_its_connection_back() {
    world(Setup::default(), async |world| {
        let reports = with_long_report(world).await;
        world.configure(vec!["--database-pool=1".to_owned()], Vec::new());
        world.start_api().await;
        let base = format!("http://{}{REPORT}?from=2026-03-01", world.apis[1].public);
        let ask =
            |until: &str| world.http.get(format!("{base}&to={until}")).header("organisationapikey", &reports);
        for milliseconds in 0..30 {
            let begun = async {
                let mut answer = ask("2026-03-31").send().await.unwrap();
                while answer.chunk().await.unwrap().is_some() {}
            };
            drop(tokio::time::timeout(Duration::from_millis(milliseconds), begun).await);
            let next = tokio::time::timeout(Duration::from_secs(3), Reply::read(ask("2026-03-01"))).await;
            assert_eq!(next.expect("the only connection is free").status, 200, "after {milliseconds} ms");
        }
        let mut answer = ask("2026-03-31").send().await.unwrap();
        assert!(answer.chunk().await.unwrap().is_some());
        drop(answer);
        assert_eq!(Reply::read(ask("2026-03-31")).await.text.lines().count(), 3502);
    })
    .await;
}
