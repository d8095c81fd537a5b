//! Moves of a line's access to another course or another person. The old access ends once the course platform has confirmed the
//! new one.
//!
//! Why: `docs/decisions/moves.md`

use chrono::{DateTime, Utc};
use serde_json::json;
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::ids::{CartId, EnrollmentId, OrganisationId};
use shared::messages::{AccessMoved, Mail};
use sqlx::PgConnection;
use texts::Language;
use uuid::Uuid;

use super::bought_access::{self, Ended};
use super::movable::{self, Access};
use super::periods;
use super::sync_queue::SyncAt;
use crate::error::JobResult;
use crate::plumbing::audit::{self, Actor, Cause, Change, Entity};
use crate::plumbing::mails;

/// Adds a course to those that a line gives. False if the order has it already.
pub async fn add_course(
    db: &mut PgConnection,
    cart_id: CartId,
    position: i32,
    course_id: Uuid,
    mode: CourseMode,
) -> JobResult<bool> {
    let added = sqlx::query!(
        "INSERT INTO cart_courses (cart_id, course_id, mode, position) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        cart_id as _,
        course_id,
        mode as CourseMode,
        position,
    );
    Ok(added.execute(db).await?.rows_affected() > 0)
}

/// A move to store.
pub struct NewMove<'a> {
    pub id: Uuid,
    pub cart_id: CartId,
    pub position: i32,
    pub from: &'a Access,
    /// The enrollment that the cart has granted in its place.
    pub to: EnrollmentId,
    pub by_learner: bool,
    pub reason: Option<&'a str>,
}

/// Stores a move whose new access is granted. It ends with [`finish`] or [`withdraw`].
pub async fn insert(db: &mut PgConnection, new: &NewMove<'_>, cause: Cause) -> JobResult<()> {
    let course = sqlx::query_scalar!(
        "WITH granted AS (
             SELECT g.id, c.openedx_course_id, CASE WHEN e.learner_id IS NOT NULL AND k.learner_id IS NOT NULL
                 THEN e.learner_id <> k.learner_id ELSE e.email <> k.email END AS to_person
             FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id JOIN courses c ON c.id = e.course_id
             JOIN carts k ON k.id = g.cart_id
             WHERE g.enrollment_id = $5 AND g.cart_id = $2),
         moved AS (
             INSERT INTO moves (id, cart_id, position, from_grant, to_grant, to_person, by_learner, reason, asked_at)
             SELECT $1, $2, $3, $4, granted.id, granted.to_person, $6, $7, $8 FROM granted),
             -- Its days have begun, if they have: those that a new grant to a known account begins with do not count.
             kept AS (UPDATE enrollment_grants g SET begun_at = f.begun_at, ends_at = NULL FROM granted, enrollment_grants f
                      WHERE g.id = granted.id AND f.id = $4 AND f.begun_at IS NOT NULL)
         SELECT openedx_course_id FROM granted",
        new.id,
        new.cart_id as _,
        new.position,
        new.from.grant_id,
        new.to as _,
        new.by_learner,
        new.reason,
        cause.now,
    )
    .fetch_one(&mut *db)
    .await?;
    periods::settle(db, new.to, cause.now).await?;
    // No address, and no words of the buyer: the audit log keeps what it has for good.
    let reason = new.reason.filter(|_| !new.by_learner);
    let detail =
        json!({ "position": new.position, "from": new.from.course_key, "to": course, "reason": reason });
    record(db, new.cart_id, "move_asked", detail, cause).await
}

/// An open move.
struct Open {
    id: Uuid,
    from_grant: Uuid,
    from_course: Uuid,
    from_key: String,
    from_enrollment: EnrollmentId,
    to_grant: Uuid,
    to_course: Uuid,
    to_key: String,
    to_enrollment: EnrollmentId,
    /// The new access is live, and the platform has confirmed it.
    is_confirmed: bool,
}

