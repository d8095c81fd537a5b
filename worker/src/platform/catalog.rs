//! The calls of a catalog sync: what the course platform publishes about its courses. Each call is retried while the
//! platform throttles or briefly fails. `catalog_sync` decides whether an answer makes sense.

use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response, StatusCode, header};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::course_answers::{
    Blocks, CourseDetail, CoursePage, LearnerHome, MfeConfig, PlatformMode, PlatformOutline,
};
use super::{LONGEST_PAUSE, Platform, PlatformError, Throttle, accept, encode};

const HOME: &str = "/api/learner_home/init";
const MFE_CONFIG: &str = "/api/mfe_config/v1";
const ME: &str = "/api/user/v1/me";
const COURSES: &str = "/api/courses/v1/courses/";
const MODES: &str = "/api/course_modes/v1/courses/";
const OUTLINE: &str = "/api/learning_sequences/v1/course_outline/";
const BLOCKS: &str = "/api/courses/v1/blocks/";

/// A course that does not exist. The platform answers staff that it has no modes, and other users with 403.
const NO_COURSE: &str = "course-v1:storefront+none+none";

/// The platform's largest page.
const PAGE_SIZE: &str = "100";

/// Requested fields of a block. The platform omits those that its COURSE_BLOCKS_API_EXTRA_FIELDS does not name.
const BLOCK_FIELDS: &str = "children,effort_time,hide_from_toc,visible_to_staff_only,course_visibility,\
    max_student_enrollments_allowed,is_time_limited,is_proctored_enabled,is_practice_exam";

/// Timeout of one call. The platform needs long to build the block tree of a large course.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Failures after which a call is given up, and the first pause between tries; each pause is twice as long as the last.
const TRIES: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// Time that one call waits while the platform throttles: list calls share the platform's limit with enrollment calls.
const LONGEST_WAIT: Duration = Duration::from_secs(900);

/// The pause after a 429 that does not name one.
const UNTOLD_PAUSE: Duration = Duration::from_secs(5);

/// Reason why a catalog call failed.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// A final refusal about a course, whose text names no learner.
    #[error("the course platform refused with {status}: {message}")]
    Refused { status: u16, message: String },
    /// Not worth a retry: the platform would give the same answer.
    #[error("the course platform's answer cannot be read: {0}")]
    Unreadable(String),
}

impl Platform {
    /// A client of the same platform with the same tokens but its own throttle, so that a sync does not slow down
    /// enrollments.
    pub fn paced(&self, throttle: Throttle) -> Self {
        Self { throttle, ..self.clone().unshared() }
    }

    /// The service account's username; the platform lists courses for a named user.
    ///
    /// # Errors
    /// The platform does not answer, or refuses.
    pub async fn service_username(&self) -> Result<String, CatalogError> {
        #[derive(Deserialize)]
        struct Me {
            username: String,
        }
        let me: Me = read(accept(ME, self.ask(ME, "", &[]).await?).await?).await?;
        Ok(me.username)
    }

