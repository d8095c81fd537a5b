//! The worker's settings, from command-line options and environment variables.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};
use secrecy::SecretString;
use shared::mail_service::MailService;
use shared::settings::{
    DatabaseSettings, LinkSettings, QueueSettings, RedisSettings, TextSettings, parse_duration,
    parse_duration_or_zero, parse_http_url,
};
use shared::tls::TlsSettings;
use shared::traces::TraceSettings;
use strum::Display;
use url::Url;

/// The settings of `storefront-worker run`.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Authorities that the worker trusts, and where it may do without TLS.
    #[command(flatten)]
    pub tls: TlsSettings,
    /// Connection to PostgreSQL.
    #[command(flatten)]
    pub database: DatabaseSettings,
    /// Connection to Redis, and the names of the keys.
    #[command(flatten)]
    pub redis: RedisSettings,
    /// Connection to the broker, and how its queues behave.
    #[command(flatten)]
    pub queue: QueueSettings,
    /// Connection to the course platform, and how often to call it.
    #[command(flatten)]
    pub platform: PlatformSettings,
    /// Connection to the payment providers, and the keys of their credentials.
    #[command(flatten)]
    pub gateways: GatewaySettings,
    /// Checks of buyers' VAT IDs.
    #[command(flatten)]
    pub vat: VatSettings,
    /// Sending of mails.
    #[command(flatten)]
    pub mail: MailSettings,
    /// Words of mails and invoices.
    #[command(flatten)]
    pub texts: TextSettings,
    /// Appearance of invoices, and those of other systems.
    #[command(flatten)]
    pub documents: DocumentSettings,
    /// Places to which events may go.
    #[command(flatten)]
    pub webhooks: WebhookSettings,
    /// Signing of links in mails and answers.
    #[command(flatten)]
    pub links: LinkSettings,
    /// Destination and selection of traces.
    #[command(flatten)]
    pub traces: TraceSettings,
    /// Source of the platform's events.
    #[command(flatten)]
    pub event_bus: EventBusSettings,
    /// Extent and pace of a catalog sync.
    #[command(flatten)]
    pub catalog_sync: CatalogSyncSettings,
    /// Time that data on people is kept.
    #[command(flatten)]
    pub retention: RetentionSettings,
    /// Listen address of /livez, /readyz and /metrics; do not expose it to the internet
    #[arg(long, env, default_value = "127.0.0.1:8082")]
    pub worker_internal_listen: SocketAddr,
    /// Time that jobs under way may take to finish after SIGTERM
    #[arg(long, env, value_parser = parse_duration, default_value = "30s")]
    pub shutdown_grace: Duration,
    /// Messages of one queue that the worker processes at once
    #[arg(long, env, value_parser = clap::value_parser!(u16).range(1..), default_value_t = 16)]
    pub worker_concurrency: u16,
    /// Age at which an unpaid cart expires; the worker first cancels its payment at the provider, if the provider
    /// allows it
    #[arg(long, env, value_parser = parse_duration, default_value = "72h")]
    pub cart_lifetime: Duration,
    /// Time after which a withdrawal is carried out that nothing shows to be the buyer's: until then the holder of the order's address
    /// can object. 0: at once
    #[arg(long, env, value_parser = parse_duration_or_zero, default_value = "24h")]
    pub withdrawal_delay: Duration,
    /// Interval of the reconciler, which finds missed work: payments, pending registrations, unconfirmed enrollments,
    /// expired modes, dated prices
    #[arg(long, env, value_parser = parse_duration, default_value = "30s")]
    pub reconcile_every: Duration,
    /// Time before the end of bought access at which its learner is reminded of it. 0: never
    #[arg(long, env, value_parser = parse_duration_or_zero, default_value = "168h")]
    pub access_reminder: Duration,
    /// Time for which a place that has become free is held for who is next on the course's waiting list
    #[arg(long, env, value_parser = parse_duration, default_value = "48h")]
    pub place_offered_for: Duration,
    /// Interval at which each account's payouts are read from its provider. 0: never
    #[arg(long, env, value_parser = parse_duration_or_zero, default_value = "1h")]
    pub read_payouts_every: Duration,
    /// Interval of the catalog's sync with the platform's courses; unset: sync only by hand and on events
    #[arg(long, env, value_parser = parse_duration)]
    pub catalog_sync_every: Option<Duration>,
}

