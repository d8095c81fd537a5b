//! What a quote can sell: courses with their modes, programs with their courses.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use shared::course_mode::CourseMode;
use shared::money::Money;
use sqlx::PgPool;
use uuid::Uuid;

use crate::error::JobResult;

/// A course as it is sold.
pub struct CourseOffer {
    pub id: Uuid,
    pub organisation_id: Uuid,
    pub openedx_course_id: String,
    pub display_name: String,
    pub is_published: bool,
    pub is_invite_only: bool,
    pub ends_at: Option<DateTime<Utc>>,
    pub enrollment_start: Option<DateTime<Utc>>,
    pub enrollment_end: Option<DateTime<Utc>>,
    pub modes: Vec<ModeOffer>,
}

/// A mode of a course, with its price.
pub struct ModeOffer {
    pub mode: CourseMode,
    pub price: Money,
    pub visible: bool,
    pub expires_at: Option<DateTime<Utc>>,
}

/// A program as it is sold.
pub struct ProgramOffer {
    pub organisation_id: Uuid,
    pub name: String,
    pub is_published: bool,
    pub is_invite_only: bool,
    pub price: Option<Money>,
    /// The courses in order, published or not.
    pub courses: Vec<Uuid>,
}

/// The courses with these ids, by id.
pub async fn courses(db: &PgPool, ids: &[Uuid]) -> JobResult<HashMap<Uuid, CourseOffer>> {
    let courses = sqlx::query!(
        "SELECT id, organisation_id, openedx_course_id, display_name, is_published, is_invite_only, ends_at,
                enrollment_start, enrollment_end
         FROM courses WHERE id = ANY($1)",
        ids,
    )
    .fetch_all(db)
    .await?;
    let mut offers: HashMap<Uuid, CourseOffer> = courses
        .into_iter()
        .map(|row| {
            let offer = CourseOffer {
                id: row.id,
                organisation_id: row.organisation_id,
                openedx_course_id: row.openedx_course_id,
                display_name: row.display_name,
                is_published: row.is_published,
                is_invite_only: row.is_invite_only,
                ends_at: row.ends_at,
                enrollment_start: row.enrollment_start,
                enrollment_end: row.enrollment_end,
                modes: Vec::new(),
            };
            (row.id, offer)
        })
        .collect();
    let modes = sqlx::query!(
        r#"SELECT course_id, slug AS "slug: CourseMode", (price, currency) AS "price!: Money", visible, expires_at
           FROM course_modes WHERE course_id = ANY($1)"#,
        ids,
    )
    .fetch_all(db)
    .await?;
    for row in modes {
        let mode =
            ModeOffer { mode: row.slug, price: row.price, visible: row.visible, expires_at: row.expires_at };
        offers.entry(row.course_id).and_modify(|offer| offer.modes.push(mode));
    }
    Ok(offers)
}

/// What a partner's grant needs of one course and one of its modes.
pub struct GrantedCourse {
    /// Whether the course has the mode; the next field says when it expires.
    pub has_mode: bool,
    pub mode_expires_at: Option<DateTime<Utc>>,
}

/// Reads a course for a partner's grant in a mode.
pub async fn granted_course(db: &PgPool, id: Uuid, mode: CourseMode) -> JobResult<Option<GrantedCourse>> {
    Ok(sqlx::query_as!(
        GrantedCourse,
        r#"SELECT m.slug IS NOT NULL AS "has_mode!", m.expires_at AS "mode_expires_at?"
           FROM courses c LEFT JOIN course_modes m ON m.course_id = c.id AND m.slug = $2 WHERE c.id = $1"#,
        id,
        mode as CourseMode,
    )
    .fetch_optional(db)
    .await?)
}

/// Whether there is a course with this id, published or not.
pub async fn course_exists(db: &PgPool, id: Uuid) -> JobResult<bool> {
    Ok(sqlx::query_scalar!(r#"SELECT EXISTS (SELECT FROM courses WHERE id = $1) AS "exists!""#, id)
        .fetch_one(db)
        .await?)
}

/// The programs with these ids, by id.
pub async fn programs(db: &PgPool, ids: &[Uuid]) -> JobResult<HashMap<Uuid, ProgramOffer>> {
    let rows = sqlx::query!(
        r#"SELECT p.id, p.organisation_id, p.name, p.is_published, p.is_invite_only,
                  CASE WHEN p.price IS NOT NULL THEN (p.price, p.currency) END AS "price?: Money",
                  coalesce(array_agg(c.course_id ORDER BY c.position) FILTER (WHERE c.course_id IS NOT NULL), '{}')
                      AS "courses!"
           FROM programs p LEFT JOIN program_courses c ON c.program_id = p.id
           WHERE p.id = ANY($1) GROUP BY p.id"#,
        ids,
    )
    .fetch_all(db)
    .await?;
    let programs = rows.into_iter().map(|row| {
        let offer = ProgramOffer {
            organisation_id: row.organisation_id,
            name: row.name,
            is_published: row.is_published,
            is_invite_only: row.is_invite_only,
            price: row.price,
            courses: row.courses,
        };
        (row.id, offer)
    });
    Ok(programs.collect())
}
