//! The course platform's client: one typed call for each endpoint that the worker uses, and no decisions about
//! learners. Paths and shapes are those of openedx-platform's REST APIs, checked against a running LMS
//! (`docs/openedx.md`). Later releases move some of them, so each is defined once, here.

mod accounts;
mod catalog;
mod course_answers;
mod enrollments;
mod error;
mod service_accounts;
mod throttle;
mod token;
mod version;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::{Method, RequestBuilder, Response, StatusCode, header};
use serde::Deserialize;
use shared::settings::under;
use shared::tls::{TlsSettings, UrlError};
use shared::traces;
use store::alert::Alert;
use tokio::time::Instant;
use url::Url;

use crate::config::PlatformSettings;
use crate::{alert, http_client};
pub use accounts::PlatformAccount;
use accounts::SEARCH_EMAILS;
pub use catalog::CatalogError;
pub use course_answers::{Block, Blocks, CourseDetail, OutlineSection, PlatformMode, PlatformOutline};
pub use enrollments::{CourseDetails, EnrollmentChange, PlatformEnrollment, Turn};
pub use error::PlatformError;
use service_accounts::ServiceAccount;
pub use service_accounts::{ServiceAccounts, read as service_accounts};
pub use throttle::Throttle;
use token::TokenSource;
pub use version::Version;
use version::Versions;

const ACCOUNTS: &str = "/api/user/v1/accounts";
/// The full path ends in a slash: the LMS redirects the form without one.
const CERTIFICATES: &str = "/api/certificates/v0/certificates";

/// The error codes of the certificates API's 404.
const NO_CERTIFICATE: &str = "no_certificate_for_user";
const NO_CERTIFICATE_VIEW: &str = "no_certificate_configuration_for_course";

/// The longest pause that the worker keeps after a 429; it caps longer ones.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);

/// The time after which an account for look-ups that the platform has rejected is tried again.
const REJECTED_FOR: Duration = Duration::from_secs(60);

/// A client of one course platform. Clones share the tokens, the throttle and the known version.
#[derive(Clone)]
pub struct Platform {
    http: reqwest::Client,
    base: Url,
    /// The service accounts: those that enroll, and the one for look-ups.
    accounts: Arc<[TokenSource]>,
    /// The account of look-ups: the last one that the platform accepted.
    preferred: Arc<AtomicUsize>,
    /// The account that is for look-ups alone, and the time until which another one makes them because the platform rejects it.
    lookup: Option<(usize, Arc<Mutex<Option<Instant>>>)>,
    throttle: Throttle,
    /// Indicates whether all workers hear what the platform says of an account.
    is_shared: bool,
    versions: Versions,
    require_active: bool,
    verdict_wait: Option<Duration>,
}

/// A learner's certificate in a course.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    None,
    /// `downloadable`, `generating`, `notpassing`, …
    Status(String),
    /// The LMS has a certificate without a web view, and does not return its status.
    WithoutView,
}

impl Certificate {
    /// Returns the status of the certificate that the learner has earned; None without one.
    pub fn earned(&self) -> Option<&str> {
        match self {
            Self::Status(status) if ["generating", "downloadable"].contains(&status.as_str()) => Some(status),
            Self::WithoutView => Some("there, without a web view"),
            Self::Status(_) | Self::None => None,
        }
    }
}

impl Platform {
    /// The HTTP client for the platform of the settings.
    ///
    /// # Errors
    /// The URL names another machine without TLS, or the TLS configuration of this machine is unusable.
    pub fn client(settings: &PlatformSettings, tls: &TlsSettings) -> Result<reqwest::Client, UrlError> {
        const SETTING: &str = "PLATFORM_URL";
        tls.check_http(SETTING, &settings.platform_url)?;
        let http = || {
            http_client::builder(tls)?
                .connect_timeout(Duration::from_secs(2))
                .timeout(Duration::from_secs(5))
                // A redirect means a wrong setting, and following one could turn a POST into a GET.
                .redirect(reqwest::redirect::Policy::none())
                .build()
        };
        http().map_err(|error| UrlError::caused(SETTING, &error))
    }

    /// The platform of the settings, with the calls of these accounts under this throttle. Sends nothing.
    pub fn new(
        settings: &PlatformSettings,
        http: reqwest::Client,
        accounts: ServiceAccounts,
        throttle: Throttle,
    ) -> Self {
        let tokens = |account| TokenSource::new(http.clone(), &settings.platform_url, account);
        let lookup = accounts.lookup().map(|account| (account, Arc::default()));
        Self {
            accounts: accounts.all.into_iter().map(tokens).collect(),
            preferred: Arc::default(),
            lookup,
            throttle,
            is_shared: true,
            versions: Versions::new(http.clone(), settings),
            http,
            base: settings.platform_url.clone(),
            require_active: settings.platform_require_active,
            verdict_wait: Some(settings.platform_verdict_wait).filter(|wait| !wait.is_zero()),
        }
    }

