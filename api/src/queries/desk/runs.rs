//! Courses to which a line of an order can be moved.

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::ids::CartId;
use shared::money::Money;

use crate::error::ApiResult;

/// The most courses of a list.
pub const MOST: i64 = 50;

/// A line whose access can be moved.
pub struct MovableLine {
    pub name: String,
    pub mode: String,
    /// Without its voucher, which counts for the new course as well.
    pub price: Money,
}

/// Reads a line of an order; None if there is none at this position, or its access stays.
pub async fn line(db: &Db, cart_id: CartId, position: i32) -> ApiResult<Option<MovableLine>> {
    Ok(sqlx::query_as!(
        MovableLine,
        r#"SELECT i.name, i.mode, (i.price + i.voucher_discount, k.currency) AS "price!: Money"
           FROM cart_items i JOIN carts k ON k.id = i.cart_id
           WHERE (i.cart_id, i.position) = ($1, $2) AND k.state = 'fulfilled' AND i.program_id IS NULL AND i.seats IS NULL
             AND i.upgrade_from IS NULL AND i.access_ended_at IS NULL
             AND NOT EXISTS (SELECT FROM vouchers v WHERE v.id = k.voucher_id AND v.kind = 'seat')"#,
        cart_id as _,
        position,
    )
    .fetch_optional(db)
    .await?)
}

/// A course that a line can give access to instead of its own.
pub struct Run {
    pub openedx_course_id: String,
    pub name: String,
    pub starts_at: Option<DateTime<Utc>>,
    pub price: Money,
    /// Another run of the course that the line has.
    pub is_same_course: bool,
}

/// Courses to look for.
pub struct Wanted<'a> {
    pub cart_id: CartId,
    pub position: i32,
    /// A part of the name; empty for all.
    pub text: &'a str,
    /// The same as a part of the key.
    pub key: &'a str,
    /// Only the course with this key.
    pub only: Option<&'a str>,
}

/// Lists the courses of the organisation that are on sale in the line's mode now, and that its buyer has not: other runs of the line's
/// course first, then the latest.
pub async fn list(db: &Db, wanted: &Wanted<'_>, now: DateTime<Utc>) -> ApiResult<Vec<Run>> {
    Ok(sqlx::query_as!(
        Run,
        r#"WITH line AS (
               SELECT i.mode, k.id, k.organisation_id, k.email, k.learner_id,
                      ARRAY(SELECT regexp_replace(c.openedx_course_id, '\+[^+]*$', '') FROM courses c WHERE c.id = i.course_id OR c.id IN (
                          SELECT a.course_id FROM cart_courses a WHERE (a.cart_id, a.position) = (i.cart_id, i.position))) AS own
               FROM cart_items i JOIN carts k ON k.id = i.cart_id WHERE (i.cart_id, i.position) = ($1, $2))
           SELECT c.openedx_course_id, c.display_name AS name, c.starts_at, (m.price, m.currency) AS "price!: Money",
                  regexp_replace(c.openedx_course_id, '\+[^+]*$', '') = ANY (line.own) AS "is_same_course!"
           FROM line JOIN courses c ON c.organisation_id = line.organisation_id
           JOIN course_modes m ON m.course_id = c.id AND m.slug = line.mode
           WHERE c.is_published AND NOT c.is_invite_only AND m.visible AND (m.expires_at IS NULL OR m.expires_at > $5)
             AND (c.ends_at IS NULL OR c.ends_at > $5) AND (c.enrollment_start IS NULL OR c.enrollment_start <= $5)
             AND (c.enrollment_end IS NULL OR c.enrollment_end > $5)
             AND ($4::text IS NULL OR c.openedx_course_id = $4)
             AND ($3 = '' OR searchable(c.display_name) LIKE containing($3) OR searchable(c.openedx_course_id) LIKE containing($7))
             AND NOT EXISTS (SELECT FROM cart_courses a WHERE a.cart_id = line.id AND a.course_id = c.id)
             AND NOT EXISTS (SELECT FROM enrollments e WHERE e.course_id = c.id AND e.state <> 'removed'
                                 AND (e.email = line.email OR e.learner_id = line.learner_id))
           ORDER BY 5 DESC, c.starts_at DESC NULLS LAST, c.display_name, c.id LIMIT $6"#,
        wanted.cart_id as _,
        wanted.position,
        wanted.text,
        wanted.only,
        now,
        MOST,
        wanted.key,
    )
    .fetch_all(db)
    .await?)
}
