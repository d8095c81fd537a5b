//! Sends events to the endpoints of organisations, signed, over HTTPS and to public addresses alone: an endpoint's URL must
//! not lead the worker to a server of its own network. No database here.

use std::net::{IpAddr, SocketAddr};
use std::sync::LazyLock;
use std::time::Duration;

use chrono::{DateTime, Utc};
use ipnet::IpNet;
use rand::rngs::SysError;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode, header};
use secrecy::{ExposeSecret, SecretSlice, SecretString};
use shared::causes;
use shared::event;
use shared::seal::{self, SealError, SealKey, Sealed};
use shared::tls::{TlsSettings, UrlError};
use shared::traces;
use url::Url;
use uuid::Uuid;

use crate::config::WebhookSettings;
use crate::http_client;

/// The time limit of an attempt; Standard Webhooks recommends 15 to 30 s.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Number of bytes of an answer that are kept for the operator.
const ANSWER_KEPT: usize = 1024;

/// Networks that are not public, from the IANA registries of special-purpose addresses. IPv6 has one public network, 2000::/3,
/// with exceptions.
const SPECIAL: [&str; 20] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "2620:4f:8000::/48",
    "3fff::/20",
];
const PUBLIC_IPV6: &str = "2000::/3";

static SPECIAL_NETWORKS: LazyLock<Vec<IpNet>> =
    LazyLock::new(|| SPECIAL.iter().filter_map(|network| network.parse().ok()).collect());
static PUBLIC_IPV6_NETWORK: LazyLock<Option<IpNet>> = LazyLock::new(|| PUBLIC_IPV6.parse().ok());

impl WebhookSettings {
    /// Parses the URL of an endpoint.
    ///
    /// # Errors
    /// It is no URL, has no TLS, or names an address that is not public.
    pub fn parse_url(&self, text: &str) -> Result<Url, String> {
        let url: Url = text.parse().map_err(|_| "is not a URL")?;
        match url.scheme() {
            "https" => {}
            "http" if self.webhook_allow_private => {}
            _ => return Err("is not an https:// URL".into()),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("contains a user name or password".into());
        }
        match causes::host(&url).parse::<IpAddr>() {
            Ok(address) if !self.webhook_allow_private && !is_public(address) => {
                Err("names an address that is not public".into())
            }
            _ => Ok(url),
        }
    }
}

/// Sends events.
#[derive(Clone)]
pub struct Webhooks {
    http: reqwest::Client,
    settings: WebhookSettings,
    keys: Vec<SealKey>,
}

/// Reason why the sender cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum WebhookSetupError {
    #[error("GATEWAY_KEYS: {0}")]
    Keys(SealError),
    #[error(transparent)]
    Client(#[from] UrlError),
}

