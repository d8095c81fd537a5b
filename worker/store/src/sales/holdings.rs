//! Holdings of a learner: courses with the grants that they come from, and programs. And what an address has bought before.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::ids::CartId;
use sqlx::PgConnection;
use uuid::Uuid;

use super::carts::Cart;
use crate::error::JobResult;

/// Owner of the holdings that are read.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    pub platform_user_id: i64,
    /// The learner's address, if it is proved: what waits for its registration is held too.
    pub proved_email: Option<&'a Email>,
}

/// A course that a learner holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub mode: CourseMode,
    /// A live grant of this mode; one that cannot be refunded, if there is one.
    pub grant: Uuid,
    /// Indicates whether the course platform alone gave it, which may have ended it without telling.
    pub is_platforms: bool,
    /// When the access in this mode ends by the clock; None: never.
    pub ends_at: Option<DateTime<Utc>>,
}

/// Holdings of a learner in certain courses and programs; empty for a guest.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    pub courses: HashMap<Uuid, Held>,
    /// The mode in which the learner bought a program, all of whose courses are still held through that purchase.
    pub programs: HashMap<Uuid, CourseMode>,
}

/// Reads what a learner holds of these courses and programs, and locks the enrollments until the transaction ends.
pub async fn read(
    db: &mut PgConnection,
    owner: Owner<'_>,
    courses: &[Uuid],
    programs: &[Uuid],
) -> JobResult<Holdings> {
    let held = held_courses(db, owner, courses).await?;
    let bought = match programs.is_empty() {
        true => HashMap::new(),
        false => held_programs(db, owner, programs).await?,
    };
    Ok(Holdings { courses: held, programs: bought })
}

/// A course that the learner bought counts as held while the platform has yet to confirm the address; an enrollment that
/// the platform has refused does not.
async fn held_courses(
    db: &mut PgConnection,
    owner: Owner<'_>,
    courses: &[Uuid],
) -> JobResult<HashMap<Uuid, Held>> {
    let enrollments = sqlx::query_scalar!(
        // Of the buyer's orders, a thousand perhaps, only those with one of the courses. OFFSET leaves the planner only the ways by
        // these keys.
        "SELECT e.id FROM enrollments e
         WHERE e.course_id = ANY($2) AND e.platform_state <> 'refused' AND e.id = ANY (ARRAY(
             SELECT o.id FROM learners l JOIN enrollments o ON o.learner_id = l.id AND o.course_id = ANY ($2)
             WHERE l.platform_user_id = $1 AND o.state = 'enrolled'
             UNION ALL
             SELECT g.enrollment_id FROM (SELECT id FROM carts WHERE buyer = $3 OFFSET 0) c
             CROSS JOIN LATERAL (SELECT FROM cart_courses WHERE cart_id = c.id AND course_id = ANY ($2) OFFSET 0) a
             CROSS JOIN LATERAL (SELECT * FROM enrollment_grants WHERE cart_id = c.id AND ended_at IS NULL OFFSET 0) g
             -- Another person has what the buyer gave away.
             WHERE NOT EXISTS (SELECT FROM moves m WHERE m.to_grant = g.id AND m.to_person)
             UNION ALL
             SELECT p.id FROM enrollments p
             WHERE p.email = $4 AND p.course_id = ANY ($2) AND p.learner_id IS NULL AND p.state = 'pending_registration'))
         ORDER BY e.course_id, e.id FOR SHARE OF e",
        owner.platform_user_id,
        courses,
        owner.platform_user_id.to_string(),
        owner.proved_email.map(Email::as_str),
    )
    .fetch_all(&mut *db)
    .await?;
    if enrollments.is_empty() {
        return Ok(HashMap::new());
    }
    // After the lock, in a statement of its own: the one above may have waited for a change of these grants.
    let rows = sqlx::query!(
        r#"SELECT DISTINCT ON (e.id) e.course_id, e.mode AS "mode: CourseMode", g.id AS grant_id,
               bool_and(g.source = 'platform') OVER (PARTITION BY e.id) AS "is_platforms!", enrollment_ends(e.id, e.mode) AS ends_at
           FROM enrollments e JOIN enrollment_grants g ON g.enrollment_id = e.id
           WHERE e.id = ANY($1) AND g.ended_at IS NULL
           ORDER BY e.id, g.mode = e.mode DESC, g.source = 'cart', g.granted_at, g.id"#,
        &enrollments as _,
    )
    .fetch_all(db)
    .await?;
    let mut held = HashMap::new();
    for row in rows {
        let found = Held {
            mode: row.mode,
            grant: row.grant_id,
            is_platforms: row.is_platforms,
            ends_at: row.ends_at,
        };
        let best = held.entry(row.course_id).or_insert(found);
        if best.mode < found.mode {
            *best = found;
        }
    }
    Ok(held)
}

