//! The queue of syncs: the outbox, or, for the enrollments of a batch, `batch_syncs` until their turn.

use chrono::{DateTime, Utc};
use shared::ids::EnrollmentId;
use shared::messages::SyncEnrollment;
use shared::words::EnrollmentStatus as State;
use sqlx::PgConnection;
use uuid::Uuid;

use super::batch_syncs;
use crate::error::JobResult;
use crate::plumbing::outbox;

/// The time at which the course platform is to learn of a changed enrollment.
#[derive(Clone, Copy, Debug)]
pub enum SyncAt {
    /// The commit.
    Now,
    /// No earlier than this time.
    Time(DateTime<Utc>),
    /// The turn of the batch with this id.
    Turn(Uuid),
}

impl SyncAt {
    /// The time of a message in the outbox; None for at once.
    pub(crate) fn not_before(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Time(at) => Some(at),
            Self::Now | Self::Turn(_) => None,
        }
    }

    /// Returns whether the sync waits for the turn of a batch.
    pub(crate) fn is_held_back(self) -> bool {
        matches!(self, Self::Turn(_))
    }
}

/// Queues the sync of an enrollment whose row is up to date, and which is now in this state. Returns the outbox row of its message;
/// None if it waits for the turn of a batch.
pub(crate) async fn push(
    db: &mut PgConnection,
    enrollment_id: EnrollmentId,
    state: State,
    at: SyncAt,
    now: DateTime<Utc>,
) -> JobResult<Option<i64>> {
    if let SyncAt::Turn(batch) = at {
        batch_syncs::insert(db, batch, &[enrollment_id], state, now).await?;
        return Ok(None);
    }
    outbox::push_at(db, SyncEnrollment { enrollment_id }, now, at.not_before()).await.map(Some)
}

/// Queues the sync of an enrollment that waits for the turn of a batch once more: the caller need not wait for that turn. Returns as
/// [`push`].
pub(crate) async fn push_again(
    db: &mut PgConnection,
    enrollment_id: EnrollmentId,
    state: State,
    at: SyncAt,
    now: DateTime<Utc>,
) -> JobResult<Option<i64>> {
    sqlx::query!(
        "UPDATE enrollments SET sync_held_back = $2, updated_at = $3 WHERE id = $1",
        enrollment_id as _,
        at.is_held_back(),
        now,
    )
    .execute(&mut *db)
    .await?;
    push(db, enrollment_id, state, at, now).await
}
