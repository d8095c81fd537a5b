//! Reads the course platform's event bus on Redis (event-bus-redis), which reports registrations, enrollments and published
//! courses at once. Each event is a hint, like a webhook's: the worker publishes it to the queue and then acknowledges it. The
//! reconciler finds missed registrations, and the next catalog sync missed courses; a sync that depends on a missed enrollment
//! asks the platform.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::{Schema, from_value};
use chrono::{DateTime, Utc};
use redis::ProtocolVersion;
use redis::streams::{StreamAutoClaimReply, StreamId, StreamReadReply};
use serde::Deserialize;
use shared::clock::Clock;
use shared::email::Email;
use shared::ids::CourseKey;
use shared::messages::{CourseChanged, EnrollmentHint, RegistrationHint};
use shared::queue::{Destination, Envelope, Publisher};
use shared::tls::{TlsSettings, UrlError};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::config::{EventBusSettings, EventBusStreams};
use crate::metrics;

const REGISTRATION: &str = "org.openedx.learning.student.registration.completed.v1";
const ENROLLMENTS: [&str; 3] = [
    "org.openedx.learning.course.enrollment.created.v1",
    "org.openedx.learning.course.enrollment.changed.v1",
    "org.openedx.learning.course.unenrollment.completed.v1",
];
/// The event's data begins with the course's key.
const CATALOG_INFO: &str = "org.openedx.content_authoring.course.catalog_info.changed.v1";
/// The events' data begins with the block's key.
const BLOCKS: [&str; 2] =
    ["org.openedx.content_authoring.xblock.published.v1", "org.openedx.content_authoring.xblock.deleted.v1"];
const GROUP: &str = "storefront";
const PAUSE: Duration = Duration::from_secs(1);
/// A worker takes over an event that another one has not acknowledged for this long.
const ABANDONED_MILLIS: u32 = 60_000;
const BATCH: u32 = 100;

/// The account of an event. openedx-events writes schemaless Avro, so the schemas here are the writer's.
const USER: &str = r#"{"name": "user", "type":
    {"name": "UserData", "type": "record", "fields": [{"name": "id", "type": "long"}, {"name": "is_active", "type": "boolean"},
    {"name": "pii", "type": {"name": "UserPersonalData", "type": "record", "fields": [{"name": "username", "type": "string"},
    {"name": "email", "type": "string"}, {"name": "name", "type": "string"}]}}]}}"#;

/// Fields that follow the account in an enrollment, as far as they are read.
const ENROLLMENT: &str = r#"{"name": "course", "type": {"name": "CourseData", "type": "record", "fields": [
    {"name": "course_key", "type": "string"}, {"name": "display_name", "type": "string"},
    {"name": "start", "type": ["null", "string"]}, {"name": "end", "type": ["null", "string"]}]}},
    {"name": "mode", "type": "string"}, {"name": "is_active", "type": "boolean"}"#;

/// Avro writes fields one after the other without delimiters, so the first string of an event can be read without the
/// rest.
const KEY_SCHEMA: &str =
    r#"{"name": "Key", "type": "record", "fields": [{"name": "key", "type": "string"}]}"#;

#[derive(Deserialize)]
struct Registration {
    user: User,
}

#[derive(Deserialize)]
struct User {
    id: i64,
    pii: Pii,
}

#[derive(Deserialize)]
struct Pii {
    email: String,
}

#[derive(Deserialize)]
struct Enrollment {
    user: User,
    course: Course,
    mode: String,
    is_active: bool,
}

#[derive(Deserialize)]
struct Course {
    course_key: String,
}

#[derive(Deserialize)]
struct Named {
    key: String,
}

/// The Avro schemas of the events.
#[derive(Clone)]
struct Schemas {
    registration: Schema,
    enrollment: Schema,
    key: Schema,
}

/// The Redis that carries the event bus, and the schemas of its events.
pub struct BusServer {
    client: redis::Client,
    schemas: Schemas,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// One stream of the bus, read in the consumer group that all workers share.
pub struct EventBus {
    client: redis::Client,
    stream: String,
    /// Names this worker in the group.
    consumer: String,
    schemas: Schemas,
    publisher: Publisher,
    clock: Clock,
}

impl EventBus {
    /// The server that the settings name, if any, and what its events look like.
    ///
    /// # Errors
    /// The URL is not a Redis URL, or names another machine without TLS.
    pub fn server(settings: &EventBusSettings, tls: &TlsSettings) -> Result<Option<BusServer>, UrlError> {
        const SETTING: &str = "EVENT_BUS_REDIS_URL";
        let Some(url) = &settings.event_bus_redis_url else { return Ok(None) };
        let schemas = Schemas::new().map_err(|error| UrlError::unusable(SETTING, error))?;
        let client = shared::redis::client(SETTING, url, ProtocolVersion::RESP2, tls)?;
        Ok(Some(BusServer { client, schemas }))
    }

