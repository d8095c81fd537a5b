//! Exchanges and queues, the same on RabbitMQ 3.10 to 4.3. Both services declare all of it, so neither must start
//! first.
//!
//! The topic exchange `cmd` routes messages by their kind to the work queues. A message to retry goes to the queue of
//! its retry delay; when the delay is over, the broker returns it to the queue that its routing key names. Messages
//! that cannot be processed end in the dead-letter queue `dead`, messages that match no queue in `unrouted`: none are
//! lost.

use std::time::Duration;

use lapin::options::{
    ExchangeDeclareOptions, ExchangeDeleteOptions, QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, ExchangeKind};

use crate::messages::Queue;
use crate::settings::QueueSettings;

/// How long the broker keeps dead letters and unrouted messages for an operator.
const KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

/// RabbitMQ 4.0 and later drops a message that was requeued 20 times unless the queue sets a higher limit. Each time an
/// operator inspects a dead letter, the message is requeued.
const LOOKS: AMQPValue = AMQPValue::LongInt(1_000_000);

/// Stops crash loops only: a crashed consumer counts a delivery against every message that it had prefetched.
const DELIVERY_LIMIT: i32 = 20;

/// The names and arguments of one installation's queues and exchanges.
#[derive(Clone, Debug)]
pub struct Topology {
    prefix: String,
    retry_delays: Vec<Duration>,
    max_length: u32,
}

impl Topology {
    pub fn new(settings: &QueueSettings) -> Self {
        Self {
            prefix: settings.queue_prefix.clone(),
            retry_delays: settings.retry_delays.clone(),
            max_length: settings.queue_max_length,
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

    /// How long a message waits for its nth retry, counted from 0. The last delay applies to all further retries.
    pub fn delay_before(&self, retry: u32) -> Duration {
        let last = self.retry_delays.len().saturating_sub(1);
        let index = usize::try_from(retry).unwrap_or(last).min(last);
        self.retry_delays.get(index).copied().unwrap_or(Duration::from_secs(5))
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

    pub(super) async fn declare(&self, channel: &Channel) -> Result<(), lapin::Error> {
        for kept in [self.dead(), self.unrouted()] {
            exchange(channel, &kept, ExchangeKind::Fanout, FieldTable::default()).await?;
            let kept_for = ("x-message-ttl", millis(KEPT));
            queue(channel, &kept, arguments(&[kept_for, ("x-delivery-limit", LOOKS)])).await?;
            bind(channel, &kept, &kept, "").await?;
        }
        let commands = self.commands();
        exchange(
            channel,
            &commands,
            ExchangeKind::Topic,
            arguments(&[("alternate-exchange", text(&self.unrouted()))]),
        )
        .await?;
        for work in Queue::ALL {
            queue(channel, &self.queue(*work), self.work_arguments()).await?;
            bind(channel, &self.queue(*work), &commands, &format!("{}.#", work.name())).await?;
        }
        for delay in &self.retry_delays {
            let name = self.delayed_by(*delay);
            exchange(channel, &name, ExchangeKind::Fanout, FieldTable::default()).await?;
            queue(channel, &name, delay_arguments(*delay)).await?;
            bind(channel, &name, &name, "").await?;
        }
        Ok(())
    }

    fn work_arguments(&self) -> FieldTable {
        arguments(&[
            ("x-delivery-limit", AMQPValue::LongInt(DELIVERY_LIMIT)),
            ("x-max-length", AMQPValue::LongLongInt(i64::from(self.max_length))),
            ("x-overflow", text("reject-publish")),
            ("x-dead-letter-exchange", text(&self.dead())),
            ("x-dead-letter-strategy", text("at-least-once")),
        ])
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

fn delay_arguments(delay: Duration) -> FieldTable {
    arguments(&[
        ("x-message-ttl", millis(delay)),
        // The default exchange: the routing key names the queue to which the message returns.
        ("x-dead-letter-exchange", text("")),
        ("x-dead-letter-strategy", text("at-least-once")),
        ("x-overflow", text("reject-publish")),
    ])
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

async fn queue(channel: &Channel, name: &str, mut arguments: FieldTable) -> Result<(), lapin::Error> {
    arguments.insert("x-queue-type".into(), text("quorum"));
    let options = QueueDeclareOptions { durable: true, ..Default::default() };
    channel.queue_declare(name.into(), options, arguments).await.map(|_| ())
}

async fn bind(channel: &Channel, queue: &str, exchange: &str, key: &str) -> Result<(), lapin::Error> {
    channel
        .queue_bind(queue.into(), exchange.into(), key.into(), Default::default(), FieldTable::default())
        .await
}
