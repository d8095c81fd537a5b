//! A year of three shops in three time zones: the turn of the year, of a fiscal year, and of daylight time. Each sale has the day, the
//! year and the number of its seller, whatever its day is in UTC.

use std::collections::HashMap;

use chrono::{DateTime, Datelike, Months, NaiveDate, TimeDelta, Utc};
use harness::steps::invoices::paid;
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::count;
use harness::steps::refunds::order;
use harness::steps::tax::{import, rate, seller};
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::invoices::content;
use crate::tax_report::REPORT;

/// Which organisation, its zone, and the month in which its fiscal year begins. Santiago skips a midnight in spring.
const SHOPS: [(usize, &str, u32); 3] =
    [(1, "America/Santiago", 1), (3, "Europe/Berlin", 1), (2, "Asia/Kolkata", 4)];

/// A sale's time before the end of a day: longer than the sale takes.
const BEFORE: TimeDelta = TimeDelta::minutes(5);

/// The beginning of a day at a shop.
#[derive(Debug, sqlx::FromRow)]
struct Turn {
    shop: i32,
    day: NaiveDate,
    at: DateTime<Utc>,
}

/// The days of the next twelve months on which a year begins, or before and after which a day has no 24 hours.
async fn turns(world: &World) -> Vec<Turn> {
    let shops: Vec<i32> = (0..).take(SHOPS.len()).collect();
    let zones: Vec<&str> = SHOPS.iter().map(|shop| shop.1).collect();
    let months: Vec<i32> = SHOPS.iter().map(|shop| i32::try_from(shop.2).unwrap()).collect();
    let turns = "SELECT shop, d::date AS day, (d AT TIME ZONE zone) AS at
         FROM unnest($1::int[], $2::text[], $3::int[]) AS s (shop, zone, month)
         CROSS JOIN LATERAL (SELECT date_trunc('day', $4 AT TIME ZONE zone) AS today) now
         CROSS JOIN LATERAL generate_series(today + interval '2 days', today + interval '367 days', interval '1 day') d
         WHERE extract(day FROM d) = 1 AND extract(month FROM d) IN (1, month)
            OR ((d + interval '1 day') AT TIME ZONE zone) - (d AT TIME ZONE zone) <> interval '24 hours'
            OR (d AT TIME ZONE zone) - ((d - interval '1 day') AT TIME ZONE zone) <> interval '24 hours'
         ORDER BY 3";
    let turns = sqlx::query_as(turns).bind(shops).bind(zones).bind(months).bind(world.clock.now());
    turns.fetch_all(&world.db).await.unwrap()
}

/// Sets the clock.
fn becomes(world: &World, time: DateTime<Utc>) {
    world.clock.advance(time - world.clock.now());
}

/// Sells at a shop now. Returns the cart, and what the invoice says.
async fn sell(world: &World, shop: usize, key: &str) -> (String, Value) {
    let mut body = world.basket(&ORGANISATIONS[SHOPS[shop].0]).await;
    body["email"] = json!("ada@example.com");
    body["billing_address"] =
        json!({ "name": "Ada", "line1": "1 High Street", "city": "Berlin", "country": "DE" });
    let cart = paid(world, &body).await;
    world
        .eventually("the invoice is issued", async |world| {
            order(world, key, &cart).await["documents"].as_array().unwrap().len() == 1
        })
        .await;
    let document = order(world, key, &cart).await["documents"][0].clone();
    (cart, content(world, key, &document).await)
}

/// The number of an invoice, from the numbers given so far in each fiscal year of each shop.
fn expected_number(given: &mut HashMap<(usize, i32), u32>, shop: usize, day: NaiveDate) -> String {
    let first = Months::new(SHOPS[shop].2 - 1);
    let year = (day - first).year();
    let number = given.entry((shop, year)).or_default();
    *number += 1;
    format!("IN{:02}-{number:06}", year % 100)
}

