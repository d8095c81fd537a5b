//! The course platform's client: one typed call for each of its endpoints that we use, none of our decisions.
//! Paths and shapes are those of openedx-platform's REST APIs; later releases move some, so each stands here once.

mod catalog;
mod course_answers;
mod throttle;
mod token;

use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response, StatusCode, header};
use serde::{Deserialize, Serialize};
use shared::course_mode::CourseMode;
use shared::email::Email;
use url::Url;

use crate::config::PlatformSettings;
pub use catalog::CatalogError;
pub use course_answers::{Block, Blocks, CourseDetail, OutlineSection, PlatformMode, PlatformOutline};
pub use throttle::Throttle;
use token::TokenSource;

const ACCOUNTS: &str = "/api/user/v1/accounts";
const SEARCH_EMAILS: &str = "/api/user/v1/accounts/search_emails";
/// Without a slash at its end: the platform answers 404 to the other form.
const ENROLLMENT: &str = "/api/enrollment/v1/enrollment";
const CERTIFICATES: &str = "/api/certificates/v0/certificates";

/// A platform that asks for a longer pause is asked again all the same.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);

#[derive(Clone)]
pub struct Platform {
    http: reqwest::Client,
    base: Url,
    tokens: TokenSource,
    throttle: Throttle,
    require_active: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    #[error("the course platform's service account is not configured")]
    NotConfigured,
    /// A fault that may pass: no answer, 5xx, 429, or credentials that an operator must mend.
    #[error("the course platform is unavailable: {0}")]
    Unavailable(String),
    /// The call was sent, and the platform may still be working on it.
    #[error("the course platform has not answered: {0}")]
    Unanswered(String),
    /// It will say the same again.
    #[error("the course platform refused with {status}: {message}")]
    Refused { status: u16, message: String },
}

/// An account of the platform, as much of it as we keep.
#[derive(Clone, Debug, Deserialize)]
pub struct Account {
    pub id: i64,
    pub username: String,
    pub email: String,
    #[serde(default)]
    pub name: Option<String>,
    pub is_active: bool,
}

/// One result of the email search.
#[derive(Clone, Debug, Deserialize)]
pub struct FoundEmail {
    pub email: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct PlatformEnrollment {
    pub mode: String,
    pub is_active: bool,
}

#[derive(Debug, Serialize)]
pub struct EnrollmentChange<'a> {
    pub user: &'a str,
    pub mode: CourseMode,
    pub is_active: bool,
    pub course_details: CourseDetails<'a>,
    /// Passes closed windows, invite-only courses and expired modes.
    pub force_enrollment: bool,
}

#[derive(Debug, Serialize)]
pub struct CourseDetails<'a> {
    pub course_id: &'a str,
}

