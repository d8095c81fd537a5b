//! Publishes what commits have left in the outbox, and deletes it once the broker has it. Several relays share the
//! work; one that dies in the middle leaves rows that are published again, which their jobs must bear anyway.

use std::time::Duration;

use shared::queue::{Destination, Envelope, PublishError, Publisher};
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::store::outbox::{self, OutboxRow};

/// Rows that are on their way to the broker at once: the confirms of one batch are waited for together.
const BATCH: i64 = 200;

/// After a commit others are waited for: what they leave goes with it, in one transaction.
const LINGER: Duration = Duration::from_millis(5);

/// How late a message is whose wake-up was lost with its worker.
const POLL: Duration = Duration::from_millis(100);

#[derive(Debug, thiserror::Error)]
enum RelayError {
    #[error("database: {0}")]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Publish(#[from] PublishError),
}

pub async fn run(ctx: Context, publisher: Publisher, stop: CancellationToken) {
    let mut failing = false;
    while !stop.is_cancelled() {
        let pause = match relay(&ctx, &publisher).await {
            Ok(full) => {
                failing = false;
                if full { Duration::ZERO } else { POLL }
            }
            Err(error) => {
                // Once per outage, not ten times a second.
                if !failing {
                    tracing::warn!(%error, "outbox relay is waiting");
                }
                failing = true;
                Duration::from_secs(1)
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = ctx.outbox.notified(), if !failing => tokio::time::sleep(LINGER).await,
            () = stop.cancelled() => {}
        }
    }
}

/// One batch. True if there may be more.
async fn relay(ctx: &Context, publisher: &Publisher) -> Result<bool, RelayError> {
    if !publisher.is_up() {
        return Err(PublishError::Down.into());
    }
    let mut tx = ctx.db.begin().await?;
    let rows = outbox::lock_batch(&mut tx, BATCH).await?;
    if rows.is_empty() {
        return Ok(false);
    }
    let sending = rows.iter().map(|row| async { publish(publisher, row).await.map(|()| row.id) });
    let (sent, failed): (Vec<_>, Vec<_>) =
        futures_util::future::join_all(sending).await.into_iter().partition(Result::is_ok);
    let sent: Vec<i64> = sent.into_iter().flatten().collect();
    outbox::delete(&mut tx, &sent).await?;
    tx.commit().await?;
    match failed.into_iter().find_map(Result::err) {
        Some(error) => Err(error),
        None => Ok(i64::try_from(rows.len()).is_ok_and(|count| count == BATCH)),
    }
}

/// As it was stored: what an older relay does not know, a newer worker may.
async fn publish(publisher: &Publisher, row: &OutboxRow) -> Result<(), RelayError> {
    let envelope =
        Envelope::stored(row.message_id, row.kind.clone(), serde_json::to_vec(&row.body)?, row.created_at);
    Ok(publisher.publish(&envelope, Destination::Commands).await?)
}
