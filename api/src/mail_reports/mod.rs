//! Reports of what sends the mails about those that the worker has sent: whether they are genuine, and what they say. Each service's file has its
//! signature and its words.
//!
//! Why: `docs/decisions/mail-reports.md`

mod mailgun;
mod postmark;
mod sendgrid;
mod server;
mod ses;

use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::Value;
use shared::mail_service::{MAIL_ID, MailService};
use shared::messages::MailReport;
use shared::tls::TlsSettings;
use uuid::Uuid;

use self::mailgun::Mailgun;
use self::sendgrid::Sendgrid;
use self::ses::Ses;
use crate::config::{MailReportSettings, SecretDigest};
use crate::identity::http_client;

/// A signature's time may lie this far in the past: the services repeat a report that was not taken, Mailgun for 8 hours.
const OLDEST: TimeDelta = TimeDelta::hours(24);
/// Clocks differ.
const NEWEST: TimeDelta = TimeDelta::minutes(5);

/// Reads the reports of one service.
pub enum MailReports {
    Mailgun(Mailgun),
    Postmark(Password),
    Sendgrid(Sendgrid),
    Server(Password),
    Ses(Ses),
}

/// Reason why reports were not read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unread {
    /// The service has not sent them.
    Forged,
    /// They are not of the service's form.
    Malformed,
    /// They are refused for this reason.
    Refused(&'static str),
    /// The service was asked about them, and does not answer.
    Unanswered,
}

impl MailReports {
    /// The reader of a service's reports; None without a service.
    ///
    /// # Errors
    /// Why the key is not the service's.
    pub fn new(settings: &MailReportSettings, tls: &TlsSettings) -> Result<Option<Self>, String> {
        let (Some(service), Some(key)) = (settings.mail_service, &settings.mail_report_key) else {
            return Ok(None);
        };
        let http = http_client("MAIL_SERVICE", tls).map_err(|error| error.to_string())?;
        let reader = Self::of(service, key.expose_secret(), http);
        reader.map(Some).map_err(|error| format!("MAIL_REPORT_KEY: {error}"))
    }

    fn of(service: MailService, key: &str, http: reqwest::Client) -> Result<Self, String> {
        Ok(match service {
            MailService::Mailgun => Self::Mailgun(Mailgun::new(key)?),
            MailService::Postmark => Self::Postmark(Password::new(key)?),
            MailService::Sendgrid => Self::Sendgrid(Sendgrid::new(key)?),
            MailService::Server => Self::Server(Password::new(key)?),
            MailService::Ses => Self::Ses(Ses::new(key, http)?),
        })
    }

    /// Returns whether a request can be the service's, whatever its body.
    pub fn is_plausible(&self, headers: &HeaderMap, received_at: DateTime<Utc>) -> bool {
        match self {
            Self::Postmark(password) | Self::Server(password) => password.is_sent(headers),
            Self::Sendgrid(_) => Sendgrid::is_plausible(headers, received_at),
            // The signature is in the body.
            Self::Mailgun(_) | Self::Ses(_) => true,
        }
    }

    /// Reads the reports of a plausible request that arrived at this time. Those about mails of others, and of what is no concern here, such as
    /// opened mails, are left out.
    ///
    /// # Errors
    /// They are forged or malformed, or cannot be verified now.
    pub async fn read(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        received_at: DateTime<Utc>,
    ) -> Result<Vec<MailReport>, Unread> {
        match self {
            Self::Mailgun(service) => service.read(body, received_at),
            Self::Postmark(_) => postmark::read(body),
            Self::Sendgrid(service) => service.read(headers, body),
            Self::Server(_) => Ok(server::read(body).into_iter().collect()),
            Self::Ses(service) => service.read(body, received_at).await,
        }
    }
}

/// The password of a sender that signs nothing, in basic authentication (RFC 7617).
pub struct Password(SecretDigest);

/// Shortest password in bytes, as of the operator's other secrets.
const SHORTEST: usize = 32;

impl Password {
    fn new(key: &str) -> Result<Self, String> {
        match key.len() {
            ..SHORTEST => Err(format!("must have at least {SHORTEST} bytes")),
            _ => Ok(Self(SecretDigest::of(key.as_bytes()))),
        }
    }

    fn is_sent(&self, headers: &HeaderMap) -> bool {
        sent_password(headers).is_some_and(|sent| self.0.equals(&SecretDigest::of(sent.as_bytes())))
    }
}

fn sent_password(headers: &HeaderMap) -> Option<String> {
    let (scheme, credentials) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let decoded = String::from_utf8(BASE64_STANDARD.decode(credentials.trim()).ok()?).ok()?;
    let (_, password) = decoded.split_once(':')?;
    scheme.eq_ignore_ascii_case("basic").then(|| password.to_owned())
}

/// Returns whether a service can have signed at this time, in seconds since 1970.
fn is_timely(signed_at: &str, received_at: DateTime<Utc>) -> bool {
    let signed_at = signed_at.parse().ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    signed_at.is_some_and(|at| received_at - at <= OLDEST && at - received_at <= NEWEST)
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Unread> {
    serde_json::from_slice(body).map_err(|_| Unread::Malformed)
}

/// The id of a mail as the service returns it, or else in the Message-ID that the worker has given it.
fn mail_id(returned: &Value, message_id: Option<&str>) -> Option<Uuid> {
    let returned = returned.get(MAIL_ID).and_then(Value::as_str);
    let given = message_id.and_then(|id| id.trim_matches(['<', '>']).split_once('@')).map(|(id, _)| id);
    returned.or(given).and_then(|id| Uuid::try_parse(id).ok())
}
