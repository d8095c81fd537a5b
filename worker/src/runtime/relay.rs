//! Publishes the messages that transactions have left in the outbox, and deletes each row once the broker has confirmed
//! it. The relays of several workers share the work. If one crashes in between, another publishes its rows again; jobs
//! tolerate repeated messages. Before that, it gives the events of these transactions their places in the feed, and writes
//! messages for the deliveries that are due; and it moves the syncs of batches to the outbox at their pace.

use std::time::{Duration, Instant};

use serde_json::Value;
use shared::about;
use shared::ids::CartId;
use shared::messages::{DeliverEvents, Message, SyncEnrollment};
use shared::queue::{Destination, Envelope, PublishError, Publisher};
use store::access::batch_syncs;
use store::events::{deliveries, feed};
use store::plumbing::outbox::{self, Due, OutboxRow};
use tokio::time::error::Elapsed;
use tokio_util::sync::CancellationToken;

use super::context::Context;

/// Rows published at once. The relay waits for the confirms of one batch together.
const BATCH: i64 = 200;

/// Pause after a wake-up, so that one batch also takes the rows of the commits that follow. No caller waits for them.
const LINGER: Duration = Duration::from_millis(20);

/// Pause after an outage, and after the broker has refused a message.
const PAUSE: Duration = Duration::from_secs(1);

/// Pause for the kinds of message that the broker has not confirmed: they may have arrived all the same, and each attempt sends
/// them again.
const UNCONFIRMED_PAUSE: Duration = Duration::from_secs(10);

/// A round that takes longer is given up: a server that has vanished leaves a statement without an answer for ever.
const ROUND: Duration = Duration::from_secs(30);

/// Interval of the poll while rows are held back or deliveries are to be made. The commits of this worker's jobs wake the relay.
const POLL: Duration = Duration::from_secs(1);

/// Interval of the poll while there is nothing to publish, now or later. It finds the rows of an operator's command, and those of
/// a worker that has crashed or stopped.
const IDLE_POLL: Duration = Duration::from_secs(5);

