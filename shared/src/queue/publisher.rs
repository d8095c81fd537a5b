//! One task owns the publishing channel. With several tasks publishing on one channel, lapin 4.12 hands confirms to
//! the wrong publisher (reproduced: up to 50 of 24,000); through one task, none of 96,000.
//! The same task receives direct replies, which must share the channel of the questions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use lapin::message::Delivery;
use lapin::options::{BasicConsumeOptions, ConfirmSelectOptions};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Confirmation, Connection, Consumer, Event};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::envelope::dead_properties;
use super::{Backoff, Envelope, LinkError, REPLY_TO, Topology, connect};
use crate::settings::QueueSettings;

/// Unconfirmed messages at most.
const WINDOW: usize = 512;

/// A write that takes longer means a connection that is stuck; it is given up and made anew.
const WRITE_TIMEOUT: Duration = Duration::from_secs(3);

/// While the broker is blocked it confirms nothing of what it has; whoever waits has better things to do.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(5);

/// What comes back to an asker.
#[derive(Debug)]
pub enum Reply {
    /// The answer to the question of this id.
    Answer(Uuid, Vec<u8>),
    /// The channel is gone, and with it every answer that was still to come over it.
    Lost,
}

pub type OnReply = Arc<dyn Fn(Reply) + Send + Sync>;

/// Publishes persistent messages and waits for the broker's confirm.
#[derive(Clone, Debug)]
pub struct Publisher {
    jobs: mpsc::Sender<Job>,
    up: watch::Receiver<bool>,
    topology: Topology,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// Nothing was sent.
    #[error("the broker is away")]
    Down,
    /// The broker refused it: a full queue.
    #[error("the broker refused the message")]
    Refused,
    /// It may have been sent or not, or may be sent later.
    #[error("the broker did not confirm the message")]
    Unknown,
}

/// Where a message goes.
#[derive(Clone, Copy, Debug)]
pub enum Destination<'a> {
    /// To the work queue that takes its type.
    Commands,
    /// To wait on the ladder, then to the named queue.
    Retry { queue: &'a str },
}

#[derive(Debug)]
struct Job {
    exchange: String,
    routing_key: String,
    properties: BasicProperties,
    body: Vec<u8>,
    done: oneshot::Sender<Result<(), PublishError>>,
}

