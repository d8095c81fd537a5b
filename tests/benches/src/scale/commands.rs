//! Costs of the commands of operators.

use std::time::Instant;

use harness::World;
use tokio::process::Command;

use super::Figure;

/// Measures commands, without the time that the program takes to start. `many` is the address of the buyer of many.
pub async fn measure(world: &World, many: &str) -> Vec<Figure> {
    let paid = "SELECT id::text FROM carts WHERE state = 'fulfilled' AND paid_at IS NOT NULL ORDER BY created_at LIMIT 1";
    let order: String = sqlx::query_scalar(paid).fetch_one(&world.db).await.expect("an order");
    let start = middle(world, &["--version"], false).await;
    let mut figures = Vec::new();
    for (name, words) in [
        ("payments show: an order", &["payments", "show", order.as_str()][..]),
        ("payments show: the buyer of many", &["payments", "show", many]),
        ("payments list", &["payments", "list"]),
        ("learners export: the buyer of many", &["learners", "export", many]),
    ] {
        let times = middle(world, words, true).await;
        figures.push(Figure::new(name, times.iter().map(|time| (time - start[1]).max(0.0)).collect()));
    }
    figures
}

/// The milliseconds of three runs, the middle one in the middle.
async fn middle(world: &World, words: &[&str], has_database: bool) -> Vec<f64> {
    let database =
        world.worker_args.iter().rfind(|given| given.starts_with("--database-url=") && has_database);
    let mut times = Vec::new();
    for _ in 0..3 {
        let begun = Instant::now();
        let done = Command::new(crate::WORKER)
            .args(words)
            .args(database)
            .output()
            .await
            .expect("the worker's program");
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    times.sort_by(f64::total_cmp);
    times
}
