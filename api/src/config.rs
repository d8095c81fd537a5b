//! The api's settings.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use secrecy::SecretString;
use shared::settings::{DatabaseSettings, LinkSettings, QueueSettings, RedisSettings, parse_duration};

use crate::cache::CacheSettings;
use crate::extract::{RegionSettings, SecretDigest};
use crate::identity::IdentitySettings;
use crate::routes::PageSettings;

#[derive(Clone, Debug, Args)]
pub struct Config {
    #[command(flatten)]
    pub database: DatabaseSettings,
    #[command(flatten)]
    pub redis: RedisSettings,
    #[command(flatten)]
    pub queue: QueueSettings,
    #[command(flatten)]
    pub links: LinkSettings,
    #[command(flatten)]
    pub region: RegionSettings,
    #[command(flatten)]
    pub identity: IdentitySettings,
    #[command(flatten)]
    pub cache: CacheSettings,
    #[command(flatten)]
    pub page: PageSettings,
    /// Address and port of the public HTTP API
    #[arg(long, env, default_value = "127.0.0.1:8080")]
    pub api_listen: SocketAddr,
    /// Address and port of /livez, /readyz and /metrics; keep it private
    #[arg(long, env, default_value = "127.0.0.1:8081")]
    pub api_internal_listen: SocketAddr,
    /// Secret that trusted backends send in the header clientapisecret; empty: the api accepts no such request
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub client_api_secret: SecretDigest,
    /// Previous client secret, which the api still accepts during a rotation
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub client_api_secret_previous: SecretDigest,
    /// Token in the URL to which the course platform posts registrations; empty: the api accepts none
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub registration_hint_token: SecretDigest,
    /// Keys that decrypt the webhook secrets: 64 hexadecimal digits each, comma-separated, current one first; same as
    /// the worker's
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub notification_keys: SecretString,
    /// Whether the worker's mail server offers SMTPUTF8; if not, the api refuses addresses with non-ASCII letters
    /// before the @
    #[arg(long, env, default_value_t = false, action = clap::ArgAction::Set)]
    pub mail_smtputf8: bool,
    /// How long the api waits for the worker's answer to a command
    #[arg(long, env, value_parser = parse_duration, default_value = "10s")]
    pub ask_deadline: Duration,
    /// Maximum number of commands that wait for an answer at the same time; the api refuses more with 503
    #[arg(long, env, value_parser = clap::value_parser!(u32).range(1..), default_value_t = 512)]
    pub asks_in_flight: u32,
}
