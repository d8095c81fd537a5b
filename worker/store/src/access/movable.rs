//! Facts that decide whether a line can move, and where to.
//!
//! Why: `docs/decisions/moves.md`

use chrono::{DateTime, Utc};
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::ids::{CartId, EnrollmentId, LearnerId, OrganisationId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// A line of an order, as a move sees it.
pub struct Line {
    pub mode: CourseMode,
    /// Price without the voucher, in minor units of the order's currency.
    pub price: i64,
    pub is_program: bool,
    /// Indicates whether it buys seats, or is one.
    pub is_seats: bool,
    pub is_upgrade: bool,
    pub is_ended: bool,
    /// Time when the course that was sold starts.
    pub starts_at: Option<DateTime<Utc>>,
    /// Moves that its buyer has made.
    pub moves_of_buyer: i64,
    /// Moves that its buyer has asked for, also those that were withdrawn.
    pub asked_by_buyer: i64,
}

/// Reads a line of an order; None if there is none at this position.
pub async fn line(db: &mut PgConnection, cart_id: CartId, position: i32) -> JobResult<Option<Line>> {
    Ok(sqlx::query_as!(
        Line,
        r#"SELECT i.mode AS "mode: CourseMode", i.price + i.voucher_discount AS "price!", i.program_id IS NOT NULL AS "is_program!",
                  i.seats IS NOT NULL OR EXISTS (
                      SELECT FROM carts c JOIN vouchers v ON v.id = c.voucher_id AND v.kind = 'seat' WHERE c.id = i.cart_id)
                      AS "is_seats!",
                  i.upgrade_from IS NOT NULL AS "is_upgrade!", i.access_ended_at IS NOT NULL AS "is_ended!",
                  line_starts(i) AS starts_at,
                  (SELECT count(*) FROM moves m WHERE (m.cart_id, m.position) = (i.cart_id, i.position)
                       AND m.by_learner AND m.done_at IS NOT NULL) AS "moves_of_buyer!",
                  (SELECT count(*) FROM moves m WHERE (m.cart_id, m.position) = (i.cart_id, i.position) AND m.by_learner)
                      AS "asked_by_buyer!"
           FROM cart_items i WHERE (i.cart_id, i.position) = ($1, $2)"#,
        cart_id as _,
        position,
    )
    .fetch_optional(db)
    .await?)
}

/// The access that a line gives.
#[derive(Debug, PartialEq, Eq)]
pub struct Access {
    pub grant_id: Uuid,
    pub enrollment_id: EnrollmentId,
    pub course_id: Uuid,
    pub course_key: String,
    pub email: Email,
    /// None while the address has no account.
    pub learner_id: Option<LearnerId>,
    pub username: Option<String>,
    /// Indicates whether it was paid.
    pub is_paid: bool,
    /// Indicates whether an open move gives it.
    pub is_awaited: bool,
    /// Indicates whether the platform has refused it.
    pub is_refused: bool,
    /// Indicates whether an upgrade rests on it.
    pub is_upgraded: bool,
}

/// Returns the live access that a line gives: one, or two while a move is open.
pub async fn access(db: &mut PgConnection, cart_id: CartId, position: i32) -> JobResult<Vec<Access>> {
    Ok(sqlx::query_as!(
        Access,
        r#"SELECT g.id AS grant_id, e.id AS enrollment_id, e.course_id, c.openedx_course_id AS course_key, e.email AS "email: Email",
                  e.learner_id, l.username AS "username?", g.source = 'cart' AS "is_paid!",
                  EXISTS (SELECT FROM moves m WHERE m.to_grant = g.id AND m.done_at IS NULL AND m.withdrawn_at IS NULL)
                      AS "is_awaited!",
                  e.platform_state = 'refused' AS "is_refused!",
                  EXISTS (SELECT FROM enrollment_grants r WHERE r.rests_on = g.id AND r.ended_at IS NULL)
                      OR EXISTS (SELECT FROM cart_items i JOIN carts o ON o.id = i.cart_id
                                 WHERE i.rests_on = g.id AND o.state = 'paid') AS "is_upgraded!"
           FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id JOIN courses c ON c.id = e.course_id
           JOIN cart_courses a ON a.cart_id = g.cart_id AND a.course_id = e.course_id
           LEFT JOIN learners l ON l.id = e.learner_id
           WHERE g.cart_id = $1 AND a.position = $2 AND g.ended_at IS NULL ORDER BY g.granted_at, g.id"#,
        cart_id as _,
        position,
    )
    .fetch_all(db)
    .await?)
}

/// As [`access`]; locks the enrollments first, so that neither the end of a move nor an erasure changes them meanwhile.
pub async fn lock_access(db: &mut PgConnection, cart_id: CartId, position: i32) -> JobResult<Vec<Access>> {
    sqlx::query!(
        "SELECT e.id FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
         WHERE g.cart_id = $1 AND g.ended_at IS NULL ORDER BY e.course_id, e.id FOR UPDATE OF e",
        cart_id as _,
    )
    .fetch_all(&mut *db)
    .await?;
    access(db, cart_id, position).await
}

/// Finds a course of an organisation by its key at the platform.
pub async fn course(
    db: &mut PgConnection,
    organisation: OrganisationId,
    key: &str,
) -> JobResult<Option<Uuid>> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM courses WHERE organisation_id = $1 AND openedx_course_id = $2",
        organisation as _,
        key,
    )
    .fetch_optional(db)
    .await?)
}

/// Returns whether a line was paid with a voucher that is not for a course.
pub async fn is_beyond_voucher(
    db: &mut PgConnection,
    cart_id: CartId,
    position: i32,
    course_id: Uuid,
) -> JobResult<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM cart_items i JOIN carts c ON c.id = i.cart_id JOIN voucher_scope s ON s.voucher_id = c.voucher_id
               WHERE (i.cart_id, i.position) = ($1, $2) AND i.voucher_discount > 0
               HAVING count(*) > 0 AND NOT coalesce(bool_or(s.course_id = $3), false)) AS "beyond!""#,
        cart_id as _,
        position,
        course_id,
    )
    .fetch_one(db)
    .await?)
}

/// Returns whether a person holds a course in a mode or a better one.
pub async fn is_held(
    db: &mut PgConnection,
    email: &Email,
    learner: Option<LearnerId>,
    course_id: Uuid,
    mode: CourseMode,
) -> JobResult<bool> {
    let held = sqlx::query_scalar!(
        r#"SELECT mode AS "mode: CourseMode" FROM enrollments
           WHERE course_id = $1 AND state <> 'removed' AND (learner_id = $3 OR email = $2 AND ($3::uuid IS NULL OR learner_id IS NULL))"#,
        course_id,
        email.as_str(),
        learner as _,
    );
    Ok(held.fetch_all(db).await?.into_iter().any(|held| held >= mode))
}

/// The rights of an organisation's buyers to move a line: days, and how often. None if they have none.
pub async fn terms(db: &mut PgConnection, organisation: OrganisationId) -> JobResult<Option<(i32, i64)>> {
    let terms =
        sqlx::query!("SELECT move_days, moves_allowed FROM organisations WHERE id = $1", organisation as _);
    let terms = terms.fetch_one(db).await?;
    Ok(terms.move_days.map(|days| (days, i64::from(terms.moves_allowed.unwrap_or(1)))))
}
