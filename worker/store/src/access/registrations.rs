//! Addresses without an account: their pending enrollments and held carts, their invitations, and what happens when
//! they register.

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::email::Email;
use shared::ids::{EnrollmentId, LearnerId};
use sqlx::PgConnection;

use super::enrollments::{INVITATION_PAUSE, Row, State, Target, change, lock};
use super::periods;
use super::sync_queue::SyncAt;
use super::upgrades;
use crate::error::JobResult;
use crate::plumbing::audit::Cause;

/// Marks for an invitation what waited for the platform to say that it does not know the address; at most one a day for
/// each course. True if there is some.
pub async fn invite_unresolved(db: &mut PgConnection, email: &Email, now: DateTime<Utc>) -> JobResult<bool> {
    let marked = sqlx::query!(
        "UPDATE enrollments SET unresolved = false, invitation_waits = true
         WHERE email = $1 AND unresolved AND state = 'pending_registration' AND (invited_at IS NULL OR invited_at <= $2)",
        email.as_str(),
        now - INVITATION_PAUSE,
    );
    Ok(marked.execute(db).await?.rows_affected() > 0)
}

/// Returns whether a pending enrollment or a held cart waits for the address.
pub async fn is_awaited(db: &Db, email: &Email) -> JobResult<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM enrollments WHERE email = $1 AND state = 'pending_registration')
               OR EXISTS (SELECT FROM carts WHERE email = $1 AND state = 'held') AS "is_awaited!""#,
        email.as_str(),
    )
    .fetch_one(db)
    .await?)
}

/// Enrolls an address that has an account now: each pending enrollment becomes enrolled, in its own mode.
pub async fn resolve(
    db: &mut PgConnection,
    email: &Email,
    learner_id: LearnerId,
    cause: Cause,
) -> JobResult<usize> {
    let courses = sqlx::query_scalar!(
        "SELECT course_id FROM enrollments WHERE email = $1 AND state = 'pending_registration' ORDER BY id",
        email.as_str(),
    )
    .fetch_all(&mut *db)
    .await?;
    for course_id in &courses {
        // Lock the address's row, then the learner's. They are the same, unless the account had another address
        // before.
        let Some(pending) = lock(db, email, None, *course_id).await? else { continue };
        // Another job has enrolled it in the meantime.
        if !pending.state.is_pending() {
            continue;
        }
        let Some(own) = lock(db, email, Some(learner_id), *course_id).await? else { continue };
        if own.id == pending.id {
            let to = Target { state: State::Enrolled, mode: pending.mode, learner_id: Some(learner_id) };
            change(db, &pending, to, SyncAt::Now, cause).await?;
            periods::settle(db, pending.id, cause.now).await?;
        } else {
            merge(db, &pending, &own, cause).await?;
        }
    }
    Ok(courses.len())
}

/// Moves the grants of a pending enrollment to the learner's existing enrollment in the same course.
async fn merge(db: &mut PgConnection, pending: &Row, own: &Row, cause: Cause) -> JobResult<()> {
    upgrades::move_bases(db, pending.id, own.id).await?;
    merge_moved(db, pending.id, own.id, cause.now).await?;
    sqlx::query!(
        "UPDATE enrollment_grants g SET enrollment_id = $2 WHERE enrollment_id = $1 AND ended_at IS NULL
           AND NOT EXISTS (
               SELECT FROM enrollment_grants o
               WHERE o.enrollment_id = $2 AND (o.cart_id = g.cart_id OR o.source = 'partner' AND g.source = 'partner' AND o.ended_at IS NULL))",
        pending.id as _,
        own.id as _,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE enrollment_grants SET ended_at = $2, ended_reason = 'the learner has the same under another address'
         WHERE enrollment_id = $1 AND ended_at IS NULL",
        pending.id as _,
        cause.now,
    )
    .execute(&mut *db)
    .await?;
    let mode = if own.state == State::Enrolled { own.mode.max(pending.mode) } else { pending.mode };
    let to = Target { state: State::Removed, mode: pending.mode, learner_id: None };
    change(db, pending, to, SyncAt::Now, cause).await?;
    let to = Target { state: State::Enrolled, mode, learner_id: own.learner_id };
    change(db, own, to, SyncAt::Now, cause).await?;
    periods::settle(db, own.id, cause.now).await
}

