//! Takes messages from the work queues, has their jobs done, and decides what becomes of each: acknowledged, retried
//! after a while, or buried with its reason. Nothing is acknowledged before that decision is safe.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{FutureExt, StreamExt};
use lapin::message::Delivery;
use lapin::options::{
    BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicQosOptions, BasicRejectOptions,
};
use lapin::types::FieldTable;
use lapin::{Channel, Connection, Consumer};
use serde_json::Value;
use shared::messages::{Answer, Message, Refusal};
use shared::queue::{
    Backoff, Destination, Envelope, LinkError, PublishError, Publisher, Queue, Topology, connect,
};
use shared::settings::QueueSettings;
use tokio::sync::{Semaphore, watch};
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

/// Between attempts to pass a message on.
const PASS_ON_PAUSE: Duration = Duration::from_millis(500);

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
    pub async fn run(self, ready: watch::Sender<bool>, stop: CancellationToken) {
        let mut backoff = Backoff::default();
        while !stop.is_cancelled() {
            match connect(&self.settings, &self.topology, "storefront-worker consumer").await {
                Ok(connection) => {
                    let connected = Instant::now();
                    let ended = self.epoch(&connection, &ready, &stop).await;
                    backoff.after(connected.elapsed());
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
        self.finish_jobs().await;
    }

    /// One connection's life: until a queue's stream ends, an ack fails, or `stop`. Whatever ends it, no more is taken,
    /// and what is under way is finished and acknowledged while the channels are still open: closing one returns its
    /// messages to their queue at once, to be done a second time.
    async fn epoch(
        &self,
        connection: &Connection,
        ready: &watch::Sender<bool>,
        stop: &CancellationToken,
    ) -> Result<(), LinkError> {
        let over = stop.child_token();
        let mut channels = Vec::new();
        let mut takers = Vec::new();
        for queue in Queue::ALL {
            let (channel, stream) = self.open(connection, queue).await?;
            takers.push(self.take(queue, channel.clone(), stream, &over).boxed());
            channels.push(channel);
        }
        ready.send_replace(true);
        let (ended, _, others) = futures_util::future::select_all(takers).await;
        ready.send_replace(false);
        over.cancel();
        futures_util::future::join_all(others).await;
        match stop.is_cancelled() {
            true => self.finish_jobs().await,
            // The broker is likely gone, and their acks with it.
            false => drop(tokio::time::timeout(ACK_TIMEOUT, self.finish_jobs()).await),
        }
        drop(channels);
        ended
    }

    async fn finish_jobs(&self) {
        self.jobs.close();
        self.jobs.wait().await;
        self.jobs.reopen();
    }

    async fn open(&self, connection: &Connection, queue: Queue) -> Result<(Channel, Consumer), LinkError> {
        let opening = async {
            let channel = connection.create_channel().await?;
            // A crashed consumer charges a delivery to all it had prefetched: no more than it can start on soon.
            channel.basic_qos(self.concurrency(queue).saturating_mul(2), BasicQosOptions::default()).await?;
            let (name, options) = (self.topology.queue(queue), BasicConsumeOptions::default());
            let stream = channel
                .basic_consume(name.as_str().into(), queue.name().into(), options, FieldTable::default())
                .await?;
            Ok::<_, lapin::Error>((channel, stream))
        };
        Ok(tokio::time::timeout(ACK_TIMEOUT, opening).await.map_err(|_| LinkError::Timeout)??)
    }

    fn concurrency(&self, queue: Queue) -> u16 {
        match queue {
            Queue::Catalog => 1,
            Queue::Checkout
            | Queue::Payment
            | Queue::Checks
            | Queue::Enrollment
            | Queue::Registration
            | Queue::Platform
            | Queue::Email => self.concurrency,
        }
    }

    async fn take(
        &self,
        queue: Queue,
        channel: Channel,
        mut stream: Consumer,
        over: &CancellationToken,
    ) -> Result<(), LinkError> {
        let slots = Arc::new(Semaphore::new(usize::from(self.concurrency(queue))));
        loop {
            let next = async {
                let slot = Arc::clone(&slots).acquire_owned().await;
                (slot, stream.next().await)
            };
            let (slot, delivery) = tokio::select! {
                next = next => next,
                () = over.cancelled() => break,
            };
            let delivery = delivery.ok_or(LinkError::Closed("queue"))??;
            let (consumers, over) = (self.clone(), over.clone());
            self.jobs.spawn(async move {
                consumers.handle(queue, delivery, &over).await;
                drop(slot);
            });
        }
        give_back(&channel, queue, stream).await;
        Ok(())
    }

    async fn handle(&self, queue: Queue, delivery: Delivery, over: &CancellationToken) {
        self.decide(queue, &delivery).await;
        match tokio::time::timeout(ACK_TIMEOUT, delivery.ack(BasicAckOptions::default())).await {
            Ok(Ok(true)) => {}
            // The connection is gone or stuck; the broker delivers the message again.
            Ok(Ok(false) | Err(_)) | Err(_) => over.cancel(),
        }
    }

    /// Does the job and passes its outcome on. After that the message may be acknowledged.
    async fn decide(&self, queue: Queue, delivery: &Delivery) {
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
            return;
        }
        let kind = message.kind();
        let span = tracing::info_span!("message", kind, id = %envelope.id,
            trace = %format_args!("{:032x}", envelope.trace.trace_id));
        let started = Instant::now();
        let job = jobs::run(&self.ctx, message, envelope.id, envelope.deadline).instrument(span.clone());
        let outcome =
            AssertUnwindSafe(job).catch_unwind().await.unwrap_or_else(|_| Err(JobError::dead("panicked")));
        metrics::histogram!("storefront_job_seconds", "type" => kind).record(started.elapsed().as_secs_f64());
        self.conclude(queue, delivery, envelope, outcome).instrument(span).await;
    }

    async fn conclude(
        &self,
        queue: Queue,
        delivery: &Delivery,
        mut envelope: Envelope,
        outcome: JobResult<Option<Value>>,
    ) {
        let label = match &outcome {
            Ok(_) => "done",
            Err(JobError::Retry(_) | JobError::Conflict(_) | JobError::Unknown(_) | JobError::Superseded) => {
                "retry"
            }
            Err(JobError::Reject { .. }) => "rejected",
        };
        metrics::counter!("storefront_jobs_total", "queue" => queue.name(), "outcome" => label).increment(1);
        if let Some(to) = envelope.reply_to.take() {
            if let Some(answer) = answer(outcome) {
                self.reply(&to, &envelope, answer).await;
            }
            return;
        }
        match outcome {
            // The other delivery did it.
            Ok(_) | Err(JobError::Superseded) => tracing::debug!("done"),
            Err(JobError::Reject { reason, .. }) => self.bury(queue, delivery, &reason).await,
            Err(JobError::Retry(reason) | JobError::Conflict(reason) | JobError::Unknown(reason)) => {
                self.retry(queue, delivery, envelope, &reason).await;
            }
        }
    }

    async fn retry(&self, queue: Queue, delivery: &Delivery, mut envelope: Envelope, reason: &str) {
        if envelope.attempt >= MAX_RETRIES {
            return self.bury(queue, delivery, &format!("after {MAX_RETRIES} retries: {reason}")).await;
        }
        envelope.attempt += 1;
        tracing::warn!(attempt = envelope.attempt, reason, "trying again later");
        let home = self.topology.queue(queue);
        self.insist(|| self.publisher.publish(&envelope, Destination::Retry { queue: &home })).await;
    }

    async fn bury(&self, queue: Queue, delivery: &Delivery, reason: &str) {
        tracing::error!(queue = queue.name(), reason, "buried in the dead queue");
        metrics::counter!("storefront_dead_total", "queue" => queue.name()).increment(1);
        let home = self.topology.queue(queue);
        self.insist(|| self.publisher.bury(delivery, &home, reason)).await;
    }

    /// Publishes until the broker has it. Meanwhile the message is held: returned to its queue it would only come back,
    /// and be buried without a reason after so many deliveries.
    async fn insist<F: Future<Output = Result<(), PublishError>>>(&self, publish: impl Fn() -> F) {
        while let Err(error) = publish().await {
            tracing::warn!(%error, "could not pass a message on, trying again");
            tokio::time::sleep(PASS_ON_PAUSE).await;
            self.publisher.until_up().await;
        }
    }

    async fn reply(&self, to: &str, envelope: &Envelope, answer: Value) {
        // Only a hint: the answer is stored, and a caller that misses it asks again.
        if let Err(error) = self.publisher.reply(to, envelope.id, answer.to_string().into_bytes()).await {
            tracing::warn!(%error, "reply not sent");
        }
    }
}

/// What the caller is told; None if nobody can say, and only asking again can tell.
fn answer(outcome: JobResult<Option<Value>>) -> Option<Value> {
    let refusal = match outcome {
        Ok(answer) => return answer,
        Err(JobError::Reject { refusal, reason }) => {
            match refusal {
                Refusal::Internal => tracing::error!(reason, "could not be done, for a fault of ours"),
                _ => tracing::info!(reason, "refused"),
            }
            refusal
        }
        // The caller is the retry: it decides whether it still wants this.
        Err(JobError::Retry(reason) | JobError::Conflict(reason)) => {
            tracing::warn!(reason, "could not be done now");
            Refusal::Unavailable
        }
        Err(JobError::Unknown(reason)) => {
            tracing::warn!(reason, "may have been done or not");
            return None;
        }
        Err(JobError::Superseded) => Refusal::InProgress,
    };
    serde_json::to_value(Answer::<()>::Err(refusal)).ok()
}

/// Ends a queue's deliveries, and returns the ones that nobody has begun.
async fn give_back(channel: &Channel, queue: Queue, mut stream: Consumer) {
    let returning = async {
        channel.basic_cancel(queue.name().into(), BasicCancelOptions::default()).await?;
        while let Some(Ok(delivery)) = stream.next().await {
            // reject and not nack: from RabbitMQ 4.3 on, only reject counts toward the delivery limit.
            delivery.reject(BasicRejectOptions { requeue: true }).await?;
        }
        Ok::<_, lapin::Error>(())
    };
    // Without a connection the broker returns them by itself.
    let _ = tokio::time::timeout(ACK_TIMEOUT, returning).await;
}