/// A course that the platform has refused is still part of the purchase, and waits for an operator.
async fn held_programs(
    db: &mut PgConnection,
    owner: Owner<'_>,
    programs: &[Uuid],
) -> JobResult<HashMap<Uuid, CourseMode>> {
    let rows = sqlx::query!(
        // The learner's purchases, and those of others that gave the learner one of the programs' courses. Of a buyer's orders, a
        // thousand perhaps, only those with one of the programs. Each OFFSET leaves the planner only the way by the key.
        r#"SELECT i.program_id AS "program_id!", i.mode AS "mode!: CourseMode"
           FROM (SELECT id FROM carts WHERE buyer = $3
                 UNION
                 SELECT g.cart_id FROM program_courses p
                 CROSS JOIN LATERAL (
                     SELECT id FROM enrollments WHERE course_id = p.course_id
                       AND learner_id = (SELECT id FROM learners WHERE platform_user_id = $1)
                     UNION ALL
                     SELECT id FROM enrollments WHERE course_id = p.course_id AND email = $4 AND learner_id IS NULL OFFSET 0) e
                 JOIN enrollment_grants g ON g.enrollment_id = e.id
                 WHERE p.program_id = ANY ($2) AND g.cart_id IS NOT NULL AND g.ended_at IS NULL) bought
           CROSS JOIN LATERAL (
               SELECT cart_id, position, program_id, mode FROM cart_items WHERE program_id = ANY ($2) AND cart_id = bought.id OFFSET 0) i
           CROSS JOIN LATERAL (SELECT id, buyer FROM carts WHERE id = i.cart_id AND state = 'fulfilled' OFFSET 0) c
           WHERE EXISTS (SELECT FROM cart_courses a WHERE a.cart_id = c.id AND a.position = i.position OFFSET 0)
             AND NOT EXISTS (
                 SELECT FROM cart_courses a WHERE a.cart_id = c.id AND a.position = i.position AND NOT EXISTS (
                     SELECT FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
                     WHERE g.cart_id = c.id AND g.ended_at IS NULL AND e.course_id = a.course_id AND (
                         e.learner_id = (SELECT id FROM learners WHERE platform_user_id = $1)
                         OR e.email = $4 AND e.learner_id IS NULL
                         -- Another person has what the buyer gave away.
                         OR c.buyer = $3 AND NOT EXISTS (SELECT FROM moves m WHERE m.to_grant = g.id AND m.to_person)))
                 OFFSET 0)"#,
        owner.platform_user_id,
        programs,
        owner.platform_user_id.to_string(),
        owner.proved_email.map(Email::as_str),
    )
    .fetch_all(db)
    .await?;
    let mut held = HashMap::new();
    for row in rows {
        let best = held.entry(row.program_id).or_insert(row.mode);
        *best = row.mode.max(*best);
    }
    Ok(held)
}

/// Other paid orders of a buyer, each of which may be a mistake beside this one.
pub struct PaidTwice {
    /// One that charged for one of the cart's courses, where neither purchase is an upgrade of the other.
    pub bought_before: Option<CartId>,
    /// One with the same organisation, where the earlier one was still unpaid when the later one was checked out.
    pub paid_beside: Option<CartId>,
}

/// Finds the other paid orders of a cart's buyer and address.
pub async fn paid_twice(db: &mut PgConnection, cart: &Cart) -> JobResult<PaidTwice> {
    Ok(sqlx::query_file_as!(
        PaidTwice,
        "src/sales/paid_twice.sql",
        cart.id as _,
        cart.email.as_str(),
        cart.buyer,
        cart.organisation_id as _,
    )
    .fetch_one(db)
    .await?)
}
