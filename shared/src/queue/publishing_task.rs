//! The publishing task: one task owns the publishing channel. When several tasks publish on one channel, lapin 4.12
//! hands confirms to the wrong publisher (reproduced: up to 50 of 24,000); with one task, none of 96,000. The same
//! task receives direct replies, because the broker delivers them on the channel that sent the commands.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use lapin::message::Delivery;
use lapin::options::{BasicConsumeOptions, BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Confirmation, Connection, Consumer, Event};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{Backoff, LinkError, REPLY_TO, Topology, connect};
use crate::metrics::{self, BrokerConnection};
use crate::publish_error::PublishError;
use crate::settings::QueueSettings;
use crate::tls::TlsSettings;

/// Time that a caller waits for its turn and for a confirm. A blocked broker confirms nothing, so callers must not wait
/// for it.
pub(super) const CONFIRM_TIMEOUT: Duration = Duration::from_secs(5);

/// Reply that the publisher passes to callers that wait for answers.
#[derive(Debug)]
pub enum Reply {
    /// The answer to the command with this id.
    Answer(Uuid, Vec<u8>),
    /// The channel has closed, and all outstanding answers are lost with it.
    Lost,
}

/// Called for each reply.
pub type OnReply = Arc<dyn Fn(Reply) + Send + Sync>;

/// A message for the publishing task.
#[derive(Debug)]
pub(super) struct Job {
    pub exchange: String,
    pub routing_key: String,
    pub properties: BasicProperties,
    pub body: Vec<u8>,
    pub done: oneshot::Sender<Result<(), PublishError>>,
}

/// Maximum number of messages without a confirm, most of whose callers have given up. The client library keeps a record of each,
/// so the task then replaces the connection.
const UNCONFIRMED: usize = 8192;

/// Time after which the connection counts as stuck, if messages wait and the broker confirms none: the task replaces it. Not
/// when it confirms some: one queue is stuck then, and a new connection would lose the replies of the others.
const STUCK: Duration = CONFIRM_TIMEOUT.saturating_mul(3);

/// After a longer write the connection counts as stuck, and the task replaces it.
const WRITE_TIMEOUT: Duration = Duration::from_secs(3);

/// Owns the connection and the channel, and replaces them after a failure.
pub(super) struct PublishingTask {
    pub settings: QueueSettings,
    pub tls: TlsSettings,
    pub topology: Topology,
    pub name: String,
    pub on_reply: Option<OnReply>,
    pub queued: mpsc::Receiver<Job>,
    pub up: watch::Sender<bool>,
}

/// The caller's end of one message, with the broker's confirmation.
type Confirmed = (oneshot::Sender<Result<(), PublishError>>, Result<Confirmation, lapin::Error>);
type Confirm = BoxFuture<'static, Confirmed>;

impl PublishingTask {
    pub async fn run(mut self, stop: CancellationToken) {
        let mut backoff = Backoff::default();
        while !stop.is_cancelled() && !self.queued.is_closed() {
            match self.open().await {
                Ok((connection, channel, replies)) => {
                    let connected = Instant::now();
                    self.set_up(true);
                    let end = tokio::select! {
                        end = self.epoch(&connection, &channel, replies) => Some(end),
                        () = stop.cancelled() => None,
                    };
                    self.set_up(false);
                    backoff.after(connected.elapsed());
                    if let Some(on_reply) = &self.on_reply {
                        on_reply(Reply::Lost);
                    }
                    if let Some(error) = end {
                        metrics::broker_failure(BrokerConnection::Publisher);
                        tracing::warn!(%error, "lost the connection to the broker; reconnecting");
                    }
                    let _ = tokio::time::timeout(Duration::from_secs(1), connection.close(200, "bye".into()))
                        .await;
                }
                Err(error) => {
                    metrics::broker_failure(BrokerConnection::Publisher);
                    tracing::warn!(%error, "cannot connect to the broker; trying again");
                }
            }
            self.refuse_all_for(backoff.pause()).await;
        }
    }

    fn set_up(&self, up: bool) {
        self.up.send_replace(up);
        metrics::broker_up(BrokerConnection::Publisher, up);
    }

    async fn open(&self) -> Result<(Connection, Channel, Option<Consumer>), LinkError> {
        let connection = connect(&self.settings, &self.tls, &self.topology, &self.name).await?;
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

    /// Publishes over one connection until it fails, and returns the reason. Callers whose confirm is still outstanding
    /// then get `Unknown`.
    async fn epoch(
        &mut self,
        connection: &Connection,
        channel: &Channel,
        mut replies: Option<Consumer>,
    ) -> LinkError {
        let mut events = Box::pin(connection.events_listener());
        let mut confirms: FuturesUnordered<Confirm> = FuturesUnordered::new();
        let (mut blocked, mut progress) = (false, Instant::now());
        loop {
            tokio::select! {
                biased;
                event = events.next() => match event {
                    Some(Event::ConnectionBlocked(_)) => {
                        blocked = true;
                        self.set_up(false);
                    }
                    Some(Event::ConnectionUnblocked) => {
                        (blocked, progress) = (false, Instant::now());
                        self.set_up(true);
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
                Some(first) = confirms.next() => {
                    if let Err(error) = settle(first, &mut confirms) {
                        return error;
                    }
                    progress = Instant::now();
                }
                () = sleep_until(progress + STUCK), if !blocked && !confirms.is_empty() => {
                    return LinkError::Timeout;
                }
                Some(job) = self.queued.recv() => {
                    if blocked {
                        let _ = job.done.send(Err(PublishError::Down));
                    } else if !job.done.is_closed() {
                        if confirms.is_empty() {
                            progress = Instant::now();
                        } else if confirms.len() == UNCONFIRMED {
                            return LinkError::Timeout;
                        }
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

    /// Refuses messages at once for `pause`, while there is no connection.
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
    // Without it the broker also confirms what no queue has taken. It knows no queue for a reply, which needs none.
    let options = BasicPublishOptions { mandatory: !exchange.is_empty(), ..Default::default() };
    let (exchange, key) = (exchange.as_str().into(), routing_key.as_str().into());
    let writing = channel.basic_publish(exchange, key, options, &body, properties);
    let confirm = tokio::time::timeout(WRITE_TIMEOUT, writing).await.map_err(|_| LinkError::Timeout)??;
    Ok(confirm.map(move |result| (done, result)).boxed())
}

/// Tells callers what the broker has confirmed: `first`, and all that have arrived by now.
///
/// A queue may be missing, because somebody or a policy has deleted it. The broker then returns the message, and confirms it. lapin
/// hands the return to whichever confirm it sees next, which may be another message's, so that no confirm that has arrived
/// together with it counts: their callers publish again, over a new connection, which declares the queues.
fn settle(first: Confirmed, confirms: &mut FuturesUnordered<Confirm>) -> Result<(), LinkError> {
    let mut arrived = vec![first];
    while let Some(Some(next)) = confirms.next().now_or_never() {
        arrived.push(next);
    }
    let mut settled = Vec::with_capacity(arrived.len());
    for (done, confirmation) in arrived {
        settled.push(match confirmation? {
            Confirmation::Ack(None) => (done, Ok(())),
            Confirmation::Nack(None) | Confirmation::NotRequested => (done, Err(PublishError::Refused)),
            Confirmation::Ack(Some(returned)) | Confirmation::Nack(Some(returned)) => {
                return Err(LinkError::NoQueue(returned.exchange.to_string()));
            }
        });
    }
    for (done, result) in settled {
        let _ = done.send(result);
    }
    Ok(())
}
