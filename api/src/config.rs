//! The api's settings.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::http::HeaderName;
use clap::Args;
use clap::builder::TypedValueParser;
use ipnet::IpNet;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use shared::mail_service::MailService;
use shared::secrets::{Secrets, SecretsParser};
use shared::settings::{
    DatabaseSettings, LinkSettings, QueueSettings, RedisSettings, TextSettings, parse_duration,
    parse_duration_or_zero, parse_http_url, under,
};
use shared::tls::TlsSettings;
use shared::traces::{TraceSettings, parse_share};
use subtle::ConstantTimeEq;
use url::Url;

use crate::identity::IdentitySettings;
use crate::listener::ListenerSettings;

/// Every setting of the api.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Authorities that the api trusts, and where it may do without TLS.
    #[command(flatten)]
    pub tls: TlsSettings,
    /// Connection to PostgreSQL.
    #[command(flatten)]
    pub database: DatabaseSettings,
    /// Connection to Redis, and the names of the keys.
    #[command(flatten)]
    pub redis: RedisSettings,
    /// Connection to the broker, and how queues behave.
    #[command(flatten)]
    pub queue: QueueSettings,
    /// Signing of links in mails and answers.
    #[command(flatten)]
    pub links: LinkSettings,
    /// Words of the payment page and the status page.
    #[command(flatten)]
    pub texts: TextSettings,
    /// Proxies that name the visitor's country and address.
    #[command(flatten)]
    pub region: RegionSettings,
    /// Destination and selection of traces.
    #[command(flatten)]
    pub traces: TraceSettings,
    /// Share of the reads that are logged, from 0 to 1; writes and failures are always logged
    #[arg(long, env, value_parser = parse_share, default_value_t = 0.01)]
    pub log_reads: f64,
    /// Authentication of learners, and how often they may call.
    #[command(flatten)]
    pub identity: IdentitySettings,
    /// Scripts that the payment page loads.
    #[command(flatten)]
    pub page: PageSettings,
    /// Pages of the support desk.
    #[command(flatten)]
    pub console: ConsoleSettings,
    /// Limits on what clients may take of the public listener.
    #[command(flatten)]
    pub listener: ListenerSettings,
    /// Address and port of the public HTTP API
    #[arg(long, env, default_value = "127.0.0.1:8080")]
    pub api_listen: SocketAddr,
    /// Address and port of /livez, /readyz and /metrics; keep it private
    #[arg(long, env, default_value = "127.0.0.1:8081")]
    pub api_internal_listen: SocketAddr,
    /// Time that the api continues after SIGTERM, not ready and closing each connection after its answer, so that load
    /// balancers send no more requests before it refuses them
    #[arg(long, env, value_parser = parse_duration_or_zero, default_value = "0s")]
    pub shutdown_delay: Duration,
    /// Time that requests under way may take to finish after that
    #[arg(long, env, value_parser = parse_duration, default_value = "30s")]
    pub shutdown_grace: Duration,
    /// URL of a replica of the database for catalog reads: one server that follows the primary, no balancer over several;
    /// unset: the catalog is read at DATABASE_URL
    #[arg(long, env, hide_env_values = true)]
    pub catalog_database_url: Option<SecretString>,
    /// Secrets of at least 32 bytes that trusted backends send in the header clientapisecret, comma-separated, also during a
    /// rotation; empty: the api accepts no such request
    #[arg(long, env, hide_env_values = true, value_parser = accepted(), default_value = "")]
    pub client_api_secret: AcceptedSecrets,
    /// Tokens of at least 32 bytes in the URL to which the course platform posts registrations, comma-separated; empty:
    /// the api accepts none
    #[arg(long, env, hide_env_values = true, value_parser = accepted(), default_value = "")]
    pub registration_hint_token: AcceptedSecrets,
    /// Keys that decrypt the secrets of notifications: 64 hexadecimal digits each, comma-separated, current one first; the same for
    /// the api and the worker. To replace one: append the new one, put it first once all replicas have both, run
    /// `storefront-worker gateways reseal`, and drop the old one
    #[arg(long, env, hide_env_values = true, default_value = "")]
    pub notification_keys: SecretString,
    /// Declares that the worker's mail server offers SMTPUTF8; without it, the api refuses addresses with non-ASCII letters
    /// before the @
    #[arg(long, env, default_value_t = false, action = clap::ArgAction::Set)]
    pub mail_smtputf8: bool,
    /// The mail service that reports what became of mails.
    #[command(flatten)]
    pub mail_reports: MailReportSettings,
    /// Base URL of the course platform in browsers, for its sign-in and the learner's courses; unset: PLATFORM_URL
    #[arg(long, env, value_parser = parse_http_url)]
    pub platform_public_url: Option<Url>,
    /// Time that the api waits for the worker's answer to a command
    #[arg(long, env, value_parser = parse_duration, default_value = "10s")]
    pub ask_deadline: Duration,
    /// Maximum number of messages to one work queue for which callers wait at the same time; the api refuses more with 503
    #[arg(long, env, value_parser = clap::value_parser!(u32).range(1..), default_value_t = 128)]
    pub asks_in_flight: u32,
}

