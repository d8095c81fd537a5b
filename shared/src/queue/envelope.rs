//! A message on the wire: converts an envelope's fields to and from AMQP properties. Bodies are opaque here.

use chrono::{DateTime, Utc};
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable, ShortString};
use uuid::Uuid;

use super::{DIRECT_REPLIES, REPLY_TO};
use crate::messages::{Command, Task};
use crate::trace_parent::TraceParent;

const DEADLINE: &str = "deadline";
const TRACEPARENT: &str = "traceparent";
const CALLER: &str = "x-caller";
const REQUEST: &str = "x-request";
/// Number of times that the message was retried. The broker's own x-death count is lost when a message is published again.
pub(super) const ATTEMPT: &str = "x-attempt";
pub(super) const REASON: &str = "x-reason";
pub(super) const QUEUE: &str = "x-queue";

/// A message with the fields of its AMQP properties.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// The message's id: a message that arrives twice under one id takes effect once.
    pub id: Uuid,
    /// The AMQP property `type`: [`Message::KIND`](crate::messages::Message::KIND), or a kind that this version does not
    /// know.
    pub kind: String,
    pub body: Vec<u8>,
    /// Queue on which the caller waits for the answer, by direct reply-to alone; None for tasks.
    pub reply_to: Option<String>,
    /// After this time the caller no longer waits, and the worker must not start the command.
    pub deadline: Option<DateTime<Utc>>,
    /// The step of a trace that sent the message; None if a trace begins with it.
    pub trace: Option<TraceParent>,
    /// The HTTP request that sent the message, and its caller's role; None if the worker sent it.
    pub request: Option<SendingRequest>,
    /// Number of times that the message was retried.
    pub attempt: u32,
    /// Indicates whether the broker may have delivered this message before.
    pub redelivered: bool,
    pub sent_at: DateTime<Utc>,
}

/// The HTTP request that sent a message, for the log line of its job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendingRequest {
    pub id: Uuid,
    /// The caller's role.
    pub caller: String,
}

/// Reason why a received message has no valid envelope.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableEnvelope {
    #[error("message_id is not a UUID")]
    Id,
    #[error("message has no type")]
    Kind,
    #[error("reply_to is not a direct reply-to")]
    ReplyTo,
}

impl Envelope {
    /// A command whose caller waits for the answer over direct reply-to until `deadline`.
    ///
    /// # Errors
    /// The message cannot be serialised, which happens for none of them.
    pub fn command<C: Command>(
        id: Uuid,
        command: &C,
        now: DateTime<Utc>,
        deadline: DateTime<Utc>,
    ) -> Result<Self, serde_json::Error> {
        let envelope = Self::stored(id, C::KIND.to_owned(), serde_json::to_vec(command)?, now);
        Ok(Self { reply_to: Some(REPLY_TO.to_owned()), deadline: Some(deadline), ..envelope })
    }

    /// A task under a new id.
    ///
    /// # Errors
    /// As [`Envelope::command`].
    pub fn task<T: Task>(task: &T, now: DateTime<Utc>) -> Result<Self, serde_json::Error> {
        Ok(Self::stored(Uuid::now_v7(), T::KIND.to_owned(), serde_json::to_vec(task)?, now))
    }

    /// A message that was stored as its kind and body: without a caller and a trace.
    pub fn stored(id: Uuid, kind: String, body: Vec<u8>, sent_at: DateTime<Utc>) -> Self {
        Self {
            id,
            kind,
            body,
            reply_to: None,
            deadline: None,
            trace: None,
            request: None,
            attempt: 0,
            redelivered: false,
            sent_at,
        }
    }

