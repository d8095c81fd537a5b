//! Takes messages from the work queues, has their jobs done, and decides what becomes of each: acknowledged, retried
//! after a while, or buried with its reason. Nothing is acknowledged before that decision is safe.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions, BasicRejectOptions};
use lapin::types::FieldTable;
use lapin::{Connection, Consumer};
use serde_json::Value;
use shared::messages::{Answer, Message, Refusal};
use shared::queue::{
    Backoff, Destination, Envelope, LinkError, PublishError, Publisher, Queue, Topology, connect,
};
use shared::settings::QueueSettings;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::jobs;

/// After this many retries a message is buried: with the default ladder, after about two days.
const MAX_RETRIES: u32 = 100;

/// An ack can hang for good when the connection dies under load (lapin 4.12).
const ACK_TIMEOUT: Duration = Duration::from_secs(5);

/// Before a message whose retry could not be published goes back to its queue: a pause, not a hot loop.
const REQUEUE_PAUSE: Duration = Duration::from_millis(500);

#[derive(Clone)]
pub struct Consumers {
    pub ctx: Context,
    pub settings: QueueSettings,
    pub topology: Topology,
    pub publisher: Publisher,
    pub concurrency: u16,
    /// Counts the jobs under way, so that a shutdown can wait for them.
    pub jobs: TaskTracker,
}

