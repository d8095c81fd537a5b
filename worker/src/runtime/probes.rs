//! /livez, /readyz and /metrics of the worker, on its internal port.

use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use shared::db::Db;
use store::plumbing::outbox;
use tokio::sync::watch;

/// Time that the database has for the probe's write.
const PATIENCE: Duration = Duration::from_secs(1);

/// The probes' routes. Ready means that the database takes writes and that the worker consumes messages.
pub fn router(db: Db, consuming: watch::Receiver<bool>, metrics: PrometheusHandle) -> Router {
    let measured_db = db.clone();
    let ready = move || {
        let (db, consuming) = (db.clone(), *consuming.borrow());
        async move {
            let writes = tokio::time::timeout(PATIENCE, outbox::try_write(&db)).await;
            match (matches!(writes, Ok(Ok(()))), consuming) {
                (true, true) => (StatusCode::OK, "ready\n"),
                (true, false) => (StatusCode::SERVICE_UNAVAILABLE, "broker unavailable\n"),
                (false, _) => (StatusCode::SERVICE_UNAVAILABLE, "database takes no writes\n"),
            }
        }
    };
    Router::new()
        .route("/livez", get(|| async { "alive\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(move || async move { measured(&measured_db, &metrics) }))
}

fn measured(db: &Db, metrics: &PrometheusHandle) -> String {
    shared::metrics::database("main", db);
    metrics.render()
}