impl Platform {
    /// # Errors
    /// The TLS configuration of this machine cannot be used.
    pub fn new(settings: &PlatformSettings, throttle: Throttle) -> Result<Self, reqwest::Error> {
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(2))
            .timeout(Duration::from_secs(5))
            // A lost session is answered with a redirect to a login page: that is an error, not an answer.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("storefront-worker/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self {
            tokens: TokenSource::new(http.clone(), settings),
            throttle,
            http,
            base: settings.platform_url.clone(),
            require_active: settings.platform_require_active,
        })
    }

    /// Whether an account may receive what was granted to its address.
    pub fn accepts(&self, is_active: bool) -> bool {
        is_active || !self.require_active
    }

    pub fn is_configured(&self) -> bool {
        self.tokens.is_configured()
    }

    /// Waits until the platform may be told the next thing; its limit on staff is shared by all workers.
    pub async fn turn(&self) {
        self.throttle.turn().await;
    }

    /// The account that owns an address; None also while it is inactive and the setting asks for active ones.
    ///
    /// # Errors
    /// No answer, or one that says nothing about the address.
    pub async fn account(&self, email: &Email) -> Result<Option<Account>, PlatformError> {
        let response = self.send(Method::GET, ACCOUNTS, |r| r.query(&[("email", email.as_str())])).await?;
        if response.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let accounts: Vec<Account> = read(accept(response).await?).await?;
        // Some databases find `jose@` for `josé@`: that is somebody else.
        let is_meant = |account: &Account| Email::parse(&account.email).as_ref() == Ok(email);
        Ok(accounts.into_iter().find(|account| is_meant(account) && self.accepts(account.is_active)))
    }

    /// Those of the addresses that have an account.
    ///
    /// # Errors
    /// No answer.
    pub async fn search_emails(&self, emails: &[String]) -> Result<Vec<FoundEmail>, PlatformError> {
        let body = serde_json::json!({ "emails": emails });
        let response = self.send(Method::POST, SEARCH_EMAILS, |r| r.json(&body)).await?;
        read(accept(response).await?).await
    }

    /// # Errors
    /// No answer, or an unknown course.
    pub async fn enrollment(
        &self,
        username: &str,
        course: &str,
    ) -> Result<Option<PlatformEnrollment>, PlatformError> {
        let path = format!("{ENROLLMENT}/{},{}", encode(username), encode(course));
        let response = accept(self.send(Method::GET, &path, |r| r).await?).await?;
        let body = response.bytes().await.map_err(unavailable)?;
        // No enrollment is answered with 200 and nothing.
        if body.is_empty() {
            return Ok(None);
        }
        serde_json::from_slice(&body).map_err(unreadable)
    }

    /// Enrolls, changes the mode, or deactivates; repeating it changes nothing.
    ///
    /// # Errors
    /// `Refused` for what the platform's rules forbid.
    pub async fn change_enrollment(&self, change: &EnrollmentChange<'_>) -> Result<(), PlatformError> {
        let response = self.send(Method::POST, ENROLLMENT, |r| r.json(change)).await?;
        accept(response).await.map(|_| ())
    }

    /// The state of the learner's certificate: `downloadable`, `generating`, … or None.
    ///
    /// # Errors
    /// No answer.
    pub async fn certificate_status(
        &self,
        username: &str,
        course: &str,
    ) -> Result<Option<String>, PlatformError> {
        #[derive(Deserialize)]
        struct Certificate {
            status: String,
        }
        let path = format!("{CERTIFICATES}/{}/courses/{}", encode(username), encode(course));
        let response = self.send(Method::GET, &path, |r| r).await?;
        if response.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let certificate: Certificate = read(accept(response).await?).await?;
        Ok(Some(certificate.status))
    }

    /// Sends with the service account's token, once more with a new one if the platform no longer takes it.
    async fn send(
        &self,
        method: Method,
        path: &str,
        build: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, PlatformError> {
        let url = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        let mut token = self.tokens.get().await?;
        let mut renewed = false;
        loop {
            // `Bearer` would be taken for an opaque token and refused.
            let request = self
                .http
                .request(method.clone(), &url)
                .header(header::AUTHORIZATION, format!("JWT {token}"))
                .header(header::ACCEPT, "application/json");
            let response = build(request).send().await.map_err(unavailable)?;
            if response.status() == StatusCode::TOO_MANY_REQUESTS {
                self.throttle.hold(retry_after(&response)).await;
            }
            if response.status() != StatusCode::UNAUTHORIZED || renewed {
                return Ok(response);
            }
            token = self.tokens.renew(&token).await?;
            renewed = true;
        }
    }
}

/// How long the platform asks us to wait; its framework says whole seconds.
fn retry_after(response: &Response) -> Duration {
    let value =
        response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    Duration::from_secs(value.unwrap_or(1)).min(LONGEST_PAUSE)
}

/// A part of a path. `+` is literal in the platform's paths, and `%2B` equals it.
fn encode(part: &str) -> String {
    percent_encoding::utf8_percent_encode(part, percent_encoding::NON_ALPHANUMERIC).to_string()
}

async fn accept(response: Response) -> Result<Response, PlatformError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    // 401 and 404 of a path we know to exist are an operator's mistake: the work waits until it is mended.
    let hopeless =
        matches!(status, StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN | StatusCode::NOT_ACCEPTABLE);
    let body = response.text().await.unwrap_or_default();
    if hopeless {
        return Err(PlatformError::Refused { status: status.as_u16(), message: message_of(&body) });
    }
    let reason = format!("status {status}");
    // A gateway has given up waiting; what stands behind it has not.
    Err(match status {
        StatusCode::GATEWAY_TIMEOUT => PlatformError::Unanswered(reason),
        _ => PlatformError::Unavailable(reason),
    })
}

/// The platform's own sentence, where it gives one; bounded, since it is kept and shown to operators.
fn message_of(body: &str) -> String {
    let json: Option<serde_json::Value> = serde_json::from_str(body).ok();
    let message = json.as_ref().and_then(|json| json.get("message")?.as_str()).unwrap_or(body);
    message.chars().take(300).collect()
}

async fn read<T: serde::de::DeserializeOwned>(response: Response) -> Result<T, PlatformError> {
    let body = response.bytes().await.map_err(unavailable)?;
    serde_json::from_slice(&body).map_err(unreadable)
}

fn unavailable(error: reqwest::Error) -> PlatformError {
    // The URL can hold an address, which stays out of logs.
    let sent = error.is_timeout() && !error.is_connect();
    let reason = error.without_url().to_string();
    if sent { PlatformError::Unanswered(reason) } else { PlatformError::Unavailable(reason) }
}

fn unreadable(error: serde_json::Error) -> PlatformError {
    PlatformError::Unavailable(format!("unreadable answer: {error}"))
}
