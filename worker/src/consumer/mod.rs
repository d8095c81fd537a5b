//! Takes messages from the work queues, runs their jobs, and acknowledges each message once its outcome is published.
//! `outcome` decides what becomes of a job's message.

mod dead_letters;
mod depths;
mod job_log;
mod outcome;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::{FutureExt, StreamExt};
use job_log::JobLog;
use lapin::message::Delivery;
use lapin::options::{
    BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicQosOptions, BasicRejectOptions,
};
use lapin::types::FieldTable;
use lapin::{Channel, Connection, Consumer};
use outcome::{Ended, Ending};
use shared::about;
use shared::ids::CartId;
use shared::messages::{AnyMessage, Queue, UnreadableMessage};
use shared::metrics::BrokerConnection;
use shared::queue::{Backoff, Envelope, LinkError, MAX_RETRIES, Publisher, Topology, connect};
use shared::settings::QueueSettings;
use shared::tls::TlsSettings;
use shared::traces;
use store::error::JobError;
use store::plumbing::audit;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, Span};

use crate::jobs;
use crate::metrics::{self, Outcome};
use crate::runtime::context::Context;

/// Timeout of an ack, which can hang forever when the connection dies under load (lapin 4.12).
const ACK_TIMEOUT: Duration = Duration::from_secs(5);

/// A job that takes longer is given up and repeated: a server that has vanished leaves a statement without an answer for ever, and
/// the job would keep its connection. A sync can wait minutes for its turn at the platform. RabbitMQ's own limit,
/// `consumer_timeout`, is half an hour.
const JOB_LIMIT: Duration = Duration::from_secs(25 * 60);

/// Time that a message of an unknown kind is retried, until it reaches a newer worker that knows it.
const UNKNOWN_KIND_RETRIED: TimeDelta = TimeDelta::hours(24);

/// The consumers of all work queues.
#[derive(Clone)]
pub struct Consumers {
    pub ctx: Context,
    pub settings: QueueSettings,
    pub tls: TlsSettings,
    pub topology: Topology,
    pub publisher: Publisher,
    pub concurrency: u16,
    /// Interval at which the queues are measured.
    pub measure_every: Duration,
    /// Counts the jobs under way, so that a shutdown can wait for them.
    pub jobs: TaskTracker,
}

impl Consumers {
    /// Consumes until `stop`, and reconnects whenever the connection to the broker fails. `ready` is true while it
    /// consumes.
    pub async fn run(self, ready: watch::Sender<bool>, stop: CancellationToken) {
        let mut backoff = Backoff::default();
        while !stop.is_cancelled() {
            match connect(&self.settings, &self.tls, &self.topology, "storefront-worker consumer").await {
                Ok(connection) => {
                    let connected = Instant::now();
                    let ended = self.epoch(&connection, &ready, &stop).await;
                    backoff.after(connected.elapsed());
                    if let Err(error) = ended {
                        shared::metrics::broker_failure(BrokerConnection::Consumer);
                        tracing::warn!(%error, "connection to the broker lost; reconnecting");
                    }
                    let _ = tokio::time::timeout(Duration::from_secs(1), connection.close(200, "bye".into()))
                        .await;
                }
                Err(error) => {
                    shared::metrics::broker_failure(BrokerConnection::Consumer);
                    tracing::warn!(%error, "cannot connect to the broker; trying again");
                }
            }
            tokio::select! {
                () = tokio::time::sleep(backoff.pause()) => {}
                () = stop.cancelled() => {}
            }
        }
        self.finish_jobs().await;
    }

    /// Consumes over one connection until a queue's stream ends, an ack fails, or `stop`. It then takes no more
    /// messages, and finishes and acknowledges those under way while the channels are still open: closing a channel
    /// returns its unacknowledged messages to their queue at once, and their jobs would run a second time.
    async fn epoch(
        &self,
        connection: &Connection,
        ready: &watch::Sender<bool>,
        stop: &CancellationToken,
    ) -> Result<(), LinkError> {
        // Jobs see by this that the worker does not stop.
        self.jobs.reopen();
        let over = stop.child_token();
        let mut channels = Vec::new();
        let mut takers = Vec::new();
        for &queue in Queue::ALL {
            let (channel, stream) = self.open(connection, queue).await?;
            takers.push(self.take(queue, channel.clone(), stream, &over).boxed());
            channels.push(channel);
        }
        set_ready(ready, true);
        let (ended, _, others) = tokio::select! {
            ended = futures_util::future::select_all(takers) => ended,
            never = depths::measure(connection, &self.topology, self.measure_every) => match never {},
        };
        set_ready(ready, false);
        over.cancel();
        futures_util::future::join_all(others).await;
        match stop.is_cancelled() {
            true => self.finish_jobs().await,
            // The connection is probably lost, so that their acks cannot arrive.
            false => drop(tokio::time::timeout(ACK_TIMEOUT, self.finish_jobs()).await),
        }
        drop(channels);
        ended
    }

    /// Waits until no job is under way.
    async fn finish_jobs(&self) {
        self.jobs.close();
        self.jobs.wait().await;
    }

