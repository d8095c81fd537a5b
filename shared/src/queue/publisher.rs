//! What the programs publish with: a handle that passes each message to the publishing task, and waits for the broker's
//! confirm.

use std::sync::Arc;
use std::time::Duration;

use lapin::BasicProperties;
use lapin::message::Delivery;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::envelope::dead_properties;
use super::publishing_task::{PublishingTask, WINDOW};
use super::{Envelope, Topology};
use crate::settings::QueueSettings;

/// How long a caller waits for a confirm. A blocked broker confirms nothing, so callers must not wait for it.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(5);

/// What the publisher passes to callers that wait for answers.
#[derive(Debug)]
pub enum Reply {
    /// The answer to the command with this id.
    Answer(Uuid, Vec<u8>),
    /// The channel has closed, and all outstanding answers are lost with it.
    Lost,
}

/// Called for each reply.
pub type OnReply = Arc<dyn Fn(Reply) + Send + Sync>;

/// Publishes persistent messages and waits for the broker's confirm.
#[derive(Clone, Debug)]
pub struct Publisher {
    jobs: mpsc::Sender<Job>,
    up: watch::Receiver<bool>,
    topology: Topology,
}

/// Why a message was not confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// There is no usable connection; nothing was sent.
    #[error("the broker is away")]
    Down,
    /// The broker refused the message because the queue is full.
    #[error("the broker refused the message")]
    Refused,
    /// The message may or may not have been sent, or may still be sent.
    #[error("the broker did not confirm the message")]
    Unknown,
}

/// Where a message goes.
#[derive(Clone, Copy, Debug)]
pub enum Destination<'a> {
    /// To the work queue that takes its kind.
    Commands,
    /// To the queue of its retry delay, and from there to the named queue.
    Retry { queue: &'a str },
}

/// A message for the publishing task.
#[derive(Debug)]
pub(super) struct Job {
    pub exchange: String,
    pub routing_key: String,
    pub properties: BasicProperties,
    pub body: Vec<u8>,
    pub done: oneshot::Sender<Result<(), PublishError>>,
}

impl Publisher {
    /// Starts the publishing task, which connects, and reconnects after failures, until `stop` is cancelled.
    pub fn start(
        settings: &QueueSettings,
        name: &str,
        on_reply: Option<OnReply>,
        stop: CancellationToken,
    ) -> Self {
        let topology = Topology::new(settings);
        let (jobs, queued) = mpsc::channel(WINDOW);
        let (up, is_up) = watch::channel(false);
        let task = PublishingTask {
            settings: settings.clone(),
            topology: topology.clone(),
            name: name.to_owned(),
            on_reply,
            queued,
            up,
        };
        tokio::spawn(task.run(stop));
        Self { jobs, up: is_up, topology }
    }

    /// Whether the broker accepts messages now.
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
        let (exchange, routing_key) = match to {
            Destination::Commands => (self.topology.commands(), envelope.kind.clone()),
            Destination::Retry { queue } => {
                (self.topology.retry_delay(envelope.attempt.saturating_sub(1)), queue.to_owned())
            }
        };
        self.send(exchange, routing_key, envelope.properties(), envelope.body.clone()).await
    }

    /// Dead-letters a message that cannot be processed, with the queue where it failed and the reason.
    ///
    /// # Errors
    /// As [`Publisher::publish`].
    pub async fn bury(&self, delivery: &Delivery, queue: &str, reason: &str) -> Result<(), PublishError> {
        let properties = dead_properties(&delivery.properties, queue, reason);
        let key = delivery.routing_key.to_string();
        self.send(self.topology.dead(), key, properties, delivery.data.clone()).await
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
        if !self.is_up() {
            return Err(PublishError::Down);
        }
        let (done, confirmed) = oneshot::channel();
        let job = Job { exchange, routing_key, properties, body, done };
        self.jobs.send(job).await.map_err(|_| PublishError::Down)?;
        match tokio::time::timeout(CONFIRM_TIMEOUT, confirmed).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) | Err(_) => Err(PublishError::Unknown),
        }
    }
}