/// Connection to the course platform, and how often to call it.
#[derive(Clone, Debug, Args)]
pub struct PlatformSettings {
    /// The LMS's base URL
    #[arg(long, env, value_parser = parse_http_url)]
    pub platform_url: Url,
    /// OAuth client ids of the service accounts, separated by commas or line breaks; without one the enrollment routes answer
    /// not_configured. The LMS limits the enrollment calls of each account by itself
    #[arg(long, env, default_value = "")]
    pub platform_client_id: String,
    /// File with the client ids, in place of PLATFORM_CLIENT_ID
    #[arg(long, env, conflicts_with = "platform_client_id")]
    pub platform_client_id_file: Option<PathBuf>,
    /// OAuth client secrets of the service accounts, in the order of their ids, separated in the same way
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub platform_client_secret: SecretString,
    /// File with the client secrets, in place of PLATFORM_CLIENT_SECRET
    #[arg(long, env, conflicts_with = "platform_client_secret")]
    pub platform_client_secret_file: Option<PathBuf>,
    /// The client id, of those listed, of a service account that takes look-ups and the catalog's sync, and makes no enrollments;
    /// unset: these use an account that enrolls, within its limit
    #[arg(long, env)]
    pub platform_lookup_client_id: Option<String>,
    /// Version of the platform's enrollment API, for a worker that must not ask the platform for it
    #[arg(long, env)]
    pub platform_enrollment_api: Option<EnrollmentApi>,
    /// Requires that an account is active before its address receives a course
    #[arg(long, env, default_value_t = true, action = ArgAction::Set)]
    pub platform_require_active: bool,
    /// Time that a partner's grant waits for the platform's verdict, if the learner is known, few enrollments are queued
    /// and the platform's rate limit has room; the route answers a refusal in that time with enrollment_failed. A constant: only
    /// tests name another
    #[arg(long, hide = true, value_parser = parse_duration_or_zero, default_value = "2s")]
    pub platform_verdict_wait: Duration,
    /// Limit on enrollment calls per minute of each service account, of all workers together; the LMS allows staff 120. 0: no
    /// limit
    #[arg(long, env, default_value_t = 110)]
    pub platform_calls_per_minute: u32,
}

/// A version of the platform's enrollment API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Display)]
#[strum(serialize_all = "snake_case")]
pub enum EnrollmentApi {
    /// The only one before Willow; may be missing from Xylon on
    V1,
    /// From Willow on
    V2,
}

/// Connection to the payment providers, and the keys of their credentials.
#[derive(Clone, Debug, Args)]
pub struct GatewaySettings {
    /// Keys that open the sealed API keys of the providers: 64 hexadecimal digits each, comma-separated, the current
    /// one first; not the keys of the api
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub gateway_keys: SecretString,
    /// Keys that decrypt the secrets of notifications: 64 hexadecimal digits each, comma-separated, current one first; the same for
    /// the api and the worker. To replace one: append the new one, put it first once all replicas have both, run
    /// `storefront-worker gateways reseal`, and drop the old one
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub notification_keys: SecretString,
    /// Base URL of Stripe's API
    #[arg(long, env, value_parser = parse_http_url, default_value = "https://api.stripe.com")]
    pub stripe_url: Url,
    /// Base URL of Mollie's API
    #[arg(long, env, value_parser = parse_http_url, default_value = "https://api.mollie.com/v2")]
    pub mollie_url: Url,
    /// Base URL of Razorpay's API
    #[arg(long, env, value_parser = parse_http_url, default_value = "https://api.razorpay.com/v1")]
    pub razorpay_url: Url,
    /// Base URL of Curlec's API
    #[arg(long, env, value_parser = parse_http_url, default_value = "https://api.razorpay.com/v1")]
    pub curlec_url: Url,
}

/// Checks of buyers' VAT IDs.
#[derive(Clone, Debug, Args)]
pub struct VatSettings {
    /// Base URL of VIES, the EU's register of VAT IDs, which is asked about companies of other member states
    #[arg(long, env, value_parser = parse_http_url, default_value = "https://ec.europa.eu/taxation_customs/vies/rest-api")]
    pub vies_url: Url,
}

/// Places to which events may go.
#[derive(Clone, Debug, Args)]
pub struct WebhookSettings {
    /// Allows endpoints for events to have private addresses and to do without TLS; for development only
    #[arg(long, env, default_value_t = false, action = ArgAction::Set)]
    pub webhook_allow_private: bool,
}

/// Source of the platform's events.
#[derive(Clone, Debug, Args)]
pub struct EventBusSettings {
    /// URL of the Redis that carries the platform's event bus, with registrations, enrollments and changed courses; unset: not read
    #[arg(long, env, hide_env_values = true, requires = "EventBusStreams")]
    pub event_bus_redis_url: Option<SecretString>,
    /// Streams that are read.
    #[command(flatten)]
    pub streams: EventBusStreams,
}