    /// One reader for each stream that the settings name.
    pub fn all(
        settings: &EventBusStreams,
        server: Option<BusServer>,
        publisher: &Publisher,
        clock: &Clock,
    ) -> Vec<Self> {
        let Some(BusServer { client, schemas }) = server else { return Vec::new() };
        let streams = settings.event_bus_stream.iter().chain(&settings.event_bus_catalog_stream);
        let bus = |stream: &String| Self {
            client: client.clone(),
            stream: stream.clone(),
            consumer: Uuid::now_v7().to_string(),
            schemas: schemas.clone(),
            publisher: publisher.clone(),
            clock: clock.clone(),
        };
        streams.map(bus).collect()
    }

    /// Reads the stream until `stop`, and reconnects after a failure.
    pub async fn run(self, stop: CancellationToken) {
        let mut failing = false;
        loop {
            let begun = Instant::now();
            let Err(error) = tokio::select! {
                read = self.read_on() => read,
                () = stop.cancelled() => return,
            };
            metrics::event_bus_failure();
            // Log once per outage. A connection that worked for a while ends the previous outage.
            if !failing || begun.elapsed() > 3 * PAUSE {
                tracing::warn!(%error, "cannot read the event bus; trying again");
            }
            failing = true;
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = stop.cancelled() => return,
            }
        }
    }

    /// Reads until the connection fails.
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