/// Lets grants of a cart whose other grant the learner has already be that one: a move went from one address of the learner to
/// another. If that one has ended, it is live again; otherwise the move has come to nothing.
async fn merge_moved(
    db: &mut PgConnection,
    pending: EnrollmentId,
    own: EnrollmentId,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "WITH pairs AS (
             SELECT p.id AS pending, o.id AS own, o.ended_at IS NOT NULL AS is_ended
             FROM enrollment_grants p JOIN enrollment_grants o ON o.cart_id = p.cart_id AND o.enrollment_id = $2
             WHERE p.enrollment_id = $1 AND p.ended_at IS NULL),
         reopened AS (
             UPDATE enrollment_grants g SET ended_at = NULL, ended_reason = NULL FROM pairs
             WHERE g.id = pairs.own AND pairs.is_ended)
         UPDATE moves m SET to_grant = CASE WHEN pairs.is_ended THEN pairs.own ELSE m.to_grant END,
             withdrawn_at = CASE WHEN NOT pairs.is_ended THEN $3::timestamptz END
         FROM pairs WHERE m.to_grant = pairs.pending AND m.done_at IS NULL AND m.withdrawn_at IS NULL",
        pending as _,
        own as _,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// An address with pending enrollments or held carts.
pub struct WaitingAddress {
    pub email: String,
    /// The platform did not say whether it knows the address, so no invitation was sent.
    pub unresolved: bool,
}

/// Progress of the searches for addresses that wait.
pub struct Searches {
    /// What was due up to this time has been searched.
    pub searched_to: DateTime<Utc>,
    /// Since when the address that waits longest does.
    pub oldest: DateTime<Utc>,
}

/// The progress of the searches; None if no address waits.
pub async fn searches(db: &Db) -> JobResult<Option<Searches>> {
    Ok(sqlx::query_as!(
        Searches,
        r#"SELECT searched_to, oldest AS "oldest!" FROM registration_searches, LATERAL (SELECT least(
               (SELECT min(updated_at) FROM enrollments WHERE state = 'pending_registration'),
               (SELECT min(created_at) FROM carts WHERE state = 'held')) AS oldest) waiting
           WHERE oldest IS NOT NULL"#,
    )
    .fetch_optional(db)
    .await?)
}

/// Records that what was due up to this time has been searched.
pub async fn searched(db: &Db, to: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!("UPDATE registration_searches SET searched_to = $1 WHERE searched_to < $1", to)
        .execute(db)
        .await?;
    Ok(())
}

/// The addresses for which something waits since one of these times, in order, after the last one of the previous batch: since a time
/// after `after[i]`, and not after `until[i]`.
pub async fn waiting_addresses(
    db: &Db,
    after: &[DateTime<Utc>],
    until: &[DateTime<Utc>],
    last: &str,
    limit: i64,
) -> JobResult<Vec<WaitingAddress>> {
    Ok(sqlx::query_as!(
        WaitingAddress,
        // Each OFFSET leaves the planner only the way by the key: it would read all that wait, once.
        r#"SELECT email AS "email!", EXISTS (
               SELECT FROM enrollments e
               WHERE e.email = waiting.email AND e.state = 'pending_registration' AND e.unresolved OFFSET 0) AS "unresolved!"
           FROM (
               SELECT e.email FROM unnest($1::timestamptz[], $2::timestamptz[]) due (after, until) CROSS JOIN LATERAL (
                   SELECT email FROM enrollments
                   WHERE state = 'pending_registration' AND updated_at > due.after AND updated_at <= due.until OFFSET 0) e
               UNION
               SELECT c.email FROM unnest($1, $2) due (after, until) CROSS JOIN LATERAL (
                   SELECT email FROM carts WHERE state = 'held' AND created_at > due.after AND created_at <= due.until OFFSET 0) c
           ) waiting WHERE email > $3 ORDER BY email LIMIT $4"#,
        after,
        until,
        last,
        limit,
    )
    .fetch_all(db)
    .await?)
}
