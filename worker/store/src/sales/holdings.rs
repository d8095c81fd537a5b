//! Holdings of a learner: courses with the grants that they come from, and programs. And what an address has bought before.

use std::collections::HashMap;

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
               bool_and(g.source = 'platform') OVER (PARTITION BY e.id) AS "is_platforms!"
           FROM enrollments e JOIN enrollment_grants g ON g.enrollment_id = e.id
           WHERE e.id = ANY($1) AND g.ended_at IS NULL
           ORDER BY e.id, g.mode = e.mode DESC, g.source = 'cart', g.granted_at, g.id"#,
        &enrollments as _,
    )
    .fetch_all(db)
    .await?;
    let mut held = HashMap::new();
    for row in rows {
        let found = Held { mode: row.mode, grant: row.grant_id, is_platforms: row.is_platforms };
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

/// Another paid cart of the same buyer or address that charged for one of the cart's courses, programs expanded, where
/// neither purchase is an upgrade of the other.
pub async fn bought_before(db: &mut PgConnection, cart: &Cart) -> JobResult<Option<CartId>> {
    Ok(sqlx::query_scalar!(
        "WITH RECURSIVE bases (course_id, id) AS (
             SELECT e.course_id, g.rests_on FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
             WHERE g.cart_id = $1 AND g.rests_on IS NOT NULL
             UNION
             SELECT bases.course_id, g.rests_on FROM bases JOIN enrollment_grants g ON g.id = bases.id
             WHERE g.rests_on IS NOT NULL)
         -- The buyer's orders before their courses: a course can have a hundred thousand buyers. Each OFFSET leaves the planner only
         -- the way by the key.
         SELECT o.id FROM (SELECT id, state FROM carts WHERE email = $2 OR buyer = $3 OFFSET 0) o
         CROSS JOIN LATERAL (
             SELECT * FROM cart_courses WHERE cart_id = o.id
               AND course_id = ANY (ARRAY(SELECT course_id FROM cart_courses WHERE cart_id = $1)) OFFSET 0) theirs
         JOIN cart_items other ON other.cart_id = o.id AND other.position = theirs.position
         JOIN cart_courses ours ON ours.course_id = theirs.course_id AND ours.cart_id = $1
         JOIN cart_items own ON own.cart_id = $1 AND own.position = ours.position
         WHERE o.id <> $1 AND o.state IN ('paid', 'fulfilled')
           AND own.price > 0 AND other.price > 0
           AND own.access_ended_at IS NULL AND other.access_ended_at IS NULL
           AND NOT EXISTS (SELECT FROM moves m JOIN enrollment_grants g ON g.id = m.to_grant
                           WHERE (m.cart_id, m.position) = (other.cart_id, other.position) AND m.to_person
                             AND m.done_at IS NOT NULL AND g.ended_at IS NULL)
           AND own.upgrade_from IS DISTINCT FROM theirs.mode AND other.upgrade_from IS DISTINCT FROM ours.mode
           AND NOT EXISTS (
               SELECT FROM bases JOIN enrollment_grants g ON g.id = bases.id
               WHERE bases.course_id = ours.course_id AND g.cart_id = o.id)
         ORDER BY o.id LIMIT 1",
        cart.id as _,
        cart.email.as_str(),
        cart.buyer,
    )
    .fetch_optional(db)
    .await?)
}

/// Another paid order of the same buyer or address with the same organisation, where the earlier one was still unpaid when the
/// later one was checked out: it had been replaced or had ended before it was paid, or both buy seats in the same item. A former
/// shop's order is none of them.
pub async fn paid_beside(db: &mut PgConnection, cart: &Cart) -> JobResult<Option<CartId>> {
    Ok(sqlx::query_scalar!(
        // Each OFFSET leaves the planner only the way by the key: it would read the organisation's orders, their payments or the audit
        // log.
        "WITH own AS (
             SELECT c.id, c.paid_at, t.created_at AS begun_at FROM carts c JOIN transactions t ON t.cart_id = c.id
             WHERE c.id = $1 AND c.state IN ('paid', 'fulfilled'))
         SELECT o.id FROM own
         CROSS JOIN (SELECT id, organisation_id, state, paid_at FROM carts
                     WHERE (email = $2 OR buyer = $3) AND former_shop IS NULL OFFSET 0) o
         CROSS JOIN LATERAL (SELECT created_at AS begun_at FROM transactions WHERE cart_id = o.id OFFSET 0) t
         CROSS JOIN LATERAL (
             SELECT own.id, own.paid_at WHERE own.begun_at <= t.begun_at
             UNION ALL SELECT o.id, o.paid_at WHERE t.begun_at <= own.begun_at) earlier
         WHERE o.id <> $1 AND o.organisation_id = $4 AND o.state IN ('paid', 'fulfilled')
           AND earlier.paid_at > greatest(own.begun_at, t.begun_at) AND (
             EXISTS (SELECT FROM audit_log a WHERE a.entity = 'cart' AND a.entity_id = earlier.id
                     AND a.from_state IN ('cancelled', 'expired') AND a.to_state = 'paid' OFFSET 0)
             OR EXISTS (SELECT FROM cart_items i JOIN cart_items j ON j.cart_id = o.id
                        AND coalesce(j.course_id, j.program_id) = coalesce(i.course_id, i.program_id)
                        WHERE i.cart_id = own.id AND i.seats > 0 AND j.seats > 0
                          AND i.access_ended_at IS NULL AND j.access_ended_at IS NULL OFFSET 0))
         ORDER BY o.id LIMIT 1",
        cart.id as _,
        cart.email.as_str(),
        cart.buyer,
        cart.organisation_id as _,
    )
    .fetch_optional(db)
    .await?)
}