impl Config {
    /// A page of the course platform, as browsers reach it.
    pub fn platform_page(&self, path: &str) -> Url {
        let mut url = self.platform_public_url.clone().unwrap_or_else(|| self.identity.platform_url.clone());
        let base = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{base}/{path}"));
        url
    }
}

/// Reports of the mail service.
#[derive(Clone, Debug, Args)]
pub struct MailReportSettings {
    /// What is behind the worker's SMTP_URL and reports what became of mails, at /storeapi/mail/reports/ of PUBLIC_BASE_URL; the same for the
    /// api and the worker
    #[arg(long, env, requires = "mail_report_key")]
    pub mail_service: Option<MailService>,
    /// What shows that a report is MAIL_SERVICE's: Mailgun's webhook signing key, SendGrid's verification key, the ARN of the SNS topic of
    /// SES, or for Postmark and a mail server a password of at least 32 bytes
    #[arg(long, env, hide_env_values = true, requires = "mail_service")]
    pub mail_report_key: Option<SecretString>,
}

/// Proxies that name the visitor's country for callers without the client secret, and every caller's address.
#[derive(Clone, Debug, Default, Args)]
pub struct RegionSettings {
    /// Header in which the operator's proxy names the visitor's country, for example CF-IPCountry; empty: none
    #[arg(long, env, value_parser = parse_header, default_value = "")]
    pub country_header: CountryHeader,
    /// Addresses or networks of the operator's proxies, comma-separated: only their X-Forwarded-For and COUNTRY_HEADER are
    /// believed
    #[arg(long, env, value_delimiter = ',', value_parser = parse_network)]
    pub trusted_proxies: Vec<IpNet>,
}

/// The configured header; None if the operator configured none.
#[derive(Clone, Debug, Default)]
pub struct CountryHeader(pub Option<HeaderName>);

fn parse_header(text: &str) -> Result<CountryHeader, String> {
    if text.is_empty() {
        return Ok(CountryHeader(None));
    }
    text.parse().map(|name| CountryHeader(Some(name))).map_err(|_| "is not the name of a header".into())
}

fn parse_network(text: &str) -> Result<IpNet, String> {
    let address = text.parse::<IpAddr>().map(IpNet::from);
    address.or_else(|_| text.parse()).map_err(|_| "is neither an address nor a network".into())
}

/// The scripts that the payment page loads.
#[derive(Clone, Debug, Args)]
pub struct PageSettings {
    /// URL of Stripe's script, which the payment page loads
    #[arg(long, env, value_parser = parse_http_url, default_value = "https://js.stripe.com/v3/")]
    pub stripe_script_url: Url,
    /// URL of Razorpay's and Curlec's script, which the payment page loads
    #[arg(long, env, value_parser = parse_http_url, default_value = "https://checkout.razorpay.com/v1/checkout.js")]
    pub razorpay_script_url: Url,
}