#[derive(Debug, thiserror::Error)]
enum RelayError {
    #[error("database: {0}")]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Publish(#[from] PublishError),
    #[error("no answer within {ROUND:?}")]
    TimedOut(#[from] Elapsed),
}

/// The result of one batch.
struct Relayed {
    /// The batch was full, so there may be more rows.
    full: bool,
    /// Nothing waits.
    idle: bool,
    /// Kinds of message that the broker has refused or not confirmed.
    stuck: Vec<String>,
    /// Pause before they are sent again.
    pause: Duration,
}

/// Relays batches until `stop`.
pub async fn run(ctx: Context, publisher: Publisher, stop: CancellationToken) {
    let mut failing = false;
    // Kinds that the relay skips until `until`, so that one stuck queue does not hold up messages for the others.
    let (mut left_out, mut until) = (Vec::new(), Instant::now());
    let mut woken = true;
    // No commit tells that a delivery or a batch's sync has become due, and under load the relay is always woken.
    let mut looked = Instant::now();
    while !stop.is_cancelled() {
        if until <= Instant::now() {
            left_out.clear();
        }
        // Its own commits have woken it: their rows and events wait.
        let timed = looked.elapsed() >= POLL;
        let known = woken.then_some(Due {
            rows: true,
            events: true,
            deliveries: timed,
            batch_syncs: timed,
            later: true,
        });
        if timed || known.is_none() {
            looked = Instant::now();
        }
        let round = tokio::time::timeout(ROUND, relay_due(&ctx, &publisher, &left_out, known)).await;
        let pause = match round.unwrap_or_else(|elapsed| Err(elapsed.into())) {
            Ok(Relayed { full, idle, stuck, pause }) => {
                failing = false;
                if !stuck.is_empty() {
                    tracing::warn!(?stuck, "queue takes no messages; they wait in the outbox");
                    until = until.max(Instant::now() + pause);
                    left_out.extend(stuck);
                }
                match (full, idle) {
                    (true, _) => Duration::ZERO,
                    (false, true) => IDLE_POLL,
                    (false, false) => POLL,
                }
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
            // After a start, and after an outage of the broker.
            () = publisher.until_up(), if failing && !publisher.is_up() => true,
            () = stop.cancelled() => false,
        }
    }
}

/// Publishes one batch. Unless it is known what is due, it looks first, which takes one statement.
async fn relay_due(
    ctx: &Context,
    publisher: &Publisher,
    excluded: &[String],
    known: Option<Due>,
) -> Result<Relayed, RelayError> {
    let due = match known {
        Some(due) => due,
        None => outbox::due(&ctx.db, excluded, ctx.clock.now()).await?,
    };
    if !(due.rows || due.events || due.deliveries || due.batch_syncs) {
        return Ok(Relayed { full: false, idle: !due.later, stuck: Vec::new(), pause: PAUSE });
    }
    // Not while they would gather in the outbox and then go out together.
    let goes_out = |kind: &str| publisher.is_up() && excluded.iter().all(|left_out| left_out != kind);
    let prepared = match due.events || due.deliveries {
        true => prepare_events(ctx, excluded, goes_out(DeliverEvents::KIND), due.deliveries).await,
        false => Ok(Prepared { full: false, has_messages: due.rows }),
    };
    if due.batch_syncs
        && goes_out(SyncEnrollment::KIND)
        && let Err(error) = batch_syncs::release(&ctx.db, ctx.batch_calls_apart, ctx.clock.now()).await
    {
        tracing::warn!(%error, "syncs of batches not released; trying again in a second");
    }
    let relayed = match &prepared {
        Ok(prepared) if !prepared.has_messages && !due.batch_syncs => {
            Relayed { full: false, idle: false, stuck: Vec::new(), pause: PAUSE }
        }
        // Before a fault of the events is reported: it must not hold up messages.
        _ => relay(ctx, publisher, excluded).await?,
    };
    Ok(Relayed { full: relayed.full || prepared?.full, ..relayed })
}

/// The result of a batch of events.
struct Prepared {
    /// The batch was full, so there may be more events.
    full: bool,
    /// Messages of the outbox are due.
    has_messages: bool,
}

/// Gives a batch of events their positions, also without the broker: the feed needs none. Writes messages for deliveries that are
/// due, if they go out.
async fn prepare_events(
    ctx: &Context,
    excluded: &[String],
    goes_out: bool,
    deliveries_due: bool,
) -> Result<Prepared, RelayError> {
    let now = ctx.clock.now();
    let placed = feed::give_positions(&ctx.db, excluded, now, BATCH).await?;
    let queues = goes_out && (placed.due > 0 || deliveries_due);
    if queues {
        deliveries::queue_due(&ctx.db, now).await?;
    }
    Ok(Prepared { full: placed.events == BATCH, has_messages: placed.has_messages || queues })
}

/// Publishes one batch, of all kinds except those in `excluded`.
async fn relay(ctx: &Context, publisher: &Publisher, excluded: &[String]) -> Result<Relayed, RelayError> {
    if !publisher.is_up() {
        return Err(PublishError::Down.into());
    }
    let mut tx = ctx.db.begin().await?;
    let rows = outbox::take(&mut tx, excluded, ctx.clock.now(), BATCH).await?;
    let sending = rows.iter().map(|row| publish(publisher, row));
    let results = futures_util::future::join_all(sending).await;
    let (mut sent, mut stuck, mut pause, mut failed) = (Vec::new(), Vec::new(), PAUSE, None);
    for (row, result) in rows.iter().zip(results) {
        match result {
            Ok(()) => sent.push(row.id),
            Err(RelayError::Publish(PublishError::Refused)) => stuck.push(row.kind.clone()),
            Err(RelayError::Publish(PublishError::Unknown)) if publisher.is_up() => {
                stuck.push(row.kind.clone());
                pause = UNCONFIRMED_PAUSE;
            }
            Err(error) => failed = Some(error),
        }
    }
    if sent.len() == rows.len() {
        tx.commit().await?;
    } else {
        tx.rollback().await?;
        outbox::delete(&ctx.db, &sent).await?;
    }
    stuck.dedup();
    let full = i64::try_from(rows.len()).is_ok_and(|count| count == BATCH);
    failed.map_or(Ok(Relayed { full, idle: false, stuck, pause }), Err)
}

/// Publishes a row unparsed: a newer worker may know a kind of message that this relay does not.
async fn publish(publisher: &Publisher, row: &OutboxRow) -> Result<(), RelayError> {
    let body = serde_json::to_vec(&row.body)?;
    let mut envelope = Envelope::stored(row.message_id, row.kind.clone(), body, row.created_at);
    envelope.trace = row.traceparent.as_ref().and_then(|text| text.parse().ok());
    let publishing = async {
        let cart = row.body.get("cart_id").and_then(Value::as_str).and_then(|id| id.parse().ok());
        if let Some(cart) = cart {
            about::cart(CartId(cart));
        }
        publisher.publish(&envelope, Destination::Commands).await
    };
    Ok(about::scope(Vec::new(), publishing).await.0?)
}
