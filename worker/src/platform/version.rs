//! The version of the enrollment API: its paths, and which of them the platform has.

use std::sync::Arc;

use reqwest::{StatusCode, header};
use serde::Deserialize;
use shared::settings::under;
use shared::traces;
use tokio::sync::Mutex;

use super::PlatformError;
pub use crate::config::EnrollmentApi as Version;
use crate::config::PlatformSettings;

/// Answers only where there is a v2, to callers without credentials and without a limit (`docs/openedx-answers.md`).
const ROOT: &str = "/api/enrollment/v2/";

/// A call of the enrollment API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// Creates or changes an enrollment.
    Change,
    /// Reads an enrollment.
    Record,
    /// Reads a course's modes; counts toward a limit of its own.
    Course,
}

impl Version {
    /// The path of a call, to which [`Call::Record`] and [`Call::Course`] add a part. The LMS redirects or answers 404 to a path
    /// with a slash too many or too few.
    pub(super) fn endpoint(self, call: Call) -> &'static str {
        match (self, call) {
            (Self::V1, Call::Change | Call::Record) => "/api/enrollment/v1/enrollment",
            (Self::V1, Call::Course) => "/api/enrollment/v1/course",
            (Self::V2, Call::Change) => "/api/enrollment/v2/enrollment/",
            (Self::V2, Call::Record) => "/api/enrollment/v2/enrollment",
            (Self::V2, Call::Course) => "/api/enrollment/v2/course",
        }
    }
}

/// Finds out the version, and remembers it. Clones share the memory.
#[derive(Clone)]
pub(super) struct Versions {
    http: reqwest::Client,
    root: String,
    set: Option<Version>,
    known: Arc<Mutex<Option<Version>>>,
}

impl Versions {
    pub fn new(http: reqwest::Client, settings: &PlatformSettings) -> Self {
        Self {
            http,
            root: under(&settings.platform_url, ROOT),
            set: settings.platform_enrollment_api,
            known: Arc::default(),
        }
    }

    /// The version that the settings name, or else the platform's; asks only once.
    pub async fn get(&self) -> Result<Version, PlatformError> {
        // The lock is held during the question, so that jobs that ask at the same time send only one.
        let mut known = self.known.lock().await;
        match self.set.or(*known) {
            Some(version) => Ok(version),
            None => self.learn(&mut known).await,
        }
    }

    /// The version of a platform that has no route of `gone` any more: it was upgraded, or an upgrade was undone. The first job
    /// that notices asks for all.
    pub async fn instead_of(&self, gone: Version) -> Result<Version, PlatformError> {
        let mut known = self.known.lock().await;
        match self.set.or(known.filter(|version| *version != gone)) {
            Some(version) => Ok(version),
            None => self.learn(&mut known).await,
        }
    }

    async fn learn(&self, known: &mut Option<Version>) -> Result<Version, PlatformError> {
        let version = self.ask().await?;
        if known.replace(version) != Some(version) {
            tracing::info!(%version, "enrollment API of the course platform found");
        }
        Ok(version)
    }

    /// Asks the platform, without credentials: with a token the answer would depend on its rights.
    pub async fn ask(&self) -> Result<Version, PlatformError> {
        #[derive(Deserialize)]
        struct Root {
            #[serde(rename = "enrollment")]
            _enrollment: String,
        }
        let request = self.http.get(&self.root).header(header::ACCEPT, "application/json");
        // Nothing changes at the platform, so even a question that was sent leaves nothing to wait for.
        let unanswered = |error| PlatformError::Unavailable(PlatformError::sending(error).to_string());
        let response = traces::send(request, ROOT).await.map_err(unanswered)?;
        let status = response.status();
        // What says nothing about the routes behind it: an overload, or an LMS that is being replaced.
        if status.is_server_error()
            || [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT].contains(&status)
        {
            return Err(PlatformError::Unavailable(format!("{ROOT} answered {status}")));
        }
        let body = response.bytes().await.map_err(unanswered)?;
        let has_v2 = status.is_success() && serde_json::from_slice::<Root>(&body).is_ok();
        Ok(if has_v2 { Version::V2 } else { Version::V1 })
    }
}