/// The console of the support desk.
#[derive(Clone, Debug, Args)]
pub struct ConsoleSettings {
    /// Serves the console of the support desk at /console/ of PUBLIC_BASE_URL, whose origin ALLOWED_ORIGINS must name
    #[arg(long, env, default_value_t = false, action = clap::ArgAction::Set)]
    pub console: bool,
    /// URL at which the staff sign in at the course platform, for the console's links; unset: /login of PLATFORM_URL
    #[arg(long, env, value_parser = parse_http_url)]
    pub console_sign_in_url: Option<Url>,
    /// URL at which the staff sign out of the course platform; unset: /logout of PLATFORM_URL
    #[arg(long, env, value_parser = parse_http_url)]
    pub console_sign_out_url: Option<Url>,
}

impl ConsoleSettings {
    /// Returns the URL where the staff sign in.
    pub fn sign_in(&self, config: &Config) -> String {
        page(self.console_sign_in_url.as_ref(), config, "login")
    }

    /// Returns the URL where the staff sign out.
    pub fn sign_out(&self, config: &Config) -> String {
        page(self.console_sign_out_url.as_ref(), config, "logout")
    }

    /// Checks that the console's own forms are accepted.
    ///
    /// # Errors
    /// The origin that `ALLOWED_ORIGINS` lacks.
    pub fn check(&self, config: &Config) -> Result<(), String> {
        let own = Url::parse(&config.links.public_base_url).map(|url| url.origin());
        match own {
            Ok(own) if self.console && !config.identity.allowed_origins.contains(&own) => Err(format!(
                "CONSOLE: ALLOWED_ORIGINS must name {}, the origin of PUBLIC_BASE_URL",
                own.ascii_serialization()
            )),
            _ => Ok(()),
        }
    }
}

/// A page of the course platform, by its setting or else its usual name.
fn page(set: Option<&Url>, config: &Config, name: &str) -> String {
    match set {
        Some(url) => url.to_string(),
        None => under(&config.identity.platform_url, &format!("/{name}")),
    }
}

/// The SHA-256 of a secret. All digests have the same length, so a comparison in constant time reveals nothing about
/// the secrets, and the secret itself is not stored. An empty secret equals nothing.
#[derive(Clone)]
pub struct SecretDigest(Option<[u8; 32]>);

impl SecretDigest {
    /// The digest of a secret.
    pub fn of(secret: &[u8]) -> Self {
        Self((!secret.is_empty()).then(|| Sha256::digest(secret).into()))
    }

    /// Returns whether both are the digest of the same secret.
    pub fn equals(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => bool::from(a.ct_eq(b)),
            _ => false,
        }
    }
}

/// The secrets of a setting, each of which a caller may send.
#[derive(Clone, Debug)]
pub struct AcceptedSecrets(Vec<SecretDigest>);

impl AcceptedSecrets {
    /// Returns whether there is one.
    pub fn is_set(&self) -> bool {
        !self.0.is_empty()
    }

    /// Returns whether a sent secret is one of them. Compares all in every case, so that the time taken does not tell
    /// which one matched.
    pub fn contains(&self, sent: &SecretDigest) -> bool {
        self.0.iter().fold(false, |found, accepted| found | accepted.equals(sent))
    }
}

impl From<Secrets> for AcceptedSecrets {
    fn from(secrets: Secrets) -> Self {
        Self(secrets.iter().map(|secret| SecretDigest::of(secret.expose_secret().as_bytes())).collect())
    }
}

fn accepted() -> impl TypedValueParser<Value = AcceptedSecrets> {
    SecretsParser { may_be_empty: true }.map(AcceptedSecrets::from)
}

impl fmt::Debug for SecretDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretDigest(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_secret_equals_nothing() {
        let (empty, secret) = (SecretDigest::of(b""), SecretDigest::of(b"x"));
        assert!(secret.equals(&SecretDigest::of(b"x")) && !secret.equals(&SecretDigest::of(b"y")));
        assert!(!empty.equals(&empty) && !empty.equals(&secret) && !secret.equals(&empty));
    }

    #[test]
    fn headers_and_networks_are_refused_unless_they_are_such() {
        assert!(parse_header("CF-IPCountry").is_ok() && parse_header("two words").is_err());
        for network in ["10.0.0.0/8", "127.0.0.1"] {
            assert!(parse_network(network).is_ok(), "{network}");
        }
        assert!(parse_network("10.0.0.0/33").is_err());
    }
}
