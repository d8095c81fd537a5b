//! Publishing: a handle that passes each message to the publishing task, and waits for the broker's
//! confirm.

use std::sync::Arc;

use lapin::BasicProperties;
use lapin::message::Delivery;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::field::Empty;
use tracing::{Instrument, Span};
use uuid::Uuid;

use super::envelope::dead_properties;
use super::publishing_task::{CONFIRM_TIMEOUT, Job, OnReply, PublishingTask};
use super::{Envelope, Topology};
use crate::about;
use crate::metrics;
use crate::publish_error::PublishError;
use crate::settings::QueueSettings;
use crate::tls::TlsSettings;
use crate::traces;

/// Maximum number of messages whose callers wait for the broker's confirm. A caller that gives up makes room: one queue that
/// confirms nothing must not stop the others.
const WINDOW: usize = 512;

/// Publishes persistent messages and waits for the broker's confirm.
#[derive(Clone, Debug)]
pub struct Publisher {
    jobs: mpsc::Sender<Job>,
    window: Arc<Semaphore>,
    up: watch::Receiver<bool>,
    topology: Topology,
}

/// Destination of a message.
#[derive(Clone, Copy, Debug)]
pub enum Destination<'a> {
    /// To the work queue that takes its kind.
    Commands,
    /// To the queue of its retry delay, and from there to the named queue.
    Retry { queue: &'a str },
}

impl Publisher {
    /// Starts the publishing task, which connects, and reconnects after failures, until `stop` is cancelled.
    pub fn start(
        settings: &QueueSettings,
        tls: &TlsSettings,
        name: &str,
        on_reply: Option<OnReply>,
        stop: CancellationToken,
    ) -> Self {
        let topology = Topology::new(settings);
        let (jobs, queued) = mpsc::channel(WINDOW);
        let (up, is_up) = watch::channel(false);
        let task = PublishingTask {
            settings: settings.clone(),
            tls: tls.clone(),
            topology: topology.clone(),
            name: name.to_owned(),
            on_reply,
            queued,
            up,
        };
        tokio::spawn(task.run(stop));
        Self { jobs, window: Arc::new(Semaphore::new(WINDOW)), up: is_up, topology }
    }

    /// Returns whether the broker accepts messages now.
    pub fn is_up(&self) -> bool {
        *self.up.borrow()
    }

    /// Waits until the broker accepts messages. Never returns once the task has ended.
    pub async fn until_up(&self) {
        let mut up = self.up.clone();
        if up.wait_for(|up| *up).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Publishes a message and waits for the broker's confirm.
    ///
    /// # Errors
    /// See [`PublishError`]; only with `Unknown` the message may still arrive.
    pub async fn publish(&self, envelope: &Envelope, to: Destination<'_>) -> Result<(), PublishError> {
        match to {
            Destination::Commands => self.publish_new(envelope).await,
            // Every delivery of a message is a step below the one that first published it.
            Destination::Retry { queue } => {
                let exchange = self.topology.retry_delay(envelope.attempt.saturating_sub(1));
                let properties = envelope.properties(envelope.trace);
                self.send(exchange, queue.to_owned(), properties, envelope.body.clone()).await
            }
        }
    }

    async fn publish_new(&self, envelope: &Envelope) -> Result<(), PublishError> {
        let exchange = self.topology.commands();
        let span = span(&exchange, envelope);
        let properties = envelope.properties(Some(traces::step(&span, envelope.trace)));
        let sending = self.send(exchange, envelope.kind.clone(), properties, envelope.body.clone());
        let sent = sending.instrument(span.clone()).await;
        if sent.is_err() {
            traces::failed(&span);
        }
        sent
    }

    /// Dead-letters a message that cannot be processed, with the queue where it failed and the reason. A command loses its
    /// body, and with it the personal data: its caller no longer waits, so that it is not replayed.
    ///
    /// # Errors
    /// As [`Publisher::publish`].
    pub async fn dead_letter(
        &self,
        delivery: &Delivery,
        queue: &str,
        reason: &str,
    ) -> Result<(), PublishError> {
        let properties = dead_properties(&delivery.properties, queue, reason);
        let key = delivery.routing_key.to_string();
        let is_command = delivery.properties.reply_to().is_some();
        let body = if is_command { Vec::new() } else { delivery.data.clone() };
        self.send(self.topology.dead(), key, properties, body).await
    }

    /// Sends the answer of a command to its caller. The answer is also stored, so a lost reply does no harm.
    ///
    /// # Errors
    /// As [`Publisher::publish`].
    pub async fn reply(&self, to: &str, correlation_id: Uuid, body: Vec<u8>) -> Result<(), PublishError> {
        let id = correlation_id.to_string();
        let properties = BasicProperties::default().with_correlation_id(id.as_str().into());
        // The default exchange delivers directly to the caller's channel.
        self.send(String::new(), to.to_owned(), properties, body).await
    }

    async fn send(
        &self,
        exchange: String,
        routing_key: String,
        properties: BasicProperties,
        body: Vec<u8>,
    ) -> Result<(), PublishError> {
        let sent = self.confirmed(exchange, routing_key, properties, body).await;
        sent.inspect_err(|error| metrics::publish_failure(*error))
    }

    async fn confirmed(
        &self,
        exchange: String,
        routing_key: String,
        properties: BasicProperties,
        body: Vec<u8>,
    ) -> Result<(), PublishError> {
        if !self.is_up() {
            return Err(PublishError::Down);
        }
        let (done, confirmed) = oneshot::channel();
        let job = Job { exchange, routing_key, properties, body, done };
        let deadline = Instant::now() + CONFIRM_TIMEOUT;
        let queued = async {
            let turn = self.window.acquire().await.ok()?;
            self.jobs.send(job).await.ok().map(|()| turn)
        };
        let Ok(Some(_turn)) = timeout_at(deadline, queued).await else { return Err(PublishError::Down) };
        match timeout_at(deadline, confirmed).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) | Err(_) => Err(PublishError::Unknown),
        }
    }
}

fn span(exchange: &str, envelope: &Envelope) -> Span {
    tracing::info_span!(
        target: traces::TARGET,
        parent: None,
        "publish",
        otel.name = format!("publish {}", envelope.kind),
        otel.kind = "producer",
        otel.status_code = Empty,
        messaging.system = "rabbitmq",
        messaging.operation.type = "send",
        messaging.destination.name = exchange,
        messaging.message.id = %envelope.id,
        cart = about::current().map(tracing::field::display),
    )
}
