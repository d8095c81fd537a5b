//! Costs of the worker's timers: a round of the reconciler, the gauges, and retention.

use std::time::Instant;

use harness::World;
use tokio::process::Command;

use super::rows::Loader;
use super::statements;

const ROUNDS: usize = 3;

/// Seconds.
pub struct Timers {
    /// A round when nothing waits, with the start of its program; the middle of three.
    pub round: f64,
    /// All gauges of the backlog, with the start of the program.
    pub gauges: f64,
    /// The same two when a hundredth of the addresses wait for their registration.
    pub waiting_round: f64,
    pub waiting_gauges: f64,
    /// A round when old rows of each kind are due.
    pub retention: f64,
}

pub async fn idle(world: &World) -> (f64, f64) {
    (middle(world, &["--once"]).await, middle(world, &["--once", "--dry-run"]).await)
}

/// Measures rounds that find work, after what [`idle`] has returned.
pub async fn busy(world: &World, loader: &mut Loader, (round, gauges): (f64, f64)) -> Timers {
    loader.run("old rows of each kind", include_str!("due.sql")).await;
    statements::forget(world).await;
    let retention = reconcile(world, &["--once"]).await;
    println!("\nretention: a round with old rows of each kind took {retention:.1} s");
    println!("{:>7} {:>9} {:>9} {:>9} {:>9}", "calls", "mean ms", "most ms", "rows", "pages");
    for (text, taken) in statements::read(world, 1).await {
        let text = text.strip_prefix("WITH ").unwrap_or(&text);
        if taken.longest > 1.0 && (text.starts_with("DELETE") || text.starts_with("UPDATE")) {
            println!(
                "{:>7} {:>9.1} {:>9.1} {:>9.0} {:>9.0}  {}",
                taken.calls,
                taken.mean,
                taken.longest,
                taken.rows,
                taken.pages,
                super::short(text, 100)
            );
        }
    }
    loader.run("addresses that wait", include_str!("waiting.sql")).await;
    loader.run("VACUUM ANALYZE", "VACUUM ANALYZE enrollments").await;
    let waiting_round = middle(world, &["--once"]).await;
    let waiting_gauges = middle(world, &["--once", "--dry-run"]).await;
    Timers { round, gauges, waiting_round, waiting_gauges, retention }
}

async fn middle(world: &World, arguments: &[&str]) -> f64 {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        times.push(reconcile(world, arguments).await);
    }
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

async fn reconcile(world: &World, arguments: &[&str]) -> f64 {
    let begun = Instant::now();
    let done = Command::new(crate::WORKER).arg("reconcile").args(arguments).args(&world.worker_args).output();
    let done = done.await.expect("the worker's program");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    begun.elapsed().as_secs_f64()
}
