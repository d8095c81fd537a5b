//! Costs of the extensions, each beside the same load without it: invoices, deliveries of events, batches of
//! enrollments, and seats.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::checkout::{FREE, check_out};
use crate::enroll::{Figures, LEARNERS, learners, measure, offers};
use crate::load::median;

const ROUNDS: usize = 3;

/// Longer than any of these loads takes to be worked off.
const PATIENCE: Duration = Duration::from_secs(300);

pub async fn run() {
    invoices().await;
    deliveries().await;
    lists().await;
    seats().await;
}

/// Sales that are paid, from the first checkout until the last one is fulfilled and has its invoice, beside those of an organisation
/// that issues none.
async fn invoices() {
    println!("sales a second, 16 callers, until the last one is fulfilled");
    world(Setup { own_queues: true, ..Setup::default() }, async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let fulfilled = "SELECT count(*) FROM carts WHERE state = 'fulfilled'";
        let without = sales(world, shop, fulfilled).await;
        let seller = json!({
            "legal_name": "Northwind GmbH", "line1": "1 High Street", "city": "Berlin", "postal_code": "12345", "country": "DE",
            "tax_ids": [{ "name": "VAT ID", "value": "DE123" }], "invoice_prefix": "IN", "credit_note_prefix": "CN",
            "time_zone": "UTC",
        });
        sqlx::query("UPDATE organisations SET seller = $1, seller_since = now() WHERE short_name = $2")
            .bind(seller)
            .bind(shop.short_name)
            .execute(&world.db)
            .await
            .expect("a seller");
        let with = sales(world, shop, "SELECT count(*) FROM document_files").await;
        println!("  without invoices {without:.0}/s, with invoices {with:.0}/s, {:.2}", with / without);
    })
    .await;
}

/// Sells to new guests for a while. Returns the rate at which the count that `finished` selects has grown until the end.
async fn sales(world: &World, shop: &Organisation, finished: &str) -> f64 {
    let basket = world.basket(shop).await;
    let nth = AtomicUsize::new(0);
    let (start, before) = (Instant::now(), count(world, finished).await);
    measure(16, async || {
        let mut body = basket.clone();
        body["email"] = json!(format!("guest-{}@example.com", uuid::Uuid::now_v7()));
        nth.fetch_add(1, Ordering::Relaxed);
        let begun = world.post(GUEST_CHECKOUT, &body).await;
        assert_eq!(begun.status, 200, "{}", begun.text);
        world.at_provider("pay", &world.payment_told(&begun).await, json!({})).await;
    })
    .await;
    let sold = i64::try_from(nth.into_inner()).expect("few");
    until(world, finished, before + sold).await;
    sold as f64 / start.elapsed().as_secs_f64()
}

/// The time from an event to its delivery at a receiver that answers, beside one that does not, while an organisation's learners are
/// granted twenty courses a second.
async fn deliveries() {
    println!("time until an event is delivered, p50 and p99");
    world(Setup { own_queues: true, ..Setup::default() }, async |world| {
        let (alone, beside) = (&ORGANISATIONS[0], &ORGANISATIONS[1]);
        endpoint(world, alone.short_name, "good").await;
        endpoint(world, beside.short_name, "good").await;
        endpoint(world, beside.short_name, "silent").await;
        let silent =
            json!({ "target": "hook", "path": "silent", "kind": "delay", "delay_ms": 20_000, "count": 1_000_000 });
        world.fault(silent).await;
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            without.push(delivered(world, alone, round).await);
            with.push(delivered(world, beside, round).await);
        }
        let middle = |times: &[(f64, f64)]| {
            let of = |part: fn(&(f64, f64)) -> f64| median(times.iter().map(part).collect());
            (of(|times| times.0), of(|times| times.1))
        };
        let (without, with) = (middle(&without), middle(&with));
        println!("  alone {:.0} and {:.0} ms", without.0, without.1);
        let ratio = with.1 / without.1;
        println!("  beside a receiver that never answers {:.0} and {:.0} ms, p99 {ratio:.2}", with.0, with.1);
        world.no_faults().await;
        sqlx::query("DELETE FROM webhook_deliveries").execute(&world.db).await.expect("deleted");
    })
    .await;
}

