//! RabbitMQ: the topology, supervised connections, and the one task that publishes.
//! What the broker and its client library do under faults, measured, is the reason for most of the shape here:
//! see `publisher` and `topology`.

mod dead;
mod envelope;
mod publisher;
mod topology;

use std::time::Duration;

use lapin::uri::AMQPUri;
use lapin::{Connection, ConnectionProperties};
use secrecy::ExposeSecret;

pub use dead::{DeadLetter, Fate, visit as visit_dead};
pub use envelope::{Envelope, UnreadableEnvelope};
pub use publisher::{Destination, OnReply, PublishError, Publisher, Reply};
pub use topology::{Queue, Topology};

use crate::settings::QueueSettings;

/// The pseudo-queue of direct reply-to: nothing to declare, nothing to recover.
pub const REPLY_TO: &str = "amq.rabbitmq.reply-to";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const FIRST_BACKOFF: Duration = Duration::from_millis(100);
const LONGEST_BACKOFF: Duration = Duration::from_secs(3);

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error(transparent)]
    Broker(#[from] lapin::Error),
    #[error("the broker did not answer in time")]
    Timeout,
    #[error("the broker closed the {0}")]
    Closed(&'static str),
}

/// Connects and declares the topology, in bounded time: the client library has no handshake timeout of its own.
///
/// # Errors
/// The broker is away, silent, refuses the credentials, or has queues of another shape under our names.
pub async fn connect(
    settings: &QueueSettings,
    topology: &Topology,
    name: &str,
) -> Result<Connection, LinkError> {
    let url = with_heartbeat(settings.amqp_url.expose_secret());
    let properties = ConnectionProperties::default().with_connection_name(name.into());
    let connecting = async {
        let connection = Connection::connect(&url, properties).await?;
        topology.declare(&connection.create_channel().await?).await?;
        Ok(connection)
    };
    tokio::time::timeout(CONNECT_TIMEOUT, connecting).await.map_err(|_| LinkError::Timeout)?
}

/// The URL itself is not repeated: it holds a password.
#[derive(Debug, thiserror::Error)]
#[error("is not of the form amqp://user:password@host:5672/vhost")]
pub struct InvalidUrl;

/// Whether [`connect`] can use the URL, so that a bad one ends a program when it starts.
///
/// # Errors
/// It cannot.
pub fn check_url(settings: &QueueSettings) -> Result<(), InvalidUrl> {
    let uri: Result<AMQPUri, String> = settings.amqp_url.expose_secret().parse();
    uri.map(drop).map_err(|_| InvalidUrl)
}

/// A frozen broker is noticed after two heartbeats; the broker's default of 60 s is too long for our callers.
fn with_heartbeat(url: &str) -> String {
    match url {
        _ if url.contains("heartbeat=") => url.to_owned(),
        _ if url.contains('?') => format!("{url}&heartbeat=5"),
        _ => format!("{url}?heartbeat=5"),
    }
}

/// Growing pauses between attempts, jittered so that replicas do not return all at once.
#[derive(Debug)]
pub struct Backoff {
    next: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { next: FIRST_BACKOFF }
    }
}

impl Backoff {
    /// A connection that lived for a while was a good one: the next pause is short again.
    pub fn after(&mut self, lived: Duration) {
        if lived > LONGEST_BACKOFF * 3 {
            *self = Self::default();
        }
    }

    pub fn pause(&mut self) -> Duration {
        let pause = self.next.mul_f64(0.5 + rand::random::<f64>() / 2.0);
        self.next = (self.next * 2).min(LONGEST_BACKOFF);
        pause
    }
}
