//! Reads one course from the platform: its detail, modes, outline and blocks.

use shared::ids::CourseKey;

use super::CatalogSync;
use super::apply::Fetched;
use super::facts::{Answers, Facts};
use crate::platform::{CatalogError, Platform, PlatformError};

/// The result of reading one course.
pub enum Read {
    Course(Box<Fetched>),
    /// The platform does not have the course.
    Gone,
    Failed(String),
    /// The platform did not answer, and may not answer for other courses either.
    Unanswered(String),
}

/// Reads one course, as the service account `username` sees it.
pub async fn course(sync: &CatalogSync, username: &str, key: CourseKey) -> (CourseKey, Read) {
    let at = sync.clock.now();
    let read = match answers(&sync.courses, username, key.as_str()).await {
        Ok(None) => Read::Gone,
        Ok(Some(answers)) => match Facts::new(&key, answers) {
            Ok(facts) => Read::Course(Box::new(Fetched { key: key.clone(), facts, at })),
            Err(reason) => Read::Failed(reason),
        },
        Err(
            error @ (CatalogError::Unreadable(_)
            | CatalogError::Refused { .. }
            | CatalogError::Platform(PlatformError::Refused { .. })),
        ) => Read::Failed(error.to_string()),
        Err(error) => Read::Unanswered(error.to_string()),
    };
    (key, read)
}

async fn answers(platform: &Platform, username: &str, key: &str) -> Result<Option<Answers>, CatalogError> {
    let Some(detail) = platform.course_detail(username, key).await? else { return Ok(None) };
    Ok(Some(Answers {
        detail,
        modes: platform.course_modes(key).await?,
        outline: platform.course_outline(key).await?,
        blocks: platform.course_blocks(key).await?,
    }))
}
