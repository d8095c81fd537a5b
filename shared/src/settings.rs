//! Settings that the api and the worker share. Each comes from an argument or its environment variable. A program
//! with an invalid setting exits at once with an error that names the setting.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use secrecy::SecretString;
use texts::Texts;
use url::Url;

use crate::secrets::{Secrets, SecretsParser};

/// Connection to PostgreSQL.
#[derive(Clone, Debug, Args)]
pub struct DatabaseSettings {
    /// URL of the PostgreSQL database, with ?sslmode=verify-full unless it is on this machine; the api connects as
    /// storefront_api, the worker as storefront_worker, and `migrate` as storefront_owner
    #[arg(long, env, hide_env_values = true)]
    pub database_url: SecretString,
    /// Maximum number of open database connections of one replica
    #[arg(long, env, value_parser = clap::value_parser!(u32).range(1..), default_value_t = 8)]
    pub database_pool: u32,
}

/// The name under which servers list this program's connections, with the machine's or pod's name from the environment:
/// `storefront-api on shop-7d9c`.
pub fn client_name(program: &str) -> String {
    match std::env::var("HOSTNAME") {
        Ok(host) if !host.is_empty() => format!("{program} on {host}"),
        _ => program.to_owned(),
    }
}

/// Connection to Redis, and the names of the keys.
#[derive(Clone, Debug, Args)]
pub struct RedisSettings {
    /// URL of the Redis server: caches, limits and pauses that all replicas share; rediss:// unless it is on this machine
    #[arg(long, env, hide_env_values = true, default_value = "redis://127.0.0.1:6379/0")]
    pub redis_url: SecretString,
    /// Prefix of every Redis key, so that several installations can share a server
    #[arg(long, env, default_value = "storefront")]
    pub redis_prefix: String,
}

/// Connection to the broker, and how its queues behave.
#[derive(Clone, Debug, Args)]
pub struct QueueSettings {
    /// URLs of the RabbitMQ broker's nodes, version 3.10 or later, comma-separated and tried in turn; amqps:// unless on
    /// this machine
    #[arg(long, env, hide_env_values = true, default_value = "amqp://guest:guest@127.0.0.1:5672/%2f")]
    pub amqp_url: SecretString,
    /// Prefix of every queue and exchange
    #[arg(long, env, default_value = "storefront")]
    pub queue_prefix: String,
    /// Retry delays, in order; the last one applies to all further retries
    #[arg(long, env, value_delimiter = ',', value_parser = parse_duration, default_value = "5s,30s,5m,30m")]
    pub retry_delays: Vec<Duration>,
    /// Maximum number of messages in one queue; the broker refuses more
    #[arg(long, env, value_parser = clap::value_parser!(u32).range(1..), default_value_t = 100_000)]
    pub queue_max_length: u32,
    /// Maximum size of all messages in one queue, in bytes; the broker refuses more. A constant: only tests name another
    #[arg(long, hide = true, default_value_t = 256 * 1024 * 1024)]
    pub queue_max_bytes: u64,
    /// Time that dead letters and messages without a queue are kept for an operator
    #[arg(long, env, value_parser = parse_duration, default_value = "336h")]
    pub dead_letters_kept: Duration,
}

/// Selection and format of log lines.
#[derive(Clone, Debug, Args)]
pub struct LogSettings {
    /// Filter of the logged events, in the syntax of tracing's EnvFilter
    #[arg(long, env, default_value = "info,lapin=off,sqlx=warn")]
    pub log_filter: String,
    /// Format of the log lines
    #[arg(long, env, value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

/// Format of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Text for people
    Text,
    /// One JSON object a line
    Json,
}

/// Words of mails, pages and invoices.
#[derive(Clone, Debug, Args)]
pub struct TextSettings {
    /// Folder with files of messages, such as it.ftl, that correct or add languages; the same for the api and the worker
    #[arg(long, env)]
    pub mail_texts: Option<PathBuf>,
}

impl TextSettings {
    /// Reads the messages of all languages.
    ///
    /// # Errors
    /// A file is broken: its name, the line and the fault.
    pub fn read(&self) -> Result<Texts, String> {
        Texts::read(self.mail_texts.as_deref()).map_err(|error| format!("MAIL_TEXTS: {error}"))
    }
}

/// Signing of links in mails and answers.
#[derive(Clone, Debug, Args)]
pub struct LinkSettings {
    /// Secrets of at least 32 bytes for the links in emails and answers, comma-separated: the first one signs, all are
    /// accepted; set the same value for the api and the worker. To replace one: append the new one, put it first once all
    /// replicas have both, and drop the old one once its links are no longer used
    #[arg(long, env, hide_env_values = true, value_parser = SecretsParser { may_be_empty: false })]
    pub link_secret: Secrets,
    /// Public base URL of the api; every link starts with it
    #[arg(long, env, value_parser = parse_base_url, default_value = "http://127.0.0.1:8080")]
    pub public_base_url: String,
}

/// The address of a path, which begins with a slash, under a base URL with or without one at its end.
pub fn under(base: &Url, path: &str) -> String {
    format!("{}{path}", base.as_str().trim_end_matches('/'))
}

/// Removes the trailing slash: the paths that are appended begin with one.
fn parse_base_url(text: &str) -> Result<String, String> {
    let is_http = text.starts_with("http://") || text.starts_with("https://");
    if is_http {
        Ok(text.trim_end_matches('/').to_owned())
    } else {
        Err("does not begin with http:// or https://".into())
    }
}

/// Parses an HTTP or HTTPS URL with a host.
///
/// # Errors
/// Any other text, also `host:443`, whose host the URL syntax takes for a scheme.
pub fn parse_http_url(text: &str) -> Result<Url, String> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        _ => Err("is not a URL that begins with http:// or https://".into()),
    }
}

/// Reads `250ms`, `5s`, `5m` or `1h`.
///
/// # Errors
/// The text is not a positive whole number followed by one of these units.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| format!("{text:?} does not begin with a whole number"))?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(format!("{text:?} does not end in ms, s, m or h")),
    };
    match number.checked_mul(millis) {
        None | Some(0) => Err(format!("{text:?} is not a usable duration")),
        Some(millis) => Ok(Duration::from_millis(millis)),
    }
}

/// As [`parse_duration`], but also accepts zero.
///
/// # Errors
/// As [`parse_duration`].
pub fn parse_duration_or_zero(text: &str) -> Result<Duration, String> {
    if text.trim_end_matches(['m', 's', 'h']) == "0" { Ok(Duration::ZERO) } else { parse_duration(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_number_and_a_unit() {
        assert_eq!(parse_duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_duration("30m"), Ok(Duration::from_secs(1800)));
        for bad in ["", "5", "s", "0s", "-1s", "1d", "99999999999999999999s", "18446744073709551615h"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }
}
