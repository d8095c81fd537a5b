//! Places of courses with a capacity. They are counted from the carts that take them, under a lock on the course: the count
//! is right whatever has ended a cart or a line, and the last place goes to one buyer.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// Places that one line of a basket needs.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    /// Index of the line.
    pub line: usize,
    /// The course, or the program with all its courses.
    pub subject: Uuid,
    pub places: i32,
}

/// The lines for which a course has too few places left. Unpaid carts that are older than `held_since` take none.
/// `but_buyer` is a buyer whose own unpaid carts do not count.
///
/// # Errors
/// The database is unavailable.
pub async fn sold_out(
    db: &mut PgConnection,
    needed: &[Needed],
    held_since: DateTime<Utc>,
    but_buyer: Option<&str>,
) -> JobResult<Vec<usize>> {
    let subjects: Vec<Uuid> = needed.iter().map(|line| line.subject).collect();
    // Ordered, so that two checkouts do not wait for each other. Courses without a capacity are not locked.
    let limited = sqlx::query!(
        r#"SELECT c.id, c.capacity AS "capacity!",
                  ARRAY(SELECT p.program_id FROM program_courses p WHERE p.course_id = c.id) AS "programs!"
           FROM courses c WHERE c.capacity IS NOT NULL AND c.id = ANY (
               $1 || ARRAY(SELECT p.course_id FROM program_courses p WHERE p.program_id = ANY($1)))
           ORDER BY c.id FOR NO KEY UPDATE OF c"#,
        &subjects,
    )
    .fetch_all(&mut *db)
    .await?;
    let mut lines = Vec::new();
    for course in limited {
        // After the lock, in a statement of its own: the one above may have waited for a checkout that took a place.
        let taken = sqlx::query_scalar!(
            r#"SELECT places_taken($1, $2, $3) AS "taken!""#,
            course.id,
            held_since,
            but_buyer,
        )
        .fetch_one(&mut *db)
        .await?;
        let mut left = i64::from(course.capacity) - taken;
        for line in needed {
            if line.subject == course.id || course.programs.contains(&line.subject) {
                left -= i64::from(line.places);
                if left < 0 {
                    lines.push(line.line);
                }
            }
        }
    }
    lines.sort_unstable();
    lines.dedup();
    Ok(lines)
}
