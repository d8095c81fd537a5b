//! Access that the course platform gave a learner by itself: before the worker's first change, or since. It is recorded as a
//! grant of its own kind, to which the end of a purchase falls back.

use chrono::{DateTime, Utc};
use shared::course_mode::CourseMode;
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CourseKey, EnrollmentId, LearnerId};
use sqlx::PgConnection;
use uuid::Uuid;

use super::bought_access;
use super::enrollments;
use super::platform_grants;
use super::records::{Grants, Holder, Source};
use super::sync::Task;
use super::sync_queue::SyncAt;
use crate::error::{JobError, JobResult};
use crate::model::line::CourseGrant;
use crate::plumbing::audit::{Actor, Cause};
use crate::plumbing::locks::{self, Lock};

/// Records what the worker saw at the platform before a change: the mode of the learner's active enrollment there, or None. True if
/// that has changed nothing else, so that the task and its lease hold.
///
/// # Errors
/// The database is unavailable.
pub async fn record(db: &Db, task: &Task, found: Option<&str>, now: DateTime<Utc>) -> JobResult<bool> {
    if found.is_none() && !task.falls_back && look_in_vain(db, task, now).await? {
        return Ok(true);
    }
    let mut tx = db.begin().await?;
    // Not earlier than any end of a grant, whichever clock has written that.
    let looked = sqlx::query!(
        "UPDATE enrollments e SET platform_seen_at = greatest($3, (
             SELECT max(g.ended_at) FROM enrollment_grants g WHERE g.enrollment_id = e.id))
         WHERE e.id = $1 AND e.sync_lease_until = $2",
        task.id as _,
        task.lease,
        now,
    );
    // Otherwise another job holds the lease, and has looked itself.
    if looked.execute(&mut *tx).await?.rows_affected() > 0 {
        let cause = Cause { actor: Actor::System, command_id: task.id.into(), now };
        match found {
            None => end(&mut tx, task.id, cause).await?,
            // The mode that a purchase gave until it ended.
            Some(mode) if task.falls_back && was_given(&mut tx, task.id, mode).await? => {}
            Some(mode) => {
                if let Ok(mode) = mode.parse() {
                    hold(&mut tx, task.id, mode, cause).await?;
                }
            }
        }
    }
    tx.commit().await?;
    Ok(false)
}

/// Records that the platform has given nothing. False, without an effect, if it had, or if another job holds the lease.
async fn look_in_vain(db: &Db, task: &Task, now: DateTime<Utc>) -> JobResult<bool> {
    let looked = sqlx::query!(
        "UPDATE enrollments e SET platform_seen_at = greatest($3, (
             SELECT max(g.ended_at) FROM enrollment_grants g WHERE g.enrollment_id = e.id))
         WHERE e.id = $1 AND e.sync_lease_until = $2 AND NOT EXISTS (
             SELECT FROM enrollment_grants g WHERE g.enrollment_id = e.id AND g.source = 'platform' AND g.ended_at IS NULL)",
        task.id as _,
        task.lease,
        now,
    );
    Ok(looked.execute(db).await?.rows_affected() == 1)
}

/// Returns whether the storefront itself has ever given this mode.
async fn was_given(db: &mut PgConnection, id: EnrollmentId, mode: &str) -> JobResult<bool> {
    let given = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM enrollment_grants WHERE enrollment_id = $1 AND source <> 'platform' AND mode = $2) AS "given!""#,
        id as _,
        mode,
    );
    Ok(given.fetch_one(db).await?)
}

/// A learner and a course on record, and the learner's enrollment in it.
pub struct Subject {
    pub learner_id: LearnerId,
    pub platform_user_id: i64,
    pub username: String,
    course_id: Uuid,
    email: Email,
    /// The version of the enrollment; None without one.
    version: Option<i32>,
    /// The modes that the storefront gave.
    own: Vec<CourseMode>,
    /// The mode that the platform gave.
    held: Option<CourseMode>,
    /// Indicates whether a sync with the platform waits.
    pub is_queued: bool,
    /// Indicates whether the platform refused the last change.
    is_refused: bool,
}

impl Subject {
    /// Returns whether the record would change if the platform had this mode: that of an active enrollment, or None. A single
    /// enrollment by the storefront makes the LMS send events of each mode on its way, none of which is worth a call.
    pub fn differs_from(&self, mode: Option<CourseMode>) -> bool {
        // Access that the platform refused to end or to lower is not its own gift.
        if self.is_refused && self.own.is_empty() {
            return false;
        }
        let own = self.own.iter().copied().max();
        match mode {
            None => self.held.is_some(),
            Some(_) => mode != self.held && (mode > own || self.held > own),
        }
    }
}