/// Reason why a secret cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error("GATEWAY_KEYS is empty, so nothing seals the secrets of endpoints")]
    NoKey,
    #[error(transparent)]
    Random(#[from] SysError),
    #[error(transparent)]
    Seal(#[from] SealError),
}

/// A receiver's answer.
pub struct Answer {
    pub status: StatusCode,
    /// Its first kilobyte.
    pub text: String,
    /// The pause that the receiver asks for.
    pub retry_after: Option<Duration>,
}

impl Webhooks {
    /// Reads the keys that open the endpoints' secrets, and prepares the HTTP client.
    ///
    /// # Errors
    /// Invalid keys, or a faulty TLS configuration of this machine.
    pub fn new(
        settings: &WebhookSettings,
        keys: &SecretString,
        tls: &TlsSettings,
    ) -> Result<Self, WebhookSetupError> {
        let keys = seal::parse_keys(keys).map_err(WebhookSetupError::Keys)?;
        let client = || {
            // A proxy would look the name up by itself.
            let client = http_client::builder(tls)?.timeout(TIMEOUT).redirect(Policy::none()).no_proxy();
            let is_free = settings.webhook_allow_private;
            if is_free { client } else { client.dns_resolver(PublicAddresses) }.build()
        };
        let http = client().map_err(|error| UrlError::caused("TLS_CA_FILE", &error))?;
        Ok(Self { http, settings: settings.clone(), keys })
    }

    /// Makes a secret of an endpoint: as its receiver needs it, and sealed.
    ///
    /// # Errors
    /// No key of `GATEWAY_KEYS` seals it, or the operating system has no randomness.
    pub fn new_secret(&self, endpoint: Uuid) -> Result<(SecretString, Sealed), SecretError> {
        let key = self.keys.first().ok_or(SecretError::NoKey)?;
        let secret = event::generate_secret()?;
        let sealed = key.seal(&seal::endpoint_place(endpoint), secret.expose_secret())?;
        Ok((event::secret_text(secret.expose_secret()), sealed))
    }

    /// Parses the URL of an endpoint, as the settings allow it.
    ///
    /// # Errors
    /// As [`WebhookSettings::parse_url`].
    pub fn parse_url(&self, text: &str) -> Result<Url, String> {
        self.settings.parse_url(text)
    }

    /// Opens an endpoint's sealed secret.
    ///
    /// # Errors
    /// No configured key opens it, or it was damaged.
    pub fn unseal(&self, endpoint: Uuid, sealed: &Sealed) -> Result<SecretSlice<u8>, SealError> {
        seal::open(&self.keys, &seal::endpoint_place(endpoint), sealed)
    }

    /// Sends an event, once. The bytes of `body` are those that are signed.
    ///
    /// # Errors
    /// There is no answer; in words for the operator.
    pub async fn send(
        &self,
        url: &str,
        secrets: &[SecretSlice<u8>],
        event: Uuid,
        body: Vec<u8>,
        now: DateTime<Utc>,
    ) -> Result<Answer, String> {
        let url = self.settings.parse_url(url).map_err(|fault| format!("the URL {fault}"))?;
        let secrets: Vec<&[u8]> = secrets.iter().map(|secret| secret.expose_secret()).collect();
        let request = self
            .http
            .post(url)
            .header(header::CONTENT_TYPE, "application/json")
            .header("webhook-id", event.to_string())
            .header("webhook-timestamp", now.timestamp())
            .header("webhook-signature", event::signatures(&secrets, event, now, &body))
            .body(body);
        let response = traces::send(request, "endpoint").await.map_err(|error| fault(&error))?;
        let pause = response.headers().get(header::RETRY_AFTER).and_then(|pause| pause.to_str().ok());
        let (status, retry_after) = (response.status(), pause.and_then(|pause| retry_after(pause, now)));
        Ok(Answer { status, retry_after, text: beginning(response).await })
    }
}

/// Describes what has gone wrong, down to the cause: the HTTP library's own text says that sending failed, and not why.
fn fault(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} s", TIMEOUT.as_secs());
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

/// The pause of a `Retry-After`, in seconds or until a date.
fn retry_after(text: &str, now: DateTime<Utc>) -> Option<Duration> {
    let until = || (DateTime::parse_from_rfc2822(text).ok()?.to_utc() - now).to_std().ok();
    text.parse().ok().map(Duration::from_secs).or_else(until)
}

/// The beginning of the answer. The receiver has answered by its status, so a body that breaks off is no fault.
async fn beginning(mut response: Response) -> String {
    let mut bytes = Vec::new();
    while bytes.len() < ANSWER_KEPT {
        let Ok(Some(chunk)) = response.chunk().await else { break };
        bytes.extend_from_slice(&chunk);
    }
    bytes.truncate(ANSWER_KEPT);
    // PostgreSQL stores no NUL, and an operator's terminal obeys others.
    String::from_utf8_lossy(&bytes).replace(char::is_control, " ")
}

/// Looks names up, and leaves out addresses that are not public: the address that is checked is the one that is connected to.
struct PublicAddresses;

impl Resolve for PublicAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|found| is_public(found.ip())).collect();
            if public.is_empty() {
                return Err("the name has no public address".into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// Returns whether an address belongs to the public internet.
fn is_public(address: IpAddr) -> bool {
    let address = address.to_canonical();
    let is_special = SPECIAL_NETWORKS.iter().any(|network| network.contains(&address));
    let is_unicast = address.is_ipv4() || PUBLIC_IPV6_NETWORK.is_some_and(|public| public.contains(&address));
    is_unicast && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_is_written_correctly() {
        assert_eq!(SPECIAL_NETWORKS.len(), SPECIAL.len());
        assert!(PUBLIC_IPV6_NETWORK.is_some());
    }

    #[test]
    fn events_go_to_public_addresses_over_https() {
        let strict = WebhookSettings { webhook_allow_private: false };
        for good in
            ["https://crm.example/hook", "https://93.184.215.14/", "https://[2606:2800:21f::1]:8443/a?b=c"]
        {
            assert!(strict.parse_url(good).is_ok(), "{good}");
        }
        for bad in [
            "crm.example",
            "http://crm.example/",
            "ftp://crm.example/",
            "https://user@crm.example/",
            "https://:password@crm.example/",
            "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://0.0.0.0/",
            "https://10.1.2.3/",
            "https://100.64.0.1/",
            "https://169.254.169.254/latest/meta-data/",
            "https://172.31.0.1/",
            "https://192.168.1.1/",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[fe80::1]/",
            "https://[fd00:ec2::254]/",
            "https://[64:ff9b::a00:1]/",
            "https://[2001:db8::1]/",
            "https://[2002:a00:1::]/",
        ] {
            assert!(strict.parse_url(bad).is_err(), "{bad}");
        }
        let free = WebhookSettings { webhook_allow_private: true };
        assert!(free.parse_url("http://127.0.0.1:8090/_sim/hook/crm").is_ok());
        assert!(free.parse_url("file:///etc/passwd").is_err());
    }

    #[test]
    fn a_pause_is_asked_for_in_seconds_or_until_a_date() {
        let now = DateTime::from_timestamp(1_795_000_000, 0).unwrap();
        let date = |after| (now + chrono::TimeDelta::seconds(after)).to_rfc2822().replace("+0000", "GMT");
        assert_eq!(retry_after("120", now), Some(Duration::from_secs(120)));
        assert_eq!(retry_after(&date(90), now), Some(Duration::from_secs(90)));
        assert_eq!((retry_after(&date(-90), now), retry_after("soon", now)), (None, None));
    }

    #[tokio::test]
    async fn a_name_without_a_public_address_is_not_connected_to() {
        let name: Name = "localhost".parse().unwrap();
        let Err(fault) = PublicAddresses.resolve(name).await else { panic!("it is this machine") };
        assert_eq!(fault.to_string(), "the name has no public address");
    }
}
