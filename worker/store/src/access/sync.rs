//! The lease that lets one job at a time sync an enrollment with the course platform, and the outcome of the sync.
//!
//! Why: `docs/decisions/unanswered-calls.md`

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use shared::about;
use shared::course_mode::CourseMode;
use shared::db::Db;
use shared::ids::{CartId, EnrollmentId, LearnerId};
use shared::words::{EnrollmentStatus as State, PlatformState};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;
use crate::plumbing::audit;

/// Time of a lease, twice [`CALLS`]: during it, no call made under an earlier lease can still reach the platform.
const LEASE: TimeDelta = TimeDelta::seconds(30);

/// Number of failures in a row after which the worker takes the LMS to fail at this one enrollment, and raises an alert.
pub const FAILURES_BEFORE_ALERT: i32 = 5;

/// Time limit for all platform calls of one sync together.
pub const CALLS: Duration = Duration::from_secs(15);

/// The version of an enrollment that the platform should agree with.
#[derive(Clone)]
pub struct Task {
    pub id: EnrollmentId,
    pub learner_id: LearnerId,
    /// The platform's user id of the learner, which never changes.
    pub platform_user_id: i64,
    pub version: i32,
    pub lease: DateTime<Utc>,
    /// Indicates whether the learner should have access.
    pub enrolled: bool,
    pub mode: CourseMode,
    /// The modes that the platform may have stored: the last one it confirmed, and all later ones. Only a removal
    /// needs them.
    pub modes: Vec<CourseMode>,
    pub username: String,
    pub course_key: String,
    /// Indicates whether it was paid, or granted by a partner: then the sync ignores closed enrollment windows and expired modes.
    pub forced: bool,
    /// Indicates whether the worker must first read what the platform has.
    pub is_unseen: bool,
    /// Indicates whether only what the platform gave is left. The worker must first read whether the platform still gives it.
    pub falls_back: bool,
}

/// The result of asking for the sync lease of an enrollment.
pub enum Lease {
    /// No sync is needed.
    Done,
    /// Another job holds the lease.
    Busy,
    Held(Task),
}

/// The result of a sync.
#[derive(Debug)]
pub enum Outcome {
    Synced,
    /// The platform refused for good, or our policy keeps the access. `reason` can repeat the platform's text, which can name
    /// the learner: it is stored with the enrollment and shown to its caller, and belongs in no log and no alert.
    Refused {
        status: Option<u16>,
        reason: String,
    },
}

impl Outcome {
    /// The reason of a refusal; None after a sync.
    pub fn refusal(self) -> Option<String> {
        match self {
            Self::Synced => None,
            Self::Refused { reason, .. } => Some(reason),
        }
    }
}

/// Takes the sync lease of an enrollment, unless the enrollment is in sync or another job holds the lease.
pub async fn lease(db: &Db, id: EnrollmentId, now: DateTime<Utc>) -> JobResult<Lease> {
    let row = sqlx::query!(
        r#"UPDATE enrollments e SET sync_lease_until = $3 FROM courses c, learners l
           WHERE e.id = $1 AND c.id = e.course_id AND l.id = e.learner_id AND e.platform_state = 'queued'
             AND (e.sync_lease_until IS NULL OR e.sync_lease_until <= $2)
           RETURNING e.version, (SELECT g.cart_id FROM enrollment_grants g WHERE g.enrollment_id = e.id AND g.cart_id IS NOT NULL
                                 ORDER BY g.granted_at DESC LIMIT 1) AS "cart_id: CartId",
             e.sync_lease_until AS "lease!", e.state AS "state: State",
             e.mode AS "mode: CourseMode", l.id AS learner_id, l.platform_user_id,
             l.username, c.openedx_course_id,
             EXISTS (SELECT FROM enrollment_grants g WHERE g.enrollment_id = e.id AND g.ended_at IS NULL
                     AND g.source IN ('partner', 'cart', 'platform')) AS "forced!",
             platform_is_unseen(e) AS "is_unseen!",
             e.state = 'enrolled' AND NOT EXISTS (SELECT FROM enrollment_grants g
                     WHERE g.enrollment_id = e.id AND g.ended_at IS NULL AND g.source <> 'platform')
                 AND EXISTS (SELECT FROM enrollment_grants g WHERE g.enrollment_id = e.id AND g.source <> 'platform'
                     AND g.ended_at > coalesce(e.platform_seen_at, '-infinity')) AS "falls_back!",
             e.platform_mode || ARRAY(
                 SELECT DISTINCT a.detail ->> 'to_mode' FROM audit_log a
                 WHERE a.entity = 'enrollment' AND a.entity_id = e.id AND e.state = 'removed'
                   AND a.at >= coalesce(e.platform_synced_at, '-infinity')) AS "modes!: Vec<Option<CourseMode>>""#,
        id as _, now, now + LEASE,
    )
    .fetch_optional(db)
    .await?;
    let Some(row) = row else {
        return Ok(if is_needed(db, id).await? { Lease::Busy } else { Lease::Done });
    };
    if let Some(cart_id) = row.cart_id {
        about::cart(cart_id);
    }
    Ok(Lease::Held(Task {
        id,
        learner_id: row.learner_id,
        platform_user_id: row.platform_user_id,
        version: row.version,
        lease: row.lease,
        enrolled: row.state == State::Enrolled,
        mode: row.mode,
        modes: row.modes.into_iter().flatten().collect(),
        username: row.username,
        course_key: row.openedx_course_id,
        forced: row.forced,
        is_unseen: row.is_unseen,
        falls_back: row.falls_back,
    }))
}

