//! Costs of the worker's timers: a round of the reconciler, the gauges, and retention.

use std::time::{Duration, Instant};

use harness::World;
use tokio::process::Command;

use super::rows::Loader;
use super::{Figure, statements};

const ROUNDS: usize = 3;

/// Measures a round of the reconciler and the gauges when nothing is due, with the start of their program, and the rows that both read.
pub async fn at_rest(world: &World) -> Vec<Figure> {
    // The first one may find something that the load has left.
    reconcile(world, &["--once"]).await;
    let before = rows_read(world).await;
    let (round, gauges) = (times(world, &["--once"]).await, times(world, &["--once", "--dry-run"]).await);
    let read = (rows_read(world).await - before) as f64 / ROUNDS as f64;
    vec![
        Figure::new("a round of the reconciler, nothing due", round),
        Figure::new("the gauges", gauges),
        Figure::new("both together: rows that they read", vec![read]),
    ]
}

/// Counts the rows and index entries that backends of this database have read which have ended.
async fn rows_read(world: &World) -> i64 {
    tokio::time::sleep(Duration::from_secs(1)).await;
    let read = "SELECT ((SELECT sum(seq_tup_read) FROM pg_stat_user_tables) + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes))::bigint";
    sqlx::query_scalar(read).fetch_one(&world.db).await.expect("statistics")
}

/// Measures a round that finds old rows of each kind, and prints what each statement of it took.
pub async fn retention(world: &World, loader: &mut Loader) -> Vec<Figure> {
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
    vec![Figure::new("a round of the reconciler, old rows", vec![retention * 1000.0])]
}

async fn times(world: &World, arguments: &[&str]) -> Vec<f64> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        times.push(reconcile(world, arguments).await * 1000.0);
    }
    times
}

async fn reconcile(world: &World, arguments: &[&str]) -> f64 {
    let begun = Instant::now();
    let done = Command::new(crate::WORKER).arg("reconcile").args(arguments).args(&world.worker_args).output();
    let done = done.await.expect("the worker's program");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    begun.elapsed().as_secs_f64()
}
