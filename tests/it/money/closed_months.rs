//! Months that finance has closed, and the ledger's report by the day of receipt.

use std::time::Duration;

use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{cart_id, count};
use harness::steps::tax::{import, seller};
use harness::steps::worker_program::{OPERATOR, operator};
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::external_payments::takes_payments_itself;

const CLOSED: &str = "SELECT count(*) FROM closed_months";

/// A movement without money, with a day of its own, as a former shop's have.
const MOVED: &str = "INSERT INTO ledger (at, organisation_id, kind, cart_id, transaction_id, amount, currency, gateway)
    SELECT '2026-01-15T12:00:00Z', organisation_id, 'moved', cart_id, id, 0, currency, gateway FROM transactions LIMIT 1";

async fn close(world: &World, month: &str) -> (bool, String) {
    operator(world, &["books", "close", "northwind", month], &["database-url"]).await
}

/// Sells a course, and reports that the bank has received its price. Returns the order.
async fn paid(world: &World, key: &str, received_at: &str) -> String {
    let email = format!("{}@example.com", uuid::Uuid::now_v7());
    let cart = cart_id(&world.guest_checkout(&ORGANISATIONS[0], &email).await).to_owned();
    let body = json!({ "amount": 199, "received_at": received_at, "reference": cart });
    let path = format!("/storeapi/payment/orders/{cart}/payments/");
    let request = world.request(Method::POST, &path).header("organisationapikey", key);
    let reply = Reply::read(request.header("Idempotency-Key", &cart).json(&body)).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    cart
}

/// The orders and bank's days of the movements in a time.
async fn moved(world: &World, key: &str, query: &str) -> Vec<(String, Value)> {
    let report = get(world, &format!("/storeapi/reports/ledger/?format=json&{query}"), key).await;
    assert_eq!(report.status, 200, "{}", report.text);
    let row = |row: &Value| (row["cart_id"].as_str().unwrap().to_owned(), row["bank_day"].clone());
    report.json.as_array().unwrap().iter().map(row).collect()
}

#[tokio::test]
async fn what_is_booked_late_counts_to_an_open_month() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        takes_payments_itself(world).await;
        let own = key(world, "northwind", &[Scope::Payments, Scope::Reports]).await;
        let early = (paid(world, &own, "2026-01-31T23:30:00Z").await, json!("2026-01-31"));
        let winter = "from=2026-01-01&to=2026-02-28&by=received";
        assert_eq!(moved(world, &own, winter).await, std::slice::from_ref(&early));

        let (ok, said) = close(world, "2026-02").await;
        assert!(ok && said == "2026-02 is closed\n", "{said}");
        let late = (paid(world, &own, "2026-02-10T09:00:00Z").await, json!("2026-02-10"));
        assert_eq!(moved(world, &own, winter).await, std::slice::from_ref(&early));
        let today = world.clock.now().format("from=%Y-%m-%d&to=%Y-%m-%d").to_string();
        assert_eq!(moved(world, &own, &format!("{today}&by=received")).await, std::slice::from_ref(&late));
        assert_eq!(moved(world, &own, &format!("{today}&by=booked")).await, [early, late.clone()]);

        // The month that counts it says where it is from.
        let month = world.clock.now().format("%Y-%m");
        let month = get(world, &format!("/storeapi/reports/month/?month={month}"), &own).await.json;
        let (own_day, cart) =
            (&month["late_movements"][0]["own_day"], &month["late_movements"][0]["cart_id"]);
        assert_eq!((own_day, cart), (&json!("2026-02-10"), &json!(late.0)), "{month}");
        let sums = &month["currencies"][0];
        assert_eq!(sums["late_movements"], json!({ "number": 1, "amount": 199 }), "{month}");
        // The organisation has it itself.
        let account = &sums["accounts"][0];
        assert_eq!(
            (&account["gateway"], &account["paid"], &account["closing"]),
            (&json!("external"), &json!(199), &Value::Null)
        );

        // Neither its own day nor that of its booking is in an open month.
        sqlx::query(MOVED).execute(&world.db).await.unwrap();
        assert_eq!(moved(world, &own, winter).await.len(), 1);
        assert_eq!(moved(world, &own, "from=2026-03-01&to=2026-03-01&by=received").await.len(), 1);

        let wrong = get(world, &format!("/storeapi/reports/ledger/?{today}&by=paid"), &own).await;
        assert_eq!(wrong.assert_problem(400, "invalid_request").faulty_fields(), ["by"]);
    })
    .await;
}

#[tokio::test]
async fn a_month_is_closed_once_when_it_is_over_where_the_seller_is() {
    world(Setup::without_workers(), async |world| {
        let chilean = seller(&ORGANISATIONS[0], "DE", json!({ "time_zone": "America/Santiago" }));
        import(world, &[chilean]).await.unwrap();
        for (month, fault) in [("2999-12", "2999-12 ends at 3000-01-01T"), ("2026-13", "no month"), ("2026-2-1", "no month")] {
            let (ok, said) = close(world, month).await;
            assert!(!ok && said.contains(fault), "{said}");
        }
        assert_eq!(count(world, CLOSED).await, 0);
        for (month, closed) in [("2026-08", "2026-08"), ("2026-08", "2026-08"), ("2026-07", "2026-08"), ("2026-09", "2026-09")] {
            let (ok, said) = close(world, month).await;
            assert!(ok && said.starts_with(&format!("{closed} is closed")), "{said}");
        }
        let (ok, listed) = operator(world, &["books", "list", "northwind", "--json"], &["database-url"]).await;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let listed = listed.as_array().unwrap();
        assert!(ok && listed.iter().all(|month| month["closed_by"] == format!("operator:{OPERATOR}")), "{listed:?}");
        assert_eq!(listed.iter().map(|month| &month["month"]).collect::<Vec<_>>(), ["2026-09-01", "2026-08-01"]);
        // Clocks there went forward on 6 September.
        let ends = "SELECT count(*) FROM closed_months WHERE before IN ('2026-09-01T04:00:00Z', '2026-10-01T03:00:00Z')";
        assert_eq!(count(world, ends).await, 2);
    })
    .await;
}

#[tokio::test]
async fn closing_a_month_waits_for_a_booking_under_way() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.guest_checkout(&ORGANISATIONS[0], "ada@example.com").await;
        let mut booking = world.db.begin().await.unwrap();
        sqlx::query(MOVED).execute(&mut *booking).await.unwrap();
        let waiting = tokio::time::timeout(Duration::from_secs(2), close(world, "2026-02")).await;
        assert!(waiting.is_err() && count(world, CLOSED).await == 0);
        booking.commit().await.unwrap();
        assert!(close(world, "2026-02").await.0);
    })
    .await;
}
