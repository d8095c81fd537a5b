//! /livez, /readyz and /metrics of the worker, on its internal port.

use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use sqlx::PgPool;
use tokio::sync::watch;

/// Ready means: the database answers, and messages are being consumed.
pub fn router(db: PgPool, consuming: watch::Receiver<bool>, metrics: PrometheusHandle) -> Router {
    let ready = move || {
        let (db, consuming) = (db.clone(), *consuming.borrow());
        async move {
            let ping = tokio::time::timeout(Duration::from_secs(1), db.acquire()).await;
            match ping {
                Ok(Ok(_)) if consuming => (StatusCode::OK, "ready\n"),
                Ok(Ok(_)) => (StatusCode::SERVICE_UNAVAILABLE, "broker away\n"),
                _ => (StatusCode::SERVICE_UNAVAILABLE, "database away\n"),
            }
        }
    };
    Router::new()
        .route("/livez", get(|| async { "alive\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(move || async move { metrics.render() }))
}
