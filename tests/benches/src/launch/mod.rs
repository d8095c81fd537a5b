//! The day on which a popular course opens: constant reads, a change of the catalog, twice as many buyers as can be served, a slow
//! provider, and a platform that is unavailable. Ends with what became of each payment.

mod buyers;
mod chart;
mod reads;
mod seconds;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use harness::{ApiProcess, Setup, World, world};
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::task::JoinHandle;

use buyers::{Buyers, account};
use seconds::{Kind, Seconds, quantile};

/// Warm reads a second.
const READS: u32 = 20_000;

/// Accounts at the platform, one for each of the first buyers.
const ACCOUNTS: usize = 4_000;

/// Callers that find out the capacity for checkouts.
const CALLERS: usize = 32;

/// Buyers outside of the burst, as a part of the capacity.
const ORDINARY: f64 = 0.2;

/// One second's state of the services.
pub struct Sample {
    second: usize,
    api_mib: u64,
    worker_mib: u64,
    connections: i64,
    waiting: u32,
}

/// The minutes at which things happen, and how long a minute is.
struct Timeline(Duration);

impl Timeline {
    const CHANGE: u32 = 2;
    const BURST: u32 = 3;
    const SLOW: u32 = 5;
    const DOWN: u32 = 6;
    const BACK: u32 = 8;
    const END: u32 = 10;

    fn at(&self, minute: u32) -> Duration {
        self.0 * minute
    }

    fn second(&self, minute: u32) -> usize {
        usize::try_from(self.at(minute).as_secs()).expect("few")
    }
}

/// Runs the ten minutes, each of this many seconds.
pub async fn run(minute: u64) {
    world(Setup { apis: 0, workers: 0, direct: true, ..Setup::default() }, async |world| {
        world.sell().await;
        for nth in 0..ACCOUNTS {
            world.platform_user(&account(nth)).await;
        }
        let api = ApiProcess::start(world, crate::API, &[]).await;
        world.simulators.set_notification_url(Some(format!("{}/storeapi/payment/notifications", api.base)));
        let mut worker = Command::new(crate::WORKER);
        worker.args(["--log-filter=off", "run"]).args(&world.worker_args).kill_on_drop(true);
        let worker = worker.spawn().expect("the worker's program");
        tokio::time::sleep(Duration::from_secs(2)).await;

        let line = Timeline(Duration::from_secs(minute));
        let capacity = capacity(world, &api).await;
        println!("{READS} reads a second; capacity beside them: {capacity:.0} checkouts a second");
        let seconds = Arc::new(Seconds::start(line.at(Timeline::END)));
        let readers = reads::start(&api.base, READS, &seconds);
        let (mut samples, is_over) = (Vec::new(), AtomicBool::new(false));
        let worker_id = worker.id().expect("it runs");
        let sampling = sample(world, &api, worker_id, &seconds, &is_over, &mut samples);
        let buyers = Arc::new(Buyers::new(world, &api.base, ("guest", ACCOUNTS), &seconds).await);
        let launch = async {
            launch(world, &line, &buyers, capacity, &seconds).await;
            is_over.store(true, Ordering::Relaxed);
        };
        tokio::join!(sampling, launch);
        finish(readers).await;
        report(&line, &seconds, &samples, capacity);
        chart::write(&line, &seconds, &samples);
        audit(world).await;
        drop((api, worker));
        world.start_worker().await;
    })
    .await;
}

async fn finish(readers: Vec<JoinHandle<()>>) {
    for reader in readers {
        reader.await.expect("a reader");
    }
}

/// The rate of paid checkouts by a few callers, beside the reads.
async fn capacity(world: &World, api: &ApiProcess) -> f64 {
    let seconds = Arc::new(Seconds::start(Duration::from_secs(12)));
    let readers = reads::start(&api.base, READS, &seconds);
    let buyers = Buyers::new(world, &api.base, ("early", 0), &seconds).await;
    let one = async |_| {
        while !seconds.are_over() {
            buyers.buy(false).await;
        }
    };
    futures_util::future::join_all((0..CALLERS).map(one)).await;
    finish(readers).await;
    seconds.of(Kind::Checkout, 2..12).len() as f64 / 10.0
}

/// What happens, at its time.
async fn launch(world: &World, line: &Timeline, buyers: &Arc<Buyers>, capacity: f64, seconds: &Seconds) {
    let until = async |minute: u32| {
        tokio::time::sleep(line.at(minute).saturating_sub(seconds.elapsed())).await;
    };
    let ordinary = buyers.arrive(capacity * ORDINARY, line.at(Timeline::END));
    let burst = async {
        until(Timeline::BURST).await;
        buyers.arrive(capacity * (2.0 - ORDINARY), line.at(1)).await;
    };
    let change = async {
        until(Timeline::CHANGE).await;
        crate::catalog::raise_generation(world).await;
    };
    let faults = async {
        until(Timeline::SLOW).await;
        let slow = json!({ "target": "stripe", "kind": "delay", "delay_ms": 2_000, "count": 1_000_000 });
        world.fault(slow).await;
        until(Timeline::DOWN).await;
        world.no_faults().await;
        world
            .fault(json!({ "target": "platform", "kind": "status", "status": 503, "count": 1_000_000 }))
            .await;
        until(Timeline::BACK).await;
        world.no_faults().await;
    };
    tokio::join!(ordinary, burst, change, faults);
}

