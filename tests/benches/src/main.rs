//! Measurements: each figure beside a baseline of the same run, and their ratio. `tests/bench` builds and starts
//! this.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a measurement that fails ends with a panic"
)]

mod catalog;
mod checkout;
mod credentials;
mod door;
mod enroll;
mod extensions;
mod launch;
mod list;
mod load;
mod plot;
mod processes;
mod scale;
mod scaling;

use clap::Parser;

/// The api's allocator, so that the bare routes of the baselines have it too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
enum Bench {
    /// Measure every catalog read at 1,000 and 100,000 courses, warm and cold, beside three baselines
    Catalog,
    /// Measure the warm course list beside a route that writes the same bytes from memory
    List,
    /// Measure the warm course list with each kind of credential
    Credentials,
    /// Measure reads beside slow sockets, and known learners beside a flood of unknown sessions
    Door,
    /// Measure grants beside a bare echo over the same kind of queue, or with several processes of each service
    Enroll {
        /// Instead of the echo: how many worker processes, such as 1,2,4
        #[arg(long, value_delimiter = ',')]
        workers: Vec<usize>,
        /// Beside each number of worker processes, how many apis
        #[arg(long, value_delimiter = ',', default_value = "1")]
        apis: Vec<usize>,
    },
    /// Measure free and paid checkouts beside the same echo
    Checkout,
    /// Measure invoices, deliveries of events, lists and seats, each beside the same load without
    Extensions,
    /// Measure a launch day: reads, a changed catalog, twice as many buyers as can be served, and two faults
    Launch {
        /// Seconds of each of its ten minutes
        #[arg(long, default_value_t = 60)]
        minute: u64,
    },
    /// Measure what reads and commands cost each process, with one, two and four processes of each service
    Scaling {
        /// The loads, of: read, free, paid, grant
        #[arg(long, value_delimiter = ',', default_value = "read,free,paid,grant")]
        loads: Vec<String>,
        /// Number of processes of each service
        #[arg(long, value_delimiter = ',', default_value = "1,2,4")]
        processes: Vec<usize>,
    },
    /// Measure hot paths, reads, reports, pages, commands, the reconciler and a backlog of events in shops of several sizes
    Scale {
        /// Number of orders of each shop; other rows in proportion
        #[arg(long, value_delimiter = ',', default_value = "1000,30000,1000000")]
        orders: Vec<u64>,
    },
}

/// The programs, as `tests/bench` builds them.
const API: &str = "target/dist/storefront-api";
const WORKER: &str = "target/dist/storefront-worker";

#[tokio::main]
async fn main() {
    // Otherwise the log buffer that the tests use would be measured too.
    drop(tracing::subscriber::set_global_default(tracing::subscriber::NoSubscriber::default()));
    match Bench::parse() {
        Bench::Catalog => catalog::run().await,
        Bench::List => list::run().await,
        Bench::Credentials => credentials::run().await,
        Bench::Door => door::run().await,
        Bench::Enroll { workers, .. } if workers.is_empty() => enroll::run().await,
        Bench::Enroll { workers, apis } => scaling::grants_by_processes(&apis, &workers).await,
        Bench::Checkout => checkout::run().await,
        Bench::Launch { minute } => launch::run(minute).await,
        Bench::Extensions => extensions::run().await,
        Bench::Scaling { loads, processes } => scaling::run(&loads, &processes).await,
        Bench::Scale { orders } => scale::run(&orders).await,
    }
}
