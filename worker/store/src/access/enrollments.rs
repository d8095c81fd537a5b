//! Grants courses: an enrollment is the union of its live grants. Every change of state or mode raises the version and queues the
//! next step: a sync with the course platform, or a look-up of the address there.

use chrono::{DateTime, Utc};
use shared::course_mode::CourseMode;
use shared::ids::EnrollmentId;
use shared::messages::ResolveRegistration;
use sqlx::PgConnection;
use uuid::Uuid;

use super::first_grants;
use super::periods;
use super::platform_grants;
use super::sync_queue;
use crate::error::{JobError, JobResult};
use crate::model::line::CourseGrant;
use crate::people::learners;
use crate::plumbing::audit::Cause;
use crate::plumbing::locks::{self, Lock};
use crate::plumbing::outbox;

pub use super::records::{Granted, Grants, Holder, PlatformState, Source, State};
pub(crate) use super::records::{INVITATION_PAUSE, Row, Target, change, lock};

/// Grants courses. A repeated grant changes nothing, except that a partner can change the mode. Locks the learner,
/// whom no other transaction may erase meanwhile, the enrollments, and the invitations of an address without an account.
///
/// # Errors
/// The database is unavailable.
pub async fn grant(db: &mut PgConnection, grants: &Grants<'_>, cause: Cause) -> JobResult<Vec<Granted>> {
    let courses: Vec<Uuid> = grants.courses.iter().map(|course| course.course_id).collect();
    let mut needed = vec![Lock::Learner(grants.email)];
    needed.extend(courses.iter().map(|id| Lock::Enrollment(grants.email, *id)));
    needed.extend((grants.holder == Holder::Unknown).then_some(Lock::Invitations(grants.email)));
    locks::take(db, &needed).await?;
    let mut new = first_grants::insert(db, grants, cause).await?;
    if grants.holder == Holder::Unknown
        && new.len() < courses.len()
        && learners::release_courses(db, grants.email, &courses).await?
    {
        new.extend(first_grants::insert(db, grants, cause).await?);
    }
    let mut granted = Vec::new();
    for course in grants.courses {
        granted.push(match new.remove(&course.course_id) {
            Some(new) => new,
            None => grant_again(db, grants, course, cause).await?,
        });
    }
    let is_pending = granted.iter().any(|granted| granted.state.is_pending());
    if grants.holder == Holder::Unresolved && is_pending {
        outbox::push(db, ResolveRegistration { email: grants.email.clone() }, cause.now).await?;
    }
    Ok(granted)
}

/// Adds a grant to an enrollment that has a row already.
async fn grant_again(
    db: &mut PgConnection,
    grants: &Grants<'_>,
    course: &CourseGrant,
    cause: Cause,
) -> JobResult<Granted> {
    // The row existed, or another transaction inserted it, and the insert waited for that one to commit.
    let row = lock(db, grants.email, grants.holder.learner(), course.course_id).await?;
    let row = row.ok_or_else(|| JobError::Retry("the enrollment is being inserted".into()))?;
    let learner_id = grants.holder.learner().or(row.learner_id);
    add_grant(db, row.id, grants.source, course, cause.now).await?;
    let to = Target {
        state: State::granted(learner_id.is_some()),
        mode: granted_mode(&row, grants.source, course.mode),
        learner_id,
    };
    let unchanged = (row.state, row.mode, row.learner_id) == (to.state, to.mode, to.learner_id);
    // Retry a refused sync: the partner may know that the cause is gone. And what the platform gave may be over there.
    let sync = if !unchanged
        || row.platform_state == PlatformState::Refused
        || platform_grants::was_alone(db, row.id, cause.now).await?
    {
        change(db, &row, to, grants.sync_at, cause).await?
    } else if row.sync_held_back {
        sync_queue::push_again(db, row.id, to.state, grants.sync_at, cause.now).await?
    } else {
        None
    };
    periods::settle(db, row.id, cause.now).await?;
    let granted = Granted { enrollment_id: row.id, state: to.state, sync, invite: false };
    if to.state == State::Enrolled {
        if row.state.is_pending() {
            // The address has an account now, so its other pending enrollments and held carts can continue.
            outbox::push(db, ResolveRegistration { email: grants.email.clone() }, cause.now).await?;
        }
        return Ok(granted);
    }
    let invite = settle_pending(db, &row, grants.holder, cause.now).await?;
    Ok(Granted { invite, ..granted })
}

async fn add_grant(
    db: &mut PgConnection,
    id: EnrollmentId,
    source: Source,
    course: &CourseGrant,
    now: DateTime<Utc>,
) -> JobResult<()> {
    match source {
        Source::Platform => platform_grants::insert(db, id, course.mode, now).await?,
        Source::Partner => {
            sqlx::query!(
                "INSERT INTO enrollment_grants (id, enrollment_id, source, mode, granted_at)
                 VALUES ($1, $2, 'partner', $3, $4)
                 ON CONFLICT (enrollment_id) WHERE source = 'partner' AND ended_at IS NULL
                 DO UPDATE SET mode = excluded.mode",
                Uuid::now_v7(),
                id as _,
                course.mode as CourseMode,
                now,
            )
            .execute(db)
            .await?;
        }
        Source::FreeCart(cart_id) | Source::PaidCart(cart_id) => {
            sqlx::query!(
            "INSERT INTO enrollment_grants (id, enrollment_id, source, cart_id, mode, granted_at, rests_on)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)
                 ON CONFLICT (enrollment_id, cart_id) WHERE cart_id IS NOT NULL
                 DO UPDATE SET ended_at = NULL, ended_reason = NULL",
            Uuid::now_v7(),
            id as _,
            <&str>::from(source),
            cart_id as _,
            course.mode as CourseMode,
            now,
            course.rests_on,
        )
            .execute(db)
            .await?;
        }
    }
    Ok(())
}

/// A partner's grant sets the mode, even to a lower one; any other grant can only raise it.
fn granted_mode(row: &Row, source: Source, mode: CourseMode) -> CourseMode {
    match source {
        Source::Partner => mode,
        _ if row.state == State::Removed => mode,
        _ => row.mode.max(mode),
    }
}

/// Marks the course for an invitation if one is due (true), or for another look-up if the platform did not answer.
async fn settle_pending(
    db: &mut PgConnection,
    row: &Row,
    holder: Holder,
    now: DateTime<Utc>,
) -> JobResult<bool> {
    if holder == Holder::Unresolved {
        sqlx::query!("UPDATE enrollments SET unresolved = true WHERE id = $1", row.id as _)
            .execute(db)
            .await?;
        return Ok(false);
    }
    let due = row.invited_at.is_none_or(|at| at + INVITATION_PAUSE <= now);
    if due {
        sqlx::query!(
            "UPDATE enrollments SET invitation_waits = true, unresolved = false WHERE id = $1",
            row.id as _
        )
        .execute(db)
        .await?;
    }
    Ok(due)
}
