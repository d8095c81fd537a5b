//! Payouts: read from each provider with what is in them, compared, booked and reported.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use harness::steps::console::{self, with_console};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::{bought, refund};
use harness::steps::staff::staff;
use harness::{ORGANISATIONS, Organisation, Setup, World, at_each_gateway, logged, world};
use reqwest::Method;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const STRIPE: &Organisation = &ORGANISATIONS[0];

/// Worlds whose worker reads payouts all the time.
fn reading() -> Setup {
    let arguments = ["--reconcile-every=200ms".to_owned(), "--read-payouts-every=1s".to_owned()];
    Setup { worker_args: arguments.into(), ..with_console() }
}

/// Has the provider pay out what it has not yet.
async fn pay_out(world: &World, shop: &Organisation, extra: Value) -> Value {
    let mut body = json!({ "gateway": shop.gateway.name(), "organisation": shop.short_name });
    body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    world.sim(Method::POST, "/_sim/payouts", Some(body)).await
}

async fn is_read(world: &World, payout: &Value) {
    let read = "SELECT read_at IS NOT NULL FROM payouts WHERE reference = $1";
    world
        .eventually("the payout is read", async |world| {
            let found = sqlx::query_scalar(read).bind(payout["id"].as_str()).fetch_optional(&world.db).await;
            found.unwrap() == Some(true)
        })
        .await;
}

/// Waits until the account was read once more from the beginning.
async fn is_read_again(world: &World, shop: &Organisation) {
    let read_to = async |world: &World| -> Option<DateTime<Utc>> {
        let sql = "SELECT r.read_to FROM payout_readings r JOIN organisations o ON o.id = r.organisation_id
                   WHERE o.short_name = $1 AND r.gateway = $2";
        let found = sqlx::query_scalar::<_, Option<DateTime<Utc>>>(sql)
            .bind(shop.short_name)
            .bind(shop.gateway.name());
        found.fetch_optional(&world.db).await.unwrap().flatten()
    };
    let (before, begun) = (read_to(world).await, world.clock.now());
    world
        .eventually("the payouts are read again", async |world| {
            let read = read_to(world).await;
            read > before && read > Some(begun)
        })
        .await;
}

/// The report in one form, over some days before and after today.
async fn report(world: &World, key: &str, name: &str) -> Vec<Value> {
    let [from, to] = [-9, 1].map(|days| (world.clock.now() + TimeDelta::days(days)).date_naive());
    let reply = get(world, &format!("/storeapi/reports/{name}/?from={from}&to={to}&format=json"), key).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json.as_array().unwrap().clone()
}

fn decimal(value: &Value) -> Decimal {
    value.to_string().parse().unwrap()
}

/// The kinds and amounts of what a payout has moved in the ledger, in minor units.
async fn booked(world: &World, payout: &Value) -> Vec<(String, i64)> {
    let rows = "SELECT l.kind, l.amount FROM ledger l JOIN payouts p ON p.id = l.payout_id WHERE p.reference = $1 ORDER BY l.seq";
    sqlx::query_as(rows).bind(payout["id"].as_str()).fetch_all(&world.db).await.unwrap()
}

fn alerts(text: &str) -> usize {
    logged(text).iter().filter(|line| line.contains("ERROR")).count()
}

/// Waits for an alert, which is raised after what it is about is stored.
async fn is_alerted(world: &World, text: &str) {
    world.eventually(text, async |_| alerts(text) == 1).await;
}