/// Locks the enrollments of the open move of a line, and reads it. The caller holds the lock of its cart.
async fn open(db: &mut PgConnection, cart_id: CartId, position: i32) -> JobResult<Option<Open>> {
    sqlx::query!(
        "SELECT e.id FROM moves m JOIN enrollment_grants g ON g.id IN (m.from_grant, m.to_grant) JOIN enrollments e ON e.id = g.enrollment_id
         WHERE (m.cart_id, m.position) = ($1, $2) AND m.done_at IS NULL AND m.withdrawn_at IS NULL
         ORDER BY e.course_id, e.id FOR UPDATE OF e",
        cart_id as _,
        position,
    )
    .fetch_all(&mut *db)
    .await?;
    // In a statement of its own: the one above may have waited for a change of these grants.
    Ok(sqlx::query_as!(
        Open,
        r#"SELECT m.id, m.from_grant, old.course_id AS from_course, c.openedx_course_id AS from_key,
                  old.id AS "from_enrollment: EnrollmentId", m.to_grant, new.course_id AS to_course, d.openedx_course_id AS to_key,
                  new.id AS "to_enrollment: EnrollmentId",
                  t.ended_at IS NULL AND new.state = 'enrolled' AND new.platform_state = 'synced' AS "is_confirmed!"
           FROM moves m JOIN enrollment_grants f ON f.id = m.from_grant JOIN enrollments old ON old.id = f.enrollment_id
           JOIN courses c ON c.id = old.course_id JOIN enrollment_grants t ON t.id = m.to_grant
           JOIN enrollments new ON new.id = t.enrollment_id JOIN courses d ON d.id = new.course_id
           WHERE (m.cart_id, m.position) = ($1, $2) AND m.done_at IS NULL AND m.withdrawn_at IS NULL"#,
        cart_id as _,
        position,
    )
    .fetch_optional(db)
    .await?)
}

/// Takes back the open move of a line, if it has one: the new access ends. The caller holds the lock of the cart. `reason` goes
/// into the audit log.
pub async fn withdraw(
    db: &mut PgConnection,
    cart_id: CartId,
    position: i32,
    reason: &str,
    cause: Cause,
) -> JobResult<()> {
    let Some(open) = open(db, cart_id, position).await? else { return Ok(()) };
    sqlx::query!("UPDATE moves SET withdrawn_at = $2 WHERE id = $1", open.id, cause.now)
        .execute(&mut *db)
        .await?;
    let ended = EndedGrant { id: open.to_grant, course: open.to_course, other_course: open.from_course };
    end_grant(db, cart_id, ended, cause).await?;
    bought_access::settle_rows(db, &[open.to_enrollment], SyncAt::Now, cause).await?;
    let detail = json!({ "position": position, "to": open.to_key, "reason": reason });
    record(db, cart_id, "move_withdrawn", detail, cause).await
}

/// A grant that a move takes away.
struct EndedGrant {
    id: Uuid,
    course: Uuid,
    /// The course of the access that stays.
    other_course: Uuid,
}

