//! What a call to the course platform can come to besides success, and which answer means which. The meanings were read
//! from the LMS's enrollment, account and certificate views and checked against a running LMS (`docs/openedx.md`).

use reqwest::{Response, StatusCode, header};

use crate::error::JobError;

#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    #[error("the course platform's service account is not configured")]
    NotConfigured,
    /// The platform answers, but not to this service account or not at this address. An operator has to change a
    /// setting; until then every call fails, and the work waits.
    #[error("{0}")]
    Misconfigured(String),
    /// A fault that may pass: no connection, 429, or a gateway's 5xx.
    #[error("the course platform is unavailable: {0}")]
    Unavailable(String),
    /// The LMS's own 500: it may pass, or belong to this one request (an account without a profile, for example).
    #[error("the course platform failed: {0}")]
    Failed(String),
    /// The call was sent, and the platform may still be working on it.
    #[error("the course platform has not answered: {0}")]
    Unanswered(String),
    /// The platform gives the same answer to the same call.
    #[error("the course platform refused with {status}: {message}")]
    Refused { status: u16, message: String },
}

impl PlatformError {
    /// A request that did not get as far as a status.
    pub(super) fn sending(error: reqwest::Error) -> Self {
        // The URL can hold an address, which stays out of logs.
        let sent = error.is_timeout() && !error.is_connect();
        let reason = error.without_url().to_string();
        if sent { Self::Unanswered(reason) } else { Self::Unavailable(reason) }
    }

    pub(super) fn unreadable(error: serde_json::Error) -> Self {
        Self::Unavailable(format!("unreadable answer: {error}"))
    }

    /// What an answer of `endpoint` other than success means.
    pub(super) async fn from_answer(endpoint: &str, response: Response) -> Self {
        let status = response.status();
        if status.is_redirection() {
            return Self::redirected(endpoint, &response);
        }
        let body = response.text().await.unwrap_or_default();
        match status {
            StatusCode::BAD_REQUEST | StatusCode::NOT_ACCEPTABLE => Self::refused(status, &body),
            StatusCode::FORBIDDEN => Self::forbidden(endpoint, &body),
            StatusCode::UNAUTHORIZED => Self::Misconfigured(format!(
                "{endpoint} answered 401 to a fresh token: the service account's OAuth application or user is disabled"
            )),
            StatusCode::NOT_FOUND => Self::Misconfigured(format!(
                "{endpoint} answered 404: PLATFORM_URL is not the LMS, or the service account's user is not staff"
            )),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
                Self::Unavailable(format!("status {status}"))
            }
            // A gateway has given up waiting; the LMS behind it may still be working.
            StatusCode::GATEWAY_TIMEOUT => Self::Unanswered(format!("status {status}")),
            StatusCode::INTERNAL_SERVER_ERROR => Self::Failed(format!("status {status}")),
            _ if status.is_server_error() => Self::Unavailable(format!("status {status}")),
            _ => {
                Self::Misconfigured(format!("{endpoint} answered {status}: is PLATFORM_URL an Open edX LMS?"))
            }
        }
    }

    /// Names where the answer points to without its path, which can hold a username.
    fn redirected(endpoint: &str, response: &Response) -> Self {
        let location = response.headers().get(header::LOCATION).and_then(|location| location.to_str().ok());
        let target = location.and_then(|location| response.url().join(location).ok());
        let target = target.map_or_else(|| "nowhere".to_owned(), |url| url.origin().ascii_serialization());
        Self::Misconfigured(format!(
            "{endpoint} redirects ({}) to {target}: check the scheme, host and path of PLATFORM_URL",
            response.status()
        ))
    }

    /// `{"message"}` is the veto of an operator's filter on this enrollment; `{"detail"}`, or a page of a proxy, says
    /// that the caller lacks rights, whatever it asks.
    fn forbidden(endpoint: &str, body: &str) -> Self {
        // Gateways and firewalls also say `message`; only the enrollment API vetoes.
        if endpoint == super::ENROLLMENT && field(body, "message").is_some() {
            return Self::refused(StatusCode::FORBIDDEN, body);
        }
        Self::Misconfigured(format!(
            "{endpoint} answered 403, the service account lacks rights: its user must be staff, and its OAuth application \
             must not be a RestrictedApplication (remove that record in the LMS's admin)"
        ))
    }

    fn refused(status: StatusCode, body: &str) -> Self {
        let message = field(body, "message").unwrap_or_else(|| body.to_owned());
        // Kept with the enrollment and shown to operators.
        Self::Refused { status: status.as_u16(), message: message.chars().take(300).collect() }
    }

    /// Alerts an operator if only an operator can mend this.
    pub fn alert(&self) {
        if let Self::Misconfigured(reason) = self {
            metrics::counter!("storefront_alarms_total", "what" => "platform_configuration").increment(1);
            tracing::error!(
                reason,
                "alert: the course platform is misconfigured; enrollments wait (see `doctor`)"
            );
        }
    }
}

/// The message or the reconciler tries again: at the latest once an operator has seen to it.
impl From<PlatformError> for JobError {
    fn from(error: PlatformError) -> Self {
        error.alert();
        Self::Retry(error.to_string())
    }
}

fn field(body: &str, name: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(body).ok()?;
    json.get(name)?.as_str().map(str::to_owned)
}