/// Returns how many platform calls a sync takes. A removal reads the enrollment first.
pub fn calls(is_enrolled: bool) -> i32 {
    if is_enrolled { 1 } else { 2 }
}

/// Returns whether an enrollment waits for a sync.
async fn is_needed(db: &Db, id: EnrollmentId) -> JobResult<bool> {
    let needed = sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM enrollments WHERE id = $1 AND platform_state = 'queued' AND learner_id IS NOT NULL) AS "needed!""#,
        id as _,
    );
    Ok(needed.fetch_one(db).await?)
}

/// Takes enrollments that have waited long for a sync: their messages were lost, or wait for the longest retry delay.
/// An enrollment with repeated failures is taken ever less often, down to every three hours. Records the time of this
/// attempt.
pub async fn take_unconfirmed(
    db: &mut PgConnection,
    before: DateTime<Utc>,
    now: DateTime<Utc>,
    limit: i64,
) -> JobResult<Vec<EnrollmentId>> {
    Ok(sqlx::query_scalar!(
        "UPDATE enrollments SET sync_requested_at = $2 WHERE id = ANY (ARRAY(
             SELECT id FROM enrollments WHERE platform_state = 'queued' AND learner_id IS NOT NULL AND NOT sync_held_back
               AND greatest(sync_requested_at, updated_at)
                   <= $1::timestamptz - least(interval '40 minutes' * (2 ^ greatest(least(sync_failures, 12) - 4, 0) - 1), interval '2 hours')
               AND (sync_lease_until IS NULL OR sync_lease_until <= $2)
             ORDER BY updated_at LIMIT $3 FOR UPDATE SKIP LOCKED))
         RETURNING id",
        before,
        now,
        limit,
    )
    .fetch_all(db)
    .await?)
}

/// Returns whether fewer enrollments than this limit have waited for the platform since this time or a later one. Those
/// of batches wait from the turn of their batch on; those that fail again and again do not count.
///
/// # Errors
/// The database is unavailable.
pub async fn is_backlog_below(db: &mut PgConnection, limit: i64, since: DateTime<Utc>) -> JobResult<bool> {
    let waiting = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (
               SELECT FROM enrollments WHERE platform_state = 'queued' AND learner_id IS NOT NULL AND NOT sync_held_back
                 AND sync_failures < $2 AND updated_at >= $3
               ORDER BY updated_at LIMIT $1) waiting"#,
        limit,
        FAILURES_BEFORE_ALERT,
        since,
    );
    Ok(waiting.fetch_one(db).await? < limit)
}

/// State of an enrollment after the outcome of its sync.
pub struct Confirmed {
    /// False if another sync is needed: the enrollment has changed since, or the lease had expired and another job may have
    /// sent the platform a newer version.
    pub is_current: bool,
    /// Indicates whether a move waits for this confirmation.
    pub ends_move: bool,
    /// Indicates whether a payment of the enrollment has an alert, which this confirmation may end.
    pub has_alert: bool,
}

