//! The failures of a call to the course platform, and which answer means which failure. The meanings come from the
//! LMS's account and certificate views, and were checked against a running LMS (`docs/openedx.md`); `enrollments` has those
//! of the enrollment API alone.

use reqwest::{Response, StatusCode, header};
use shared::causes::causes;
use store::alert::Alert;
use store::error::JobError;

use crate::alert;

/// Reason why a call to the course platform failed.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    #[error("the course platform's service account is not configured")]
    NotConfigured,
    /// The platform is not at this URL. Every call fails until an operator changes a setting; meanwhile enrollments wait.
    #[error("{0}")]
    Misconfigured(String),
    /// The platform rejects one service account. Its calls fail until an operator changes its rights or secret.
    #[error("{0}")]
    Rejected(String),
    /// A transient fault: no connection, 429, or a proxy's 5xx.
    #[error("the course platform is unavailable: {0}")]
    Unavailable(String),
    /// The LMS's own 500: a transient fault, or one of this request alone (an account without a profile, for example).
    #[error("the course platform failed: {0}")]
    Failed(String),
    /// The request was sent, and the platform may still carry it out.
    #[error("the course platform has not answered: {0}")]
    Unanswered(String),
    /// A final refusal: the platform would give the same answer to the same call. The text can name a learner, so it is
    /// stored with the enrollment alone.
    #[error("the course platform refused with {status}")]
    Refused { status: u16, message: String },
}

impl PlatformError {
    /// The failure of a request that got no status.
    pub(super) fn sending(error: reqwest::Error) -> Self {
        // The URL can contain an email address, which must not appear in logs.
        let sent = error.is_timeout() && !error.is_connect();
        let reason = causes(&error.without_url());
        if sent { Self::Unanswered(reason) } else { Self::Unavailable(reason) }
    }

    /// Without the parser's text, which quotes the answer.
    pub(super) fn unreadable(error: serde_json::Error) -> Self {
        let (kind, line, column) = (error.classify(), error.line(), error.column());
        Self::Unavailable(format!("unreadable answer: {kind:?} error at line {line} column {column}"))
    }

    /// The failure that an answer of `endpoint` other than success means.
    pub(super) async fn from_answer(endpoint: &str, response: Response) -> Self {
        let status = response.status();
        if status.is_redirection() {
            return Self::redirected(endpoint, &response);
        }
        let body = response.text().await.unwrap_or_default();
        Self::from_status(endpoint, status, &body)
    }

    /// As [`Self::from_answer`], for an answer that is read already and no redirection.
    pub(super) fn from_status(endpoint: &str, status: StatusCode, body: &str) -> Self {
        match status {
            StatusCode::BAD_REQUEST | StatusCode::NOT_ACCEPTABLE => Self::refused(status, body),
            StatusCode::FORBIDDEN => Self::Rejected(format!(
                "{endpoint} answered 403, the service account lacks rights: its user must be staff, and its OAuth \
                 application must not be a RestrictedApplication (remove that record in the LMS's admin)"
            )),
            StatusCode::UNAUTHORIZED => Self::Rejected(format!(
                "{endpoint} answered 401 to a fresh token: the service account's OAuth application or user is disabled"
            )),
            StatusCode::NOT_FOUND => Self::Misconfigured(format!(
                "{endpoint} answered 404: PLATFORM_URL is not the LMS, or the service account's user is not staff"
            )),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
                Self::Unavailable(format!("status {status}"))
            }
            // A proxy stopped waiting; the LMS behind it may still carry out the request.
            StatusCode::GATEWAY_TIMEOUT => Self::Unanswered(format!("status {status}")),
            StatusCode::INTERNAL_SERVER_ERROR => Self::Failed(format!("status {status}")),
            _ if status.is_server_error() => Self::Unavailable(format!("status {status}")),
            _ => {
                Self::Misconfigured(format!("{endpoint} answered {status}: is PLATFORM_URL an Open edX LMS?"))
            }
        }
    }

    /// Names the redirect's target without its path, which can contain a username.
    fn redirected(endpoint: &str, response: &Response) -> Self {
        let location = response.headers().get(header::LOCATION).and_then(|location| location.to_str().ok());
        let target = location.and_then(|location| response.url().join(location).ok());
        let target = target.map_or_else(|| "nowhere".to_owned(), |url| url.origin().ascii_serialization());
        Self::Misconfigured(format!(
            "{endpoint} redirects ({}) to {target}: check the scheme, host and path of PLATFORM_URL",
            response.status()
        ))
    }

    pub(super) fn refused(status: StatusCode, message: &str) -> Self {
        // Stored with the enrollment and shown to operators, so it is kept short.
        Self::Refused { status: status.as_u16(), message: message.chars().take(300).collect() }
    }

    /// Raises an alert if only an operator can fix the failure. The client has raised one for an account that is rejected.
    pub fn alert(&self) {
        if let Self::Misconfigured(reason) = self {
            alert::raise([Alert::PlatformConfiguration { reason: reason.clone() }]);
        }
    }
}

/// Every failure is retried, by the message or by the reconciler; a misconfiguration until an operator has fixed it.
impl From<PlatformError> for JobError {
    fn from(error: PlatformError) -> Self {
        error.alert();
        Self::Retry(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_quotes_nothing_of_the_answer() {
        let refused = PlatformError::refused(StatusCode::BAD_REQUEST, "no user 'ada'");
        assert_eq!(refused.to_string(), "the course platform refused with 400");
        let wrong = serde_json::from_str::<u64>(r#""ada@example.com""#).unwrap_err();
        let unreadable = PlatformError::unreadable(wrong).to_string();
        assert!(
            unreadable.contains("Data error at line 1") && !unreadable.contains("example"),
            "{unreadable}"
        );
    }
}