    /// Returns whether the service account has staff rights. The platform hides some courses from other users.
    ///
    /// # Errors
    /// The platform does not answer.
    pub async fn reads_as_staff(&self) -> Result<bool, CatalogError> {
        match self.course_modes(NO_COURSE).await {
            Ok(_) => Ok(true),
            Err(CatalogError::Refused { status: 403, .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// One page of all courses, including hidden ones, in no stable order; pages count from 1. None: the page does not
    /// exist.
    ///
    /// # Errors
    /// The platform does not answer, or the account may not list courses.
    pub async fn course_page(&self, username: &str, page: u32) -> Result<Option<CoursePage>, CatalogError> {
        let page = page.to_string();
        let query = [("page_size", PAGE_SIZE), ("page", page.as_str()), ("username", username)];
        found(self.ask(COURSES, "", &query).await?).await
    }

    /// One course in full. None: the platform does not have the course, or the account may not see it.
    ///
    /// # Errors
    /// The platform does not answer, or its answer is unreadable.
    pub async fn course_detail(
        &self,
        username: &str,
        key: &str,
    ) -> Result<Option<CourseDetail>, CatalogError> {
        found(self.ask(COURSES, &format!("{}/", encode(key)), &[("username", username)]).await?).await
    }

    /// A course's modes, including expired ones. Empty for a course without modes, and for one that does not exist.
    ///
    /// # Errors
    /// The platform does not answer, or the account is not staff.
    pub async fn course_modes(&self, key: &str) -> Result<Vec<PlatformMode>, CatalogError> {
        // Not `found`: the LMS answers `[]` for an unknown course, and a 404 must not pass for "no paid modes".
        let response = self.ask(MODES, &format!("{}/", encode(key)), &[]).await?;
        match response.status() {
            StatusCode::FORBIDDEN => Err(refusal(response).await),
            _ => read(accept(MODES, response).await?).await,
        }
    }

    /// A course's outline. None: nothing of the course has been published yet.
    ///
    /// # Errors
    /// The platform does not answer, or its answer is unreadable.
    pub async fn course_outline(&self, key: &str) -> Result<Option<PlatformOutline>, CatalogError> {
        found(self.ask(OUTLINE, &encode(key), &[]).await?).await
    }

    /// A course's whole block tree. None: nothing of the course has been published yet.
    ///
    /// # Errors
    /// The platform does not answer, its answer is unreadable, or the account is not staff.
    pub async fn course_blocks(&self, key: &str) -> Result<Option<Blocks>, CatalogError> {
        let query = [
            ("course_id", key),
            ("all_blocks", "true"),
            ("depth", "all"),
            ("requested_fields", BLOCK_FIELDS),
        ];
        found(self.ask(BLOCKS, "", &query).await?).await
    }

    /// Sets the sku of a course's mode, and changes nothing else of it.
    ///
    /// # Errors
    /// The platform does not answer, does not have the mode, or the account is not staff.
    pub async fn set_sku(&self, key: &str, mode: &str, sku: &str) -> Result<(), CatalogError> {
        let patch = json!({ "sku": sku }).to_string();
        // The LMS answers 404 to the form with a slash at the end, and 415 to plain JSON.
        let rest = format!("{}/{mode}", encode(key));
        let written = self.call(Method::PATCH, MODES, &rest, |request| {
            request.header(header::CONTENT_TYPE, "application/merge-patch+json").body(patch.clone())
        });
        let response = written.await?;
        match response.status() {
            status if status.is_success() => Ok(()),
            StatusCode::FORBIDDEN | StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND => {
                Err(refusal(response).await)
            }
            _ => Err(PlatformError::from_answer(MODES, response).await.into()),
        }
    }

    /// Reads where the upgrade button of a course leads this learner, as the LMS shows it to staff. None without a button.
    ///
    /// # Errors
    /// The platform does not answer, does not know the learner, or the account is not staff.
    pub async fn upgrade_button(&self, username: &str, key: &str) -> Result<Option<String>, CatalogError> {
        let home = accept(HOME, self.ask(HOME, "", &[("user", username)]).await?).await?;
        let home: LearnerHome = super::read(home).await?;
        let runs = home.courses.into_iter().filter_map(|course| course.course_run);
        Ok(runs.filter(|run| run.course_id == key).find_map(|run| run.upgrade_url))
    }

    /// Reads where the header of the platform's pages leads for the order history. None if the platform does not say.
    ///
    /// # Errors
    /// The platform does not answer.
    pub async fn order_history(&self) -> Result<Option<String>, CatalogError> {
        let config: Option<MfeConfig> = found(self.ask(MFE_CONFIG, "", &[]).await?).await?;
        Ok(config.and_then(|config| config.order_history_url).filter(|url| !url.is_empty()))
    }

    /// Sends a GET to an endpoint and the `rest` of its path, as [`Self::call`] does.
    async fn ask(
        &self,
        endpoint: &str,
        rest: &str,
        query: &[(&str, &str)],
    ) -> Result<Response, PlatformError> {
        self.call(Method::GET, endpoint, rest, |request| request.query(query)).await
    }

    /// Sends a request that may be repeated until the platform answers with anything but 429 or 5xx: at most [`TRIES`]
    /// failures, and [`LONGEST_WAIT`] of throttling.
    async fn call(
        &self,
        method: Method,
        endpoint: &str,
        rest: &str,
        build: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, PlatformError> {
        let patience = Instant::now() + LONGEST_WAIT;
        let (mut failures, mut pause) = (0, FIRST_PAUSE);
        loop {
            let slot = self.throttle.take(1, Some(self.preferred_account())).await;
            let sent = self.send(method.clone(), endpoint, rest, |r| build(r).timeout(TIMEOUT)).await;
            let failure = match sent {
                Ok(response) if response.status() == StatusCode::TOO_MANY_REQUESTS => {
                    let asked_for = pause_asked_for(response).await;
                    if Instant::now() + asked_for > patience {
                        return Err(PlatformError::Unavailable("it throttles every call".into()));
                    }
                    self.throttle.hold(slot.account, asked_for).await;
                    continue;
                }
                Ok(response) if response.status().is_server_error() => accept(endpoint, response).await.err(),
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

/// Reads an answer in which 404 is not an error: it means that the platform does not have the requested object.
async fn found<T: serde::de::DeserializeOwned>(response: Response) -> Result<Option<T>, CatalogError> {
    let path = response.url().path().to_owned();
    match response.status() {
        StatusCode::NOT_FOUND => Ok(None),
        StatusCode::FORBIDDEN | StatusCode::BAD_REQUEST => Err(refusal(response).await),
        _ => read(accept(&path, response).await?).await.map(Some),
    }
}

async fn refusal(response: Response) -> CatalogError {
    let status = response.status().as_u16();
    let body = response.text().await.unwrap_or_default();
    CatalogError::Refused { status, message: reason(&body) }
}

/// The reason in an error's body. The course APIs call it `developer_message` where others use `message` or `detail`.
fn reason(body: &str) -> String {
    let json: Option<Value> = serde_json::from_str(body).ok();
    let told = |name: &str| json.as_ref().and_then(|json| json.get(name)?.as_str());
    let told = told("developer_message").or_else(|| told("detail")).unwrap_or(body);
    told.chars().take(300).collect()
}

/// The pause that a 429 asks for. The course list sends no `Retry-After`; it names the seconds in its text.
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
