//! Asks the course platform who owns a session or a token. The request carries that credential; the api has none of its
//! own.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{RequestBuilder, Response, StatusCode, header};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use shared::email::Email;
use tokio::sync::Semaphore;
use url::Url;

use super::credential::Credential;
use crate::error::{ApiError, ApiResult};
use crate::metrics;
use shared::breaker::{Breaker, Failure, Tolerance};

/// Paths of openedx-platform's user API.
const ME: &str = "/api/user/v1/me";
const ACCOUNTS: &str = "/api/user/v1/accounts";

/// Time limit of both calls together.
const PATIENCE: Duration = Duration::from_millis(2_300);

/// Maximum number of concurrent lookups, so that they do not overload the platform.
const AT_ONCE: usize = 32;

#[derive(Clone)]
pub struct Platform {
    http: reqwest::Client,
    base: Url,
    breaker: Breaker,
    turns: Arc<Semaphore>,
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
}

/// The platform account that owns a credential.
pub struct PlatformAccount {
    pub id: i64,
    pub username: String,
    pub email: Email,
    pub name: Option<String>,
    /// Whether the learner has confirmed the account's email address.
    pub is_active: bool,
}

impl Platform {
    /// A client for the platform at `base`.
    ///
    /// # Errors
    /// The TLS configuration of this machine cannot be used.
    pub fn new(base: Url) -> Result<Self, reqwest::Error> {
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(1))
            // The platform answers an expired session with a redirect to its login page, which `get` reads as an
            // answer.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("storefront-api/", env!("CARGO_PKG_VERSION")))
            .build()?;
        let tolerance = Tolerance { timeout: PATIENCE, failures: 5, pause: Duration::from_secs(1) };
        let breaker = Breaker::new("the course platform", tolerance);
        Ok(Self { http, base, breaker, turns: Arc::new(Semaphore::new(AT_ONCE)) })
    }

    /// The owner of a credential; None if the platform does not accept it.
    ///
    /// # Errors
    /// `Unavailable` if the platform fails or is slow, or while the circuit breaker is open.
    pub async fn who(&self, credential: &Credential) -> ApiResult<Option<PlatformAccount>> {
        // Outside the breaker: the time spent waiting for a slot must not count as a failure of the platform.
        let _turn = self.turns.acquire().await.map_err(|_| ApiError::Unavailable)?;
        let subject = credential.asked_digest();
        self.breaker.call_for(subject, self.ask(credential)).await.ok_or(ApiError::Unavailable)
    }

    async fn ask(&self, credential: &Credential) -> Result<Option<PlatformAccount>, Failure> {
        let Some(Me { username }) = self.get(ME, credential).await? else { return Ok(None) };
        let name = percent_encoding::utf8_percent_encode(&username, percent_encoding::NON_ALPHANUMERIC);
        let account: Option<AccountAnswer> = self.get(&format!("{ACCOUNTS}/{name}"), credential).await?;
        Ok(account.and_then(|account| {
            // An account without a usable address can neither buy nor be enrolled.
            let email = Email::parse(&account.email).ok()?;
            let AccountAnswer { id, username, name, is_active, .. } = account;
            Some(PlatformAccount { id, username, email, name, is_active })
        }))
    }

    /// None if the platform does not accept the credential.
    async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        credential: &Credential,
    ) -> Result<Option<T>, Failure> {
        let url = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        // Without this header the platform answers as to a browser, with pages and redirects.
        let request = self.http.get(url).header(header::ACCEPT, "application/json");
        let response = with(request, credential).send().await.map_err(broken_off)?;
        match response.status() {
            StatusCode::OK => read(response).await.map(Some),
            // The LMS redirects browsers alone: this is another server, or another scheme.
            status if status.is_redirection() => {
                metrics::platform_alert();
                tracing::error!(
                    %status,
                    "alert: the course platform redirects; check the scheme, host and path of PLATFORM_URL"
                );
                Err(Failure::Request(format!("status {status}")))
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::NOT_FOUND => Ok(None),
            // A proxy in front of the platform rejects some malformed credentials itself.
            StatusCode::BAD_REQUEST | StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => Ok(None),
            // The platform fails on this credential; others may work.
            status => Err(Failure::Request(format!("status {status}"))),
        }
    }
}

fn with(request: RequestBuilder, credential: &Credential) -> RequestBuilder {
    match credential {
        Credential::Session { session, .. } => request.header(header::COOKIE, format!("sessionid={session}")),
        Credential::Bearer(token) => request.header(header::AUTHORIZATION, format!("Bearer {token}")),
        Credential::Jwt(token) => request.header(header::AUTHORIZATION, format!("JWT {token}")),
    }
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T, Failure> {
    let body = response.bytes().await.map_err(broken_off)?;
    serde_json::from_slice(&body).map_err(|error| Failure::Request(format!("unreadable answer: {error}")))
}

fn broken_off(error: reqwest::Error) -> Failure {
    Failure::Server(error.without_url().to_string())
}
