//! Publishes the messages that transactions have left in the outbox, and deletes each row once the broker has confirmed
//! it. The relays of several workers share the work. If one crashes in between, another publishes its rows again; jobs
//! tolerate repeated messages.

use std::time::{Duration, Instant};

use shared::queue::{Destination, Envelope, PublishError, Publisher};
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::store::outbox::{self, OutboxRow};

/// Rows published at once. The relay waits for the confirms of one batch together.
const BATCH: i64 = 200;

/// Pause after a wake-up, so that one batch also takes the rows of the commits that follow. No caller waits for them.
const LINGER: Duration = Duration::from_millis(20);

/// Pause after an outage, and after the broker has refused a message.
const PAUSE: Duration = Duration::from_secs(1);

/// Interval of the poll. It finds held-back rows, and rows of an operator's command or of a worker that has crashed; the
/// commits of this worker's jobs wake the relay.
const POLL: Duration = Duration::from_secs(1);

#[derive(Debug, thiserror::Error)]
enum RelayError {
    #[error("database: {0}")]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Publish(#[from] PublishError),
}

/// The result of one batch.
struct Relayed {
    /// The batch was full, so there may be more rows.
    full: bool,
    /// Kinds of message whose queue is full.
    refused: Vec<String>,
}

/// Relays batches until `stop`.
pub async fn run(ctx: Context, publisher: Publisher, stop: CancellationToken) {
    let mut failing = false;
    // Kinds that the relay skips until `until`, so that one full queue does not hold up messages for the others.
    let (mut left_out, mut until) = (Vec::new(), Instant::now());
    let mut woken = true;
    while !stop.is_cancelled() {
        if until <= Instant::now() {
            left_out.clear();
        }
        let pause = match relay_due(&ctx, &publisher, &left_out, woken).await {
            Ok(Relayed { full, refused }) => {
                failing = false;
                if !refused.is_empty() {
                    tracing::warn!(?refused, "queue is full; its messages wait in the outbox");
                    until = Instant::now() + PAUSE;
                    left_out.extend(refused);
                }
                if full { Duration::ZERO } else { POLL }
            }
            Err(error) => {
                // Log once per outage.
                if !failing {
                    tracing::warn!(%error, "outbox relay failed; trying again every second");
                }
                failing = true;
                PAUSE
            }
        };
        woken = tokio::select! {
            () = tokio::time::sleep(pause) => pause.is_zero(),
            () = ctx.outbox.notified(), if !failing => {
                tokio::time::sleep(LINGER).await;
                true
            }
            () = stop.cancelled() => false,
        }
    }
}

/// Publishes one batch. Unless it was woken, it looks first whether a row is due, which takes one statement.
async fn relay_due(
    ctx: &Context,
    publisher: &Publisher,
    but: &[String],
    woken: bool,
) -> Result<Relayed, RelayError> {
    if !woken && !outbox::is_due(&ctx.db, but, ctx.clock.now()).await? {
        return Ok(Relayed { full: false, refused: Vec::new() });
    }
    relay(ctx, publisher, but).await
}

/// Publishes one batch, of all kinds except those in `but`.
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

/// Publishes a row unparsed: a newer worker may know a kind of message that this relay does not.
async fn publish(publisher: &Publisher, row: &OutboxRow) -> Result<(), RelayError> {
    let body = serde_json::to_vec(&row.body)?;
    let mut envelope = Envelope::stored(row.message_id, row.kind.clone(), body, row.created_at);
    envelope.trace = row.traceparent.as_ref().and_then(|text| text.parse().ok());
    Ok(publisher.publish(&envelope, Destination::Commands).await?)
}
