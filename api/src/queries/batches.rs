//! Queries for batches of enrollments, removals and assigned seats.

use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::db::Db;
use shared::ids::{OrganisationId, VoucherId};
use shared::messages::BatchAction;
use shared::words::EnrollmentOutcome;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::ApiResult;
use crate::words::{BatchRowStatus, PlatformState};

/// Progress of a batch.
pub struct Batch {
    pub id: Uuid,
    pub total: i32,
    pub is_done: bool,
    pub done: i64,
    pub failed: i64,
}

/// One row of a batch.
#[derive(Debug, Serialize, ToSchema)]
pub struct BatchRow {
    /// Counted from 1, without the header row of a CSV.
    #[schema(minimum = 1)]
    row: i32,
    /// As it was sent, if it is no address.
    #[schema(example = "ada@example.com")]
    email: String,
    course_id: Option<Uuid>,
    mode: Option<String>,
    action: BatchAction,
    status: BatchRowStatus,
    /// Result of the row; null unless it is done.
    enrollment_state: Option<EnrollmentOutcome>,
    /// Indicates whether the course platform agrees by now; null unless the row is done and there is an enrollment.
    platform_state: Option<PlatformState>,
    /// Reason why the row has failed, or why the course platform has refused what it has led to.
    message: Option<String>,
}

/// Place where a reader looks for a batch.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Among all batches of enrollments and removals.
    Anywhere,
    /// Among those that the staff of an organisation has submitted.
    Organisation(OrganisationId),
    /// Among those that assign the seats of a pool.
    Pool(VoucherId),
}

/// A batch that was submitted after a time; None if there is none at this place.
pub async fn find(db: &Db, id: Uuid, place: Place, after: DateTime<Utc>) -> ApiResult<Option<Batch>> {
    let (organisation, pool) = match place {
        Place::Anywhere => (None, None),
        Place::Organisation(id) => (Some(id), None),
        Place::Pool(id) => (None, Some(id)),
    };
    Ok(sqlx::query_as!(
        Batch,
        r#"SELECT b.id, b.total, b.done_at IS NOT NULL AS "is_done!", r.done AS "done!", r.failed AS "failed!"
           FROM batches b, LATERAL (
               SELECT count(*) FILTER (WHERE state = 'done') AS done, count(*) FILTER (WHERE state = 'failed') AS failed
               FROM batch_rows WHERE batch_id = b.id) r
           WHERE b.id = $1 AND b.created_at > $2 AND b.voucher_id IS NOT DISTINCT FROM $3
             AND ($4::uuid IS NULL OR b.organisation_id = $4)"#,
        id,
        after,
        pool as _,
        organisation as _,
    )
    .fetch_optional(db)
    .await?)
}

/// A batch in the list of an organisation.
pub struct Recent {
    pub id: Uuid,
    pub total: i32,
    pub is_done: bool,
    pub failed: i64,
    pub created_at: DateTime<Utc>,
}

/// The last 200 batches that the staff of an organisation has submitted after a time, newest first.
pub async fn recent(
    db: &Db,
    organisation_id: OrganisationId,
    after: DateTime<Utc>,
) -> ApiResult<Vec<Recent>> {
    Ok(sqlx::query_as!(
        Recent,
        r#"SELECT b.id, b.total, b.done_at IS NOT NULL AS "is_done!", b.created_at,
                  (SELECT count(*) FROM batch_rows WHERE batch_id = b.id AND state = 'failed') AS "failed!"
           FROM batches b WHERE b.organisation_id = $1 AND b.created_at > $2
           ORDER BY b.created_at DESC LIMIT 200"#,
        organisation_id as _,
        after,
    )
    .fetch_all(db)
    .await?)
}

/// Counts the rows of a batch with a state; None counts all.
pub async fn count(db: &Db, id: Uuid, state: Option<BatchRowStatus>) -> ApiResult<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM batch_rows WHERE batch_id = $1 AND ($2::text IS NULL OR state = $2)"#,
        id,
        state.map(<&str>::from),
    )
    .fetch_one(db)
    .await?)
}

/// Rows of a batch in order.
pub async fn rows(
    db: &Db,
    id: Uuid,
    state: Option<BatchRowStatus>,
    limit: i64,
    offset: i64,
) -> ApiResult<Vec<BatchRow>> {
    Ok(sqlx::query_as!(
        BatchRow,
        r#"SELECT r.row, r.email, r.course_id, r.mode, r.action AS "action: BatchAction", r.state AS "status: BatchRowStatus",
                  r.result AS "enrollment_state: EnrollmentOutcome", e.platform_state AS "platform_state?: PlatformState",
                  CASE WHEN e.platform_state = 'refused' AND (SELECT voucher_id IS NULL FROM batches WHERE id = $1) THEN e.platform_reason
                      ELSE r.message END AS message
           FROM batch_rows r
           -- A removal names the address; a grant, what it has granted, which may be under another address by now.
           LEFT JOIN enrollments e ON r.state = 'done' AND (
               e.id = r.enrollment_id OR r.enrollment_id IS NULL AND e.email = r.email AND e.course_id = r.course_id)
           WHERE r.batch_id = $1 AND ($2::text IS NULL OR r.state = $2) ORDER BY r.row LIMIT $3 OFFSET $4"#,
        id,
        state.map(<&str>::from),
        limit,
        offset,
    )
    .fetch_all(db)
    .await?)
}
