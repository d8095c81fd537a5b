//! RabbitMQ: the topology, supervised connections, and the task that publishes. Message bodies are opaque here.
//! Most of this design follows from measured faults of the broker and its client library; `publishing_task` and
//! `topology` describe them.

mod dead;
mod envelope;
mod publisher;
mod publishing_task;
mod topology;

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use lapin::uri::AMQPUri;
use lapin::{Connection, ConnectionProperties};
use secrecy::ExposeSecret;

pub use dead::{DeadLetter, Fate, visit as visit_dead};
pub use envelope::{Envelope, UnreadableEnvelope};
pub use publisher::{Destination, OnReply, PublishError, Publisher, Reply};
pub use topology::Topology;

use crate::settings::QueueSettings;

/// The pseudo-queue of direct reply-to, which needs no declaration and no recovery.
pub const REPLY_TO: &str = "amq.rabbitmq.reply-to";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection that lasted longer was sound, and its loss does not count as a failed attempt.
const SOUND_CONNECTION: Duration = Duration::from_secs(9);

/// Half of the longest pause: the jitter adds up to as much again.
const LONGEST_BACKOFF: Duration = Duration::from_millis(1500);
const BACKOFF: ExponentialBuilder = ExponentialBuilder::new()
    .with_jitter()
    .with_min_delay(Duration::from_millis(50))
    .with_max_delay(LONGEST_BACKOFF)
    .without_max_times();

/// Why the broker connection failed or ended.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error(transparent)]
    Broker(#[from] lapin::Error),
    #[error("the broker did not answer in time")]
    Timeout,
    #[error("the broker closed the {0}")]
    Closed(&'static str),
}

/// Connects and declares the topology within five seconds: the client library has no handshake timeout.
///
/// # Errors
/// The broker is unreachable, does not answer, refuses the credentials, or has queues of the same names with other
/// arguments.
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

/// The error for an AMQP URL. It does not repeat the URL, which contains a password.
#[derive(Debug, thiserror::Error)]
#[error("is not of the form amqp://user:password@host:5672/vhost")]
pub struct InvalidUrl;

/// Checks that [`connect`] can use the URL, so that a program with an invalid URL exits at start-up.
///
/// # Errors
/// The URL is not a valid AMQP URL.
pub fn check_url(settings: &QueueSettings) -> Result<(), InvalidUrl> {
    let uri: Result<AMQPUri, String> = settings.amqp_url.expose_secret().parse();
    uri.map(drop).map_err(|_| InvalidUrl)
}

/// Asks for heartbeats every 5 s. The client notices a frozen broker after two heartbeats, and the broker's default of
/// 60 s is too long for waiting callers.
fn with_heartbeat(url: &str) -> String {
    match url {
        _ if url.contains("heartbeat=") => url.to_owned(),
        _ if url.contains('?') => format!("{url}&heartbeat=5"),
        _ => format!("{url}?heartbeat=5"),
    }
}

/// Growing pauses between connection attempts, with jitter so that replicas do not all reconnect at the same moment.
#[derive(Debug)]
pub struct Backoff(ExponentialBackoff);

impl Default for Backoff {
    fn default() -> Self {
        Self(BACKOFF.build())
    }
}

impl Backoff {
    /// Starts again with a short pause if the connection lasted longer than 9 s.
    pub fn after(&mut self, lived: Duration) {
        if lived > SOUND_CONNECTION {
            *self = Self::default();
        }
    }

    /// The pause before the next attempt: 50 to 100 ms at first, then doubling up to 3 s.
    pub fn pause(&mut self) -> Duration {
        self.0.next().unwrap_or(LONGEST_BACKOFF)
    }
}