    /// Reads the envelope of a received message; `now` stands in for a missing timestamp. The delivery, not the message,
    /// says whether it is redelivered.
    ///
    /// # Errors
    /// The message has no UUID or no type, or wants its answer in a queue, so neither the api nor the worker sent it.
    pub fn read(
        properties: &BasicProperties,
        body: Vec<u8>,
        now: DateTime<Utc>,
    ) -> Result<Self, UnreadableEnvelope> {
        let id = properties.message_id().as_ref().and_then(|id| id.as_str().parse().ok());
        let kind = properties.kind().as_ref().map(ToString::to_string);
        let reply_to = properties.reply_to().as_ref().map(ToString::to_string);
        if reply_to.as_ref().is_some_and(|queue| !queue.starts_with(DIRECT_REPLIES)) {
            return Err(UnreadableEnvelope::ReplyTo);
        }
        let headers = properties.headers().as_ref();
        let header = |name: &str| headers.and_then(|table| table.inner().get(name));
        Ok(Self {
            id: id.ok_or(UnreadableEnvelope::Id)?,
            kind: kind.ok_or(UnreadableEnvelope::Kind)?,
            body,
            reply_to,
            deadline: header(DEADLINE).and_then(integer).and_then(DateTime::from_timestamp_millis),
            trace: header(TRACEPARENT).and_then(string).and_then(|text| text.parse().ok()),
            request: header(REQUEST).and_then(string).and_then(|text| text.parse().ok()).map(|id| {
                SendingRequest { id, caller: header(CALLER).and_then(string).unwrap_or_default().to_owned() }
            }),
            attempt: header(ATTEMPT).and_then(integer).and_then(|n| n.try_into().ok()).unwrap_or(0),
            redelivered: false,
            sent_at: properties.timestamp().and_then(from_seconds).unwrap_or(now),
        })
    }

    /// The properties of a message that this step of a trace publishes.
    pub(super) fn properties(&self, step: Option<TraceParent>) -> BasicProperties {
        let mut headers = FieldTable::default();
        let mut write = |name: &str, value: String| {
            headers.insert(name.into(), long(value));
        };
        if let Some(trace) = step {
            write(TRACEPARENT, trace.to_string());
        }
        if let Some(request) = &self.request {
            write(REQUEST, request.id.to_string());
            write(CALLER, request.caller.clone());
        }
        if let Some(deadline) = self.deadline {
            headers.insert(DEADLINE.into(), AMQPValue::LongLongInt(deadline.timestamp_millis()));
        }
        if self.attempt > 0 {
            headers.insert(ATTEMPT.into(), AMQPValue::LongLongInt(i64::from(self.attempt)));
        }
        let properties = BasicProperties::default()
            .with_message_id(short(&self.id.to_string()))
            .with_type(short(&self.kind))
            .with_timestamp(u64::try_from(self.sent_at.timestamp()).unwrap_or(0))
            .with_content_type(short("application/json"))
            .with_delivery_mode(2)
            .with_headers(headers);
        match &self.reply_to {
            Some(reply_to) => {
                properties.with_reply_to(short(reply_to)).with_correlation_id(short(&self.id.to_string()))
            }
            None => properties,
        }
    }
}

/// The properties of a dead letter: the original ones, with the queue where it failed and the reason.
pub(super) fn dead_properties(original: &BasicProperties, queue: &str, reason: &str) -> BasicProperties {
    let mut headers = original.headers().clone().unwrap_or_default();
    headers.insert(REASON.into(), AMQPValue::LongString(reason.into()));
    headers.insert(QUEUE.into(), AMQPValue::LongString(queue.into()));
    original.clone().with_headers(headers).with_delivery_mode(2)
}

fn long(text: String) -> AMQPValue {
    AMQPValue::LongString(text.into())
}

fn short(text: &str) -> ShortString {
    text.into()
}

fn integer(value: &AMQPValue) -> Option<i64> {
    match value {
        AMQPValue::LongLongInt(n) => Some(*n),
        AMQPValue::LongInt(n) => Some(i64::from(*n)),
        _ => None,
    }
}

pub(super) fn string(value: &AMQPValue) -> Option<&str> {
    match value {
        AMQPValue::LongString(text) => std::str::from_utf8(text.as_bytes()).ok(),
        _ => None,
    }
}

pub(super) fn from_seconds(seconds: u64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)
}
