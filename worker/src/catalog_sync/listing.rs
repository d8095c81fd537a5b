//! Lists the keys of all courses of the platform. The order of its pages is not stable: a course that is added or
//! removed during the read can move others to a page that was already read, or is read later.

use std::collections::HashSet;

use shared::ids::CourseKey;

use super::SyncError;
use super::report::Remark;
use crate::platform::Platform;

/// Maximum number of passes over a list that keeps changing. The last pass is good enough: the sync asks the platform
/// for each missing course before it unpublishes the course.
const PASSES: u32 = 5;

/// More pages than any platform has.
const PAGES: u32 = 10_000;

#[derive(Debug, Default)]
pub struct Listing {
    pub keys: Vec<CourseKey>,
    /// Listed courses whose key the catalog cannot store.
    pub skipped: Vec<Remark>,
    seen: HashSet<String>,
}

/// Reads all pages until a pass finds no new course.
///
/// # Errors
/// A page could not be read. The listing is incomplete then and must not be used.
pub async fn read(enrollments: &Platform, courses: &Platform, username: &str) -> Result<Listing, SyncError> {
    let mut listing = Listing::default();
    for pass in 1..=PASSES {
        let before = listing.seen.len();
        let pages = read_pages(enrollments, courses, username, &mut listing).await?;
        let settled = pass > 1 && listing.seen.len() == before;
        if settled || pages == 1 {
            break;
        }
    }
    Ok(listing)
}

/// Makes one pass. Returns the number of pages.
async fn read_pages(
    enrollments: &Platform,
    courses: &Platform,
    username: &str,
    listing: &mut Listing,
) -> Result<u32, SyncError> {
    for page in 1..=PAGES {
        // The platform counts list calls and enrollment calls of an account against one limit.
        enrollments.turn(1, Some(courses.preferred_account())).await;
        let Some(read) = courses.course_page(username, page).await? else {
            // Courses were removed while earlier pages were read. The first page always exists.
            return if page > 1 { Ok(page) } else { Err(no_list()) };
        };
        for course in &read.results {
            listing.add(course);
        }
        if read.pagination.next.is_none() {
            return Ok(page);
        }
    }
    Ok(PAGES)
}

fn no_list() -> SyncError {
    SyncError::Setup("PLATFORM_URL: no course list found under this URL".to_owned())
}

impl Listing {
    fn add(&mut self, course: &serde_json::Value) {
        let id = course.get("id").and_then(serde_json::Value::as_str).unwrap_or_default();
        if !self.seen.insert(id.to_owned()) {
            return;
        }
        match id.parse() {
            Ok(key) => self.keys.push(key),
            Err(error) => self.skipped.push(Remark::new(id, format!("{error}"))),
        }
    }
}