    /// Returns whether an account may receive the courses granted to its address.
    pub fn accepts(&self, is_active: bool) -> bool {
        is_active || !self.require_active
    }

    /// Returns whether the settings name a service account.
    pub fn is_configured(&self) -> bool {
        !self.accounts.is_empty()
    }

    /// The same platform, but no worker hears what it says of an account.
    pub fn unshared(self) -> Self {
        Self { is_shared: false, ..self }
    }

    /// One platform for each service account, for a check of that account.
    pub fn each_account(&self) -> impl Iterator<Item = Self> {
        self.accounts.iter().map(|account| Self {
            accounts: Arc::new([account.clone()]),
            preferred: Arc::default(),
            lookup: None,
            ..self.clone().unshared()
        })
    }

    /// The client id of the first service account; empty without one.
    pub fn client_id(&self) -> &str {
        self.accounts.first().map_or("", TokenSource::client_id)
    }

    /// The client id of the service account that is for look-ups alone.
    pub fn lookup_client_id(&self) -> Option<&str> {
        self.accounts.get(self.lookup.as_ref()?.0).map(TokenSource::client_id)
    }

    /// Fetches a token of the first service account unless a valid one is cached.
    ///
    /// # Errors
    /// The platform does not answer, or refuses the service account's credentials.
    pub async fn check_token(&self) -> Result<(), PlatformError> {
        self.tokens_of(0)?.get().await.map(drop)
    }

    fn tokens_of(&self, index: usize) -> Result<&TokenSource, PlatformError> {
        self.accounts.get(index).ok_or(PlatformError::NotConfigured)
    }

    /// The time of the platform's clock, to the second; None if it does not say.
    ///
    /// # Errors
    /// The platform does not answer.
    pub async fn server_time(&self) -> Result<Option<DateTime<Utc>>, PlatformError> {
        let answer = self.send(Method::HEAD, ACCOUNTS, "", |request| request).await?;
        let date = answer.headers().get(header::DATE).and_then(|date| date.to_str().ok());
        Ok(date.and_then(|date| DateTime::parse_from_rfc2822(date).ok()).map(|date| date.to_utc()))
    }

    /// Waits for the turn of this many enrollment calls by one account, or by this one: all workers share the platform's limit on
    /// the calls of a staff user.
    pub async fn turn(&self, calls: i32, account: Option<usize>) -> Turn {
        Turn::new(self.clone(), self.throttle.take(calls, account).await)
    }

    /// Like [`Self::turn`] for one call if it comes within `limit`; otherwise returns None at once.
    pub async fn turn_within(&self, limit: Duration) -> Option<Turn> {
        Some(Turn::new(self.clone(), self.throttle.take_within(limit).await?))
    }

    /// Returns how long a grant waits for the platform's verdict; None: grants do not wait.
    pub fn verdict_wait(&self) -> Option<Duration> {
        self.verdict_wait
    }

    /// The certificate of a username in a course.
    ///
    /// # Errors
    /// The platform does not answer, or refuses.
    pub async fn certificate(&self, username: &str, course: &str) -> Result<Certificate, PlatformError> {
        #[derive(Deserialize)]
        struct Answer {
            status: String,
        }
        #[derive(Deserialize)]
        struct NotFound {
            error_code: String,
        }
        let rest = format!("/{}/courses/{}/", encode(username), encode(course));
        let response = self.send(Method::GET, CERTIFICATES, &rest, |r| r).await?;
        if response.status() != StatusCode::NOT_FOUND {
            let answer: Answer = read(accept(CERTIFICATES, response).await?).await?;
            return Ok(Certificate::Status(answer.status));
        }
        let body = response.bytes().await.map_err(PlatformError::sending)?;
        match serde_json::from_slice::<NotFound>(&body).map(|answer| answer.error_code).as_deref() {
            Ok(NO_CERTIFICATE) => Ok(Certificate::None),
            Ok(NO_CERTIFICATE_VIEW) => Ok(Certificate::WithoutView),
            _ => Err(PlatformError::Misconfigured(format!(
                "{CERTIFICATES} is not there, or does not take the course key (404)"
            ))),
        }
    }