/// Notes the state of the services each second.
async fn sample(
    world: &World,
    api: &ApiProcess,
    worker: u32,
    seconds: &Seconds,
    is_over: &AtomicBool,
    samples: &mut Vec<Sample>,
) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    while !is_over.load(Ordering::Relaxed) {
        ticks.tick().await;
        let connections = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()";
        let connections: i64 =
            sqlx::query_scalar(connections).fetch_one(&world.db).await.expect("connections");
        samples.push(Sample {
            second: usize::try_from(seconds.elapsed().as_secs()).expect("few"),
            api_mib: api.memory("VmRSS"),
            worker_mib: crate::processes::memory(worker),
            connections,
            waiting: world.all_ready_messages().await,
        });
    }
}

fn report(line: &Timeline, seconds: &Seconds, samples: &[Sample], capacity: f64) {
    let phases = [
        ("before", 0, Timeline::CHANGE),
        ("catalog changed", Timeline::CHANGE, Timeline::BURST),
        ("twice the capacity", Timeline::BURST, Timeline::BURST + 1),
        ("after the burst", Timeline::BURST + 1, Timeline::SLOW),
        ("a provider is slow", Timeline::SLOW, Timeline::DOWN),
        ("platform unavailable", Timeline::DOWN, Timeline::BACK),
        ("platform back", Timeline::BACK, Timeline::END),
    ];
    println!(
        "{:<21} {:>8} {:>7} {:>7} {:>7} {:>7} | {:>9} {:>7} {:>7} {:>8} {:>9} {:>7} {:>6} | {:>7} {:>7} {:>7} {:>7}",
        "phase",
        "reads/s",
        "p50 ms",
        "p99 ms",
        "worst",
        "failed",
        "orders/s",
        "p50 ms",
        "p99 ms",
        "503s",
        "503 ms p99",
        "timeout",
        "other",
        "api MiB",
        "worker",
        "conns",
        "waiting"
    );
    for (name, from, to) in phases {
        let range = line.second(from)..line.second(to);
        let length = range.len() as f64;
        let of = |kind| seconds.of(kind, range.clone());
        let worst = range.clone().map(|second| quantile(&seconds.of(Kind::Read, second..second + 1), 0.99));
        let (reads, orders, refused) = (of(Kind::Read), of(Kind::Checkout), of(Kind::Refused));
        let during: Vec<&Sample> = samples.iter().filter(|sample| range.contains(&sample.second)).collect();
        let most =
            |figure: fn(&Sample) -> u64| during.iter().map(|sample| figure(sample)).max().unwrap_or_default();
        println!(
            "{name:<21} {:>8.0} {:>7.1} {:>7.1} {:>7.1} {:>7} | {:>9.1} {:>7.0} {:>7.0} {:>8} {:>9.0} {:>7} {:>6} | {:>7} {:>7} {:>7} {:>7}",
            reads.len() as f64 / length,
            quantile(&reads, 0.5),
            quantile(&reads, 0.99),
            worst.fold(0.0, f32::max),
            of(Kind::ReadFailed).len(),
            orders.len() as f64 / length,
            quantile(&orders, 0.5),
            quantile(&orders, 0.99),
            refused.len(),
            quantile(&refused, 0.99),
            of(Kind::TimedOut).len(),
            of(Kind::OtherError).len(),
            most(|sample| sample.api_mib),
            most(|sample| sample.worker_mib),
            most(|sample| u64::try_from(sample.connections).unwrap_or_default()),
            most(|sample| sample.waiting.into()),
        );
    }
    let change = line.second(Timeline::CHANGE);
    let worst =
        (change..change + 2).map(|second| quantile(&seconds.of(Kind::Read, second..second + 1), 0.99));
    println!("p99 in the seconds of the change: {:.1} ms", worst.fold(0.0, f32::max));
    let burst = line.second(Timeline::BURST)..line.second(Timeline::BURST + 1);
    let goodput = seconds.of(Kind::Checkout, burst.clone()).len() as f64 / burst.len() as f64;
    println!("goodput under overload: {:.2} of the capacity", goodput / capacity);
    let later = burst.end + 60;
    let left = samples.iter().find(|sample| sample.second >= later).map(|sample| sample.waiting);
    println!("60 s after the burst, messages that wait: {left:?}");
}

/// Compares the payments at the providers with the orders: nobody has paid without an order, and nobody twice.
async fn audit(world: &World) {
    let start = Instant::now();
    let unfinished = "SELECT count(*) FROM carts c WHERE c.state = 'paid' OR EXISTS (
        SELECT FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
        WHERE g.cart_id = c.id AND e.learner_id IS NOT NULL AND e.platform_state = 'queued')";
    let mut left: i64 = i64::MAX;
    while left > 0 && start.elapsed() < Duration::from_secs(120) {
        left = sqlx::query_scalar(unfinished).fetch_one(&world.db).await.expect("orders");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT c.email, t.id::text FROM carts c JOIN transactions t ON t.cart_id = c.id WHERE c.state IN ('fulfilled', 'held')",
    )
    .fetch_all(&world.db)
    .await
    .expect("orders");
    let orders: HashMap<String, String> = rows.into_iter().map(|(email, payment)| (payment, email)).collect();
    let payments = world.sim(reqwest::Method::GET, "/_sim/payments", None).await;
    let captured = |payment: &&Value| payment["captured"].as_i64() > Some(0);
    let (mut by_buyer, mut without) = (HashMap::<&str, u32>::new(), 0);
    for payment in payments.as_array().expect("payments").iter().filter(captured) {
        match orders.get(payment["our_reference"].as_str().unwrap_or_default()) {
            Some(email) => *by_buyer.entry(email).or_default() += 1,
            None => without += 1,
        }
    }
    let twice = by_buyer.values().filter(|count| **count > 1).count();
    println!(
        "{} payments of {} buyers; without an order: {without}; buyers who paid twice: {twice}; {left} orders not finished {:.0} s after the end",
        by_buyer.values().sum::<u32>(),
        by_buyer.len(),
        start.elapsed().as_secs_f64()
    );
}
