//! Asks the course platform who owns a session or a token. The request carries that credential; the api has none of its
//! own.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{RequestBuilder, Response, StatusCode, header};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use shared::email::Email;
use shared::profile::first_language;
use texts::Language;
use tokio::sync::Semaphore;
use url::Url;

use super::credential::Credential;
use crate::metrics;
use shared::breaker::{Breaker, Tolerance};
use shared::causes::{self, causes};
use shared::settings::under;
use shared::tls::{TlsSettings, UrlError};
use shared::traces;

/// Paths of openedx-platform's user API.
const ME: &str = "/api/user/v1/me";
const ACCOUNTS: &str = "/api/user/v1/accounts";

/// Time limit of both calls together.
const TIMEOUT: Duration = Duration::from_millis(2_300);

/// Maximum number of concurrent lookups, so that they do not overload the platform. Known credentials have permits of
/// their own.
const KNOWN_AT_ONCE: usize = 24;
const UNKNOWN_AT_ONCE: usize = 8;

#[derive(Clone)]
pub struct Platform {
    http: reqwest::Client,
    base: Url,
    known: Lookups,
    unknown: Lookups,
}

/// The permits and the circuit breaker of one kind of credentials. However many lookups of unknown credentials wait or
/// time out, those of known ones continue.
#[derive(Clone)]
struct Lookups {
    permits: Arc<Semaphore>,
    breaker: Breaker,
}

impl Lookups {
    fn new(kind: &'static str, server: &'static str, at_once: usize) -> Self {
        let tolerance = Tolerance { timeout: TIMEOUT, failures: 5, pause: Duration::from_secs(1) };
        Self { permits: Arc::new(Semaphore::new(at_once)), breaker: Breaker::new(kind, server, tolerance) }
    }
}

/// Reason why the platform named no owner of a credential.
#[derive(Debug, thiserror::Error)]
pub enum NoOwner {
    /// The platform does not accept the credential.
    #[error("the platform does not accept it")]
    Refused,
    /// The platform answered, but failed at this credential.
    #[error("{0}")]
    Failed(String),
    /// The platform refuses requests for now, or a proxy in front of it does not reach it.
    #[error("{0}")]
    Overloaded(String),
    /// The platform did not answer.
    #[error("{0}")]
    Silent(String),
}

#[derive(Deserialize)]
struct Me {
    username: String,
}

/// The answer of the accounts API, as an account gets it about itself.
#[derive(Deserialize)]
struct AccountAnswer {
    id: i64,
    username: String,
    email: String,
    name: Option<String>,
    #[serde(default)]
    is_active: bool,
    #[serde(default, rename = "language_proficiencies", deserialize_with = "first_language")]
    language: Option<Language>,
}

/// The platform account that owns a credential.
pub struct PlatformAccount {
    pub id: i64,
    pub username: String,
    pub email: Email,
    pub name: Option<String>,
    /// Indicates whether the learner has confirmed the account's email address.
    pub is_active: bool,
    /// The first language of the learner's profile.
    pub language: Option<Language>,
}

impl Platform {
    /// A client for the platform at `base`.
    ///
    /// # Errors
    /// The URL names another machine without TLS, or the TLS configuration of this machine cannot be used.
    pub fn new(base: Url, tls: &TlsSettings) -> Result<Self, UrlError> {
        const SETTING: &str = "PLATFORM_URL";
        tls.check_http(SETTING, &base)?;
        let http = super::http_client(SETTING, tls)?;
        let known =
            Lookups::new("platform_known", "the course platform, for known credentials", KNOWN_AT_ONCE);
        let unknown =
            Lookups::new("platform_unknown", "the course platform, for unknown credentials", UNKNOWN_AT_ONCE);
        Ok(Self { http, base, known, unknown })
    }

    /// The owner of a credential. `is_known` says that the credential was good a short time ago.
    ///
    /// # Errors
    /// `Silent` if the platform does not answer in time, or while the circuit breaker is open.
    pub async fn who(&self, credential: &Credential, is_known: bool) -> Result<PlatformAccount, NoOwner> {
        let lookups = if is_known { &self.known } else { &self.unknown };
        // Outside the breaker: the time spent waiting for a permit must not count as a failure of the platform.
        let _permit =
            lookups.permits.acquire().await.map_err(|closed| NoOwner::Silent(closed.to_string()))?;
        // An answer costs little time, whatever it says: only silence opens the breaker.
        let answer = lookups.breaker.call(async {
            match self.ask(credential).await {
                Err(NoOwner::Silent(reason)) => Err(reason),
                answer => Ok(answer),
            }
        });
        answer.await.unwrap_or_else(|| Err(NoOwner::Silent("no answer".to_owned())))
    }