/// Sets an endpoint at a simulated receiver.
pub async fn endpoint(world: &World, organisation: &str, receiver: &str) {
    let settings = ["--database-url=", "--gateway-keys=", "--webhook-allow-private="];
    let given =
        settings.iter().filter_map(|name| world.worker_args.iter().rfind(|given| given.starts_with(name)));
    let url = world.simulators.url(&format!("/_sim/hook/{receiver}"));
    let mut command = Command::new(crate::WORKER);
    command
        .env("OPERATOR", "bench")
        .args(["--log-filter=off", "webhooks", "set", organisation, &url])
        .args(given);
    let output = command.output().await.expect("the worker's program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Grants the organisation's course to new addresses, and returns p50 and p99 of the time until the events were delivered to the good
/// receiver, in milliseconds.
async fn delivered(world: &World, organisation: &Organisation, round: usize) -> (f64, f64) {
    let mut pace = tokio::time::interval(Duration::from_millis(50));
    for nth in 0..200 {
        pace.tick().await;
        let email = format!("{}{round}-{nth}@example.com", organisation.short_name);
        let reply = world.enroll(&email, organisation.course, organisation.mode).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    }
    until(world, "SELECT count(*) FROM events WHERE position IS NULL", 0).await;
    let waiting = "SELECT count(*) FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
         WHERE w.url LIKE '%good' AND d.delivered_at IS NULL";
    until(world, waiting, 0).await;
    sqlx::query_as(
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms), percentile_cont(0.99) WITHIN GROUP (ORDER BY ms)
         FROM (SELECT extract(epoch FROM d.delivered_at - e.at)::float8 * 1000 AS ms
               FROM webhook_deliveries d JOIN events e ON e.id = d.event_id JOIN webhook_endpoints w ON w.id = d.endpoint_id
               JOIN organisations o ON o.id = w.organisation_id
               WHERE w.url LIKE '%good' AND o.short_name = $1 ORDER BY e.at DESC LIMIT 200) t",
    )
    .bind(organisation.short_name)
    .fetch_one(&world.db)
    .await
    .expect("times")
}

/// Grants one by one, beside a list of 5,000. The platform has no limit, so that neither waits for a turn.
async fn lists() {
    println!("grants one by one, beside a list of 5,000 grants");
    world(Setup { own_queues: true, ..Setup::default() }, async |world| {
        let offers = offers(world).await;
        let (learners, listed) = (learners(world, "learner").await, learners(world, "listed").await);
        let mut for_lists = offers.chunks_exact(10);
        let nth = AtomicUsize::new(0);
        for callers in [1, 4] {
            let grant = async || {
                let nth = nth.fetch_add(1, Ordering::Relaxed);
                let (course, mode) = &offers[nth / LEARNERS];
                let reply = world.enroll(&learners[nth % LEARNERS], course, mode).await;
                assert_eq!(reply.status, 200, "{}", reply.text);
            };
            let (mut without, mut with, mut rates) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                without.push(measure(callers, grant).await);
                let start = Instant::now();
                let list = submit(world, for_lists.next().expect("courses"), &listed).await;
                with.push(measure(callers, grant).await);
                let waiting = format!(
                    "SELECT count(*) FROM batch_rows WHERE batch_id = '{list}' AND state = 'waiting'"
                );
                rates.push((5_000 - count(world, &waiting).await) as f64 / start.elapsed().as_secs_f64());
                until(world, &waiting, 0).await;
            }
            let middle = |figures: &mut Vec<Figures>| {
                figures.sort_by(|a, b| a.2.total_cmp(&b.2));
                figures[ROUNDS / 2]
            };
            let show = |(rate, p50, p99): Figures| format!("{rate:.0}/s p50 {p50:.1} p99 {p99:.1} ms");
            let (without, with) = (middle(&mut without), middle(&mut with));
            println!(
                "  {callers} callers: alone {}, beside the list {}, p99 {:.2}; the list {:.0} rows/s",
                show(without),
                show(with),
                with.2 / without.2,
                median(rates)
            );
        }
    })
    .await;
}

/// Submits a list of each learner with each of these courses. Returns its id.
async fn submit(world: &World, courses: &[(String, String)], learners: &[String]) -> String {
    let row = |(course, mode): &(String, String), email: &String| json!({ "email": email, "course_id": course, "mode": mode });
    let rows: Vec<Value> =
        courses.iter().flat_map(|course| learners.iter().map(move |email| row(course, email))).collect();
    let request = world.request(Method::POST, "/storeapi/enrollments/client/batch/");
    let reply = harness::Reply::read(request.json(&json!({ "rows": rows }))).await;
    assert_eq!(reply.status, 202, "{}", reply.text);
    reply.json["batch_id"].as_str().expect("an id").to_owned()
}

/// Seats that are taken with the code of one pool, beside free checkouts.
async fn seats() {
    println!("seats taken with one code, beside free checkouts, 16 callers");
    world(Setup { own_queues: true, ..Setup::default() }, async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        for statement in [
            "INSERT INTO vouchers (id, organisation_id, code, kind, currency, max_uses, max_uses_per_buyer, valid_from, created_at,
                                   mode, email, buyer)
             SELECT '00000000-0000-4000-8000-000000000000', o.id, 'SEATS', 'seat', o.currency, 100000, 1, now(), now(), $2,
                    'ada@example.com', 'guest:ada@example.com'
             FROM organisations o JOIN courses c ON c.organisation_id = o.id WHERE c.id = $1::uuid",
            "INSERT INTO voucher_scope (voucher_id, course_id)
             SELECT '00000000-0000-4000-8000-000000000000', $1::uuid WHERE $2 <> ''",
        ] {
            let insert = sqlx::query(statement).bind(shop.course).bind(shop.mode);
            insert.execute(&world.db).await.expect("a pool");
        }
        let mut seat = world.basket(shop).await;
        seat["voucher"] = json!("SEATS");
        let free = world.basket(&FREE).await;
        let nth = AtomicUsize::new(0);
        let take = async |basket: &Value| check_out(world, basket.clone(), nth.fetch_add(1, Ordering::Relaxed)).await;
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            rounds.push((measure(16, async || take(&seat).await).await, measure(16, async || take(&free).await).await));
        }
        rounds.sort_by(|a, b| (a.0.0 / a.1.0).total_cmp(&(b.0.0 / b.1.0)));
        let (seats, free) = rounds[ROUNDS / 2];
        println!(
            "  seats {:.0}/s p50 {:.1} p99 {:.1} ms, free checkouts {:.0}/s p50 {:.1} p99 {:.1} ms, {:.2}",
            seats.0, seats.1, seats.2, free.0, free.1, free.2, seats.0 / free.0
        );
    })
    .await;
}

async fn count(world: &World, select: &str) -> i64 {
    sqlx::query_scalar(sqlx::AssertSqlSafe(select)).fetch_one(&world.db).await.expect("a number")
}

/// Waits until a count is this number.
async fn until(world: &World, select: &str, number: i64) {
    let mut is_there = async |world: &World| count(world, select).await == number;
    world.eventually_within(PATIENCE, select, &mut is_there).await;
}
