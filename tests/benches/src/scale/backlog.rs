//! The backlog of a receiver of events that was down and answers again.

use std::time::{Duration, Instant};

use harness::{ORGANISATIONS, World};
use tokio::process::Command;

use super::Figure;
use super::rows::Loader;

/// Time for which deliveries are counted.
const COUNTED: Duration = Duration::from_secs(15);

/// Measures the deliveries per second to an endpoint of the shop with this many due ones.
pub async fn measure(world: &World, loader: &mut Loader, due: u64) -> Figure {
    crate::extensions::endpoint(world, ORGANISATIONS[0].short_name, "good").await;
    let deliveries = format!(
        "INSERT INTO webhook_deliveries (endpoint_id, event_id, at, next_attempt_at)
         SELECT w.id, e.id, '{{now}}', '{{now}}'::timestamptz - interval '1 day' + interval '1 ms' * e.position
         FROM webhook_endpoints w, (SELECT id, position FROM events WHERE organisation_id = (
             SELECT id FROM organisations WHERE short_name = 'northwind') ORDER BY position LIMIT {due}) e;
         ANALYZE webhook_deliveries"
    );
    loader.run("deliveries that are due", &deliveries).await;
    let _worker = Command::new(crate::WORKER)
        .args(["--log-filter=off", "run", "--reconcile-every=24h"])
        .args(&world.worker_args)
        .kill_on_drop(true)
        .spawn()
        .expect("the worker's program");
    let done = async || -> i64 {
        let done = "SELECT count(*) FROM webhook_deliveries WHERE delivered_at IS NOT NULL";
        sqlx::query_scalar(done).fetch_one(&world.db).await.expect("a number")
    };
    while done().await == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let (begun, first) = (Instant::now(), done().await);
    let (mut last, mut time) = (first, 0.0);
    while begun.elapsed() < COUNTED && last < due as i64 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        (last, time) = (done().await, begun.elapsed().as_secs_f64());
    }
    sqlx::query("DELETE FROM webhook_deliveries").execute(&world.db).await.expect("deleted");
    let rate = if time > 0.0 { (last - first) as f64 / time } else { due as f64 };
    Figure::new("deliveries a second to a receiver with a backlog", vec![rate])
}
