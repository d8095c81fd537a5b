//! The worker's settings.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use secrecy::SecretString;
use shared::settings::{
    DatabaseSettings, LinkSettings, QueueSettings, RedisSettings, parse_duration, parse_duration_or_zero,
    parse_http_url,
};
use url::Url;

use crate::gateways::GatewaySettings;

/// What `storefront-worker run` needs.
#[derive(Clone, Debug, Args)]
pub struct Config {
    #[command(flatten)]
    pub database: DatabaseSettings,
    #[command(flatten)]
    pub redis: RedisSettings,
    #[command(flatten)]
    pub queue: QueueSettings,
    #[command(flatten)]
    pub platform: PlatformSettings,
    #[command(flatten)]
    pub gateways: GatewaySettings,
    #[command(flatten)]
    pub mail: MailSettings,
    #[command(flatten)]
    pub links: LinkSettings,
    #[command(flatten)]
    pub event_bus: EventBusSettings,
    #[command(flatten)]
    pub catalog_sync: CatalogSyncSettings,
    /// Where /livez, /readyz and /metrics answer; not for the outside
    #[arg(long, env, default_value = "127.0.0.1:8082")]
    pub worker_internal_listen: SocketAddr,
    /// Messages of one queue that are worked on at once
    #[arg(long, env, value_parser = clap::value_parser!(u16).range(1..), default_value_t = 16)]
    pub worker_concurrency: u16,
    /// A cart that nobody has paid for so long is cancelled at the provider, where it can be, and expires
    #[arg(long, env, value_parser = parse_duration, default_value = "72h")]
    pub cart_lifetime: Duration,
    /// How often missed work is looked for: payments, pending registrations, unconfirmed enrollments, expired modes
    #[arg(long, env, value_parser = parse_duration, default_value = "30s")]
    pub reconcile_every: Duration,
    /// How often the catalog is synchronised with the platform's courses; none: only by hand and by events
    #[arg(long, env, value_parser = parse_duration)]
    pub catalog_sync_every: Option<Duration>,
}

#[derive(Clone, Debug, Args)]
pub struct PlatformSettings {
    /// The LMS's base URL
    #[arg(long, env, value_parser = parse_http_url, default_value = "http://127.0.0.1:8090/platform")]
    pub platform_url: Url,
    /// The service account's OAuth client; without it enrollment answers not_configured
    #[arg(long, env, default_value = "")]
    pub platform_client_id: String,
    /// The secret of that OAuth client
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub platform_client_secret: SecretString,
    /// Whether an account must be active before its address receives a course
    #[arg(long, env, default_value_t = true, action = clap::ArgAction::Set)]
    pub platform_require_active: bool,
    /// How long a partner's grant waits for the platform's verdict, if the learner is known, few enrollments wait and the
    /// platform's limit has room; a refusal in time is answered enrollment_failed. 0: grants do not wait
    #[arg(long, env, value_parser = parse_duration_or_zero, default_value = "2s")]
    pub platform_verdict_wait: Duration,
    /// Enrollment calls a minute by all workers together; the LMS allows its staff 120. 0: as many as come
    #[arg(long, env, default_value_t = 110)]
    pub platform_calls_per_minute: u32,
}

#[derive(Clone, Debug, Args)]
pub struct EventBusSettings {
    /// The Redis of the platform's event bus, which then tells of registrations and changed courses; none: it is not read
    #[arg(long, env, hide_env_values = true, requires = "EventBusStreams")]
    pub event_bus_redis_url: Option<SecretString>,
    #[command(flatten)]
    pub streams: EventBusStreams,
}

/// Each stream is the platform's EVENT_BUS_TOPIC_PREFIX, a hyphen, and the topic.
#[derive(Clone, Debug, Args)]
pub struct EventBusStreams {
    /// The stream of the learners' life cycle
    #[arg(long, env)]
    pub event_bus_stream: Option<String>,
    /// The streams of changed courses, comma-separated
    #[arg(long, env, value_delimiter = ',')]
    pub event_bus_catalog_stream: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct CatalogSyncSettings {
    /// Whether a course that is new on the platform is published at once
    #[arg(long, env, default_value_t = true, action = clap::ArgAction::Set)]
    pub catalog_sync_publish: bool,
    /// Calls a minute that a sync makes at most, by all workers together; a course takes four. 0: as many as come
    #[arg(long, env, default_value_t = 240)]
    pub catalog_sync_calls_per_minute: u32,
}

#[derive(Clone, Debug, Args)]
pub struct MailSettings {
    /// smtp://host:port, or smtps:// with credentials
    #[arg(long, env, hide_env_values = true, default_value = "smtp://127.0.0.1:25")]
    pub smtp_url: SecretString,
    /// The sender's mailbox
    #[arg(long, env, default_value = "Storefront <no-reply@localhost.localdomain>")]
    pub mail_from: String,
}
