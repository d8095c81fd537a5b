//! The day on which a popular course opens: constant reads, a change of the catalog, twice as many buyers as can be served, a slow
//! provider, and a platform that is unavailable. Ends with what became of each payment.

mod buyers;
mod chart;
mod reads;
mod seconds;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use harness::{ApiProcess, Setup, World, world};
use serde_json::{Value, json};
use tokio::process::Command;

use buyers::{Buyers, account};
use seconds::{Kind, Seconds, quantile};

use crate::processes;

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
    world(Setup { workers: 0, own_queues: true, ..Setup::default() }, async |world| {
        world.sell().await;
        for nth in 0..ACCOUNTS {
            world.platform_user(&account(nth)).await;
        }
        let api = ApiProcess::start(world, crate::API, &[]).await;
        for thread in std::fs::read_dir(format!("/proc/{}/task", api.id())).expect("its threads") {
            processes::prefer(&thread.expect("a thread").file_name());
        }
        world.simulators.set_notification_url(Some(format!("{}/storeapi/payment/notifications", api.base)));
        let mut worker = Command::new(crate::WORKER);
        worker.args(["--log-filter=off", "run"]).args(&world.worker_args).kill_on_drop(true);
        let worker = worker.spawn().expect("the worker's program");
        tokio::time::sleep(Duration::from_secs(2)).await;

        let line = Timeline(Duration::from_secs(minute));
        let capacity = capacity(world, &api).await;
        // As autovacuum does within a minute, where it is on: plans made for empty tables do not suit full ones.
        sqlx::query("ANALYZE").execute(&world.db).await.expect("analyzed");
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
        if minute == 60 {
            chart::write(&line, &seconds, &samples);
        }
        audit(world).await;
        drop((api, worker));
        world.start_worker().await;
    })
    .await;
}

async fn finish(readers: JoinHandle<()>) {
    let ended = tokio::task::spawn_blocking(|| readers.join()).await;
    assert!(ended.is_ok_and(|ended| ended.is_ok()), "a reader failed");
}

/// The rate of paid checkouts by a few callers, beside the reads, once also the work that follows payments is under way.
async fn capacity(world: &World, api: &ApiProcess) -> f64 {
    let seconds = Arc::new(Seconds::start(Duration::from_secs(30)));
    let readers = reads::start(&api.base, READS, &seconds);
    let buyers = Buyers::new(world, &api.base, ("early", 0), &seconds).await;
    let one = async |_| {
        while !seconds.are_over() {
            buyers.buy(false).await;
        }
    };
    futures_util::future::join_all((0..CALLERS).map(one)).await;
    finish(readers).await;
    seconds.of(Kind::Checkout, 10..30).len() as f64 / 20.0
}

/// Lets each thing happen at its time.
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
            worker_mib: processes::memory(worker),
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
        "worst s",
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
        row(name, line.second(from)..line.second(to), seconds, samples);
    }
    let change = line.second(Timeline::CHANGE);
    println!("p99 in the second of the change: {:.1} ms", worst(seconds, change..change + 2));
    let burst = line.second(Timeline::BURST)..line.second(Timeline::BURST + 1);
    let goodput = seconds.of(Kind::Checkout, burst.clone()).len() as f64 / burst.len() as f64;
    println!("goodput under overload: {:.2} of the capacity", goodput / capacity);
    let later = burst.end + burst.len().min(60);
    let left = samples.iter().find(|sample| sample.second >= later).map(|sample| sample.waiting);
    println!("messages that wait {} s after the burst: {left:?}", later - burst.end);
}

/// The highest p99 of reads in a single second.
fn worst(seconds: &Seconds, range: Range<usize>) -> f32 {
    range.map(|second| quantile(&seconds.of(Kind::Read, second..second + 1), 0.99)).fold(0.0, f32::max)
}

fn row(name: &str, range: Range<usize>, seconds: &Seconds, samples: &[Sample]) {
    let length = range.len() as f64;
    let of = |kind| seconds.of(kind, range.clone());
    let (reads, orders, refused) = (of(Kind::Read), of(Kind::Checkout), of(Kind::Refused));
    let during: Vec<&Sample> = samples.iter().filter(|sample| range.contains(&sample.second)).collect();
    let most =
        |figure: fn(&Sample) -> u64| during.iter().map(|sample| figure(sample)).max().unwrap_or_default();
    println!(
        "{name:<21} {:>8.0} {:>7.1} {:>7.1} {:>7.1} {:>7} | {:>9.1} {:>7.0} {:>7.0} {:>8} {:>9.0} {:>7} {:>6} | {:>7} {:>7} {:>7} {:>7}",
        reads.len() as f64 / length,
        quantile(&reads, 0.5),
        quantile(&reads, 0.99),
        worst(seconds, range.clone()),
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

/// Compares the payments at the providers with the orders, once all is done: each payment has an order, and no buyer has two.
async fn audit(world: &World) {
    let start = Instant::now();
    let unfinished = "SELECT count(*) FROM carts c WHERE c.state = 'paid' OR EXISTS (
        SELECT FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
        WHERE g.cart_id = c.id AND e.learner_id IS NOT NULL AND e.platform_state = 'queued')";
    loop {
        let left: i64 = sqlx::query_scalar(unfinished).fetch_one(&world.db).await.expect("orders");
        let (paid, without, twice) = payments(world).await;
        let seconds = start.elapsed().as_secs();
        if (left, without) == (0, 0) || seconds > 120 {
            println!(
                "{paid} payments; without an order: {without}; buyers with two: {twice}; orders not finished: {left}, {seconds} s after the end"
            );
            return;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Numbers of captured payments, of those without an order, and of buyers with more than one payment that can be or was paid.
async fn payments(world: &World) -> (usize, usize, i64) {
    let orders: Vec<String> = sqlx::query_scalar(
        "SELECT t.id::text FROM carts c JOIN transactions t ON t.cart_id = c.id WHERE c.state IN ('paid', 'fulfilled', 'held')",
    )
    .fetch_all(&world.db)
    .await
    .expect("orders");
    let orders: HashSet<String> = orders.into_iter().collect();
    let payments = world.sim(reqwest::Method::GET, "/_sim/payments", None).await;
    let captured = |payment: &&Value| payment["captured"].as_i64() > Some(0);
    let payments: Vec<&Value> = payments.as_array().expect("payments").iter().filter(captured).collect();
    let has_none =
        |payment: &&&Value| !orders.contains(payment["our_reference"].as_str().unwrap_or_default());
    let twice = "SELECT count(*) FROM (SELECT FROM carts c JOIN transactions t ON t.cart_id = c.id
        WHERE c.state NOT IN ('expired', 'cancelled') GROUP BY c.email HAVING count(*) > 1) buyers";
    let twice = sqlx::query_scalar(twice).fetch_one(&world.db).await.expect("buyers");
    (payments.len(), payments.iter().filter(has_none).count(), twice)
}