/// Ends a grant, and takes its course off the line unless the other access is to the same course.
async fn end_grant(db: &mut PgConnection, cart_id: CartId, ended: EndedGrant, cause: Cause) -> JobResult<()> {
    sqlx::query!(
        "UPDATE enrollment_grants SET ended_at = $2, ended_reason = $3 WHERE id = $1 AND ended_at IS NULL",
        ended.id,
        cause.now,
        Ended::Moved as Ended,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "DELETE FROM cart_courses WHERE cart_id = $1 AND course_id = $2 AND course_id <> $3",
        cart_id as _,
        ended.course,
        ended.other_course,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// An open move whose new access the platform has confirmed.
pub struct Confirmed {
    pub cart_id: CartId,
    pub position: i32,
    /// The holder of the old access, whose certificate keeps it; None without an account.
    pub from_username: Option<String>,
    pub from_course_key: String,
}

/// Returns open moves that the platform has confirmed: those to an enrollment, or all of them up to the limit.
pub async fn confirmed(
    db: &mut PgConnection,
    to: Option<EnrollmentId>,
    limit: i64,
) -> JobResult<Vec<Confirmed>> {
    Ok(sqlx::query_as!(
        Confirmed,
        r#"SELECT m.cart_id, m.position, l.username AS "from_username?", c.openedx_course_id AS from_course_key
           FROM moves m JOIN enrollment_grants t ON t.id = m.to_grant JOIN enrollments e ON e.id = t.enrollment_id
           JOIN enrollment_grants f ON f.id = m.from_grant JOIN enrollments old ON old.id = f.enrollment_id
           JOIN courses c ON c.id = old.course_id LEFT JOIN learners l ON l.id = old.learner_id
           WHERE m.done_at IS NULL AND m.withdrawn_at IS NULL AND t.ended_at IS NULL AND ($1::uuid IS NULL OR e.id = $1)
             AND e.state = 'enrolled' AND e.platform_state = 'synced'
           ORDER BY m.asked_at LIMIT $2"#,
        to as _,
        limit,
    )
    .fetch_all(db)
    .await?)
}

/// Completes the open move of a line if the platform has confirmed it: the old access ends. An upgrade that was bought meanwhile
/// keeps the old access, and the move is withdrawn. The caller holds the lock of the cart. False if nothing was completed.
pub async fn finish(
    db: &mut PgConnection,
    cart_id: CartId,
    position: i32,
    now: DateTime<Utc>,
) -> JobResult<bool> {
    let Some(open) = open(db, cart_id, position).await? else { return Ok(false) };
    let cause = Cause { actor: Actor::System, command_id: open.id, now };
    if !open.is_confirmed {
        return Ok(false);
    }
    let live = movable::access(db, cart_id, position).await?;
    if live.iter().any(|access| !access.is_awaited && access.is_upgraded) {
        withdraw(db, cart_id, position, "the old access was upgraded meanwhile", cause).await?;
        return Ok(false);
    }
    sqlx::query!("UPDATE moves SET done_at = $2 WHERE id = $1", open.id, now).execute(&mut *db).await?;
    let ended = EndedGrant { id: open.from_grant, course: open.from_course, other_course: open.to_course };
    end_grant(db, cart_id, ended, cause).await?;
    bought_access::settle_rows(db, &[open.from_enrollment], SyncAt::Now, cause).await?;
    let detail = json!({ "position": position, "from": open.from_key, "to": open.to_key });
    record(db, cart_id, "moved", detail, cause).await?;
    tell_buyer(db, cart_id, &open, now).await?;
    Ok(true)
}

/// Mails the buyer of an order that a move of it is done.
async fn tell_buyer(
    db: &mut PgConnection,
    cart_id: CartId,
    open: &Open,
    now: DateTime<Utc>,
) -> JobResult<()> {
    let row = sqlx::query!(
        r#"SELECT k.email AS "email: Email", k.language AS "language: Language", k.organisation_id AS "organisation_id: OrganisationId",
                  f.display_name AS "from!", t.display_name AS "to!"
           FROM carts k, courses f, courses t WHERE k.id = $1 AND f.id = $2 AND t.id = $3"#,
        cart_id as _,
        open.from_course,
        open.to_course,
    )
    .fetch_one(&mut *db)
    .await?;
    let moved = AccessMoved { organisation_id: row.organisation_id, cart_id, from: row.from, to: row.to };
    mails::push(db, &row.email, Mail::AccessMoved(moved), Some(&row.language), now).await
}

async fn record(
    db: &mut PgConnection,
    cart_id: CartId,
    to: &'static str,
    detail: serde_json::Value,
    cause: Cause,
) -> JobResult<()> {
    audit::record(db, cause, Change { entity: Entity::Cart, id: cart_id.into(), from: None, to, detail })
        .await
}