    async fn open(&self, connection: &Connection, queue: Queue) -> Result<(Channel, Consumer), LinkError> {
        let opening = async {
            let channel = connection.create_channel().await?;
            // A crash counts as a delivery of every prefetched message, so prefetch only what can start soon.
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
            // Few, so that batches leave room for single grants.
            Queue::Batch => 2,
            // There is one job for each endpoint, and a receiver that hangs makes it last.
            Queue::Webhooks => self.concurrency.saturating_mul(4),
            Queue::Checkout
            | Queue::Page
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
            // The connection is lost or stuck; the broker redelivers the message.
            Ok(Ok(false) | Err(_)) | Err(_) => over.cancel(),
        }
    }

    /// Runs the job of a delivery, and publishes its reply, retry or dead letter. After that the delivery may be
    /// acknowledged.
    async fn decide(&self, queue: Queue, delivery: &Delivery) {
        let now = self.ctx.clock.now();
        let mut envelope = match Envelope::read(&delivery.properties, delivery.data.clone(), now) {
            Ok(envelope) => envelope,
            Err(error) => {
                let ended = self.dead_letter(queue, delivery, &error.to_string()).await;
                return job_log::unreadable(queue, &ended);
            }
        };
        envelope.redelivered = delivery.redelivered;
        if envelope.attempt == 0 {
            metrics::waited(queue, now - envelope.sent_at);
        }
        let (log, step) = JobLog::begin(queue, &mut envelope);
        if envelope.deadline.is_some_and(|deadline| deadline <= now) {
            metrics::delivery(queue, &envelope.kind, Outcome::Expired);
            return log.end(&Ended::new(Ending::Expired), None);
        }
        let (context, span) = (log.context(), log.span());
        let work = step.scope(self.work(queue, delivery, envelope, now));
        // A batch is about many orders.
        let named = if queue == Queue::Batch { Vec::new() } else { vec![span.clone(), context.clone()] };
        let work = about::scope(named, work.instrument(context).instrument(span.clone()));
        let (ended, cart) = work.await;
        let cart = cart.filter(|_| queue != Queue::Batch);
        if let Some(cart) = cart.filter(|_| traces::is_sampled(&span)) {
            self.link(&span, cart).await;
        }
        if let (Ending::Dead, Some(reason)) = (ended.ending, &ended.reason) {
            dead_letters::list(&self.ctx, delivery, reason).await;
        }
        log.end(&ended, cart);
    }

    /// Links the span of a job with the checkout of the order that it is about.
    async fn link(&self, span: &Span, cart: CartId) {
        match audit::first_trace(&self.ctx.db, cart).await {
            Ok(Some(checkout)) => traces::link(span, checkout),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the span of a job is not linked with the checkout"),
        }
    }

    async fn work(
        &self,
        queue: Queue,
        delivery: &Delivery,
        mut envelope: Envelope,
        now: DateTime<Utc>,
    ) -> Ended {
        match AnyMessage::read(&envelope.kind, &envelope.body) {
            Ok(message) => self.run_job(queue, delivery, envelope, &message).await,
            Err(error @ UnreadableMessage::UnknownKind(_))
                if now < envelope.sent_at + UNKNOWN_KIND_RETRIED =>
            {
                // The other half of the retries is for the newer worker, whose job may fail too.
                envelope.attempt = envelope.attempt.min(MAX_RETRIES / 2);
                let outcome = Err(JobError::Retry(error.to_string()));
                self.conclude(queue, delivery, envelope, outcome).await
            }
            Err(error) => self.dead_letter(queue, delivery, &error.to_string()).await,
        }
    }

    async fn run_job(
        &self,
        queue: Queue,
        delivery: &Delivery,
        envelope: Envelope,
        message: &AnyMessage,
    ) -> Ended {
        let started = Instant::now();
        let job = AssertUnwindSafe(jobs::run(&self.ctx, message, &envelope)).catch_unwind();
        let outcome = match tokio::time::timeout(JOB_LIMIT, job).await {
            Ok(ended) => ended.unwrap_or_else(|_| Err(JobError::dead("panicked"))),
            Err(_) => Err(JobError::Retry(format!("took longer than {JOB_LIMIT:?}"))),
        };
        metrics::job(&envelope.kind, started.elapsed());
        self.conclude(queue, delivery, envelope, outcome).await
    }
}

/// Says whether the worker consumes.
fn set_ready(ready: &watch::Sender<bool>, consumes: bool) {
    ready.send_replace(consumes);
    shared::metrics::broker_up(BrokerConnection::Consumer, consumes);
}

/// Cancels a queue's consumer, and returns the deliveries whose jobs have not started.
async fn give_back(channel: &Channel, queue: Queue, mut stream: Consumer) {
    let returning = async {
        channel.basic_cancel(queue.name().into(), BasicCancelOptions::default()).await?;
        while let Some(Ok(delivery)) = stream.next().await {
            // reject, not nack: from RabbitMQ 4.3 on, only reject counts toward the delivery limit.
            delivery.reject(BasicRejectOptions { requeue: true }).await?;
        }
        Ok::<_, lapin::Error>(())
    };
    // Without a connection the broker returns them by itself.
    let _ = tokio::time::timeout(ACK_TIMEOUT, returning).await;
}