    /// Sends a look-up, which the platform does not limit by account, as [`Self::send_as`] an account that the platform accepts:
    /// first the one for look-ups, if there is one.
    async fn send(
        &self,
        method: Method,
        endpoint: &str,
        rest: &str,
        build: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, PlatformError> {
        let (first, count) = (self.preferred_account(), self.accounts.len());
        let mut last = Err(PlatformError::NotConfigured);
        for account in (0..count).map(|offset| (first + offset) % count) {
            last = self.send_as(account, method.clone(), endpoint, rest, &build).await;
            let rejection = match &last {
                Err(PlatformError::Rejected(reason)) => Some(reason.clone()),
                Ok(response) if lacks_rights(endpoint, response.status()) => {
                    Some(PlatformError::from_status(endpoint, response.status(), "").to_string())
                }
                _ => None,
            };
            let Some(rejection) = rejection else {
                self.note_accepted(account).await;
                return last;
            };
            self.note_rejected(account, &rejection).await;
        }
        last
    }

    /// The account of the next look-up.
    pub fn preferred_account(&self) -> usize {
        match &self.lookup {
            Some((account, rejected)) if *until(rejected) <= Some(Instant::now()) => *account,
            _ => self.preferred.load(Ordering::Relaxed),
        }
    }

    async fn note_accepted(&self, account: usize) {
        match &self.lookup {
            Some((own, rejected)) if *own == account => {
                let ended = until(rejected).take();
                if ended.is_some() && self.is_shared {
                    self.throttle.accept(account).await;
                }
            }
            _ => self.preferred.store(account, Ordering::Relaxed),
        }
    }

    /// Raises an alert when the platform begins to reject an account, and at each rejection while it accepts none. Until it accepts
    /// the account again, all workers prefer others.
    async fn note_rejected(&self, account: usize, reason: &str) {
        if let Some((own, rejected)) = &self.lookup
            && *own == account
        {
            *until(rejected) = Some(Instant::now() + REJECTED_FOR);
        }
        if self.is_shared && self.throttle.reject(account).await {
            let client_id = self.accounts.get(account).map_or("", TokenSource::client_id);
            let reason = format!("service account {client_id}: {reason}");
            alert::raise([Alert::PlatformConfiguration { reason }]);
        }
    }

    /// Sends a request to an endpoint and the `rest` of its path, which may name a learner, with a token of the service
    /// account. If the platform rejects the token, sends it once more with a new one.
    async fn send_as(
        &self,
        account: usize,
        method: Method,
        endpoint: &str,
        rest: &str,
        build: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, PlatformError> {
        let url = under(&self.base, &format!("{endpoint}{rest}"));
        let tokens = self.tokens_of(account)?;
        let mut token = tokens.get().await?;
        let mut renewed = false;
        loop {
            // The platform reads a `Bearer` token as an opaque one, and would refuse a JWT sent that way.
            let request = self
                .http
                .request(method.clone(), &url)
                .header(header::AUTHORIZATION, format!("JWT {token}"))
                .header(header::ACCEPT, "application/json");
            let response = traces::send(build(request), endpoint).await.map_err(PlatformError::sending)?;
            if response.status() == StatusCode::FORBIDDEN {
                tokens.distrust(&token).await;
            }
            if response.status() != StatusCode::UNAUTHORIZED || renewed {
                return Ok(response);
            }
            token = tokens.renew(&token).await?;
            renewed = true;
        }
    }
}

fn until(rejected: &Mutex<Option<Instant>>) -> MutexGuard<'_, Option<Instant>> {
    rejected.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether an answer says that the account may not make such calls, whatever they are about. The search answers 404.
fn lacks_rights(endpoint: &str, status: StatusCode) -> bool {
    [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&status)
        || status == StatusCode::NOT_FOUND && endpoint == SEARCH_EMAILS
}

/// The pause that a 429 asks for, in whole seconds as the platform's framework sends it; 1 s if it names none.
fn retry_after(response: &Response) -> Duration {
    let value =
        response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    Duration::from_secs(value.unwrap_or(1)).min(LONGEST_PAUSE)
}

/// Percent-encodes one path segment. The platform treats `+` and `%2B` in a path alike.
fn encode(part: &str) -> String {
    percent_encoding::utf8_percent_encode(part, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// Turns an answer other than success into the error that it means.
async fn accept(endpoint: &str, response: Response) -> Result<Response, PlatformError> {
    if response.status().is_success() {
        Ok(response)
    } else {
        Err(PlatformError::from_answer(endpoint, response).await)
    }
}

async fn read<T: serde::de::DeserializeOwned>(response: Response) -> Result<T, PlatformError> {
    let body = response.bytes().await.map_err(PlatformError::sending)?;
    serde_json::from_slice(&body).map_err(PlatformError::unreadable)
}
