//! Exchanges and queues, the same on RabbitMQ 3.10 to 4.3. Both services declare all of it, so neither must start
//! first, unless the api's user at the broker may not declare: then a worker must have done so.
//!
//! The topic exchange `cmd` routes messages by their kind to the work queues. A message to retry goes to the queue of
//! its retry delay; when the delay is over, the broker returns it to the queue that its routing key names. Messages
//! that cannot be processed end in the dead-letter queue `dead`, messages that match no queue in `unrouted`: none are
//! lost. Each queue is bounded, and refuses what does not fit: the sender then keeps its message. So it does where a queue
//! is gone, and declares all of this again.
//!
//! Why: `docs/decisions/full-queues.md`

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lapin::options::{
    ExchangeDeclareOptions, ExchangeDeleteOptions, QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::protocol::AMQPSoftError;
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, Connection, ExchangeKind};

use super::is_soft;
use crate::messages::Queue;
use crate::settings::QueueSettings;

/// Retries before a message is dead-lettered: about two days with the default retry delays.
pub const MAX_RETRIES: u32 = 100;

/// Delivery limit of dead letters. Each time an operator inspects one, it is requeued, and RabbitMQ 4.0 and later drops a
/// message that was requeued 20 times unless the queue sets a higher limit.
const UNLIMITED_DELIVERIES: AMQPValue = AMQPValue::LongInt(1_000_000);

/// Stops crash loops only: a crashed consumer counts a delivery against every message that it had prefetched.
const DELIVERY_LIMIT: i32 = 20;

/// Queues of other arguments that this process has warned of: each connection meets them again.
static WARNED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The names and arguments of one installation's queues and exchanges.
#[derive(Clone, Debug)]
pub struct Topology {
    prefix: String,
    retry_delays: Vec<Duration>,
    max_length: u32,
    max_bytes: u64,
    kept: Duration,
}

impl Topology {
    pub fn new(settings: &QueueSettings) -> Self {
        Self {
            prefix: settings.queue_prefix.clone(),
            retry_delays: settings.retry_delays.clone(),
            max_length: settings.queue_max_length,
            max_bytes: settings.queue_max_bytes,
            kept: settings.dead_letters_kept,
        }
    }

    /// The exchange to which all messages are published, with their kind as the routing key.
    pub fn commands(&self) -> String {
        self.named("cmd")
    }

    /// The dead-letter queue, and the exchange of the same name in front of it.
    pub fn dead(&self) -> String {
        self.named("dead")
    }

    /// The queue without messages that a visitor of the dead letters has for itself.
    pub fn visitor(&self) -> String {
        self.named("dead.visitor")
    }

    /// The queue for messages whose kind matches no work queue, and the exchange of the same name in front of it.
    pub fn unrouted(&self) -> String {
        self.named("unrouted")
    }

    pub fn queue(&self, queue: Queue) -> String {
        self.named(queue.name())
    }

    /// The exchange that holds a message for the delay of its nth retry, counted from 0.
    pub fn retry_delay(&self, retry: u32) -> String {
        self.delayed_by(self.delay_before(retry))
    }

    /// Returns how long a message waits for its nth retry, counted from 0. The last delay applies to all further retries.
    pub fn delay_before(&self, retry: u32) -> Duration {
        let last = self.retry_delays.len().saturating_sub(1);
        let index = usize::try_from(retry).unwrap_or(last).min(last);
        self.retry_delays.get(index).copied().unwrap_or(Duration::from_secs(5))
    }

    /// Returns twice the time for which a message that fails is retried: each try takes time too, and a retry delay can be full.
    pub fn longest_wait(&self) -> Duration {
        (0..MAX_RETRIES).map(|retry| self.delay_before(retry)).sum::<Duration>().saturating_mul(2)
    }

    fn delayed_by(&self, delay: Duration) -> String {
        // The delay is part of the name: a queue's arguments cannot change, so each delay needs its own queue.
        self.named(&format!("retry.{}ms", delay.as_millis()))
    }

    fn named(&self, what: &str) -> String {
        format!("{}.{what}", self.prefix)
    }

    /// The names of all queues of this installation, to count their messages or to delete them.
    pub fn queues(&self) -> Vec<String> {
        let work = Queue::ALL.iter().map(|queue| self.queue(*queue));
        let retry_delays = self.retry_delays.iter().map(|delay| self.delayed_by(*delay));
        work.chain(retry_delays).chain([self.dead(), self.unrouted()]).collect()
    }

    pub(super) async fn declare(&self, connection: &Connection) -> Result<(), lapin::Error> {
        let channel = &self.declare_queues(connection).await?;
        for kept in [self.dead(), self.unrouted()] {
            exchange(channel, &kept, ExchangeKind::Fanout, FieldTable::default()).await?;
            bind(channel, &kept, &kept, "").await?;
        }
        let commands = self.commands();
        let unrouted = arguments(&[("alternate-exchange", text(&self.unrouted()))]);
        exchange(channel, &commands, ExchangeKind::Topic, unrouted).await?;
        for work in Queue::ALL {
            bind(channel, &self.queue(*work), &commands, &format!("{}.#", work.name())).await?;
        }
        for delay in &self.retry_delays {
            let name = self.delayed_by(*delay);
            exchange(channel, &name, ExchangeKind::Fanout, FieldTable::default()).await?;
            bind(channel, &name, &name, "").await?;
        }
        Ok(())
    }

