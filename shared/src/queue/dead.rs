//! The dead queue in an operator's hands: what nobody could do is looked at, sent again, or dropped.

use std::time::Duration;

use chrono::{DateTime, Utc};
use lapin::message::BasicGetMessage;
use lapin::options::{
    BasicAckOptions, BasicGetOptions, BasicNackOptions, BasicPublishOptions, ConfirmSelectOptions,
};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Confirmation};
use serde::Serialize;

use super::envelope::{ATTEMPT, QUEUE, REASON, string};
use super::{LinkError, Topology, connect};
use crate::settings::QueueSettings;

/// An operator waits; a broker that does not answer by then is away.
const PATIENCE: Duration = Duration::from_secs(60);

/// A message that could not be done.
#[derive(Clone, Debug, Serialize)]
pub struct DeadLetter {
    /// The message's id; empty if none of our programs sent it.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// Where it failed.
    pub queue: String,
    pub reason: String,
    pub sent_at: Option<DateTime<Utc>>,
    /// As JSON if it is that, else as text.
    pub body: serde_json::Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Keep,
    /// Back to the queue in which it failed, as if it were new.
    Replay,
    Drop,
}

/// Shows up to `limit` dead letters, oldest first, to `decide`, and does what it says. Replayed and dropped ones leave the
/// queue only after the broker has them where they go.
///
/// # Errors
/// The broker is away; letters whose fate was not reached stay.
pub async fn visit(
    settings: &QueueSettings,
    limit: usize,
    decide: impl FnMut(&DeadLetter) -> Fate,
) -> Result<Vec<(DeadLetter, Fate)>, LinkError> {
    let topology = Topology::new(settings);
    let connection = connect(settings, &topology, "storefront operator").await?;
    let channel = connection.create_channel().await?;
    let visited = tokio::time::timeout(PATIENCE, visit_on(&channel, &topology, limit, decide)).await;
    let _ = tokio::time::timeout(Duration::from_secs(1), connection.close(200, "bye".into())).await;
    visited.map_err(|_| LinkError::Timeout)?
}

async fn visit_on(
    channel: &Channel,
    topology: &Topology,
    limit: usize,
    mut decide: impl FnMut(&DeadLetter) -> Fate,
) -> Result<Vec<(DeadLetter, Fate)>, LinkError> {
    channel.confirm_select(ConfirmSelectOptions::default()).await?;
    let dead = topology.dead();
    // Held until all are seen: one that went back at once would be the next one again.
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
            // nack and not reject: looking at a letter must not count toward a delivery limit.
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
        sent_at: properties.timestamp().and_then(super::envelope::from_seconds),
        body: serde_json::from_slice(body).unwrap_or_else(|_| text()),
    }
}

async fn replay(
    channel: &Channel,
    topology: &Topology,
    letter: &DeadLetter,
    message: &BasicGetMessage,
) -> Result<(), LinkError> {
    // What the broker itself has buried names no queue of ours: its type leads it there.
    let (exchange, key) = match letter.queue.as_str() {
        "" => (topology.commands(), letter.kind.as_str()),
        queue => (String::new(), queue),
    };
    let properties = anew(&message.delivery.properties);
    let body = &message.delivery.data;
    let options = BasicPublishOptions::default();
    let publishing =
        channel.basic_publish(exchange.as_str().into(), key.into(), options, body, properties).await?;
    match publishing.await? {
        Confirmation::Ack(_) => Ok(()),
        _ => Err(LinkError::Closed("queue to a replayed message")),
    }
}

/// The message without what its failure has added to it.
fn anew(properties: &BasicProperties) -> BasicProperties {
    let headers = properties.headers().clone().unwrap_or_default();
    let ours = [ATTEMPT, REASON, QUEUE];
    let mut kept = FieldTable::default();
    for (name, value) in headers.inner() {
        // The broker's own account of deaths, too.
        if !ours.contains(&name.as_str()) && !name.as_str().starts_with("x-") {
            kept.insert(name.clone(), value.clone());
        }
    }
    properties.clone().with_headers(kept)
}