    /// Returns whether the platform answers a caller without a credential as Open edX does.
    ///
    /// # Errors
    /// The consequence, for an operator.
    pub async fn check(&self) -> Result<(), String> {
        let place = causes::place("PLATFORM_URL", &self.base);
        let request = self.http.get(self.url(ME)).header(header::ACCEPT, "application/json");
        match request.timeout(TIMEOUT).send().await {
            Ok(answer) if answer.status() == StatusCode::UNAUTHORIZED => Ok(()),
            Ok(answer) => Err(format!("{place}: {ME} answered {} instead of 401", answer.status())),
            Err(error) => Err(format!("{place}: {}", causes(&error.without_url()))),
        }
    }

    fn url(&self, path: &str) -> String {
        under(&self.base, path)
    }

    async fn ask(&self, credential: &Credential) -> Result<PlatformAccount, NoOwner> {
        let Me { username } = self.get(ME, "", credential).await?;
        let name = percent_encoding::utf8_percent_encode(&username, percent_encoding::NON_ALPHANUMERIC);
        let account: AccountAnswer = self.get(ACCOUNTS, &format!("/{name}"), credential).await?;
        // An account without a usable address can neither buy nor be enrolled.
        let email = Email::parse(&account.email).map_err(|_| NoOwner::Refused)?;
        let AccountAnswer { id, username, name, is_active, language, .. } = account;
        Ok(PlatformAccount { id, username, email, name, is_active, language })
    }

    /// Asks an endpoint. The `rest` of its path may name a learner.
    async fn get<T: DeserializeOwned>(
        &self,
        endpoint: &str,
        rest: &str,
        credential: &Credential,
    ) -> Result<T, NoOwner> {
        // Without this header the platform answers as to a browser, with pages and redirects.
        let request =
            self.http.get(self.url(&format!("{endpoint}{rest}"))).header(header::ACCEPT, "application/json");
        let response = traces::send(with(request, credential), endpoint).await.map_err(broken_off)?;
        match response.status() {
            StatusCode::OK => read(response).await,
            // The LMS redirects browsers alone: this is another server, or another scheme.
            status if status.is_redirection() => {
                metrics::platform_alert();
                tracing::error!(
                    %status,
                    "alert: the course platform redirects; check the scheme, host and path of PLATFORM_URL"
                );
                Err(failed(status))
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::NOT_FOUND => Err(NoOwner::Refused),
            // A proxy in front of the platform rejects some malformed credentials itself.
            StatusCode::BAD_REQUEST | StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => Err(NoOwner::Refused),
            // RFC 6585, 4 and RFC 9110, 15.6.3 to 15.6.5: whatever the credential. A malformed one may cause a 500.
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => {
                Err(NoOwner::Overloaded(format!("status {}", response.status())))
            }
            status => Err(failed(status)),
        }
    }
}

fn failed(status: StatusCode) -> NoOwner {
    NoOwner::Failed(format!("status {status}"))
}

fn with(request: RequestBuilder, credential: &Credential) -> RequestBuilder {
    match credential {
        Credential::Session { session, .. } => request.header(header::COOKIE, format!("sessionid={session}")),
        Credential::Bearer(token) => request.header(header::AUTHORIZATION, format!("Bearer {token}")),
        Credential::Jwt(token) => request.header(header::AUTHORIZATION, format!("JWT {token}")),
    }
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T, NoOwner> {
    let body = response.bytes().await.map_err(broken_off)?;
    // Without the parser's text, which quotes the answer.
    serde_json::from_slice(&body).map_err(|error| {
        let (kind, line, column) = (error.classify(), error.line(), error.column());
        NoOwner::Failed(format!("unreadable answer: {kind:?} error at line {line} column {column}"))
    })
}

fn broken_off(error: reqwest::Error) -> NoOwner {
    NoOwner::Silent(causes(&error.without_url()))
}
