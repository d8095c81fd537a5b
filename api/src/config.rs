//! The api's settings.

use std::convert::Infallible;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;

use axum::http::HeaderName;
use clap::Args;
use ipnet::IpNet;
use secrecy::SecretString;
use sha2::{Digest, Sha256};
use shared::settings::{
    DatabaseSettings, LinkSettings, QueueSettings, RedisSettings, parse_duration, parse_http_url,
};
use subtle::ConstantTimeEq;
use url::Url;

use crate::cache::CacheSettings;
use crate::identity::IdentitySettings;

/// Every setting of the api.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// How to reach PostgreSQL.
    #[command(flatten)]
    pub database: DatabaseSettings,
    /// How to reach Redis, and the names of the keys.
    #[command(flatten)]
    pub redis: RedisSettings,
    /// How to reach the broker, and how queues behave.
    #[command(flatten)]
    pub queue: QueueSettings,
    /// How links in mails and answers are signed.
    #[command(flatten)]
    pub links: LinkSettings,
    /// Who names the visitor's country.
    #[command(flatten)]
    pub region: RegionSettings,
    /// How learners are authenticated, and how often they may call.
    #[command(flatten)]
    pub identity: IdentitySettings,
    /// How long catalog answers are kept.
    #[command(flatten)]
    pub cache: CacheSettings,
    /// What the payment page loads.
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

/// Who names the visitor's country for callers without the client secret.
#[derive(Clone, Debug, Default, Args)]
pub struct RegionSettings {
    /// Header in which the operator's proxy names the visitor's country, for example CF-IPCountry; empty: none
    #[arg(long, env, value_parser = parse_header, default_value = "")]
    pub country_header: CountryHeader,
    /// Addresses or networks of the proxies from which the api trusts that header, comma-separated
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

/// The SHA-256 of a secret. All digests have the same length, so a comparison in constant time reveals nothing about
/// the secrets, and the secret itself is not stored. An empty secret equals nothing.
#[derive(Clone)]
pub struct SecretDigest(Option<[u8; 32]>);

impl SecretDigest {
    /// The digest of a secret.
    pub fn of(secret: &[u8]) -> Self {
        Self((!secret.is_empty()).then(|| Sha256::digest(secret).into()))
    }

    /// Whether a value is this secret.
    pub fn is(&self, value: &str) -> bool {
        self.equals(&Self::of(value.as_bytes()))
    }

    /// Whether both are the digest of the same secret.
    pub fn equals(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => bool::from(a.ct_eq(b)),
            _ => false,
        }
    }
}

impl FromStr for SecretDigest {
    type Err = Infallible;

    fn from_str(secret: &str) -> Result<Self, Infallible> {
        Ok(Self::of(secret.as_bytes()))
    }
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