/// Each stream is the platform's EVENT_BUS_TOPIC_PREFIX, a hyphen, and the topic.
#[derive(Clone, Debug, Args)]
pub struct EventBusStreams {
    /// Streams of registrations and enrollments, comma-separated
    #[arg(long, env, value_delimiter = ',')]
    pub event_bus_stream: Vec<String>,
    /// Streams of changed courses, comma-separated
    #[arg(long, env, value_delimiter = ',')]
    pub event_bus_catalog_stream: Vec<String>,
}

/// Extent and pace of a catalog sync.
#[derive(Clone, Debug, Args)]
pub struct CatalogSyncSettings {
    /// Publishes a course that a sync finds new on the platform
    #[arg(long, env, default_value_t = true, action = ArgAction::Set)]
    pub catalog_sync_publish: bool,
    /// Gives each course mode that has no sku at the platform the storefront's own, so that the platform's upgrade buttons
    /// lead to it; a sku that is there already stays
    #[arg(long, env, default_value_t = false, action = ArgAction::Set)]
    pub catalog_sync_skus: bool,
    /// Limit on a sync's calls per minute, of all workers together; a course takes four. 0: no limit
    #[arg(long, env, default_value_t = 240)]
    pub catalog_sync_calls_per_minute: u32,
}

/// Time that data on people is kept.
#[derive(Clone, Debug, Args)]
pub struct RetentionSettings {
    /// Time that carts that were never paid are kept; longer than the half year in which a payment can still come. 0: for
    /// good
    #[arg(long, env, value_parser = parse_duration_or_zero, default_value = "8760h")]
    pub retain_carts: Duration,
    /// Time that the requests to payment providers, with the buyer's name and address, are kept after the last change of a
    /// payment that is over. 0: for good
    #[arg(long, env, value_parser = parse_duration_or_zero, default_value = "2160h")]
    pub retain_provider_requests: Duration,
    /// Time that the bodies of processed notifications are kept; the notifications themselves go after 30 days. 0: as long as they
    /// are kept
    #[arg(long, env, value_parser = parse_duration_or_zero, default_value = "168h")]
    pub retain_inbox_bodies: Duration,
    /// Interval at which the platform is asked whether a learner's account was retired, up to seven times as long for one that
    /// is not met any more; the data of one that was, and whose owner can no longer take that back, is erased. 0: never
    #[arg(long, env, value_parser = parse_duration_or_zero, default_value = "24h")]
    pub erase_retired_every: Duration,
    /// Time that an idempotency key and the answer stored under it are kept; at least 1h, so that a repeat finds it
    #[arg(long, env, value_parser = parse_retain_answers, default_value = "24h")]
    pub retain_answers: Duration,
}

/// Reads a duration of an hour or more: a message that the broker delivers twice must find the answer of the first time.
fn parse_retain_answers(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        kept if kept < Duration::from_secs(3600) => Err(format!("{text:?} is less than 1h")),
        kept => Ok(kept),
    }
}

/// Sending of mails.
#[derive(Clone, Debug, Args)]
pub struct MailSettings {
    /// Mail server: smtps://user:password@host, smtp://user:password@host?tls=required for STARTTLS, or smtp://host:port
    /// without TLS on this machine
    #[arg(long, env, hide_env_values = true, default_value = "smtp://127.0.0.1:25")]
    pub smtp_url: SecretString,
    /// Sender of all mails
    #[arg(long, env, default_value = "Storefront <no-reply@localhost.localdomain>")]
    pub mail_from: String,
    /// What is behind SMTP_URL and reports to the api what became of mails; the same for the api and the worker
    #[arg(long, env)]
    pub mail_service: Option<MailService>,
    /// Address to which mails come back, such as bounces@shop.example: the envelope's sender of a mail has its id after a +; unset: MAIL_FROM
    #[arg(long, env)]
    pub mail_return_path: Option<String>,
}

/// Appearance of invoices and credit notes.
#[derive(Clone, Debug, Args)]
pub struct DocumentSettings {
    /// Font files for invoices in scripts other than Latin, Greek, Cyrillic and Devanagari, comma-separated
    #[arg(long, env, value_delimiter = ',')]
    pub document_fonts: Vec<PathBuf>,
    /// Time that the mail about a payment or a refund waits for a document that another system clears or issues; after it, the mail goes
    /// without, and the document follows in a mail of its own. 0: at once
    #[arg(long, env, value_parser = parse_duration_or_zero, default_value = "15m")]
    pub document_wait: Duration,
}