#[tokio::test]
#[ignore = "slow"]
async fn sales_around_each_turn_have_the_day_and_the_number_of_their_seller() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let mut keys = Vec::new();
        for (nth, zone, starts) in SHOPS {
            let organisation = &ORGANISATIONS[nth];
            let terms = json!({ "time_zone": zone, "fiscal_year_starts": starts });
            import(world, &[seller(organisation, "DE", terms), rate(organisation, "DE", &[("USt", 19.0)])])
                .await
                .unwrap();
            keys.push(key(world, organisation.short_name, &[Scope::Orders, Scope::Reports]).await);
        }
        let (turns, begin) = (turns(world).await, world.clock.now());
        // A new year at each, a fiscal year at one, and two days around each turn of daylight time, which has no fixed date.
        assert!((8..=16).contains(&turns.len()), "{turns:?}");
        let (mut given, mut sold) = (HashMap::new(), Vec::new());
        for Turn { shop, day, at } in turns {
            let shop = usize::try_from(shop).unwrap();
            for (time, day) in [(at - BEFORE, day - TimeDelta::days(1)), (at + TimeDelta::seconds(1), day)] {
                becomes(world, time);
                let (cart, said) = sell(world, shop, &keys[shop]).await;
                let number = expected_number(&mut given, shop, day);
                assert_eq!(
                    (&said["issued_on"], &said["number"]),
                    (&json!(day), &json!(number)),
                    "{} at {time}: {said}",
                    SHOPS[shop].1
                );
                sold.push((shop, cart, day));
            }
        }
        compare_reports(world, &keys, begin, &sold).await;
        // Two years later, what is kept for good is there, and nothing waits.
        world.clock.advance(TimeDelta::days(730));
        world
            .eventually("what is kept for a time is gone", async |world| {
                count(world, "SELECT count(*) FROM events").await == 0
            })
            .await;
        world.drain().await;
        assert_eq!(count(world, "SELECT count(*) FROM documents").await, sold.len() as i64);
        assert_eq!(count(world, "SELECT count(*) FROM documents_due").await, 0);
        assert_eq!(
            count(world, "SELECT count(*) FROM carts WHERE state = 'fulfilled'").await,
            sold.len() as i64
        );
    })
    .await;
}

/// Compares both reports with the days of the sales.
async fn compare_reports(
    world: &World,
    keys: &[String],
    begin: DateTime<Utc>,
    sold: &[(usize, String, NaiveDate)],
) {
    let now = world.clock.now();
    for (shop, key) in keys.iter().enumerate() {
        let (mut ledger, mut documents, mut from) = (Vec::new(), 0, begin - TimeDelta::days(1));
        // A report is of a year at most.
        while from < now {
            let to = from + TimeDelta::days(300);
            let days = format!("from={}&to={}", from.format("%Y-%m-%d"), to.format("%Y-%m-%d"));
            let part = get(world, &format!("/storeapi/reports/ledger/?format=json&{days}"), key).await;
            assert_eq!(part.status, 200, "{}", part.text);
            ledger.extend(part.json.as_array().unwrap().clone());
            documents += counted(&get(world, &format!("{REPORT}?format=json&{days}"), key).await);
            from = to + TimeDelta::days(1);
        }
        let days: Vec<(&str, String)> = ledger
            .iter()
            .map(|row| (row["cart_id"].as_str().unwrap(), row["day"].as_str().unwrap().to_owned()))
            .collect();
        let own: Vec<(&str, String)> = sold
            .iter()
            .filter(|sale| sale.0 == shop)
            .map(|(_, cart, day)| (cart.as_str(), day.to_string()))
            .collect();
        assert_eq!(days, own, "{}", SHOPS[shop].1);
        assert_eq!(documents, own.len(), "{}", SHOPS[shop].1);
        for (_, day) in &own {
            let taxes = get(world, &format!("{REPORT}?format=json&from={day}&to={day}"), key).await;
            let of_day = own.iter().filter(|sale| sale.1 == *day).count();
            assert_eq!(counted(&taxes), of_day, "{day} at {}: {}", SHOPS[shop].1, taxes.text);
        }
    }
}

/// Counts the documents of a tax report.
fn counted(report: &Reply) -> usize {
    let counts = report.json.as_array().unwrap().iter().map(|row| row["count"].as_u64().unwrap());
    usize::try_from(counts.sum::<u64>()).unwrap()
}
