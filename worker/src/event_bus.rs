//! The course platform's event bus on Redis (event-bus-redis): tells of registrations at once. An event is a hint like the
//! webhook's, passed on to the queue and then acknowledged; what is missed here is found by the reconciler.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use apache_avro::{Schema, from_avro_datum, from_value};
use redis::streams::{StreamAutoClaimReply, StreamId, StreamReadReply};
use secrecy::ExposeSecret;
use serde::Deserialize;
use shared::clock::Clock;
use shared::email::Email;
use shared::messages::RegistrationHint;
use shared::queue::{Destination, Envelope, Publisher};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::config::EventBusSettings;

const REGISTRATION: &str = "org.openedx.learning.student.registration.completed.v1";
const GROUP: &str = "storefront";
const PAUSE: Duration = Duration::from_secs(1);
/// An event that its worker has not acknowledged for so long is taken over.
const ABANDONED_MILLIS: u32 = 60_000;
const BATCH: u32 = 100;

/// openedx-events writes schemaless Avro: this is the writer's schema.
const SCHEMA: &str = r#"{"name": "CloudEvent", "type": "record", "fields": [{"name": "user", "type":
    {"name": "UserData", "type": "record", "fields": [{"name": "id", "type": "long"}, {"name": "is_active", "type": "boolean"},
    {"name": "pii", "type": {"name": "UserPersonalData", "type": "record", "fields": [{"name": "username", "type": "string"},
    {"name": "email", "type": "string"}, {"name": "name", "type": "string"}]}}]}}]}"#;

#[derive(Deserialize)]
struct Registration {
    user: User,
}

#[derive(Deserialize)]
struct User {
    pii: Pii,
}

#[derive(Deserialize)]
struct Pii {
    email: String,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The bus, read under the one group that all workers share.
pub struct EventBus {
    client: redis::Client,
    stream: String,
    /// Names this worker in the group.
    consumer: String,
    schema: Schema,
    publisher: Publisher,
    clock: Clock,
}

impl EventBus {
    /// None if the settings name no bus.
    ///
    /// # Errors
    /// A URL that is not Redis's.
    pub fn new(
        settings: &EventBusSettings,
        publisher: Publisher,
        clock: Clock,
    ) -> Result<Option<Self>, redis::RedisError> {
        let (Some(url), Some(stream)) = (&settings.event_bus_redis_url, &settings.event_bus_stream) else {
            return Ok(None);
        };
        let schema = Schema::parse_str(SCHEMA).map_err(|error| {
            redis::RedisError::from((redis::ErrorKind::Client, "schema", error.to_string()))
        })?;
        let consumer = Uuid::now_v7().to_string();
        let client = redis::Client::open(url.expose_secret())?;
        Ok(Some(Self { client, stream: stream.clone(), consumer, schema, publisher, clock }))
    }

    pub async fn run(self, stop: CancellationToken) {
        let mut failing = false;
        loop {
            let begun = Instant::now();
            let Err(error) = tokio::select! {
                read = self.read_on() => read,
                () = stop.cancelled() => return,
            };
            // Once per outage: a connection that was read for a while was a good one.
            if !failing || begun.elapsed() > 3 * PAUSE {
                tracing::warn!(%error, "the event bus cannot be read");
            }
            failing = true;
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = stop.cancelled() => return,
            }
        }
    }

    /// Reads until the connection is of no more use.
    async fn read_on(&self) -> Result<Infallible, Failure> {
        let mut redis = self.client.get_multiplexed_async_connection().await?;
        self.make_group(&mut redis).await?;
        loop {
            let mut events = self.abandoned(&mut redis).await?;
            events.extend(self.unread(&mut redis).await?);
            if events.is_empty() {
                tokio::time::sleep(PAUSE).await;
            }
            for event in events {
                self.pass_on(&event).await?;
                redis::cmd("XACK")
                    .arg(&self.stream)
                    .arg(GROUP)
                    .arg(&event.id)
                    .query_async::<()>(&mut redis)
                    .await?;
            }
        }
    }

    async fn make_group(&self, redis: &mut redis::aio::MultiplexedConnection) -> Result<(), Failure> {
        let mut create = redis::cmd("XGROUP");
        create.arg("CREATE").arg(&self.stream).arg(GROUP).arg("0").arg("MKSTREAM");
        match create.query_async::<()>(redis).await {
            Err(error) if error.code() != Some("BUSYGROUP") => Err(error.into()),
            _ => Ok(()),
        }
    }

    async fn abandoned(
        &self,
        redis: &mut redis::aio::MultiplexedConnection,
    ) -> Result<Vec<StreamId>, Failure> {
        let mut claim = redis::cmd("XAUTOCLAIM");
        claim.arg(&self.stream).arg(GROUP).arg(&self.consumer).arg(ABANDONED_MILLIS).arg("0-0");
        let reply: StreamAutoClaimReply = claim.arg("COUNT").arg(BATCH).query_async(redis).await?;
        Ok(reply.claimed)
    }

    async fn unread(&self, redis: &mut redis::aio::MultiplexedConnection) -> Result<Vec<StreamId>, Failure> {
        let mut read = redis::cmd("XREADGROUP");
        read.arg("GROUP").arg(GROUP).arg(&self.consumer).arg("COUNT").arg(BATCH);
        let reply: Option<StreamReadReply> =
            read.arg("STREAMS").arg(&self.stream).arg(">").query_async(redis).await?;
        Ok(reply.into_iter().flat_map(|reply| reply.keys).flat_map(|key| key.ids).collect())
    }

    /// Events of other kinds, and ones that cannot be read, need nothing.
    async fn pass_on(&self, event: &StreamId) -> Result<(), Failure> {
        if event.get::<String>("type").as_deref() != Some(REGISTRATION) {
            return Ok(());
        }
        let data: Vec<u8> = event.get("event_data").unwrap_or_default();
        match address(&self.schema, &data) {
            Ok(email) => {
                let message = RegistrationHint { email }.into();
                let envelope = Envelope::new(Uuid::now_v7(), &message, self.clock.now())?;
                Ok(self.publisher.publish(&envelope, Destination::Commands).await?)
            }
            Err(reason) => {
                tracing::error!(event = event.id, reason, "a registration event cannot be read");
                Ok(())
            }
        }
    }
}

fn address(schema: &Schema, data: &[u8]) -> Result<Email, String> {
    let value = from_avro_datum(schema, &mut &data[..], None).map_err(|error| error.to_string())?;
    let event: Registration = from_value(&value).map_err(|error| error.to_string())?;
    Email::parse(&event.user.pii.email).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_schemaless_avro() {
        let schema = Schema::parse_str(SCHEMA).unwrap();
        // From openedx-events: id 42, active, ada, ada@example.com, Ada L.
        let hex = "5401066164611e616461406578616d706c652e636f6d0a416461204c";
        let data: Vec<u8> =
            (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
        assert_eq!(address(&schema, &data), Ok(Email::parse("ada@example.com").unwrap()));
        for cut in 0..data.len() - 6 {
            assert!(address(&schema, &data[..cut]).is_err(), "{cut}");
        }
    }
}
