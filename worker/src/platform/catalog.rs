//! What the course platform tells of its courses: the calls of a catalog sync. Each call is repeated while the platform
//! throttles or fails for a moment; whether an answer makes sense is judged by `catalog_sync`.

use std::time::Duration;

use reqwest::{Method, Response, StatusCode, header};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use super::course_answers::{Blocks, CourseDetail, CoursePage, PlatformMode, PlatformOutline};
use super::{LONGEST_PAUSE, Platform, PlatformError, Throttle, accept, encode};

const ME: &str = "/api/user/v1/me";
const COURSES: &str = "/api/courses/v1/courses/";
const MODES: &str = "/api/course_modes/v1/courses/";
const OUTLINE: &str = "/api/learning_sequences/v1/course_outline/";
const BLOCKS: &str = "/api/courses/v1/blocks/";

/// Staff are told that it has no modes, others that they may not ask.
const NO_COURSE: &str = "course-v1:storefront+none+none";

/// The platform gives no more on one page.
const PAGE_SIZE: &str = "100";

/// What a block may tell. The platform leaves out those that its COURSE_BLOCKS_API_EXTRA_FIELDS does not name.
const BLOCK_FIELDS: &str = "children,effort_time,hide_from_toc,visible_to_staff_only,course_visibility,\
    is_time_limited,is_proctored_enabled,is_practice_exam";

/// The tree of a large course takes the platform a while.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Calls that fail in a row before the course is given up, and the first pause between them; each is twice as long.
const TRIES: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// How long one call waits for a platform that throttles: its limit on lists is shared with the enrollment calls.
const PATIENCE: Duration = Duration::from_secs(900);

/// A throttled answer that does not say for how long.
const UNTOLD_PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// It will say the same again.
    #[error("the course platform's answer cannot be read: {0}")]
    Unreadable(String),
}

impl Platform {
    /// The same platform and token, under a limit of its own: what throttles a sync must not hold up enrollments.
    pub fn paced(&self, throttle: Throttle) -> Self {
        Self { throttle, ..self.clone() }
    }

    /// The service account's name: a list of courses is made for a user.
    ///
    /// # Errors
    /// No answer.
    pub async fn service_username(&self) -> Result<String, CatalogError> {
        #[derive(Deserialize)]
        struct Me {
            username: String,
        }
        let me: Me = read(accept(ME, self.ask(ME, &[]).await?).await?).await?;
        Ok(me.username)
    }

