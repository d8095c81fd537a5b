//! Schedule of a running worker's synchronisations: all courses every CATALOG_SYNC_EVERY, and one after an event from
//! the event bus.

use std::time::Duration;

use chrono::TimeDelta;
use indicatif::ProgressBar;
use store::catalog::sync_state;
use store::error::JobResult;
use tokio_util::sync::CancellationToken;

use super::{CatalogSync, LEASE, Options, SyncError};
use crate::runtime::lease;

/// Interval at which the worker checks whether a full sync is due.
const LOOK: Duration = Duration::from_secs(10);

/// Time that a worker waits after a failed sync.
const PAUSE: Duration = Duration::from_secs(300);

/// Interval at which the worker looks for changed courses.
const TICK: Duration = Duration::from_secs(2);

/// Time that a course waits after a failed sync.
const AGAIN: TimeDelta = TimeDelta::minutes(5);

/// Number of changed courses that one round reads.
const REQUESTS: i64 = 20;

/// Runs full syncs until `stop`. All workers share the time of the last sync, so only one of them runs each.
pub async fn run_timer(sync: CatalogSync, every: Duration, stop: CancellationToken) {
    loop {
        let pause = match if_due(&sync, every, &stop).await {
            Ok(()) => LOOK,
            Err(error) => {
                tracing::warn!(%error, "catalog sync failed");
                PAUSE
            }
        };
        if stop.run_until_cancelled(tokio::time::sleep(every.min(pause))).await.is_none() {
            return;
        }
    }
}

/// Runs a full sync if it is due, unless another worker is at it. `stop` cuts it short.
async fn if_due(sync: &CatalogSync, every: Duration, stop: &CancellationToken) -> Result<(), SyncError> {
    if !is_due(sync, every).await? {
        return Ok(());
    }
    let follow = async {
        // Another worker may have finished a sync since the first check.
        if !is_due(sync, every).await? {
            return Ok(None);
        }
        sync.follow(Options::default(), &ProgressBar::hidden()).await.map(Some)
    };
    let done = lease::hold(&sync.db, LEASE, stop.run_until_cancelled(follow)).await?;
    let Some(report) = done.flatten().transpose()?.flatten() else { return Ok(()) };
    for failed in &report.failed {
        tracing::warn!(course = failed.course, reason = failed.reason, "course not synchronised");
    }
    let complete = report.is_complete();
    tracing::info!(complete, "catalog sync finished: {report}");
    report.stopped.map_or(Ok(()), |reason| Err(SyncError::Stopped(reason)))
}

async fn is_due(sync: &CatalogSync, every: Duration) -> JobResult<bool> {
    let every = TimeDelta::from_std(every).unwrap_or(TimeDelta::MAX);
    let finished_at = sync_state::finished_at(&sync.db).await?;
    Ok(finished_at.is_none_or(|finished_at| sync.clock.now() - finished_at >= every))
}

/// Runs syncs of changed courses until `stop`, each course once its delay after the event has passed.
pub async fn run_requested(sync: CatalogSync, stop: CancellationToken) {
    loop {
        let round = async {
            if let Err(error) = requested(&sync).await {
                tracing::warn!(%error, "changed courses not synchronised; the next round retries");
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
    // Leased, not deleted: if the sync fails or the worker dies, the request becomes due again.
    let until = now + AGAIN;
    for key in sync_state::lease(&sync.db, now, until, REQUESTS).await? {
        let Ok(course) = key.parse() else { continue };
        match sync.run_course(&course).await {
            Ok(report) => {
                sync_state::settle(&sync.db, &key, until).await?;
                for failed in &report.failed {
                    tracing::warn!(course = key, reason = failed.reason, "course not synchronised");
                }
                tracing::info!(course = key, "sync of a changed course finished: {report}");
            }
            Err(error) => {
                tracing::warn!(course = key, %error, "sync of a changed course failed; it is retried later")
            }
        }
    }
    Ok(())
}