    /// Makes the group at the end of the stream: older registrations are the poll's, and not all of them concern the
    /// storefront.
    async fn make_group(&self, redis: &mut redis::aio::MultiplexedConnection) -> Result<(), Failure> {
        let mut create = redis::cmd("XGROUP");
        create.arg("CREATE").arg(&self.stream).arg(GROUP).arg("$").arg("MKSTREAM");
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

    /// Publishes an event's message to the queue. Ignores events of other kinds, and logs unreadable ones.
    async fn pass_on(&self, event: &StreamId) -> Result<(), Failure> {
        let kind: String = event.get("type").unwrap_or_default();
        let data: Vec<u8> = event.get("event_data").unwrap_or_default();
        match self.schemas.task(&kind, &data, self.clock.now()) {
            Ok(Some(task)) => Ok(self.publisher.publish(&task, Destination::Commands).await?),
            Ok(None) => Ok(()),
            Err(error) => {
                tracing::error!(event = event.id, kind, %error, "event is unreadable; ignored");
                Ok(())
            }
        }
    }
}

impl Schemas {
    fn new() -> Result<Self, Box<apache_avro::Error>> {
        let event = |fields: &str| {
            Schema::parse_str(&format!(r#"{{"name": "CloudEvent", "type": "record", "fields": [{fields}]}}"#))
        };
        Ok(Self {
            registration: event(USER)?,
            // The only field of the event is a record, which Avro writes as its fields.
            enrollment: event(&format!("{USER}, {ENROLLMENT}"))?,
            key: Schema::parse_str(KEY_SCHEMA)?,
        })
    }

    /// The task that an event causes, if any.
    fn task(&self, kind: &str, data: &[u8], now: DateTime<Utc>) -> Result<Option<Envelope>, Failure> {
        match kind {
            REGISTRATION => {
                let event: Registration = read(&self.registration, data)?;
                let email = Email::parse(&event.user.pii.email)?;
                Ok(Some(Envelope::task(&RegistrationHint { email }, now)?))
            }
            kind if ENROLLMENTS.contains(&kind) => {
                let event: Enrollment = read(&self.enrollment, data)?;
                // Courses and modes of other kinds are in no catalog.
                let (Ok(course), Ok(mode)) = (event.course.course_key.parse(), event.mode.parse()) else {
                    return Ok(None);
                };
                let mode = event.is_active.then_some(mode);
                Ok(Some(Envelope::task(&EnrollmentHint { user_id: event.user.id, course, mode }, now)?))
            }
            CATALOG_INFO => {
                let named: Named = read(&self.key, data)?;
                // A key of another kind of course does not parse; the catalog has no such courses.
                Ok(course_changed(named.key.parse().ok(), now)?)
            }
            kind if BLOCKS.contains(&kind) => {
                let named: Named = read(&self.key, data)?;
                Ok(course_changed(course_of(&named.key), now)?)
            }
            _ => Ok(None),
        }
    }
}

fn course_changed(
    course: Option<CourseKey>,
    now: DateTime<Utc>,
) -> Result<Option<Envelope>, serde_json::Error> {
    course.map(|course| Envelope::task(&CourseChanged { course }, now)).transpose()
}

fn read<T: serde::de::DeserializeOwned>(schema: &Schema, data: &[u8]) -> Result<T, String> {
    let reader = GenericDatumReader::builder(schema).build().map_err(|error| error.to_string())?;
    let value = reader.read_value(&mut &data[..]).map_err(|error| error.to_string())?;
    from_value(&value).map_err(|error| error.to_string())
}

/// `course-v1:ORG+COURSE+RUN` from `block-v1:ORG+COURSE+RUN+type@…`.
fn course_of(block: &str) -> Option<CourseKey> {
    let (course, _) = block.strip_prefix("block-v1:")?.split_once("+type@")?;
    format!("course-v1:{course}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Written by openedx-events for course-v1:Acme+CS101+2026.
    const CATALOG_INFO_EVENT: &str = "32636f757273652d76313a41636d652b43533130312b323032360a496e74726f32323032362d30332d\
        30315430303a30303a30302b30303a30300873656c660000000000";
    const PUBLISHED_EVENT: &str = "5e626c6f636b2d76313a41636d652b43533130312b323032362b7479706540766572746963616c2b\
        626c6f636b40753110766572746963616c00";

    fn said(kind: &str, data: &[u8]) -> Result<Option<serde_json::Value>, String> {
        let task = Schemas::new().unwrap().task(kind, data, DateTime::UNIX_EPOCH);
        let task = task.map_err(|error| error.to_string())?;
        Ok(task.map(|task| serde_json::from_slice(&task.body).unwrap()))
    }

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    #[test]
    fn the_address_is_read_from_schemaless_avro() {
        // From openedx-events: id 42, active, ada, ada@example.com, Ada L.
        let data = bytes("5401066164611e616461406578616d706c652e636f6d0a416461204c");
        assert_eq!(said(REGISTRATION, &data), Ok(Some(serde_json::json!({"email": "ada@example.com"}))));
        for cut in 0..data.len() - 6 {
            assert!(said(REGISTRATION, &data[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn a_course_is_read_from_the_beginning_of_its_events() {
        let course = serde_json::json!({"course": "course-v1:Acme+CS101+2026"});
        assert_eq!(said(CATALOG_INFO, &bytes(CATALOG_INFO_EVENT)), Ok(Some(course.clone())));
        assert_eq!(said(BLOCKS[0], &bytes(PUBLISHED_EVENT)), Ok(Some(course)));
        assert_eq!(said(CATALOG_INFO, b"\x08ccx-"), Ok(None));
        assert!(said(CATALOG_INFO, b"\x32course").is_err());
        assert_eq!(said("org.openedx.learning.certificate.created.v1", b"\xff"), Ok(None));
    }

    #[test]
    fn an_enrollment_is_read_with_or_without_what_it_may_lack() {
        // From openedx-events: ada as above, in audit; with the course's name and start and who created it, and without.
        const WHOLE: &str = "5401066164611e616461406578616d706c652e636f6d0a416461204c32636f757273652d76313a41636d652b43533130312b323032360a\
            496e74726f0232323032362d30332d30315430303a30303a30302b30303a3030000a61756469740132323032362d30332d30315431323a30303a3030\
            2b30303a3030025401066164611e616461406578616d706c652e636f6d0a416461204c";
        const BARE: &str = "5401066164611e616461406578616d706c652e636f6d0a416461204c32636f757273652d76313a41636d652b43533130312b3230323600\
            00000a61756469740132323032362d30332d30315431323a30303a30302b30303a303000";
        let audit =
            serde_json::json!({"user_id": 42, "course": "course-v1:Acme+CS101+2026", "mode": "audit"});
        for (kind, data) in ENROLLMENTS.iter().zip([WHOLE, BARE, BARE]) {
            assert_eq!(said(kind, &bytes(data)), Ok(Some(audit.clone())));
        }
        let over = BARE.replace("617564697401", "617564697400");
        let none = serde_json::json!({"user_id": 42, "course": "course-v1:Acme+CS101+2026", "mode": null});
        assert_eq!(said(ENROLLMENTS[2], &bytes(&over)), Ok(Some(none)));
        assert!(said(ENROLLMENTS[0], &bytes(BARE)[..60]).is_err());
    }
}