    /// Succeeds if the topology has been declared, which needs no permission to ask. The exchange of commands alone may have been loaded
    /// with the accounts.
    pub(super) async fn find(&self, channel: &Channel) -> Result<(), lapin::Error> {
        for (name, kind) in [(self.unrouted(), ExchangeKind::Fanout), (self.commands(), ExchangeKind::Topic)]
        {
            let options = ExchangeDeclareOptions { passive: true, ..Default::default() };
            channel.exchange_declare(name.as_str().into(), kind, options, FieldTable::default()).await?;
        }
        Ok(())
    }

    /// Counts the messages of each queue that wait for a consumer or for the end of their delay. The broker does not
    /// count those that consumers hold. Queues are named without the prefix.
    ///
    /// # Errors
    /// The broker fails, or a queue does not exist. The channel is then closed.
    pub async fn depths(&self, channel: &Channel) -> Result<Vec<(String, u32)>, lapin::Error> {
        let passive = QueueDeclareOptions { passive: true, ..Default::default() };
        let mut depths = Vec::new();
        for name in self.queues() {
            let queue = channel.queue_declare(name.as_str().into(), passive, FieldTable::default()).await?;
            let name = name.strip_prefix(&self.named("")).unwrap_or(&name);
            depths.push((name.to_owned(), queue.message_count()));
        }
        Ok(depths)
    }

    /// Returns an open channel.
    async fn declare_queues(&self, connection: &Connection) -> Result<Channel, lapin::Error> {
        let mut channel = connection.create_channel().await?;
        let kept = [("x-message-ttl", millis(self.kept)), ("x-delivery-limit", UNLIMITED_DELIVERIES)];
        for name in [self.dead(), self.unrouted()] {
            channel = queue(connection, channel, &name, self.bounded(&kept)).await?;
        }
        let dead = text(&self.dead());
        let work = [
            ("x-delivery-limit", AMQPValue::LongInt(DELIVERY_LIMIT)),
            ("x-dead-letter-exchange", dead),
            ("x-dead-letter-strategy", text("at-least-once")),
        ];
        for name in Queue::ALL.iter().map(|work| self.queue(*work)) {
            channel = queue(connection, channel, &name, self.bounded(&work)).await?;
        }
        for delay in &self.retry_delays {
            let delayed = [
                ("x-message-ttl", millis(*delay)),
                // The default exchange: the routing key names the queue to which the message returns.
                ("x-dead-letter-exchange", text("")),
                ("x-dead-letter-strategy", text("at-least-once")),
            ];
            channel = queue(connection, channel, &self.delayed_by(*delay), self.bounded(&delayed)).await?;
        }
        Ok(channel)
    }

    /// The arguments of a queue, with the bounds that every queue has.
    fn bounded(&self, own: &[(&str, AMQPValue)]) -> FieldTable {
        let mut table = arguments(&[
            ("x-queue-type", text("quorum")),
            ("x-max-length", AMQPValue::LongLongInt(i64::from(self.max_length))),
            ("x-max-length-bytes", AMQPValue::LongLongInt(i64::try_from(self.max_bytes).unwrap_or(i64::MAX))),
            ("x-overflow", text("reject-publish")),
        ]);
        for (key, value) in own {
            table.insert((*key).into(), value.clone());
        }
        table
    }

    /// Deletes every queue and exchange of this installation, with all messages.
    ///
    /// # Errors
    /// The broker fails; the queues deleted before that stay deleted.
    pub async fn delete(&self, channel: &Channel) -> Result<(), lapin::Error> {
        for name in self.queues() {
            channel.queue_delete(name.as_str().into(), QueueDeleteOptions::default()).await?;
            // The broker accepts the deletion of an exchange that does not exist.
            channel.exchange_delete(name.as_str().into(), ExchangeDeleteOptions::default()).await?;
        }
        channel.exchange_delete(self.commands().as_str().into(), ExchangeDeleteOptions::default()).await
    }
}

fn arguments(pairs: &[(&str, AMQPValue)]) -> FieldTable {
    let mut table = FieldTable::default();
    for (key, value) in pairs {
        table.insert((*key).into(), value.clone());
    }
    table
}

fn text(value: &str) -> AMQPValue {
    AMQPValue::LongString(value.into())
}

fn millis(duration: Duration) -> AMQPValue {
    AMQPValue::LongLongInt(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))
}

async fn exchange(
    channel: &Channel,
    name: &str,
    kind: ExchangeKind,
    arguments: FieldTable,
) -> Result<(), lapin::Error> {
    let options = ExchangeDeclareOptions { durable: true, ..Default::default() };
    channel.exchange_declare(name.into(), kind, options, arguments).await
}

/// Declares a queue. One that exists with other arguments stays as it is, because the broker cannot change them: it closes
/// the channel instead. Returns the channel to continue with.
async fn queue(
    connection: &Connection,
    channel: Channel,
    name: &str,
    arguments: FieldTable,
) -> Result<Channel, lapin::Error> {
    let options = QueueDeclareOptions { durable: true, ..Default::default() };
    match channel.queue_declare(name.into(), options, arguments).await {
        Ok(_) => Ok(channel),
        // The broker gives the same reason where a limit of the virtual host allows no further queue.
        Err(error)
            if is_soft(&error, AMQPSoftError::PRECONDITIONFAILED)
                && error.to_string().contains("inequivalent arg") =>
        {
            if WARNED.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned()) {
                tracing::warn!(
                    queue = name,
                    "queue exists with other arguments and keeps them; to change them, see \"Queues\" in docs/operations.md"
                );
            }
            connection.create_channel().await
        }
        Err(error) => Err(error),
    }
}

async fn bind(channel: &Channel, queue: &str, exchange: &str, key: &str) -> Result<(), lapin::Error> {
    channel
        .queue_bind(queue.into(), exchange.into(), key.into(), Default::default(), FieldTable::default())
        .await
}
