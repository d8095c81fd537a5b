//! What the course platform gave a learner by itself: before the worker's first change, or since. It is recorded as a grant of
//! its own kind, to which the end of a purchase falls back.

use chrono::{DateTime, Utc};
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::ids::{CourseKey, EnrollmentId, LearnerId};
use sqlx::{Connection, PgConnection, PgPool};
use uuid::Uuid;

use super::bought_access;
use super::enrollments::{self, Grants, Holder, Source};
use super::sync::Task;
use super::sync_queue::SyncAt;
use crate::error::{JobError, JobResult};
use crate::model::line::CourseGrant;
use crate::plumbing::audit::{Actor, Cause};
use crate::plumbing::locks::{self, Lock};

/// Records what the worker saw at the platform before a change: the mode of the learner's active enrollment there, or None.
///
/// # Errors
/// The database is unavailable.
pub async fn record(
    db: &mut PgConnection,
    task: &Task,
    found: Option<&str>,
    now: DateTime<Utc>,
) -> JobResult<()> {
    let mut tx = db.begin().await?;
    let looked = sqlx::query!(
        "UPDATE enrollments SET platform_seen_at = $3 WHERE id = $1 AND sync_lease_until = $2",
        task.id as _,
        task.lease,
        now,
    );
    // Otherwise another job holds the lease, and has looked itself.
    if looked.execute(&mut *tx).await?.rows_affected() > 0 {
        let cause = Cause { actor: Actor::System, command_id: task.id.into(), now };
        match found {
            None if task.falls_back => end(&mut tx, task.id, cause).await?,
            // The mode that a purchase gave until it ended.
            Some(_) if task.falls_back => {}
            found => {
                if let Some(mode) = found.and_then(|mode| mode.parse().ok()) {
                    hold(&mut tx, task.id, mode, cause).await?;
                }
            }
        }
    }
    Ok(tx.commit().await?)
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
    /// Indicates whether the platform refused to end access that has ended on record.
    is_kept: bool,
}

impl Subject {
    /// Returns whether the record would change if the platform had this mode: that of an active enrollment, or None. A single
    /// enrollment by the storefront makes the LMS send events of each mode on its way, none of which is worth a call.
    pub fn differs_from(&self, mode: Option<CourseMode>) -> bool {
        let is_new = match mode {
            None => self.held.is_some(),
            Some(_) => mode != self.held && mode > self.own.iter().copied().max(),
        };
        is_new && !self.is_kept
    }
}

/// Returns what is on record about an account and a course; None if either is unknown.
///
/// # Errors
/// The database is unavailable.
pub async fn subject(db: &PgPool, platform_user_id: i64, course: &CourseKey) -> JobResult<Option<Subject>> {
    Ok(sqlx::query_as!(
        Subject,
        r#"SELECT l.id AS learner_id, l.platform_user_id, l.username, c.id AS course_id, l.email AS "email!: Email", e.version AS "version?",
               ARRAY(SELECT g.mode FROM enrollment_grants g WHERE g.enrollment_id = e.id AND g.ended_at IS NULL
                   AND g.source <> 'platform') AS "own!: Vec<CourseMode>",
               (SELECT g.mode FROM enrollment_grants g WHERE g.enrollment_id = e.id AND g.ended_at IS NULL
                   AND g.source = 'platform') AS "held: CourseMode",
               coalesce(e.platform_state = 'queued', false) AS "is_queued!",
               coalesce(e.state = 'removed' AND e.platform_state = 'refused', false) AS "is_kept!"
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
/// What the storefront gave stays, also if the platform has less of it: it is not the platform's to end.
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
    let row = sqlx::query!(
        r#"SELECT id AS "id: EnrollmentId", version FROM enrollments
           WHERE learner_id = $1 AND course_id = $2 AND platform_state <> 'queued' FOR UPDATE"#,
        subject.learner_id as _,
        subject.course_id,
    )
    .fetch_optional(&mut *db)
    .await?;
    if row.as_ref().map(|row| row.version) != subject.version {
        return Err(JobError::Retry("the enrollment is changing".into()));
    }
    if !subject.differs_from(found) {
        return Ok(());
    }
    let id = match (row, found) {
        (Some(row), Some(mode)) => {
            hold(db, row.id, mode, cause).await?;
            row.id
        }
        (Some(row), None) => {
            end(db, row.id, cause).await?;
            row.id
        }
        (None, Some(mode)) => first(db, subject, mode, cause).await?,
        (None, None) => return Ok(()),
    };
    confirm(db, id, found, cause.now).await
}

/// Records a mode that the platform gave as a grant.
async fn hold(db: &mut PgConnection, id: EnrollmentId, mode: CourseMode, cause: Cause) -> JobResult<()> {
    insert(db, id, mode, cause.now).await?;
    bought_access::settle_rows(db, &[id], cause).await.map(drop)
}

pub(super) async fn insert(
    db: &mut PgConnection,
    id: EnrollmentId,
    mode: CourseMode,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO enrollment_grants (id, enrollment_id, source, mode, granted_at) VALUES ($1, $2, 'platform', $3, $4)
         ON CONFLICT (enrollment_id) WHERE source = 'platform' AND ended_at IS NULL DO UPDATE SET mode = excluded.mode",
        Uuid::now_v7(),
        id as _,
        mode as CourseMode,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
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
    bought_access::settle_rows(db, &[id], cause).await.map(drop)
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
async fn confirm(
    db: &mut PgConnection,
    id: EnrollmentId,
    found: Option<CourseMode>,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "UPDATE enrollments SET platform_state = 'synced', platform_reason = NULL, platform_version = version,
             platform_mode = coalesce($2, platform_mode), platform_synced_at = $3, platform_seen_at = $3
         WHERE id = $1 AND CASE WHEN state = 'enrolled' THEN mode END IS NOT DISTINCT FROM $2",
        id as _,
        found as Option<CourseMode>,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}
