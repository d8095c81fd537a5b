//! The keys of all courses that the platform has. Its pages have no order that holds while they are read: a course that
//! comes or goes meanwhile moves others to a page that was read already, or is read later.

use std::collections::HashSet;

use shared::ids::CourseKey;

use super::SyncError;
use super::report::Remark;
use crate::platform::Platform;

/// A platform that changes while it is read each time is believed after so many passes: whether a course has vanished is
/// asked for each one.
const PASSES: u32 = 5;

/// Beyond what any platform has.
const PAGES: u32 = 10_000;

#[derive(Debug, Default)]
pub struct Listing {
    pub keys: Vec<CourseKey>,
    /// Listed, and nothing that the catalog can hold.
    pub skipped: Vec<Remark>,
    seen: HashSet<String>,
}

/// Reads all pages until a pass finds nothing new.
///
/// # Errors
/// A page that cannot be had: what is listed until then says nothing about the rest.
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

/// One pass; returns how many pages there were.
async fn read_pages(
    enrollments: &Platform,
    courses: &Platform,
    username: &str,
    listing: &mut Listing,
) -> Result<u32, SyncError> {
    for page in 1..=PAGES {
        // The platform counts lists and enrollment calls of an account together.
        enrollments.turn().await;
        let Some(read) = courses.course_page(username, page).await? else {
            // Courses have gone while the pages before were read. The first page is always there.
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
    SyncError::Setup("PLATFORM_URL: there is no list of courses below it".to_owned())
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