/// Records the outcome for the version that was synced, and deletes the outbox row `message` of this sync.
///
/// # Errors
/// The database is unavailable.
pub async fn confirm(
    db: &Db,
    task: &Task,
    outcome: &Outcome,
    message: Option<i64>,
    now: DateTime<Utc>,
) -> JobResult<Confirmed> {
    let (state, reason) = match outcome {
        Outcome::Synced => (PlatformState::Synced, None),
        Outcome::Refused { reason, .. } => (PlatformState::Refused, Some(reason.as_str())),
    };
    let confirmed = sqlx::query_as!(
        Confirmed,
        r#"WITH done AS (
               DELETE FROM outbox WHERE id = $9
                 AND EXISTS (SELECT FROM enrollments WHERE id = $1 AND sync_lease_until = $2)),
           -- A retry overwrites the verdict, and the order's history still shows it, without the platform's text, which can name a person.
           noted AS (
               INSERT INTO audit_log (at, entity, entity_id, actor, command_id, to_state, detail, trace)
               SELECT $6, 'enrollment', id, 'system', $10, 'refused', '{}', $11
               FROM enrollments WHERE id = $1 AND sync_lease_until = $2 AND version = $3 AND $4 = 'refused')
           UPDATE enrollments SET platform_version = $3, sync_lease_until = NULL, sync_failures = 0, updated_at = $6,
               platform_state = CASE WHEN version = $3 THEN $4 ELSE 'queued' END,
               platform_reason = CASE WHEN version = $3 THEN $5 END,
               platform_mode = CASE WHEN $4 = 'synced' AND $7 THEN $8 ELSE platform_mode END,
               platform_synced_at = CASE WHEN $4 = 'synced' THEN $6 ELSE platform_synced_at END
           WHERE id = $1 AND sync_lease_until = $2
           RETURNING version = $3 AS "is_current!",
               platform_state = 'synced' AND EXISTS (
                   SELECT FROM enrollment_grants g JOIN moves m ON m.to_grant = g.id AND m.done_at IS NULL AND m.withdrawn_at IS NULL
                   WHERE g.enrollment_id = enrollments.id AND g.ended_at IS NULL) AS "ends_move!",
               platform_state = 'synced' AND EXISTS (
                   SELECT FROM enrollment_grants g JOIN carts c ON c.id = g.cart_id LEFT JOIN vouchers v ON v.id = c.voucher_id
                   JOIN transactions t ON t.cart_id IN (c.id, v.cart_id)
                   WHERE g.enrollment_id = enrollments.id AND t.alert IS NOT NULL) AS "has_alert!""#,
        task.id as _,
        task.lease,
        task.version,
        state as PlatformState,
        reason,
        now,
        task.enrolled,
        task.mode as CourseMode,
        message,
        Uuid::now_v7(),
        audit::trace(),
    )
    .fetch_optional(db)
    .await?;
    if let Some(confirmed) = confirmed {
        return Ok(confirmed);
    }
    sqlx::query!("UPDATE enrollments SET platform_state = 'queued' WHERE id = $1", task.id as _)
        .execute(db)
        .await?;
    Ok(Confirmed { is_current: false, ends_move: false, has_alert: false })
}

/// Releases the lease after a failed sync. Returns the number of failures in a row.
///
/// # Errors
/// The database is unavailable.
pub async fn failed(db: &Db, task: &Task, now: DateTime<Utc>) -> JobResult<i32> {
    Ok(sqlx::query_scalar!(
        "UPDATE enrollments SET sync_failures = sync_failures + 1, sync_requested_at = $2,
             sync_lease_until = CASE WHEN sync_lease_until = $3 THEN NULL ELSE sync_lease_until END
         WHERE id = $1 RETURNING sync_failures",
        task.id as _,
        now,
        task.lease,
    )
    .fetch_one(db)
    .await?)
}

/// Releases the lease so that the message's retry need not wait for its end. The reconciler leaves the enrollment to
/// the retry.
pub async fn release(db: &Db, task: &Task, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE enrollments SET sync_lease_until = NULL, sync_requested_at = $3
         WHERE id = $1 AND sync_lease_until = $2",
        task.id as _,
        task.lease,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}
