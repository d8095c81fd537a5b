//! Measurements: each figure beside a baseline of the same run, as a ratio. `tests/bench` builds and starts this.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a measurement that fails ends with a panic"
)]

mod enroll;
mod list;
mod load;

use clap::Parser;

#[derive(Parser)]
enum Bench {
    /// The course list beside a route that writes the same bytes from memory
    List,
    /// Grants beside a bare echo over the same kind of queue
    Enroll,
}

#[tokio::main]
async fn main() {
    match Bench::parse() {
        Bench::List => list::run().await,
        Bench::Enroll => enroll::run().await,
    }
}