#[tokio::test]
async fn a_payout_of_each_provider_equals_its_movements_and_is_booked_with_its_fees() {
    at_each_gateway(async |shop| {
        world(reading(), async |world| {
            world.sell().await;
            let key = key(world, shop.short_name, &[Scope::Reports, Scope::Refunds]).await;
            let (kept, _) = bought(world, shop, EMAIL).await;
            let (cart, _) = bought(world, shop, "bob@example.com").await;
            assert_eq!(refund(world, &key, &cart, &json!({})).await.status, 200);
            let made = pay_out(world, shop, json!({ "fee": 250 })).await;
            is_read(world, &made).await;
            let rows = report(world, &key, "payouts").await;
            assert_eq!(rows.len(), 1, "{rows:?}");
            let row = &rows[0];
            assert_eq!((&row["payout"], &row["status"]), (&made["id"], &json!("paid")));
            let parts =
                ["payments", "refunds", "disputes", "fees", "returned", "other", "rounding", "difference"];
            let sum: Decimal = parts.iter().map(|part| decimal(&row[*part])).sum();
            assert_eq!(sum, decimal(&row["amount"]), "{row}");
            assert_eq!(row["difference"], 0, "{row}");
            assert_eq!(row["movements"], if shop.gateway.name() == "mollie" { 6 } else { 4 }, "{row}");
            assert_eq!(decimal(&row["payments"]), -decimal(&row["refunds"]) * Decimal::TWO, "{row}");
            // The fees are rounded once.
            let fees = (decimal(&row["fees"]) * Decimal::ONE_HUNDRED).round().normalize().to_string();
            let expected = [
                ("payout".to_owned(), -made["amount"].as_i64().unwrap()),
                ("fee".to_owned(), fees.parse().unwrap()),
            ];
            assert_eq!(booked(world, &made).await, expected);

            let movements = report(world, &key, "payouts/movements").await;
            let nets: Decimal = movements.iter().map(|moved| decimal(&moved["net"])).sum();
            assert_eq!(nets, decimal(&row["amount"]), "{movements:?}");
            if shop.gateway.name() != "mollie" {
                let of = |kind: &str| {
                    let own = movements.iter().filter(|moved| moved["kind"] == kind);
                    own.map(|moved| moved["cart_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
                };
                let mut paid = of("payment");
                paid.sort_unstable();
                let mut both = [kept.clone(), cart.clone()];
                both.sort_unstable();
                assert_eq!((paid, of("refund")), (both.to_vec(), vec![cart.clone()]));
            }
            let ledger = report(world, &key, "ledger").await;
            let kinds: Vec<_> = ledger.iter().skip(3).map(|row| (&row["kind"], &row["cart_id"])).collect();
            assert_eq!(kinds, [(&json!("payout"), &Value::Null), (&json!("fee"), &Value::Null)]);

            is_read_again(world, shop).await;
            assert_eq!(booked(world, &made).await, expected);
            assert_eq!(report(world, &key, "payouts/movements").await, movements);
            // Nothing is with the provider any more, when the bank has it.
            let month = (world.clock.now() + TimeDelta::days(1)).format("%Y-%m");
            let month = get(world, &format!("/storeapi/reports/month/?month={month}"), &key).await.json;
            let block = &month["currencies"][0];
            let account = &block["accounts"][0];
            assert_eq!(
                (&account["closing"], &account["other"], &block["adds_up"]),
                (&json!(0), &json!(0), &json!(true)),
                "{month}"
            );
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_difference_that_stays_raises_an_alert_that_names_it() {
    world(reading(), async |world| {
        world.sell().await;
        let key = key(world, STRIPE.short_name, &[Scope::Reports]).await;
        let old = pay_out(
            world,
            STRIPE,
            json!({ "sales": 1, "difference": -500, "days_ago": 3, "currency": "USD" }),
        )
        .await;
        is_read(world, &old).await;
        let reason = format!("payout {} of 43.25 USD differs by -5.00 USD", old["id"].as_str().unwrap());
        is_alerted(world, &reason).await;
        // A provider may add movements on the next day.
        let young = pay_out(world, STRIPE, json!({ "sales": 1, "difference": 7, "currency": "USD" })).await;
        is_read_again(world, STRIPE).await;
        let rows = report(world, &key, "payouts").await;
        let of = |payout: &Value| {
            rows.iter().find(|row| row["payout"] == payout["id"]).unwrap()["difference"].clone()
        };
        assert_eq!((of(&old), of(&young)), (json!(-5), Value::Null));
        assert_eq!(alerts("differs by"), 1);

        let finance = staff(world, STRIPE.short_name, "sam@example.com", &["finance"]).await;
        let [from, to] = [-9, 1].map(|days| (world.clock.now() + TimeDelta::days(days)).date_naive());
        let page =
            console::get(world, &finance, &format!("/console/northwind/payouts/?from={from}&to={to}")).await;
        assert!(
            page.text.contains("-$5.00") && page.text.contains("What is in it is not read yet."),
            "{}",
            page.text
        );
        for (name, extra) in
            [("file", "&format=xlsx"), ("file", ""), ("movements", "&format=xlsx"), ("movements", "")]
        {
            let path = format!("/console/northwind/payouts/{name}/?from={from}&to={to}{extra}");
            let file = console::get(world, &finance, &path).await;
            assert!(file.status == 200 && file.header("content-disposition").contains("payout"), "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_unknown_kind_is_other_and_a_payout_without_a_list_is_booked_alone() {
    world(reading(), async |world| {
        world.sell().await;
        let key = key(world, STRIPE.short_name, &[Scope::Reports]).await;
        let extra = json!({ "sales": 1, "other": ["climate_order_purchase", -120], "currency": "USD" });
        let odd = pay_out(world, STRIPE, extra).await;
        is_read(world, &odd).await;
        let moved = report(world, &key, "payouts/movements").await;
        let other: Vec<_> = moved.iter().filter(|moved| moved["kind"] == "other").collect();
        assert_eq!(
            (other.len(), &other[0]["provider_kind"], &other[0]["net"]),
            (1, &json!("climate_order_purchase"), &json!(-1.2))
        );
        let manual = pay_out(world, STRIPE, json!({ "sales": 2, "manual": true, "currency": "USD" })).await;
        is_read_again(world, STRIPE).await;
        let rows = report(world, &key, "payouts").await;
        let row = rows.iter().find(|row| row["payout"] == manual["id"]).unwrap();
        assert_eq!(
            (&row["itemised"], &row["difference"], &row["movements"]),
            (&json!(false), &Value::Null, &json!(0))
        );
        assert_eq!(
            booked(world, &manual).await,
            [("payout".to_owned(), -manual["amount"].as_i64().unwrap())]
        );
        assert_eq!(alerts("payouts of an account"), 0);
    })
    .await;
}

#[tokio::test]
async fn a_payout_that_fails_after_it_was_paid_is_booked_back_and_is_in_the_next_one() {
    world(reading(), async |world| {
        world.sell().await;
        let key = key(world, STRIPE.short_name, &[Scope::Reports]).await;
        bought(world, STRIPE, EMAIL).await;
        let first = pay_out(world, STRIPE, json!({})).await;
        is_read(world, &first).await;
        let path = format!("/_sim/payouts/{}/fail", first["id"].as_str().unwrap());
        world.sim(Method::POST, &path, Some(json!({}))).await;
        let amount = first["amount"].as_i64().unwrap();
        let fee = amount - STRIPE.subunits;
        let entry = |kind: &str, minor: i64| (kind.to_owned(), minor);
        let expected = [entry("payout", -amount), entry("fee", fee), entry("payout", amount)];
        world.eventually("it is booked back", async |world| booked(world, &first).await == expected).await;
        is_alerted(world, "has failed: the bank did not take it").await;
        let next = pay_out(world, STRIPE, json!({})).await;
        is_read(world, &next).await;
        assert_eq!(booked(world, &next).await, [entry("payout", -amount)]);
        let rows = report(world, &key, "payouts").await;
        assert_eq!((&rows[0]["status"], &rows[1]["returned"]), (&json!("failed"), &rows[1]["amount"]));
        // All that was paid, less all fees, is at the bank.
        let kept = "SELECT coalesce(sum(amount), 0)::bigint FROM ledger";
        assert_eq!(count(world, kept).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_key_without_the_right_raises_one_alert_and_sells_on() {
    world(reading(), async |world| {
        world.sell().await;
        let account = json!({ "gateway": "stripe", "organisation": "northwind", "secret_key": "rk_1",
            "public_key": "pk_northwind", "notification_secret": "whsec_demo_northwind" });
        world.sim(Method::POST, "/_sim/accounts", Some(account)).await;
        world.set_credentials(STRIPE, &json!({ "secret_key": "rk_1", "public_key": "pk_northwind" })).await;
        let refused =
            "SELECT count(*) FROM payout_readings WHERE refused_at IS NOT NULL AND gateway = 'stripe'";
        world.eventually("it is refused", async |world| count(world, refused).await == 1).await;
        bought(world, STRIPE, EMAIL).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(alerts("payouts are not read"), 1);
        assert_eq!(
            count(world, "SELECT count(*) FROM gateway_credentials WHERE refused_at IS NOT NULL").await,
            0
        );
        let finance = staff(world, "northwind", "sam@example.com", &["finance"]).await;
        let page = console::get(world, &finance, "/console/northwind/payouts/").await;
        assert!(page.text.contains("Stripe does not show payouts"), "{}", page.text);
        let account = json!({ "gateway": "stripe", "organisation": "northwind", "secret_key": "sk_2",
            "public_key": "pk_northwind", "notification_secret": "whsec_demo_northwind" });
        world.sim(Method::POST, "/_sim/accounts", Some(account)).await;
        world.set_credentials(STRIPE, &json!({ "secret_key": "sk_2", "public_key": "pk_northwind" })).await;
        world.eventually("it is shown", async |world| count(world, refused).await == 0).await;
    })
    .await;
}

#[tokio::test]
async fn an_outage_while_payouts_are_read_costs_no_checkout_and_is_made_up_for() {
    world(reading(), async |world| {
        world.sell().await;
        let fault = json!({ "target": "stripe", "kind": "status", "status": 500, "count": 30, "path": "/v1/balance_transactions" });
        world.sim(Method::POST, "/_sim/faults", Some(fault)).await;
        let made = pay_out(world, STRIPE, json!({ "sales": 250, "currency": "USD" })).await;
        let again = "SELECT count(*) FROM payouts WHERE rows_due_at IS NOT NULL";
        world.eventually("its reading begins", async |world| count(world, again).await == 1).await;
        bought(world, STRIPE, EMAIL).await;
        is_read(world, &made).await;
        assert_eq!(count(world, "SELECT count(*) FROM payout_rows").await, 250);
        assert_eq!(alerts("payouts of an account"), 0);
    })
    .await;
}

/// Daily payouts with 274 sales each, for PAYOUT_DAYS (20): 365 are a year of 100,000 sales. Prints how long reading and reporting took.
#[tokio::test]
#[ignore = "slow"]
async fn each_sale_of_a_long_time_is_read_and_reported() {
    let days = std::env::var("PAYOUT_DAYS").map_or(20, |days| days.parse::<i64>().unwrap());
    world(Setup::selling(), async |world| {
        world.sell().await;
        let key = key(world, STRIPE.short_name, &[Scope::Reports]).await;
        for days_ago in (0..days).rev() {
            pay_out(world, STRIPE, json!({ "sales": 274, "days_ago": days_ago, "currency": "USD" })).await;
        }
        world.configure(vec![], vec!["--read-payouts-every=1h".to_owned()]);
        let begun = Instant::now();
        world.start_worker().await;
        let agreed = "SELECT count(*) FROM payouts WHERE difference = 0";
        let mut all = async |world: &World| count(world, agreed).await == days;
        world.eventually_within(Duration::from_secs(300), "all is read", &mut all).await;
        let read = begun.elapsed();
        assert_eq!(count(world, "SELECT count(*) FROM payout_rows").await, days * 274);
        let [from, to] = [-days, 0].map(|days| (world.clock.now() + TimeDelta::days(days)).date_naive());
        let mut took = Vec::new();
        for (name, format) in [("payouts", "csv"), ("payouts", "xlsx"), ("payouts/movements", "csv")] {
            let path = format!("/storeapi/reports/{name}/?from={from}&to={to}&format={format}");
            let begun = Instant::now();
            let request = world.http.get(world.url(&path)).header("organisationapikey", &key);
            let reply = request.send().await.unwrap();
            assert_eq!(reply.status(), 200);
            let bytes = reply.bytes().await.unwrap();
            if format == "csv" {
                let rows = if name == "payouts" { days } else { days * 274 };
                let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
                assert_eq!(i64::try_from(lines).unwrap(), rows + 1, "{name}");
            }
            took.push((name, format, bytes.len(), begun.elapsed()));
        }
        eprintln!("{days} days: read in {read:?}; {took:?}");
    })
    .await;
}
