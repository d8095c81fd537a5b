//! Places of courses with a capacity. `places_taken` of the schema counts who has or holds one, under a lock on the course: the
//! count is right whatever has opened or ended an access, and the last place goes to one buyer.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;
use crate::model::line::NewContents;

/// Places that one line of a basket needs.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    /// Index of the line.
    pub line: usize,
    /// A course; or what seats are for, which may be a program with all its courses.
    pub subject: Uuid,
    /// None: one place for the buyer, who needs it unless they have one.
    pub seats: Option<i32>,
}

impl Needed {
    /// The places that the lines of a cart need: one for each course that they grant the buyer, and those of seats for others.
    pub fn by(contents: &NewContents<'_>) -> Vec<Self> {
        let courses = contents.courses.iter().map(|(line, (course, _))| (*line, *course, None));
        let seats = contents.lines.iter().enumerate().filter(|(_, line)| line.item.seats.is_some());
        let seats = seats.map(|(line, of)| (line, of.item.id, of.item.seats));
        courses.chain(seats).map(|(line, subject, seats)| Self { line, subject, seats }).collect()
    }
}

/// The lines for which a course has too few places left. Unpaid carts that are older than `held_since` take none.
/// `learner` is the buyer, if the answer may tell what the buyer has: then places that they have are not needed again, and those of
/// their unpaid carts do not count.
///
/// # Errors
/// The database is unavailable.
pub async fn sold_out(
    db: &mut PgConnection,
    needed: &[Needed],
    held_since: DateTime<Utc>,
    learner: Option<&str>,
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
        let counted = sqlx::query!(
            r#"SELECT places_taken($1, $2, $3) AS "taken!", has_place($1, $3) AS "has_one!""#,
            course.id,
            held_since,
            learner,
        )
        .fetch_one(&mut *db)
        .await?;
        let mut left = i64::from(course.capacity) - counted.taken;
        let of_course = |line: &&Needed| line.subject == course.id || course.programs.contains(&line.subject);
        for line in needed.iter().filter(of_course) {
            let places = line.seats.unwrap_or(i32::from(!counted.has_one));
            left -= i64::from(places);
            if places > 0 && left < 0 {
                lines.push(line.line);
            }
        }
    }
    lines.sort_unstable();
    lines.dedup();
    Ok(lines)
}
