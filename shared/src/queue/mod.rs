//! RabbitMQ: the topology, supervised connections, and the task that publishes. Message bodies are opaque here.
//! Most of this design follows from measured faults of the broker and its client library; `publishing_task` and
//! `topology` describe them.

mod dead;
mod envelope;
mod publisher;
mod publishing_task;
mod topology;

use std::sync::Once;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};
use lapin::tcp::OwnedTLSConfig;
use lapin::uri::{AMQPScheme, AMQPUri};
use lapin::{Connection, ConnectionProperties, DefaultConnectionBuilder, ErrorKind};
use secrecy::ExposeSecret;
use url::Url;

pub use dead::{DeadLetter, Fate, visit as visit_dead};
pub use envelope::{Envelope, SendingRequest, UnreadableEnvelope};
pub use publisher::{Destination, Publisher};
pub use publishing_task::{OnReply, Reply};

pub use crate::publish_error::PublishError;
pub use topology::{MAX_RETRIES, Topology};

use crate::causes;
use crate::settings::{QueueSettings, client_name};
use crate::tls::{TlsSettings, UrlError};

/// The pseudo-queue of direct reply-to, which needs no declaration and no recovery.
pub const REPLY_TO: &str = "amq.rabbitmq.reply-to";

/// Name of a caller's own pseudo-queue at the receiver of a command, in place of [`REPLY_TO`]
/// (<https://www.rabbitmq.com/docs/direct-reply-to>). The worker may publish to any queue, so it answers nowhere else.
const DIRECT_REPLIES: &str = "amq.rabbitmq.reply-to.";

/// Logs once that the broker's user may not declare queues: each reconnection would log it again.
static LOGGED: Once = Once::new();

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

/// Reason why the broker connection failed or ended.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error(transparent)]
    Broker(#[from] lapin::Error),
    #[error("the broker did not answer in time")]
    Timeout,
    #[error("the broker closed the {0}")]
    Closed(&'static str),
    #[error("no queue takes what is published to {0}; declaring the queues again")]
    NoQueue(String),
}

/// Connects to the first node that takes the connection, and declares the topology, within five seconds for each: the
/// client library has no handshake timeout. A user who may not declare it, such as the api's, gets the connection once a
/// worker has declared it.
///
/// # Errors
/// No node is reachable, answers, or accepts the credentials; or the user may not declare the topology, and there is none
/// yet. The error is the last node's.
pub async fn connect(
    settings: &QueueSettings,
    tls: &TlsSettings,
    topology: &Topology,
    name: &str,
) -> Result<Connection, LinkError> {
    let mut last = LinkError::Timeout;
    for url in nodes(settings) {
        let connecting = tokio::time::timeout(CONNECT_TIMEOUT, connect_to(url, tls, topology, name));
        match connecting.await.unwrap_or(Err(LinkError::Timeout)) {
            Err(error) => last = error,
            connected => return connected,
        }
    }
    Err(last)
}

/// The addresses of the broker's nodes, for messages.
pub fn addresses(settings: &QueueSettings) -> String {
    let urls = nodes(settings).filter_map(|url| Url::parse(url).ok());
    urls.map(|url| causes::address(&url)).collect::<Vec<_>>().join(", ")
}

/// The URLs of the broker's nodes. A comma in a password is written as `%2C`.
fn nodes(settings: &QueueSettings) -> impl Iterator<Item = &str> {
    settings.amqp_url.expose_secret().split(',').map(str::trim)
}

async fn connect_to(
    url: &str,
    tls: &TlsSettings,
    topology: &Topology,
    name: &str,
) -> Result<Connection, LinkError> {
    let certificates =
        OwnedTLSConfig { cert_chain: tls.authorities().map(str::to_owned), ..OwnedTLSConfig::default() };
    let properties = ConnectionProperties::default().with_connection_name(client_name(name).into());
    let connection = DefaultConnectionBuilder::new()?
        .with_uri_str(with_heartbeat(url))
        .with_properties(properties)
        .with_tls_config(certificates)
        .connect()
        .await?;
    match topology.declare(&connection).await {
        Err(error) if is_soft(&error, AMQPSoftError::ACCESSREFUSED) => {
            // The refusal has closed the channel of the declaration.
            topology.find(&connection.create_channel().await?).await?;
            LOGGED.call_once(|| {
                tracing::info!("the broker's user may not declare queues; using those of the worker");
            });
        }
        declared => declared?,
    }
    Ok(connection)
}

/// Returns whether the broker refused a request for this reason, which closes the channel.
fn is_soft(error: &lapin::Error, reason: AMQPSoftError) -> bool {
    matches!(error.kind(), ErrorKind::ProtocolError(error) if *error.kind() == AMQPErrorKind::Soft(reason))
}

/// Checks that [`connect`] can use the URLs, so that a program with an invalid URL exits at start-up.
///
/// # Errors
/// A URL is not a valid AMQP URL, or names another machine without TLS.
pub fn check_url(settings: &QueueSettings, tls: &TlsSettings) -> Result<(), UrlError> {
    const SETTING: &str = "AMQP_URL";
    nodes(settings).try_for_each(|url| {
        let uri: Result<AMQPUri, String> = url.parse();
        let form = "is not of the form amqps://user:password@host:5671/vhost";
        let uri = uri.map_err(|_| UrlError::unusable(SETTING, form))?;
        match uri.scheme {
            AMQPScheme::AMQPS => Ok(()),
            AMQPScheme::AMQP => tls.check(SETTING, &uri.authority.host, "amqps://"),
        }
    })
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
