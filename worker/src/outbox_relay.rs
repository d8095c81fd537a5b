//! Publishes what commits have left in the outbox, and deletes it once the broker has it. Several relays share the
//! work; one that dies in the middle leaves rows that are published again, which their jobs must bear anyway.

use std::time::{Duration, Instant};

use shared::queue::{Destination, Envelope, PublishError, Publisher};
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::store::outbox::{self, OutboxRow};

/// Rows that are on their way to the broker at once: the confirms of one batch are waited for together.
const BATCH: i64 = 200;

/// After a commit others are waited for: what they leave goes with it, in one transaction.
const LINGER: Duration = Duration::from_millis(5);

/// After an outage, or a refusal, it is tried again.
const PAUSE: Duration = Duration::from_secs(1);

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

/// What one batch came to.
struct Relayed {
    /// There may be more.
    full: bool,
    /// Kinds whose queue takes no more.
    refused: Vec<String>,
}

pub async fn run(ctx: Context, publisher: Publisher, stop: CancellationToken) {
    let mut failing = false;
    // Kinds that are left out for a while: a full queue must not keep the others' messages from theirs.
    let (mut left_out, mut until) = (Vec::new(), Instant::now());
    while !stop.is_cancelled() {
        if until <= Instant::now() {
            left_out.clear();
        }
        let pause = match relay(&ctx, &publisher, &left_out).await {
            Ok(Relayed { full, refused }) => {
                failing = false;
                if !refused.is_empty() {
                    tracing::warn!(?refused, "a queue is full, its messages wait in the outbox");
                    until = Instant::now() + PAUSE;
                    left_out.extend(refused);
                }
                if full { Duration::ZERO } else { POLL }
            }
            Err(error) => {
                // Once per outage, not ten times a second.
                if !failing {
                    tracing::warn!(%error, "outbox relay is waiting");
                }
                failing = true;
                PAUSE
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = ctx.outbox.notified(), if !failing => tokio::time::sleep(LINGER).await,
            () = stop.cancelled() => {}
        }
    }
}

/// One batch of all kinds but those.
async fn relay(ctx: &Context, publisher: &Publisher, but: &[String]) -> Result<Relayed, RelayError> {
    if !publisher.is_up() {
        return Err(PublishError::Down.into());
    }
    let mut tx = ctx.db.begin().await?;
    let rows = outbox::lock_batch(&mut tx, but, ctx.clock.now(), BATCH).await?;
    let sending = rows.iter().map(|row| publish(publisher, row));
    let results = futures_util::future::join_all(sending).await;
    let (mut sent, mut refused, mut failed) = (Vec::new(), Vec::new(), None);
    for (row, result) in rows.iter().zip(results) {
        match result {
            Ok(()) => sent.push(row.id),
            Err(RelayError::Publish(PublishError::Refused)) => refused.push(row.kind.clone()),
            Err(error) => failed = Some(error),
        }
    }
    if !sent.is_empty() {
        outbox::delete(&mut tx, &sent).await?;
    }
    tx.commit().await?;
    refused.dedup();
    let full = i64::try_from(rows.len()).is_ok_and(|count| count == BATCH);
    failed.map_or(Ok(Relayed { full, refused }), Err)
}

/// As it was stored: what an older relay does not know, a newer worker may.
async fn publish(publisher: &Publisher, row: &OutboxRow) -> Result<(), RelayError> {
    let envelope =
        Envelope::stored(row.message_id, row.kind.clone(), serde_json::to_vec(&row.body)?, row.created_at);
    Ok(publisher.publish(&envelope, Destination::Commands).await?)
}
