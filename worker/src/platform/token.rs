//! A service account's access token: fetched once, shared by all jobs of a worker, renewed shortly before it expires.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::StatusCode;
use secrecy::ExposeSecret;
use serde::Deserialize;
use shared::settings::under;
use shared::traces;
use tokio::sync::Mutex;
use url::Url;

use super::{PlatformError, ServiceAccount};

const PATH: &str = "/oauth2/access_token";

/// A token is renewed this long before it expires, as in the platform's own client.
const MARGIN: Duration = Duration::from_secs(5);

/// A 403 does not replace a token younger than this: the token endpoint limits its rate.
const TRUSTED: Duration = Duration::from_secs(10);

/// Fetches and caches the access token. Clones share the cache.
#[derive(Clone)]
pub struct TokenSource {
    http: reqwest::Client,
    url: String,
    account: Arc<ServiceAccount>,
    current: Arc<Mutex<Option<Token>>>,
}

struct Token {
    text: String,
    fetched_at: Instant,
    renew_at: Instant,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    expires_in: u64,
}

impl TokenSource {
    pub fn new(http: reqwest::Client, platform: &Url, account: ServiceAccount) -> Self {
        let url = under(platform, PATH);
        Self { http, url, account: Arc::new(account), current: Arc::default() }
    }

    pub fn client_id(&self) -> &str {
        &self.account.client_id
    }

    pub async fn get(&self) -> Result<String, PlatformError> {
        // The lock is held during the fetch, so that jobs that need a token at the same time fetch only one.
        let mut current = self.current.lock().await;
        match current.as_ref() {
            Some(token) if token.renew_at > Instant::now() => Ok(token.text.clone()),
            _ => Ok(current.insert(self.fetch().await?).text.clone()),
        }
    }

    /// A new token, after the platform refused one. The first job whose token was refused fetches it for all.
    pub async fn renew(&self, refused: &str) -> Result<String, PlatformError> {
        let mut current = self.current.lock().await;
        if let Some(token) = current.as_ref()
            && token.text != refused
        {
            return Ok(token.text.clone());
        }
        Ok(current.insert(self.fetch().await?).text.clone())
    }

    /// Drops a token that the platform answered with 403, unless the token is new. A token stays marked as one of a
    /// restricted application even after an operator has removed the restriction.
    pub async fn distrust(&self, refused: &str) {
        let mut current = self.current.lock().await;
        current.take_if(|token| token.text == refused && token.fetched_at.elapsed() > TRUSTED);
    }

    async fn fetch(&self) -> Result<Token, PlatformError> {
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", self.client_id()),
            ("client_secret", self.account.client_secret.expose_secret()),
            ("token_type", "jwt"),
        ];
        let request = self.http.post(&self.url).form(&form);
        let response = traces::send(request, PATH).await.map_err(PlatformError::sending)?;
        match response.status() {
            StatusCode::OK => {}
            // A wrong client id or secret, or an application without the client-credentials grant.
            status @ (StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED) => {
                return Err(PlatformError::Rejected(format!(
                    "{PATH} refuses PLATFORM_CLIENT_ID and PLATFORM_CLIENT_SECRET ({status})"
                )));
            }
            _ => return Err(PlatformError::from_answer(PATH, response).await),
        }
        let granted: Granted = super::read(response).await?;
        let lifetime = Duration::from_secs(granted.expires_in).saturating_sub(MARGIN);
        let fetched_at = Instant::now();
        Ok(Token { text: granted.access_token, fetched_at, renew_at: fetched_at + lifetime })
    }
}