impl Consumers {
    /// Consumes until `stop`, connecting again whenever the broker is lost. `ready` tells whether it consumes now.
    pub async fn run(self, ready: tokio::sync::watch::Sender<bool>, stop: CancellationToken) {
        let mut backoff = Backoff::default();
        while !stop.is_cancelled() {
            match connect(&self.settings, &self.topology, "storefront-worker consumer").await {
                Ok(connection) => {
                    backoff = Backoff::default();
                    let ended = self.epoch(&connection, &ready, &stop).await;
                    ready.send_replace(false);
                    if let Err(error) = ended {
                        tracing::warn!(%error, "lost the broker, consuming again soon");
                    }
                    let _ = tokio::time::timeout(Duration::from_secs(1), connection.close(200, "bye".into()))
                        .await;
                }
                Err(error) => tracing::warn!(%error, "cannot reach the broker, trying again"),
            }
            tokio::select! {
                () = tokio::time::sleep(backoff.pause()) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// One connection's life: until a queue's stream ends, an ack hangs, or `stop`.
    async fn epoch(
        &self,
        connection: &Connection,
        ready: &tokio::sync::watch::Sender<bool>,
        stop: &CancellationToken,
    ) -> Result<(), LinkError> {
        let over = stop.child_token();
        let mut streams = HashMap::new();
        for queue in Queue::ALL {
            streams.insert(queue, self.open(connection, queue).await?);
        }
        ready.send_replace(true);
        let takers = streams.into_iter().map(|(queue, stream)| self.take(queue, stream, &over).boxed());
        let (ended, _, _) = futures_util::future::select_all(takers).await;
        over.cancel();
        if stop.is_cancelled() {
            // What is under way is finished and acknowledged on this connection; the rest returns to its queue.
            self.jobs.close();
            self.jobs.wait().await;
            return Ok(());
        }
        ended
    }

    async fn open(&self, connection: &Connection, queue: Queue) -> Result<Consumer, LinkError> {
        let opening = async {
            let channel = connection.create_channel().await?;
            // A crashed consumer charges a delivery to all it had prefetched: no more than it can start on soon.
            channel.basic_qos(self.concurrency(queue).saturating_mul(2), BasicQosOptions::default()).await?;
            let name = self.topology.queue(queue);
            channel
                .basic_consume(
                    name.as_str().into(),
                    queue.name().into(),
                    BasicConsumeOptions::default(),
                    FieldTable::default(),
                )
                .await
        };
        Ok(tokio::time::timeout(ACK_TIMEOUT, opening).await.map_err(|_| LinkError::Timeout)??)
    }

    fn concurrency(&self, queue: Queue) -> u16 {
        match queue {
            Queue::Catalog => 1,
            Queue::Checkout | Queue::Enrollment | Queue::Platform | Queue::Email => self.concurrency,
        }
    }

    async fn take(
        &self,
        queue: Queue,
        mut stream: Consumer,
        over: &CancellationToken,
    ) -> Result<(), LinkError> {
        let slots = Arc::new(Semaphore::new(usize::from(self.concurrency(queue))));
        loop {
            let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return Ok(()) };
            let delivery = tokio::select! {
                delivery = stream.next() => delivery.ok_or(LinkError::Closed("queue"))??,
                () = over.cancelled() => return Ok(()),
            };
            let (consumers, over) = (self.clone(), over.clone());
            self.jobs.spawn(async move {
                consumers.handle(queue, delivery, &over).await;
                drop(slot);
            });
        }
    }

    async fn handle(&self, queue: Queue, delivery: Delivery, over: &CancellationToken) {
        let decision = self.decide(queue, &delivery).await;
        let acknowledging = async {
            match decision {
                Ok(()) => delivery.ack(BasicAckOptions::default()).await,
                Err(error) => {
                    tracing::warn!(%error, queue = queue.name(), "could not pass a message on, it returns to its queue");
                    tokio::time::sleep(REQUEUE_PAUSE).await;
                    // reject and not nack: from RabbitMQ 4.3 on, only reject counts toward the delivery limit.
                    delivery.reject(BasicRejectOptions { requeue: true }).await
                }
            }
        };
        match tokio::time::timeout(REQUEUE_PAUSE + ACK_TIMEOUT, acknowledging).await {
            Ok(Ok(_)) => {}
            // The connection is gone or stuck; the broker delivers the message again.
            Ok(Err(_)) | Err(_) => over.cancel(),
        }
    }

    /// Does the job and passes its outcome on. An error means that the message must stay in its queue.
    async fn decide(&self, queue: Queue, delivery: &Delivery) -> Result<(), PublishError> {
        let now = self.ctx.clock.now();
        let parsed = Envelope::read(&delivery.properties, delivery.data.clone(), now)
            .map_err(|error| error.to_string())
            .and_then(|envelope| {
                let message =
                    Message::read(&envelope.kind, &envelope.body).map_err(|error| error.to_string())?;
                Ok((envelope, message))
            });
        let (envelope, message) = match parsed {
            Ok(parsed) => parsed,
            Err(reason) => return self.bury(queue, delivery, &reason).await,
        };
        if envelope.deadline.is_some_and(|deadline| deadline <= now) {
            tracing::info!(kind = envelope.kind, id = %envelope.id, "its caller has gone, not started");
            return Ok(());
        }
        let kind = message.kind();
        let span = tracing::info_span!("message", kind, id = %envelope.id,
            trace = %format_args!("{:032x}", envelope.trace.trace_id));
        let started = std::time::Instant::now();
        let job = jobs::run(&self.ctx, message, envelope.id, envelope.deadline).instrument(span.clone());
        let outcome =
            AssertUnwindSafe(job).catch_unwind().await.unwrap_or_else(|_| Err(JobError::dead("panicked")));
        metrics::histogram!("storefront_job_seconds", "type" => kind).record(started.elapsed().as_secs_f64());
        self.conclude(queue, delivery, envelope, outcome).instrument(span).await
    }

    async fn conclude(
        &self,
        queue: Queue,
        delivery: &Delivery,
        mut envelope: Envelope,
        outcome: JobResult<Option<Value>>,
    ) -> Result<(), PublishError> {
        let label = match &outcome {
            Ok(_) => "done",
            Err(JobError::Retry(_) | JobError::Superseded) => "retry",
            Err(JobError::Reject { .. }) => "rejected",
        };
        metrics::counter!("storefront_jobs_total", "queue" => queue.name(), "outcome" => label).increment(1);
        match (outcome, envelope.reply_to.take()) {
            (Ok(answer), Some(to)) => self.reply(&to, &envelope, answer.unwrap_or_default()).await,
            (Ok(_), None) => tracing::debug!("done"),
            (Err(error), Some(to)) => {
                let refusal = match error {
                    JobError::Reject { refusal, reason } => {
                        tracing::info!(reason, "refused");
                        refusal
                    }
                    // The caller is the retry: it decides whether it still wants this.
                    JobError::Retry(reason) => {
                        tracing::warn!(reason, "could not be done now");
                        Refusal::Unavailable
                    }
                    JobError::Superseded => Refusal::InProgress,
                };
                let answer = serde_json::to_value(Answer::<()>::Err(refusal)).unwrap_or_default();
                self.reply(&to, &envelope, answer).await;
            }
            (Err(JobError::Reject { reason, .. }), None) => return self.bury(queue, delivery, &reason).await,
            // The other delivery did it.
            (Err(JobError::Superseded), None) => {}
            (Err(JobError::Retry(reason)), None) => {
                return self.retry(queue, delivery, envelope, &reason).await;
            }
        }
        Ok(())
    }

    async fn retry(
        &self,
        queue: Queue,
        delivery: &Delivery,
        mut envelope: Envelope,
        reason: &str,
    ) -> Result<(), PublishError> {
        if envelope.attempt >= MAX_RETRIES {
            return self.bury(queue, delivery, &format!("after {MAX_RETRIES} retries: {reason}")).await;
        }
        envelope.attempt += 1;
        tracing::warn!(attempt = envelope.attempt, reason, "trying again later");
        self.publisher.publish(&envelope, Destination::Retry { queue: &self.topology.queue(queue) }).await
    }

    async fn bury(&self, queue: Queue, delivery: &Delivery, reason: &str) -> Result<(), PublishError> {
        tracing::error!(queue = queue.name(), reason, "buried in the dead queue");
        metrics::counter!("storefront_dead_total", "queue" => queue.name()).increment(1);
        self.publisher.bury(delivery, &self.topology.queue(queue), reason).await
    }

    async fn reply(&self, to: &str, envelope: &Envelope, answer: Value) {
        // Only a hint: the answer is stored, and a caller that misses it asks again.
        if let Err(error) = self.publisher.reply(to, envelope.id, answer.to_string().into_bytes()).await {
            tracing::warn!(%error, "reply not sent");
        }
    }
}
