//! The records of enrollments: their rows, what is granted to them, and the one function that changes their state or mode.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use shared::course_mode::CourseMode;
use shared::email::Email;
use shared::ids::{CartId, EnrollmentId, LearnerId};
use sqlx::PgConnection;
use texts::Language;
use uuid::Uuid;

use super::sync_queue::{self, SyncAt};
use crate::error::JobResult;
use crate::model::line::CourseGrant;
use crate::plumbing::audit::{self, Cause, Change, Entity};

pub use shared::words::{EnrollmentStatus as State, PlatformState};

/// Minimum time between two invitations of an address to the same course.
pub(crate) const INVITATION_PAUSE: TimeDelta = TimeDelta::days(1);

/// Account of the address at the course platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    Learner(LearnerId),
    /// The platform has no account with this address.
    Unknown,
    /// The platform did not answer. The address is not invited until it does.
    Unresolved,
}

impl Holder {
    /// The learner, if the address has an account.
    pub fn learner(self) -> Option<LearnerId> {
        match self {
            Self::Learner(id) => Some(id),
            Self::Unknown | Self::Unresolved => None,
        }
    }
}

/// Source of the access.
#[derive(Clone, Copy, Debug, strum::IntoStaticStr)]
pub enum Source {
    #[strum(serialize = "partner")]
    Partner,
    /// The course platform gave it by itself.
    #[strum(serialize = "platform")]
    Platform,
    #[strum(serialize = "free")]
    FreeCart(CartId),
    #[strum(serialize = "cart")]
    PaidCart(CartId),
}

impl Source {
    /// The cart that gives the access, if it is one.
    pub(crate) fn cart(self) -> Option<CartId> {
        match self {
            Self::Partner | Self::Platform => None,
            Self::FreeCart(id) | Self::PaidCart(id) => Some(id),
        }
    }
}

/// Grants of courses to an address, for one reason.
pub struct Grants<'a> {
    pub email: &'a Email,
    pub holder: Holder,
    pub source: Source,
    /// Each course once, ordered by id: the order in which they are locked.
    pub courses: &'a [CourseGrant],
    /// In which an address without an account is invited, as far as it is known.
    pub language: Option<&'a Language>,
    pub sync_at: SyncAt,
}

/// The result of the grant of one course.
pub struct Granted {
    pub enrollment_id: EnrollmentId,
    /// Enrolled or pending.
    pub state: State,
    /// The outbox row of the `SyncEnrollment` message; None if the platform is already in agreement, or the sync waits for the turn
    /// of a batch.
    pub sync: Option<i64>,
    /// The caller must have `invitations` send one: the address has no account and was not invited to this course within
    /// a day.
    pub invite: bool,
}

pub(crate) struct Row {
    pub id: EnrollmentId,
    pub learner_id: Option<LearnerId>,
    pub state: State,
    pub mode: CourseMode,
    pub platform_state: PlatformState,
    pub invited_at: Option<DateTime<Utc>>,
    /// Indicates whether its sync waits for the turn of a batch.
    pub sync_held_back: bool,
}

/// Queries that return rows of enrollments. A macro, so that the columns are written once and the compiler still checks each
/// query.
macro_rules! enrollment_rows {
    ($before:literal, columns, $after:literal, $($value:expr),+ $(,)?) => {
        sqlx::query_as!(
            Row,
            $before
                + r#" id, learner_id, state AS "state: State", mode AS "mode: CourseMode",
                      platform_state AS "platform_state: PlatformState", invited_at, sync_held_back "#
                + $after,
            $($value),+
        )
    };
}

pub(crate) use enrollment_rows;

/// Locks and returns the enrollment's row. If two rows match because a learner's address has changed, returns the
/// learner's. Never returns the row of another learner under the same address.
pub(crate) async fn lock(
    db: &mut PgConnection,
    email: &Email,
    learner_id: Option<LearnerId>,
    course_id: Uuid,
) -> Result<Option<Row>, sqlx::Error> {
    enrollment_rows!(
        "SELECT",
        columns,
        "FROM enrollments WHERE course_id = $1
           AND (learner_id = $3 OR email = $2 AND ($3::uuid IS NULL OR learner_id IS NULL))
         ORDER BY learner_id = $3 DESC NULLS LAST, id LIMIT 1 FOR UPDATE",
        course_id,
        email.as_str(),
        learner_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Result of [`change`] for a row.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub state: State,
    pub mode: CourseMode,
    pub learner_id: Option<LearnerId>,
}

/// Updates the row, writes the audit record, and queues a sync if a learner has the enrollment. Returns the outbox row of the
/// sync's message, if it has one.
pub(crate) async fn change(
    db: &mut PgConnection,
    row: &Row,
    to: Target,
    sync_at: SyncAt,
    cause: Cause,
) -> JobResult<Option<i64>> {
    sqlx::query!(
        "UPDATE enrollments SET state = $2, mode = $3, learner_id = $4, version = version + 1,
             platform_state = 'queued', platform_reason = NULL, sync_held_back = $6, updated_at = $5 WHERE id = $1",
        row.id as _,
        to.state as State,
        to.mode as CourseMode,
        to.learner_id as _,
        cause.now,
        to.learner_id.is_some() && sync_at.is_held_back(),
    )
    .execute(&mut *db)
    .await?;
    let detail = json!({ "from_mode": row.mode, "to_mode": to.mode });
    let (from, to_state) = (Some(row.state.into()), to.state.into());
    let entry = Change { entity: Entity::Enrollment, id: row.id.into(), from, to: to_state, detail };
    audit::record(db, cause, entry).await?;
    if to.learner_id.is_none() {
        return Ok(None);
    }
    if to.state == State::Enrolled {
        remember_member(db, row.id, to.learner_id).await?;
    }
    sync_queue::push(db, row.id, to.state, sync_at, cause.now).await
}

/// An enrollment in a course makes the learner a member of the course's organisation, unless the platform alone gave it.
async fn remember_member(
    db: &mut PgConnection,
    id: EnrollmentId,
    learner_id: Option<LearnerId>,
) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO organisation_members (organisation_id, learner_id)
         SELECT c.organisation_id, $2 FROM enrollments e JOIN courses c ON c.id = e.course_id
         WHERE e.id = $1 AND EXISTS (SELECT FROM enrollment_grants g
             WHERE g.enrollment_id = e.id AND g.ended_at IS NULL AND g.source <> 'platform')
         ON CONFLICT DO NOTHING",
        id as _,
        learner_id as _,
    )
    .execute(db)
    .await?;
    Ok(())
}
