//! Direct access to the broker: what the queues hold, and messages that no storefront program would send.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use lapin::BasicProperties;
use lapin::options::{BasicConsumeOptions, BasicGetOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable};
use serde_json::Value;
use shared::queue::{REPLY_TO, Topology};
use shared::settings::QueueSettings;
use uuid::Uuid;

use super::queue_sets::Depth;
use super::{PATIENCE, World, amqp_url, logs};

const COUNTED_WITHIN: Duration = Duration::from_secs(2);

fn settings(name: &str) -> QueueSettings {
    QueueSettings {
        amqp_url: amqp_url().into(),
        queue_prefix: name.to_owned(),
        retry_delays: [100, 300, 1000].map(Duration::from_millis).to_vec(),
        queue_max_length: 100_000,
        queue_max_bytes: 1 << 28,
        dead_letters_kept: Duration::from_secs(14 * 24 * 3600),
    }
}

pub(crate) fn topology(name: &str) -> Topology {
    Topology::new(&settings(name))
}

/// Describes the queues that do not hold the expected number of messages; `None` if all do. The broker counts late what a consumer
/// has just confirmed.
pub async fn left_over(world: &World) -> Option<String> {
    let start = Instant::now();
    loop {
        let left = wrong_depths(world).await;
        if left.is_empty() {
            return None;
        }
        if start.elapsed() > COUNTED_WITHIN {
            return Some(left.join("; "));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn wrong_depths(world: &World) -> Vec<String> {
    let topology = world.topology();
    let mut left = Vec::new();
    for Depth { queue, ready, .. } in world.broker.depths(&topology).await {
        let expected = match &queue {
            queue if *queue == topology.dead() => world.expected_dead,
            queue if *queue == topology.unrouted() => world.expected_unrouted,
            _ => 0,
        };
        if ready != expected {
            left.push(format!("{queue} holds {ready}, expected {expected}"));
        }
    }
    left
}

/// The work queues and retry-delay queues that hold messages, each with its count.
async fn waiting(world: &World) -> Vec<String> {
    let topology = world.topology();
    let mut depths = world.broker.depths(&topology).await;
    depths.retain(|depth| {
        depth.ready > 0 && depth.queue != topology.dead() && depth.queue != topology.unrouted()
    });
    depths.into_iter().map(|depth| format!("{}: {}", depth.queue, depth.ready)).collect()
}

impl World {
    /// Waits until all work is done: for a while, no queue holds a message, no job is under way and no work is pending. The broker
    /// counts only messages that no worker holds, and jobs of workers in processes of their own are seen by what they leave open.
    pub async fn drain(&self) {
        let (start, mut quiet) = (Instant::now(), 0);
        while quiet < 6 {
            let (outbox, unconfirmed, unsent): (i64, i64, i64) = sqlx::query_as(
                "SELECT (SELECT count(*) FROM outbox),
                        (SELECT count(*) FROM enrollments WHERE platform_state = 'queued' AND learner_id IS NOT NULL),
                        (SELECT count(*) FROM mails WHERE leased_until IS NOT NULL)",
            )
            .fetch_one(&self.db)
            .await
            .expect("what waits");
            let queues = waiting(self).await;
            let jobs: usize = self.workers.iter().map(worker::Running::jobs_under_way).sum();
            let is_quiet = (outbox, unconfirmed, unsent, jobs) == (0, 0, 0, 0) && queues.is_empty();
            quiet = if is_quiet { quiet + 1 } else { 0 };
            assert!(
                start.elapsed() < PATIENCE,
                "not all is done after {PATIENCE:?}: outbox {outbox}, unconfirmed {unconfirmed}, unsent {unsent}, jobs {jobs}, {queues:?}\n{}",
                logs::complaints()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until all work is done, and none will fall due: before a test kills workers of its own for good.
    pub async fn settle(&self) {
        self.stop_timers().await;
        self.drain().await;
    }

    /// Lets no further check of a payment or refund fall due: one that begins while the workers stop would be left over.
    async fn stop_timers(&self) {
        for statement in [
            "UPDATE transactions SET next_check_at = NULL WHERE next_check_at IS NOT NULL",
            "UPDATE refunds SET next_check_at = NULL WHERE next_check_at IS NOT NULL",
            "UPDATE payout_readings SET due_at = 'infinity'",
        ] {
            sqlx::query(statement).execute(&self.db).await.expect("timers stopped");
        }
    }

    /// The settings of the world's queues, but for its proxy in front of the broker.
    pub fn queue_settings(&self) -> QueueSettings {
        settings(&self.queue_prefix)
    }

    /// The names of the world's queues and exchanges.
    pub fn topology(&self) -> Topology {
        topology(&self.queue_prefix)
    }

    /// Number of ready messages in a queue; 0 if the queue does not exist.
    pub async fn ready_messages(&self, queue: &str) -> u32 {
        self.broker.depth(queue).await.map_or(0, |depth| depth.ready)
    }

    /// Returns whether a queue exists.
    pub async fn has_queue(&self, queue: &str) -> bool {
        self.broker.depth(queue).await.is_some()
    }

    /// Number of ready messages in all queues of the world.
    pub async fn all_ready_messages(&self) -> u32 {
        let depths = self.broker.depths(&self.topology()).await;
        depths.iter().map(|depth| depth.ready).sum()
    }

    /// Publishes raw bytes under a message type.
    pub async fn publish_raw(&self, kind: &str, message_id: &str, body: &[u8]) {
        let properties = BasicProperties::default().with_type(kind.into()).with_message_id(message_id.into());
        self.publish_with(properties, body).await;
    }

    /// Publishes raw bytes with these properties, to the queue of their type.
    pub async fn publish_with(&self, properties: BasicProperties, body: &[u8]) {
        let channel = self.broker.channel().await;
        let kind = properties.kind().clone().expect("a type");
        let exchange = self.topology().commands();
        channel
            .basic_publish(exchange.as_str().into(), kind, Default::default(), body, properties)
            .await
            .expect("published");
        // A round trip on the same channel: after it, the broker has handled the message.
        self.ready_messages(&self.topology().dead()).await;
    }

    /// Publishes a command with the given id, and waits for its reply.
    pub async fn ask_raw(&self, kind: &str, id: Uuid, command: &Value) -> Value {
        let channel = self.broker.channel().await;
        let no_ack = BasicConsumeOptions { no_ack: true, ..Default::default() };
        let mut replies = channel
            .basic_consume(REPLY_TO.into(), "test".into(), no_ack, FieldTable::default())
            .await
            .expect("replies");
        let properties = BasicProperties::default()
            .with_type(kind.into())
            .with_message_id(id.to_string().as_str().into())
            .with_reply_to(REPLY_TO.into());
        let (exchange, body) = (self.topology().commands(), command.to_string());
        channel
            .basic_publish(
                exchange.as_str().into(),
                kind.into(),
                Default::default(),
                body.as_bytes(),
                properties,
            )
            .await
            .expect("published");
        let reply = replies.next().await.expect("a reply").expect("a delivery");
        serde_json::from_slice(&reply.data).expect("json")
    }

    /// Takes one message from a queue: the reason for dead-lettering (empty if none), and the body.
    pub async fn take_message(&self, queue: &str) -> Option<(String, Vec<u8>)> {
        let channel = self.broker.channel().await;
        let message =
            channel.basic_get(queue.into(), BasicGetOptions { no_ack: true }).await.expect("basic.get")?;
        let headers = message.properties.headers().clone().unwrap_or_default();
        let reason = match headers.inner().get("x-reason") {
            Some(AMQPValue::LongString(reason)) => reason.to_string(),
            _ => String::new(),
        };
        Some((reason, message.data.clone()))
    }

    /// Declares a durable quorum queue with these arguments only.
    pub async fn declare_queue(&self, name: &str, arguments: &[(&str, i64)]) {
        assert!(self.own_queues, "other tests use these queues, too: see Setup::own_queues");
        let channel = self.broker.channel().await;
        let mut table = FieldTable::default();
        table.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
        table.insert("x-overflow".into(), AMQPValue::LongString("reject-publish".into()));
        for (key, value) in arguments {
            table.insert((*key).into(), AMQPValue::LongLongInt(*value));
        }
        let durable = QueueDeclareOptions { durable: true, ..Default::default() };
        channel.queue_declare(name.into(), durable, table).await.expect("queue declared");
    }

    /// Publishes bytes straight to a queue.
    pub async fn publish_to(&self, queue: &str, body: &[u8]) {
        let channel = self.broker.channel().await;
        let options = Default::default();
        let published = channel.basic_publish("".into(), queue.into(), options, body, Default::default());
        published.await.expect("published");
        self.ready_messages(queue).await;
    }

    /// Deletes a queue that may have consumers.
    pub async fn delete_queue(&self, queue: &str) {
        assert!(self.own_queues, "other tests use these queues, too: see Setup::own_queues");
        let channel = self.broker.channel().await;
        channel.queue_delete(queue.into(), Default::default()).await.expect("queue deleted");
    }
}
