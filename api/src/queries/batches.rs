//! Queries for lists of enrollments, removals and assigned seats.

use chrono::{DateTime, Utc};
use sqlx::PgPool;
use uuid::Uuid;

use crate::error::ApiResult;

/// Progress of a batch.
pub struct Batch {
    pub id: Uuid,
    pub total: i32,
    pub is_done: bool,
    pub done: i64,
    pub failed: i64,
}

pub struct BatchRow {
    pub row: i32,
    pub email: String,
    pub course_id: Option<Uuid>,
    pub mode: Option<String>,
    pub action: String,
    pub state: String,
    /// Of a row that is done: the state of the enrollment after it.
    pub result: Option<String>,
    /// Of a row that is done: whether the course platform agrees with the enrollment.
    pub platform_state: Option<String>,
    /// Reason why the row has failed, or why the course platform has refused an enrollment. A buyer of seats is not
    /// told of the latter.
    pub message: Option<String>,
}

/// A list that was submitted after a time; None if there is none. `pool`: the one whose seats the list assigns, None for a list of
/// enrollments and removals.
pub async fn find(
    db: &PgPool,
    id: Uuid,
    pool: Option<Uuid>,
    after: DateTime<Utc>,
) -> ApiResult<Option<Batch>> {
    Ok(sqlx::query_as!(
        Batch,
        r#"SELECT b.id, b.total, b.done_at IS NOT NULL AS "is_done!", r.done AS "done!", r.failed AS "failed!"
           FROM batches b, LATERAL (
               SELECT count(*) FILTER (WHERE state = 'done') AS done, count(*) FILTER (WHERE state = 'failed') AS failed
               FROM batch_rows WHERE batch_id = b.id) r
           WHERE b.id = $1 AND b.created_at > $2 AND b.voucher_id IS NOT DISTINCT FROM $3"#,
        id,
        after,
        pool,
    )
    .fetch_optional(db)
    .await?)
}

/// Counts the rows of a batch with a state; None counts all.
pub async fn count(db: &PgPool, id: Uuid, state: Option<&str>) -> ApiResult<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM batch_rows WHERE batch_id = $1 AND ($2::text IS NULL OR state = $2)"#,
        id,
        state,
    )
    .fetch_one(db)
    .await?)
}

/// Rows of a list in order.
pub async fn rows(
    db: &PgPool,
    id: Uuid,
    state: Option<&str>,
    limit: i64,
    offset: i64,
) -> ApiResult<Vec<BatchRow>> {
    Ok(sqlx::query_as!(
        BatchRow,
        r#"SELECT r.row, r.email, r.course_id, r.mode, r.action, r.state, r.result, e.platform_state AS "platform_state?",
                  CASE WHEN e.platform_state = 'refused' AND (SELECT voucher_id IS NULL FROM batches WHERE id = $1) THEN e.platform_reason
                      ELSE r.message END AS message
           FROM batch_rows r
           -- A removal names the address; a grant, what it has granted, which may be under another address by now.
           LEFT JOIN enrollments e ON r.state = 'done' AND (
               e.id = r.enrollment_id OR r.enrollment_id IS NULL AND e.email = r.email AND e.course_id = r.course_id)
           WHERE r.batch_id = $1 AND ($2::text IS NULL OR r.state = $2) ORDER BY r.row LIMIT $3 OFFSET $4"#,
        id,
        state,
        limit,
        offset,
    )
    .fetch_all(db)
    .await?)
}
