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
    /// Where the interface answers
    #[arg(long, env, default_value = "127.0.0.1:8080")]
    pub api_listen: SocketAddr,
    /// Where /livez, /readyz and /metrics answer; not for the outside
    #[arg(long, env, default_value = "127.0.0.1:8081")]
    pub api_internal_listen: SocketAddr,
    /// What trusted backends send as clientapisecret; empty: no such request is accepted
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub client_api_secret: SecretDigest,
    /// The secret before the last rotation, accepted as well
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub client_api_secret_previous: SecretDigest,
    /// Stands in the URL to which the course platform posts registrations; empty: none is taken
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub registration_hint_token: SecretDigest,
    /// Open the notification secrets: 64 hexadecimal digits each, comma-separated, the current one first; the worker's too
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub notification_keys: SecretString,
    /// Whether the worker's mail server offers SMTPUTF8; if not, addresses with letters beyond ASCII before the @ are refused
    #[arg(long, env, default_value_t = false, action = clap::ArgAction::Set)]
    pub mail_smtputf8: bool,
    /// How long a caller waits for the worker's answer
    #[arg(long, env, value_parser = parse_duration, default_value = "10s")]
    pub ask_deadline: Duration,
    /// Commands that may wait for their answers at once; more are refused with 503
    #[arg(long, env, value_parser = clap::value_parser!(u32).range(1..), default_value_t = 512)]
    pub asks_in_flight: u32,
}
