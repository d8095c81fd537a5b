//! When a running worker synchronises: every CATALOG_SYNC_EVERY, and a course that the platform's event bus has named.

use std::time::Duration;

use chrono::TimeDelta;
use indicatif::ProgressBar;
use tokio_util::sync::CancellationToken;

use super::{CatalogSync, Options, SyncError};
use crate::error::JobResult;
use crate::store::catalog_sync as store;

/// How often the worker looks whether a whole sync is due.
const LOOK: Duration = Duration::from_secs(10);

/// How long a worker waits after a sync that failed.
const PAUSE: Duration = Duration::from_secs(300);

/// How often the worker looks for courses that were named.
const TICK: Duration = Duration::from_secs(2);

/// A course whose sync fails is read again after so long.
const AGAIN: TimeDelta = TimeDelta::minutes(5);

/// Named courses that are read in one go.
const REQUESTS: i64 = 20;

/// Whole syncs, one for all workers together: each looks when the last one ended.
pub async fn run_timer(sync: CatalogSync, every: Duration, stop: CancellationToken) {
    loop {
        let round = async {
            let pause = match if_due(&sync, every).await {
                Ok(()) => LOOK,
                Err(error) => {
                    tracing::warn!(%error, "the catalog is not synchronised");
                    PAUSE
                }
            };
            tokio::time::sleep(every.min(pause)).await;
        };
        tokio::select! {
            () = round => {}
            () = stop.cancelled() => return,
        }
    }
}

async fn if_due(sync: &CatalogSync, every: Duration) -> Result<(), SyncError> {
    if !is_due(sync, every).await? {
        return Ok(());
    }
    let _lock = match sync.lock().await {
        Ok(lock) => lock,
        Err(SyncError::UnderWay) => return Ok(()),
        Err(error) => return Err(error),
    };
    // Another worker may have ended its sync in between.
    if !is_due(sync, every).await? {
        return Ok(());
    }
    let report = sync.follow(Options::default(), &ProgressBar::hidden()).await?;
    for failed in &report.failed {
        tracing::warn!(course = failed.course, reason = failed.reason, "a course is not synchronised");
    }
    let complete = report.is_complete();
    tracing::info!(complete, "the catalog is synchronised: {report}");
    report.stopped.map_or(Ok(()), |reason| Err(SyncError::Stopped(reason)))
}

async fn is_due(sync: &CatalogSync, every: Duration) -> JobResult<bool> {
    let every = TimeDelta::from_std(every).unwrap_or(TimeDelta::MAX);
    let finished_at = store::finished_at(&sync.db).await?;
    Ok(finished_at.is_none_or(|finished_at| sync.clock.now() - finished_at >= every))
}

/// Courses that the platform has named, once each has had time to settle there.
pub async fn run_requested(sync: CatalogSync, stop: CancellationToken) {
    loop {
        let round = async {
            if let Err(error) = requested(&sync).await {
                tracing::warn!(%error, "changed courses are not synchronised");
            }
            tokio::time::sleep(TICK).await;
        };
        tokio::select! {
            () = round => {}
            () = stop.cancelled() => return,
        }
    }
}

async fn requested(sync: &CatalogSync) -> JobResult<()> {
    let now = sync.clock.now();
    // Leased, not removed: one that fails, or whose worker dies, is due again then.
    let until = now + AGAIN;
    for key in store::lease(&sync.db, now, until, REQUESTS).await? {
        let Ok(course) = key.parse() else { continue };
        match sync.run_course(&course).await {
            Ok(report) => {
                store::settle(&sync.db, &key, until).await?;
                for failed in &report.failed {
                    tracing::warn!(course = key, reason = failed.reason, "a course is not synchronised");
                }
                tracing::info!(course = key, "a changed course is synchronised: {report}");
            }
            Err(error) => tracing::warn!(course = key, %error, "a changed course is synchronised later"),
        }
    }
    Ok(())
}
