//! Lets an operator inspect, replay or drop the messages in the dead-letter queue.

use std::time::Duration;

use chrono::{DateTime, Utc};
use lapin::message::BasicGetMessage;
use lapin::options::{
    BasicAckOptions, BasicGetOptions, BasicNackOptions, BasicPublishOptions, ConfirmSelectOptions,
    QueueDeclareOptions,
};
use lapin::protocol::AMQPSoftError;
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Confirmation, Connection};
use serde::Serialize;

use super::envelope::{ATTEMPT, QUEUE, REASON, string};
use super::{LinkError, Topology, connect, is_soft};
use crate::settings::QueueSettings;
use crate::tls::TlsSettings;

/// The broker counts as unreachable after this time, because an operator waits at a terminal.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Time to wait for another visitor. A caller at the support desk waits ten seconds for the decision.
const WAIT: Duration = Duration::from_secs(8);

/// Pause before a visitor looks again whether another one has left.
const PAUSE: Duration = Duration::from_millis(200);

/// A message that the worker could not process.
#[derive(Clone, Debug, Serialize)]
pub struct DeadLetter {
    /// The message's id; empty if neither the api nor the worker sent it.
    pub id: String,
    /// The message's type.
    pub kind: String,
    /// The queue where the message failed; empty if the broker dead-lettered it.
    pub queue: String,
    pub reason: String,
    pub sent_at: Option<DateTime<Utc>>,
    /// Indicates whether it is a command, which is not replayed: its caller no longer waits.
    pub is_command: bool,
    /// The body: parsed if it is JSON, else as a string. It may hold personal data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<serde_json::Value>,
}

/// Fate of a dead letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Keep,
    /// Return it to the queue where it failed, as if it were new.
    Replay,
    Drop,
}

/// Passes up to `limit` dead letters, oldest first, to `decide`, and carries out its decisions. A replayed message
/// leaves the dead-letter queue only after the broker has confirmed it in its new queue. One visitor at a time.
///
/// # Errors
/// The broker is unreachable, or another visit takes longer than eight seconds; letters that were not decided on yet stay.
pub async fn visit(
    settings: &QueueSettings,
    tls: &TlsSettings,
    limit: usize,
    decide: impl FnMut(&DeadLetter) -> Fate,
) -> Result<Vec<(DeadLetter, Fate)>, LinkError> {
    let topology = Topology::new(settings);
    let connection = connect(settings, tls, &topology, "storefront operator").await?;
    let visiting = async {
        let entering = tokio::time::timeout(WAIT, enter(&connection, &topology)).await;
        let channel = entering.map_err(|_| LinkError::Timeout)??;
        let visited = tokio::time::timeout(TIMEOUT, visit_on(&channel, &topology, limit, decide)).await;
        visited.map_err(|_| LinkError::Timeout)?
    };
    let visited = visiting.await;
    let _ = tokio::time::timeout(Duration::from_secs(1), connection.close(200, "bye".into())).await;
    visited
}

/// Waits until there is no other visitor: each holds all letters, so that another would not find them. A visitor has a queue that
/// belongs to its connection and ends with it.
async fn enter(connection: &Connection, topology: &Topology) -> Result<Channel, LinkError> {
    let name = topology.visitor();
    let own = QueueDeclareOptions { exclusive: true, ..Default::default() };
    loop {
        let channel = connection.create_channel().await?;
        match channel.queue_declare(name.as_str().into(), own, FieldTable::default()).await {
            Ok(_) => return Ok(channel),
            Err(error) if is_soft(&error, AMQPSoftError::RESOURCELOCKED) => tokio::time::sleep(PAUSE).await,
            Err(error) => return Err(error.into()),
        }
    }
}

async fn visit_on(
    channel: &Channel,
    topology: &Topology,
    limit: usize,
    mut decide: impl FnMut(&DeadLetter) -> Fate,
) -> Result<Vec<(DeadLetter, Fate)>, LinkError> {
    channel.confirm_select(ConfirmSelectOptions::default()).await?;
    let dead = topology.dead();
    // All letters are held until the last one is read: a letter that is requeued at once would be delivered again next.
    let mut held = Vec::new();
    while held.len() < limit
        && let Some(message) = channel.basic_get(dead.as_str().into(), BasicGetOptions::default()).await?
    {
        held.push(message);
    }
    let mut visited = Vec::with_capacity(held.len());
    for message in held {
        let letter = read(&message);
        let fate = decide(&letter);
        match fate {
            // nack instead of reject: from RabbitMQ 4.3 on, only reject counts toward the delivery limit.
            Fate::Keep => {
                message.nack(BasicNackOptions { requeue: true, multiple: false }).await.map(drop)?
            }
            Fate::Drop => message.ack(BasicAckOptions::default()).await.map(drop)?,
            Fate::Replay => {
                replay(channel, topology, &letter, &message).await?;
                message.ack(BasicAckOptions::default()).await.map(drop)?;
            }
        }
        visited.push((letter, fate));
    }
    Ok(visited)
}

fn read(message: &BasicGetMessage) -> DeadLetter {
    let properties = &message.delivery.properties;
    let headers = properties.headers().as_ref();
    let header = |name: &str| headers.and_then(|table| string(table.inner().get(name)?)).unwrap_or_default();
    let body = &message.delivery.data;
    let text = || serde_json::Value::String(String::from_utf8_lossy(body).into_owned());
    DeadLetter {
        id: properties.message_id().as_ref().map(ToString::to_string).unwrap_or_default(),
        kind: properties.kind().as_ref().map(ToString::to_string).unwrap_or_default(),
        queue: header(QUEUE).to_owned(),
        reason: header(REASON).to_owned(),
        is_command: properties.reply_to().is_some(),
        sent_at: properties.timestamp().and_then(super::envelope::from_seconds),
        body: Some(serde_json::from_slice(body).unwrap_or_else(|_| text())),
    }
}

async fn replay(
    channel: &Channel,
    topology: &Topology,
    letter: &DeadLetter,
    message: &BasicGetMessage,
) -> Result<(), LinkError> {
    // A message that the broker itself dead-lettered names no queue: route it by its type.
    let (exchange, key) = match letter.queue.as_str() {
        "" => (topology.commands(), letter.kind.as_str()),
        queue => (String::new(), queue),
    };
    let properties = anew(&message.delivery.properties);
    let body = &message.delivery.data;
    // Otherwise the broker confirms a message to a queue that is gone, and drops it.
    let options = BasicPublishOptions { mandatory: true, ..Default::default() };
    let publishing =
        channel.basic_publish(exchange.as_str().into(), key.into(), options, body, properties).await?;
    match publishing.await? {
        Confirmation::Ack(None) => Ok(()),
        Confirmation::Ack(Some(_)) => Err(LinkError::NoQueue(format!("{exchange:?} for {key}"))),
        _ => Err(LinkError::Closed("queue to a replayed message")),
    }
}

/// The message's properties without the headers that its failure added.
fn anew(properties: &BasicProperties) -> BasicProperties {
    let headers = properties.headers().clone().unwrap_or_default();
    let ours = [ATTEMPT, REASON, QUEUE];
    let mut kept = FieldTable::default();
    for (name, value) in headers.inner() {
        // The broker's own record of dead-lettering (x-death and others) goes too.
        if !ours.contains(&name.as_str()) && !name.as_str().starts_with("x-") {
            kept.insert(name.clone(), value.clone());
        }
    }
    properties.clone().with_headers(kept)
}