    /// Whether the service account may read what only staff may. Others are shown no hidden courses.
    ///
    /// # Errors
    /// No answer.
    pub async fn reads_as_staff(&self) -> Result<bool, CatalogError> {
        match self.course_modes(NO_COURSE).await {
            Ok(_) => Ok(true),
            Err(CatalogError::Platform(PlatformError::Refused { status: 403, .. })) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A page of all courses, hidden ones too, in no order that could be relied on. None: there is no such page.
    ///
    /// # Errors
    /// No answer, or the account may not list.
    pub async fn course_page(&self, username: &str, page: u32) -> Result<Option<CoursePage>, CatalogError> {
        let page = page.to_string();
        let query = [("page_size", PAGE_SIZE), ("page", page.as_str()), ("username", username)];
        found(self.ask(COURSES, &query).await?).await
    }

    /// None: the platform does not have the course, or the account may not see it.
    ///
    /// # Errors
    /// No answer, or one that cannot be read.
    pub async fn course_detail(
        &self,
        username: &str,
        key: &str,
    ) -> Result<Option<CourseDetail>, CatalogError> {
        found(self.ask(&format!("{COURSES}{}/", encode(key)), &[("username", username)]).await?).await
    }

    /// Expired ones too; empty for a course without any, and for one that the platform does not have.
    ///
    /// # Errors
    /// No answer, or the account is not staff.
    pub async fn course_modes(&self, key: &str) -> Result<Vec<PlatformMode>, CatalogError> {
        // Not `found`: the LMS answers `[]` for an unknown course, and a 404 must not pass for "no paid modes".
        let response = self.ask(&format!("{MODES}{}/", encode(key)), &[]).await?;
        match response.status() {
            StatusCode::FORBIDDEN => Err(refusal(response).await.into()),
            _ => read(accept(MODES, response).await?).await,
        }
    }

    /// None: nothing of the course has been published yet.
    ///
    /// # Errors
    /// No answer, or one that cannot be read.
    pub async fn course_outline(&self, key: &str) -> Result<Option<PlatformOutline>, CatalogError> {
        found(self.ask(&format!("{OUTLINE}{}", encode(key)), &[]).await?).await
    }

    /// The whole tree. None: nothing of the course has been published yet.
    ///
    /// # Errors
    /// No answer, one that cannot be read, or the account is not staff.
    pub async fn course_blocks(&self, key: &str) -> Result<Option<Blocks>, CatalogError> {
        let query = [
            ("course_id", key),
            ("all_blocks", "true"),
            ("depth", "all"),
            ("requested_fields", BLOCK_FIELDS),
        ];
        found(self.ask(BLOCKS, &query).await?).await
    }

    /// Reads, with patience: until the platform has answered anything but 429 and 5xx.
    async fn ask(&self, path: &str, query: &[(&str, &str)]) -> Result<Response, PlatformError> {
        let patience = Instant::now() + PATIENCE;
        let (mut failures, mut pause) = (0, FIRST_PAUSE);
        loop {
            self.throttle.turn().await;
            let failure = match self.send(Method::GET, path, |r| r.query(query).timeout(TIMEOUT)).await {
                Ok(response) if response.status() == StatusCode::TOO_MANY_REQUESTS => {
                    let asked_for = pause_asked_for(response).await;
                    if Instant::now() + asked_for > patience {
                        return Err(PlatformError::Unavailable("it throttles every call".into()));
                    }
                    self.throttle.hold(asked_for).await;
                    continue;
                }
                Ok(response) if response.status().is_server_error() => accept(path, response).await.err(),
                Ok(response) => return Ok(response),
                Err(error @ (PlatformError::Unavailable(_) | PlatformError::Unanswered(_))) => Some(error),
                Err(error) => return Err(error),
            };
            failures += 1;
            if failures == TRIES {
                return Err(failure.unwrap_or_else(|| PlatformError::Unavailable("no answer".into())));
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
    }
}

async fn read<T: serde::de::DeserializeOwned>(response: Response) -> Result<T, CatalogError> {
    let body = response.bytes().await.map_err(PlatformError::sending)?;
    serde_json::from_slice(&body).map_err(|error| CatalogError::Unreadable(error.to_string()))
}

/// A 404 is an answer here: the platform does not have what was asked for.
async fn found<T: serde::de::DeserializeOwned>(response: Response) -> Result<Option<T>, CatalogError> {
    let path = response.url().path().to_owned();
    match response.status() {
        StatusCode::NOT_FOUND => Ok(None),
        StatusCode::FORBIDDEN | StatusCode::BAD_REQUEST => Err(refusal(response).await.into()),
        _ => read(accept(&path, response).await?).await.map(Some),
    }
}

async fn refusal(response: Response) -> PlatformError {
    let status = response.status().as_u16();
    let body = response.text().await.unwrap_or_default();
    PlatformError::Refused { status, message: reason(&body) }
}

/// The course APIs say `developer_message` where others say `message` or `detail`.
fn reason(body: &str) -> String {
    let json: Option<Value> = serde_json::from_str(body).ok();
    let told = |name: &str| json.as_ref().and_then(|json| json.get(name)?.as_str());
    let told = told("developer_message").or_else(|| told("detail")).unwrap_or(body);
    told.chars().take(300).collect()
}

/// The list of courses answers 429 without `Retry-After` and says the seconds in its text.
async fn pause_asked_for(response: Response) -> Duration {
    let header =
        response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    let seconds = match header {
        Some(seconds) => Some(seconds),
        None => seconds_in(&response.text().await.unwrap_or_default()),
    };
    seconds.map_or(UNTOLD_PAUSE, Duration::from_secs).min(LONGEST_PAUSE)
}

fn seconds_in(text: &str) -> Option<u64> {
    let (_, after) = text.split_once("available in ")?;
    after.split_once(' ')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_is_read_from_the_text_of_a_throttled_list() {
        let text = r#"{"developer_message":"Request was throttled. Expected available in 59 seconds."}"#;
        assert_eq!(seconds_in(text), Some(59));
        assert_eq!(seconds_in("Request was throttled."), None);
    }
}