impl Publisher {
    /// Starts the task, which connects, and connects again, until `stop`.
    pub fn start(
        settings: &QueueSettings,
        name: &str,
        on_reply: Option<OnReply>,
        stop: CancellationToken,
    ) -> Self {
        let topology = Topology::new(settings);
        let (jobs, queued) = mpsc::channel(WINDOW);
        let (up, is_up) = watch::channel(false);
        let task = Task {
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

    /// Whether the broker takes messages now.
    pub fn is_up(&self) -> bool {
        *self.up.borrow()
    }

    /// Waits until the broker takes messages; for ever once the task has ended.
    pub async fn until_up(&self) {
        let mut up = self.up.clone();
        if up.wait_for(|up| *up).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// # Errors
    /// See [`PublishError`]; only `Unknown` leaves it open whether the message will arrive.
    pub async fn publish(&self, envelope: &Envelope, to: Destination<'_>) -> Result<(), PublishError> {
        let (exchange, routing_key) = match to {
            Destination::Commands => (self.topology.commands(), envelope.kind.clone()),
            Destination::Retry { queue } => {
                (self.topology.rung(envelope.attempt.saturating_sub(1)), queue.to_owned())
            }
        };
        self.send(exchange, routing_key, envelope.properties(), envelope.body.clone()).await
    }

    /// Keeps a message that cannot be done, with the reason.
    ///
    /// # Errors
    /// As [`Publisher::publish`].
    pub async fn bury(&self, delivery: &Delivery, queue: &str, reason: &str) -> Result<(), PublishError> {
        let properties = dead_properties(&delivery.properties, queue, reason);
        let key = delivery.routing_key.to_string();
        self.send(self.topology.dead(), key, properties, delivery.data.clone()).await
    }

    /// Answers a question. A reply is a hint: if it is lost, the answer is still stored.
    ///
    /// # Errors
    /// As [`Publisher::publish`].
    pub async fn reply(&self, to: &str, correlation_id: Uuid, body: Vec<u8>) -> Result<(), PublishError> {
        let id = correlation_id.to_string();
        let properties = BasicProperties::default().with_correlation_id(id.as_str().into());
        // The default exchange leads straight to the asker's channel.
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

struct Task {
    settings: QueueSettings,
    topology: Topology,
    name: String,
    on_reply: Option<OnReply>,
    queued: mpsc::Receiver<Job>,
    up: watch::Sender<bool>,
}

/// Resolves to the waiter of one message and what became of it.
type Confirm =
    BoxFuture<'static, (oneshot::Sender<Result<(), PublishError>>, Result<Confirmation, lapin::Error>)>;

impl Task {
    async fn run(mut self, stop: CancellationToken) {
        let mut backoff = Backoff::default();
        while !stop.is_cancelled() && !self.queued.is_closed() {
            match self.open().await {
                Ok((connection, channel, replies)) => {
                    let connected = Instant::now();
                    self.up.send_replace(true);
                    let end = tokio::select! {
                        end = self.epoch(&connection, &channel, replies) => Some(end),
                        () = stop.cancelled() => None,
                    };
                    self.up.send_replace(false);
                    backoff.after(connected.elapsed());
                    if let Some(on_reply) = &self.on_reply {
                        on_reply(Reply::Lost);
                    }
                    if let Some(error) = end {
                        tracing::warn!(%error, "lost the broker, connecting again");
                    }
                    let _ = tokio::time::timeout(Duration::from_secs(1), connection.close(200, "bye".into()))
                        .await;
                }
                Err(error) => tracing::warn!(%error, "cannot reach the broker, trying again"),
            }
            self.refuse_all_for(backoff.pause()).await;
        }
    }

    async fn open(&self) -> Result<(Connection, Channel, Option<Consumer>), LinkError> {
        let connection = connect(&self.settings, &self.topology, &self.name).await?;
        let opening = async {
            let channel = connection.create_channel().await?;
            channel.confirm_select(ConfirmSelectOptions::default()).await?;
            let replies = match self.on_reply {
                Some(_) => Some(consume_replies(&channel).await?),
                None => None,
            };
            Ok::<_, lapin::Error>((channel, replies))
        };
        let (channel, replies) =
            tokio::time::timeout(WRITE_TIMEOUT, opening).await.map_err(|_| LinkError::Timeout)??;
        Ok((connection, channel, replies))
    }

    /// Works until the connection is of no more use, and says why it is not. Waiters that are dropped with the
    /// epoch learn that the fate of their message is unknown.
    async fn epoch(
        &mut self,
        connection: &Connection,
        channel: &Channel,
        mut replies: Option<Consumer>,
    ) -> LinkError {
        let mut events = Box::pin(connection.events_listener());
        let mut confirms: FuturesUnordered<Confirm> = FuturesUnordered::new();
        let mut blocked = false;
        loop {
            tokio::select! {
                biased;
                event = events.next() => match event {
                    Some(Event::ConnectionBlocked(_)) => {
                        blocked = true;
                        self.up.send_replace(false);
                    }
                    Some(Event::ConnectionUnblocked) => {
                        blocked = false;
                        self.up.send_replace(true);
                    }
                    Some(Event::Error(error)) => return error.into(),
                    Some(_) => {}
                    None => return LinkError::Closed("connection"),
                },
                reply = next_reply(&mut replies) => match reply {
                    Some(Ok(delivery)) => self.hand_over(delivery),
                    Some(Err(error)) => return error.into(),
                    None => return LinkError::Closed("reply channel"),
                },
                Some((done, confirmation)) = confirms.next() => match confirmation {
                    Ok(confirmation) => settle(done, &confirmation),
                    Err(error) => return error.into(),
                },
                Some(job) = self.queued.recv(), if blocked || confirms.len() < WINDOW => {
                    if blocked {
                        let _ = job.done.send(Err(PublishError::Down));
                    } else if !job.done.is_closed() {
                        match write(channel, job).await {
                            Ok(confirm) => confirms.push(confirm),
                            Err(error) => return error,
                        }
                    }
                },
            }
        }
    }

    fn hand_over(&self, delivery: Delivery) {
        let id = delivery.properties.correlation_id().as_ref().and_then(|id| id.as_str().parse().ok());
        if let (Some(on_reply), Some(id)) = (&self.on_reply, id) {
            on_reply(Reply::Answer(id, delivery.data));
        }
    }

    /// While there is no connection, callers are told so at once.
    async fn refuse_all_for(&mut self, pause: Duration) {
        let refuse = async {
            while let Some(job) = self.queued.recv().await {
                let _ = job.done.send(Err(PublishError::Down));
            }
        };
        let _ = tokio::time::timeout(pause, refuse).await;
    }
}

async fn consume_replies(channel: &Channel) -> Result<Consumer, lapin::Error> {
    let options = BasicConsumeOptions { no_ack: true, ..Default::default() };
    channel.basic_consume(REPLY_TO.into(), "replies".into(), options, FieldTable::default()).await
}

async fn next_reply(replies: &mut Option<Consumer>) -> Option<Result<Delivery, lapin::Error>> {
    match replies {
        Some(replies) => replies.next().await,
        None => std::future::pending().await,
    }
}

async fn write(channel: &Channel, job: Job) -> Result<Confirm, LinkError> {
    let Job { exchange, routing_key, properties, body, done } = job;
    let (exchange, key) = (exchange.as_str().into(), routing_key.as_str().into());
    let writing = channel.basic_publish(exchange, key, Default::default(), &body, properties);
    let confirm = tokio::time::timeout(WRITE_TIMEOUT, writing).await.map_err(|_| LinkError::Timeout)??;
    Ok(confirm.map(move |result| (done, result)).boxed())
}

fn settle(done: oneshot::Sender<Result<(), PublishError>>, confirmation: &Confirmation) {
    // An alternate exchange keeps what is unroutable, so an ack is an ack; a return would only be an alarm.
    let result = if confirmation.is_ack() { Ok(()) } else { Err(PublishError::Refused) };
    let _ = done.send(result);
}
