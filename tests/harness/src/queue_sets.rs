//! Sets of queues that tests use one after the other: declaring and deleting 16 quorum queues for each test took the
//! broker longer than most tests take. A set in use belongs to one world, and returns only if nothing is left in it.
//!
//! The broker keeps the list: one queue, whose messages are the prefixes of the free sets. A world takes a message, or
//! makes a new set if there is none, and sends it again at its end. What a killed test had taken is deleted: see `leftovers`.

use std::hash::{DefaultHasher, Hash, Hasher};

use lapin::options::{BasicGetOptions, QueueDeclareOptions};
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};
use lapin::types::FieldTable;
use lapin::{Channel, Connection, ConnectionProperties, ErrorKind};
use shared::queue::Topology;
use tokio::sync::Mutex;

use super::{amqp_url, queues};

/// The queue with the prefixes of the free sets.
const FREE: &str = "storefront_test_queues";

/// The settings that change a queue's arguments or name, other than the prefix.
const OF_QUEUES: [&str; 4] =
    ["--queue-max-length=", "--queue-max-bytes=", "--retry-delays=", "--dead-letters-kept="];

/// Whether these arguments ask for queues unlike those of other tests.
pub fn change_queues(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| OF_QUEUES.iter().any(|setting| argument.starts_with(setting)))
}

/// A world's connection to the broker, with one channel on which it looks at queues.
#[derive(Default)]
pub struct Broker(Mutex<Option<(Connection, Channel)>>);

/// How much a queue holds, and who takes from it.
pub struct Depth {
    pub queue: String,
    /// Messages that no consumer holds.
    pub ready: u32,
    pub consumers: u32,
}

impl Broker {
    /// Opens a channel.
    pub async fn channel(&self) -> Channel {
        let mut kept = self.0.lock().await;
        if let Some((connection, _)) = &*kept
            && let Ok(channel) = connection.create_channel().await
        {
            return channel;
        }
        // The first one, or the broker has closed a connection that a busy test did not serve.
        let (connection, own) = connect().await;
        let channel = connection.create_channel().await.expect("a channel");
        *kept = Some((connection, own));
        channel
    }

    /// A queue's depth; `None` if the queue does not exist.
    pub async fn depth(&self, queue: &str) -> Option<Depth> {
        let passive = QueueDeclareOptions { passive: true, ..Default::default() };
        let mut kept = self.0.lock().await;
        loop {
            let is_new = kept.is_none();
            if is_new {
                *kept = Some(connect().await);
            }
            let Some((connection, channel)) = &mut *kept else { continue };
            let error = match channel.queue_declare(queue.into(), passive, FieldTable::default()).await {
                Ok(found) => {
                    let (ready, consumers) = (found.message_count(), found.consumer_count());
                    return Some(Depth { queue: queue.to_owned(), ready, consumers });
                }
                Err(error) => error,
            };
            match connection.create_channel().await {
                // The error has closed the channel.
                Ok(opened) if is_not_found(&error) => {
                    *channel = opened;
                    return None;
                }
                _ => assert!(!is_new, "{queue}: {error}"),
            }
            *kept = None;
        }
    }

    /// The depths of all queues that exist.
    pub async fn depths(&self, topology: &Topology) -> Vec<Depth> {
        let mut depths = Vec::new();
        for queue in topology.queues() {
            depths.extend(self.depth(&queue).await);
        }
        depths
    }

    /// Takes a free set of queues, or names a new one. Returns its prefix.
    pub async fn take_set(&self) -> String {
        let kind = kind();
        let channel = self.channel().await;
        declare_list(&channel).await;
        let taken = BasicGetOptions { no_ack: true };
        while let Some(message) = channel.basic_get(FREE.into(), taken).await.expect("basic.get") {
            let prefix = String::from_utf8(message.delivery.data).expect("a prefix");
            if prefix.starts_with(&kind) && self.is_idle(&prefix).await {
                return prefix;
            }
            // The queues of another version of the code.
            self.delete_set(&prefix).await;
        }
        format!("{kind}{}", uuid::Uuid::now_v7().simple())
    }

    /// Frees a set for the next world, or deletes it if something is left in it.
    pub async fn return_set(&self, prefix: &str) {
        if !self.is_idle(prefix).await {
            return self.delete_set(prefix).await;
        }
        let channel = self.channel().await;
        let (options, properties) = (Default::default(), Default::default());
        channel
            .basic_publish("".into(), FREE.into(), options, prefix.as_bytes(), properties)
            .await
            .expect("published");
        // A round trip: after it, the broker has handled the message.
        declare_list(&channel).await;
    }

    /// Deletes a set's queues and exchanges.
    pub async fn delete_set(&self, prefix: &str) {
        self.delete(&queues::topology(prefix)).await;
    }

    /// Deletes queues and exchanges, whether or not they exist.
    pub async fn delete(&self, topology: &Topology) {
        topology.delete(&self.channel().await).await.expect("queues deleted");
    }

    /// Whether all queues of a set exist, are empty and have no consumer, which might hold messages.
    async fn is_idle(&self, prefix: &str) -> bool {
        let topology = queues::topology(prefix);
        let depths = self.depths(&topology).await;
        depths.len() == topology.queues().len()
            && depths.iter().all(|depth| (depth.ready, depth.consumers) == (0, 0))
    }
}

async fn connect() -> (Connection, Channel) {
    let connection =
        Connection::connect(&amqp_url(), ConnectionProperties::default()).await.expect("the broker");
    let channel = connection.create_channel().await.expect("a channel");
    (connection, channel)
}

fn is_not_found(error: &lapin::Error) -> bool {
    let ErrorKind::ProtocolError(error) = error.kind() else { return false };
    *error.kind() == AMQPErrorKind::Soft(AMQPSoftError::NOTFOUND)
}

async fn declare_list(channel: &Channel) {
    let durable = QueueDeclareOptions { durable: true, ..Default::default() };
    channel.queue_declare(FREE.into(), durable, FieldTable::default()).await.expect("queue declared");
}

/// The beginning of the prefixes of sets that fit this version of the code: queues keep the arguments with which they
/// were declared.
fn kind() -> String {
    let mut digest = DefaultHasher::new();
    include_str!("../../../shared/src/queue/topology.rs").hash(&mut digest);
    format!("{:?}{:?}", queues::topology(""), queues::topology("").queues()).hash(&mut digest);
    format!("q{:016x}t", digest.finish())
}
