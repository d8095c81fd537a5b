//! Costs of a shop at several sizes: hot paths, reads, reports, pages, commands, rounds of the reconciler, retention, and the backlog of a
//! receiver of events.

mod backlog;
mod commands;
mod operations;
mod reads;
mod rows;
mod statements;
mod timers;

use std::time::Instant;

use harness::{Setup, world};

use self::operations::Callers;
use self::rows::Loader;
use self::statements::Statements;

/// The most that a figure may grow from the smallest size to the largest, unless it is as large as its answer.
const ALLOWED: f64 = 2.0;

/// Statements of the hot paths ran at least this often.
const HOT: i64 = 50;

/// A figure at one size: milliseconds, unless its name says otherwise.
pub struct Figure {
    pub name: String,
    pub middle: f64,
    pub worst: f64,
}

impl Figure {
    pub fn new(name: impl Into<String>, mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let worst = values.last().copied().expect("a value");
        Self { name: name.into(), middle: values[values.len() / 2], worst }
    }
}

/// Measurements at one size.
struct Size {
    orders: u64,
    figures: Vec<Figure>,
    statements: Statements,
}

/// Measures shops of these numbers of orders, one after the other.
pub async fn run(sizes: &[u64]) {
    let mut measured = Vec::new();
    for orders in sizes {
        measured.push(at(*orders).await);
    }
    print(&measured);
    if let [first, .., last] = measured.as_slice() {
        print_statements(&first.statements, &last.statements);
    }
}

async fn at(orders: u64) -> Size {
    let mut size = None;
    println!("\n{orders} orders");
    let setup = Setup { workers: 0, own_queues: true, ..Setup::default() };
    world(setup, async |world| {
        world.sell().await;
        let begun = Instant::now();
        let mut loader = Loader::connect(world, orders).await;
        loader.load().await;
        println!("  {:>6.1} s  together", begun.elapsed().as_secs_f64());
        rows::print_sizes(world).await;
        let mut figures = timers::at_rest(world).await;
        let learners = operations::learners(world).await;
        let scans = rows::full_scans(world).await;
        let callers = Callers::start(world, learners).await;
        callers.measure(0.1).await;
        statements::forget(world).await;
        figures.extend(callers.measure(1.0).await);
        let statements = statements::read(world, HOT).await;
        figures.extend(callers.pay().await);
        figures.extend(reads::measure(world, &callers).await);
        figures.extend(commands::measure(world, callers.many()).await);
        drop(callers);
        // A backend reports what it has scanned when it ends.
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        for ((table, before), (_, after)) in scans.into_iter().zip(rows::full_scans(world).await) {
            if after > before {
                println!("{} full scans of {table} under load", after - before);
            }
        }
        let all = statements::read(world, 1).await;
        figures.extend(timers::retention(world, &mut loader).await);
        statements::print_full_scans(world, &[all, statements::read(world, 1).await]).await;
        figures.push(backlog::measure(world, &mut loader, orders / 10).await);
        size = Some(Size { orders, figures, statements });
        // Finishes what the others left.
        world.start_worker().await;
    })
    .await;
    size.expect("measured")
}

/// Prints the middle of each figure at each size, its worst at the largest, and how much it grows.
fn print(sizes: &[Size]) {
    let (Some(first), Some(last)) = (sizes.first(), sizes.last()) else { return };
    print!("\n{:<46}", "ms, middle");
    sizes.iter().for_each(|size| print!("{:>11}", size.orders));
    println!("{:>11}  ratio", "worst");
    for figure in &last.figures {
        let at = |size: &Size| {
            size.figures.iter().find(|other| other.name == figure.name).map(|found| found.middle)
        };
        print!("{:<46}", figure.name);
        sizes.iter().for_each(|size| print!("{:>11.1}", at(size).unwrap_or(f64::NAN)));
        let ratio = figure.middle / at(first).unwrap_or(f64::NAN);
        println!("{:>11.1}  {ratio:.2}{}", figure.worst, mark(ratio));
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
        println!("at the largest size alone: {}", short(text, 140));
    }
}

fn mark(ratio: f64) -> &'static str {
    if ratio > ALLOWED { "!" } else { "" }
}

/// The beginning of a text.
fn short(text: &str, length: usize) -> &str {
    text.char_indices().nth(length).map_or(text, |(end, _)| &text[..end])
}