/// Returns what is on record about an account and a course; None if either is unknown.
///
/// # Errors
/// The database is unavailable.
pub async fn subject(db: &Db, platform_user_id: i64, course: &CourseKey) -> JobResult<Option<Subject>> {
    Ok(sqlx::query_as!(
        Subject,
        r#"SELECT l.id AS learner_id, l.platform_user_id, l.username, c.id AS course_id, l.email AS "email!: Email", e.version AS "version?",
               ARRAY(SELECT g.mode FROM enrollment_grants g WHERE g.enrollment_id = e.id AND g.ended_at IS NULL
                   AND g.source <> 'platform') AS "own!: Vec<CourseMode>",
               (SELECT g.mode FROM enrollment_grants g WHERE g.enrollment_id = e.id AND g.ended_at IS NULL
                   AND g.source = 'platform') AS "held: CourseMode",
               coalesce(e.platform_state = 'queued', false) AS "is_queued!",
               coalesce(e.platform_state = 'refused', false) AS "is_refused!"
           FROM learners l CROSS JOIN courses c LEFT JOIN enrollments e ON e.learner_id = l.id AND e.course_id = c.id
           WHERE l.platform_user_id = $1 AND l.email IS NOT NULL AND c.openedx_course_id = $2"#,
        platform_user_id,
        course.as_str(),
    )
    .fetch_optional(db)
    .await?)
}

/// Brings the record in line with what the platform has: the mode of the learner's active enrollment, or None.
///
/// The storefront's own grants stay, even if the platform has a lower mode or none.
///
/// # Errors
/// `Retry` if the enrollment has changed since it was read, or waits for a sync.
pub async fn keep(
    db: &mut PgConnection,
    subject: &Subject,
    found: Option<CourseMode>,
    cause: Cause,
) -> JobResult<()> {
    let email = &subject.email;
    locks::take(db, &[Lock::Learner(email), Lock::Enrollment(email, subject.course_id)]).await?;
    if !is_on_record(db, subject).await? {
        return Ok(());
    }
    let row = sqlx::query!(
        r#"SELECT id AS "id: EnrollmentId", version, platform_state = 'queued' AS "is_queued!" FROM enrollments
           WHERE learner_id = $1 AND course_id = $2 FOR UPDATE"#,
        subject.learner_id as _,
        subject.course_id,
    )
    .fetch_optional(&mut *db)
    .await?;
    let is_queued = row.as_ref().is_some_and(|row| row.is_queued);
    if is_queued || row.as_ref().map(|row| row.version) != subject.version {
        return Err(JobError::Retry("the enrollment is changing".into()));
    }
    if !subject.differs_from(found) {
        return Ok(());
    }
    let own = subject.own.iter().copied().max();
    let id = match (row, found) {
        (Some(row), Some(mode)) if own < Some(mode) => {
            hold(db, row.id, mode, cause).await?;
            row.id
        }
        (Some(row), _) => {
            end(db, row.id, cause).await?;
            row.id
        }
        (None, Some(mode)) => first(db, subject, mode, cause).await?,
        (None, None) => return Ok(()),
    };
    confirm(db, id, found, cause.now).await
}

/// Returns whether the learner still has the address. The learner may have been erased since, or the address moved.
async fn is_on_record(db: &mut PgConnection, subject: &Subject) -> JobResult<bool> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM learners WHERE id = $1 AND email = $2) AS "found!""#,
        subject.learner_id as _,
        subject.email.as_str(),
    );
    Ok(found.fetch_one(db).await?)
}

/// Records a mode that the platform gave as a grant.
async fn hold(db: &mut PgConnection, id: EnrollmentId, mode: CourseMode, cause: Cause) -> JobResult<()> {
    platform_grants::insert(db, id, mode, cause.now).await?;
    bought_access::settle_rows(db, &[id], SyncAt::Now, cause).await.map(drop)
}

/// Ends what the platform gave, because it is over there.
async fn end(db: &mut PgConnection, id: EnrollmentId, cause: Cause) -> JobResult<()> {
    sqlx::query!(
        "UPDATE enrollment_grants SET ended_at = $2, ended_reason = 'ended at the platform'
         WHERE enrollment_id = $1 AND source = 'platform' AND ended_at IS NULL",
        id as _,
        cause.now,
    )
    .execute(&mut *db)
    .await?;
    bought_access::settle_rows(db, &[id], SyncAt::Now, cause).await.map(drop)
}

async fn first(
    db: &mut PgConnection,
    subject: &Subject,
    mode: CourseMode,
    cause: Cause,
) -> JobResult<EnrollmentId> {
    let course = CourseGrant { course_id: subject.course_id, mode, rests_on: None };
    let grants = Grants {
        email: &subject.email,
        holder: Holder::Learner(subject.learner_id),
        source: Source::Platform,
        courses: &[course],
        language: None,
        sync_at: SyncAt::Now,
    };
    let granted = enrollments::grant(db, &grants, cause).await?;
    granted.first().map(|granted| granted.enrollment_id).ok_or_else(|| JobError::Retry("not granted".into()))
}

/// Marks an enrollment that is now what the platform has as confirmed: the sync that the change has queued finds nothing to do.
/// A learner who has left the course is not enrolled again. A later purchase asks the platform all the same.
async fn confirm(
    db: &mut PgConnection,
    id: EnrollmentId,
    found: Option<CourseMode>,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "UPDATE enrollments SET platform_state = 'synced', platform_reason = NULL, platform_version = version,
             platform_mode = coalesce($2, platform_mode), platform_synced_at = $3
         WHERE id = $1 AND ($2::text IS NULL OR state = 'enrolled' AND mode = $2)",
        id as _,
        found as Option<CourseMode>,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}
