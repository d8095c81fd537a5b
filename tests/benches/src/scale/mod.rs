//! The hot paths, the reconciler and retention at millions of enrollments, beside 10,000.

mod operations;
mod rows;
mod statements;
mod timers;

use std::time::Instant;

use harness::{Setup, world};

use self::operations::{Callers, Latency, OPERATIONS};
use self::rows::Loader;
use self::statements::Statements;
use self::timers::Timers;

/// The size that the other one is compared with.
const SMALL: u64 = 10_000;

/// The most that a time may grow.
const ALLOWED: f64 = 1.3;

/// Statements of the hot paths ran at least this often.
const HOT: i64 = 50;

/// Measurements at one size.
struct Size {
    latencies: Vec<Latency>,
    statements: Statements,
    timers: Timers,
}

pub async fn run(enrollments: u64) {
    let small = measured(SMALL).await;
    let large = measured(enrollments).await;
    print_latencies(&small, &large, enrollments);
    print_timers(&small.timers, &large.timers);
    print_statements(&small.statements, &large.statements);
}

async fn measured(enrollments: u64) -> Size {
    let mut size = None;
    println!("\n{enrollments} enrollments");
    world(Setup { workers: 0, own_queues: true, ..Setup::default() }, async |world| {
        world.sell().await;
        let begun = Instant::now();
        let mut loader = Loader::connect(world, enrollments).await;
        loader.load().await;
        println!("  {:>6.1} s  together", begun.elapsed().as_secs_f64());
        rows::print_sizes(world).await;
        let idle = timers::idle(world).await;
        let learners = operations::learners(world, enrollments / 5).await;
        let scans = rows::full_scans(world).await;
        let callers = Callers::start(world, learners).await;
        callers.measure(0.1).await;
        statements::forget(world).await;
        let latencies = callers.measure(1.0).await;
        drop(callers);
        let statements = statements::read(world, HOT).await;
        // A backend reports what it has scanned when it ends.
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        for ((table, before), (_, after)) in scans.into_iter().zip(rows::full_scans(world).await) {
            if after > before {
                println!("{} full scans of {table} under load", after - before);
            }
        }
        let all = statements::read(world, 1).await;
        let timers = timers::busy(world, &mut loader, idle).await;
        statements::print_full_scans(world, &[all, statements::read(world, 1).await]).await;
        size = Some(Size { latencies, statements, timers });
        // Finishes what the others left.
        world.start_worker().await;
    })
    .await;
    size.expect("measured")
}

fn print_latencies(small: &Size, large: &Size, enrollments: u64) {
    println!("\n{:<26} {:>16} {:>16}  ratio of p50", "ms", SMALL, enrollments);
    println!("{:<26} {:>8}{:>8} {:>8}{:>8}", "", "p50", "p95", "p50", "p95");
    for (((name, _), small), large) in OPERATIONS.iter().zip(&small.latencies).zip(&large.latencies) {
        let ratio = large.p50 / small.p50;
        println!(
            "{name:<26} {:>8.1}{:>8.1} {:>8.1}{:>8.1}  {ratio:.2}{}",
            small.p50,
            small.p95,
            large.p50,
            large.p95,
            mark(ratio)
        );
    }
}

fn print_timers(small: &Timers, large: &Timers) {
    println!();
    for (name, small, large) in [
        ("reconciler, nothing waits", small.round, large.round),
        ("gauges, nothing waits", small.gauges, large.gauges),
        ("reconciler, addresses wait", small.waiting_round, large.waiting_round),
        ("gauges, addresses wait", small.waiting_gauges, large.waiting_gauges),
        ("reconciler, old rows", small.retention, large.retention),
    ] {
        println!("{name:<28} {small:>7.2} s {large:>7.2} s");
    }
}

fn print_statements(small: &Statements, large: &Statements) {
    println!(
        "\n{:>9} {:>9} {:>6}  {:>7} {:>7} {:>7}",
        "mean ms", "mean ms", "ratio", "pages", "pages", "calls"
    );
    let mut compared: Vec<_> =
        large.iter().filter_map(|(text, large)| Some((text, *small.get(text)?, *large))).collect();
    compared.sort_by(|a, b| (b.2.mean / b.1.mean).total_cmp(&(a.2.mean / a.1.mean)));
    for (text, small, large) in compared {
        let ratio = large.mean / small.mean;
        println!(
            "{:>9.3} {:>9.3} {ratio:>6.2}{:<1} {:>7.0} {:>7.0} {:>7}  {}",
            small.mean,
            large.mean,
            mark(ratio),
            small.pages,
            large.pages,
            large.calls,
            short(text, 140)
        );
    }
    for text in large.keys().filter(|text| !small.contains_key(*text)) {
        println!("at the larger size alone: {}", short(text, 140));
    }
}

fn mark(ratio: f64) -> &'static str {
    if ratio > ALLOWED { "!" } else { "" }
}

/// The beginning of a text.
fn short(text: &str, length: usize) -> &str {
    text.char_indices().nth(length).map_or(text, |(end, _)| &text[..end])
}
