//! Batches of enrollments, removals and assigned seats, and the results of their rows.

use chrono::{DateTime, TimeDelta, Utc};
use shared::db::Db;
use shared::ids::{EnrollmentId, VoucherId};
use shared::messages::{BatchRow, Refusal, StaffMember};
use shared::words::EnrollmentOutcome;
use sqlx::PgConnection;
use texts::Language;
use uuid::Uuid;

use crate::error::JobResult;

/// Time that one job has a batch for itself. The reconciler sends another message after this time.
const LEASE: TimeDelta = TimeDelta::minutes(5);

/// Times that a row is tried while a server is unavailable. Between two of them, its message waits for a retry delay.
const TRIES: i32 = 50;

/// A row that is to be processed.
pub struct WaitingRow {
    pub row: i32,
    pub email: String,
    pub action: String,
    pub course_id: Option<Uuid>,
    pub mode: Option<String>,
    pub language: Option<Language>,
}

/// The next rows of a batch.
pub struct Chunk {
    /// The pool whose seats the batch assigns; None for enrollments and removals.
    pub pool: Option<VoucherId>,
    /// The manager who has submitted it, by platform user id; None for a trusted partner.
    pub staff: Option<i64>,
    pub rows: Vec<WaitingRow>,
}

/// Submitter of a batch.
#[derive(Clone, Copy, Debug)]
pub enum Submitter {
    /// A trusted partner.
    Partner,
    /// The manager of a pool of seats.
    Pool(VoucherId),
    /// A manager, for the courses of their organisation.
    Staff(StaffMember),
}

/// Stores a batch with its rows; those with a fault have failed already, and so have those that a member of staff submits for a course
/// of another organisation.
pub async fn insert(
    db: &mut PgConnection,
    id: Uuid,
    rows: &[BatchRow],
    submitter: Submitter,
    now: DateTime<Utc>,
) -> JobResult<()> {
    let (pool, staff) = match submitter {
        Submitter::Partner => (None, None),
        Submitter::Pool(pool) => (Some(pool), None),
        Submitter::Staff(member) => (None, Some(member)),
    };
    let organisation = staff.map(|member| member.organisation_id);
    sqlx::query!(
        "INSERT INTO batches (id, total, created_at, lease_until, voucher_id, organisation_id, staff_user_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        id,
        i32::try_from(rows.len()).unwrap_or(i32::MAX),
        now,
        now + LEASE,
        pool as _,
        organisation as _,
        staff.map(|member| member.user_id),
    )
    .execute(&mut *db)
    .await?;
    let emails: Vec<&str> = rows.iter().map(|row| row.email.as_str()).collect();
    let actions: Vec<&str> = rows.iter().map(|row| row.action.into()).collect();
    let courses: Vec<Option<Uuid>> = rows.iter().map(|row| row.course_id).collect();
    let modes: Vec<Option<&str>> = rows.iter().map(|row| row.mode.as_deref()).collect();
    let languages: Vec<Option<String>> =
        rows.iter().map(|row| row.language.as_ref().map(Language::to_string)).collect();
    let faults: Vec<Option<&str>> = rows.iter().map(|row| row.fault.as_deref()).collect();
    sqlx::query!(
        "INSERT INTO batch_rows (batch_id, row, email, action, course_id, mode, state, message, language)
         SELECT $1, nth, r.email, r.action, r.course_id, r.mode, CASE WHEN f.fault IS NULL THEN 'waiting' ELSE 'failed' END,
                f.fault, r.language
         FROM unnest($2::text[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[]) WITH ORDINALITY
              AS r (email, action, course_id, mode, fault, language, nth)
         CROSS JOIN LATERAL (SELECT coalesce(r.fault, CASE WHEN $8::uuid IS NOT NULL AND NOT EXISTS (
             SELECT FROM courses c WHERE c.id = r.course_id AND c.organisation_id = $8) THEN $9 END) AS fault) f",
        id,
        &emails as &[&str],
        &actions as &[&str],
        &courses as &[Option<Uuid>],
        &modes as &[Option<&str>],
        &faults as &[Option<&str>],
        &languages as &[Option<String>],
        organisation as _,
        Refusal::CourseNotFound.to_string(),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes the next rows of a batch for the job of this message, which has the batch for itself from then on. None if the batch is
/// done or another job has it.
pub async fn take(
    db: &Db,
    id: Uuid,
    message: Uuid,
    now: DateTime<Utc>,
    limit: i64,
) -> JobResult<Option<Chunk>> {
    let held = sqlx::query!(
        "UPDATE batches SET lease_id = $2, lease_until = $4
         WHERE id = $1 AND done_at IS NULL AND (lease_id IS NULL OR lease_id = $2 OR lease_until <= $3)
         RETURNING voucher_id, staff_user_id",
        id,
        message,
        now,
        now + LEASE,
    );
    let Some(held) = held.fetch_optional(db).await? else { return Ok(None) };
    let rows = sqlx::query_as!(
        WaitingRow,
        r#"SELECT row, email, action, course_id, mode, language AS "language: Language" FROM batch_rows
         WHERE batch_id = $1 AND state = 'waiting' ORDER BY tries, row LIMIT $2"#,
        id,
        limit,
    );
    let rows = rows.fetch_all(db).await?;
    Ok(Some(Chunk { pool: held.voucher_id, staff: held.staff_user_id, rows }))
}

/// Records that a row is done, in the transaction that does it. False if it was done before.
pub async fn done(
    db: &mut PgConnection,
    id: Uuid,
    row: i32,
    result: EnrollmentOutcome,
    enrollment_id: Option<EnrollmentId>,
) -> JobResult<bool> {
    let done = sqlx::query!(
        "UPDATE batch_rows SET state = 'done', result = $3, enrollment_id = $4
         WHERE batch_id = $1 AND row = $2 AND state = 'waiting'",
        id,
        row,
        <&str>::from(result),
        enrollment_id as _,
    );
    Ok(done.execute(db).await?.rows_affected() == 1)
}

/// Records why a row has failed.
pub async fn failed(db: &Db, id: Uuid, row: i32, message: &str) -> JobResult<()> {
    sqlx::query!(
        "UPDATE batch_rows SET state = 'failed', message = $3 WHERE batch_id = $1 AND row = $2 AND state = 'waiting'",
        id,
        row,
        message,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Records that a row must be tried again. After many tries it has failed.
pub async fn try_later(db: &Db, id: Uuid, row: i32) -> JobResult<()> {
    sqlx::query!(
        "UPDATE batch_rows SET tries = tries + 1, state = CASE WHEN tries + 1 < $3 THEN 'waiting' ELSE 'failed' END,
             message = CASE WHEN tries + 1 < $3 THEN NULL ELSE 'a server was unavailable' END
         WHERE batch_id = $1 AND row = $2 AND state = 'waiting'",
        id,
        row,
        TRIES,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Ends this message's hold of a batch. True if rows are left: the caller sends the next message in the same transaction. False
/// if the batch is done, or if another job holds it by now.
pub async fn release(db: &mut PgConnection, id: Uuid, message: Uuid, now: DateTime<Utc>) -> JobResult<bool> {
    let left = sqlx::query_scalar!(
        r#"UPDATE batches b SET lease_id = NULL, lease_until = $4, done_at = CASE WHEN w.is_left THEN NULL ELSE $3::timestamptz END
           FROM (SELECT EXISTS (SELECT FROM batch_rows WHERE batch_id = $1 AND state = 'waiting') AS is_left) w
           WHERE b.id = $1 AND b.lease_id = $2 AND b.done_at IS NULL RETURNING w.is_left AS "is_left!""#,
        id,
        message,
        now,
        now + LEASE,
    );
    Ok(left.fetch_optional(db).await?.unwrap_or(false))
}

/// Locks and returns batches whose message is lost: no job has had them for the time of a lease. Each is then left alone for as
/// long again.
pub async fn stranded(db: &mut PgConnection, now: DateTime<Utc>, limit: i64) -> JobResult<Vec<Uuid>> {
    Ok(sqlx::query_scalar!(
        "UPDATE batches SET lease_until = $2, lease_id = NULL WHERE id = ANY (ARRAY(
             SELECT id FROM batches WHERE done_at IS NULL AND lease_until <= $1 ORDER BY lease_until LIMIT $3
             FOR UPDATE SKIP LOCKED))
         RETURNING id",
        now,
        now + LEASE,
        limit,
    )
    .fetch_all(db)
    .await?)
}

/// Deletes a few batches that were submitted before a time, with their rows. Returns how many.
pub async fn forget(db: &Db, before: DateTime<Utc>) -> JobResult<u64> {
    let gone = sqlx::query!(
        "DELETE FROM batches WHERE id = ANY (ARRAY(SELECT id FROM batches WHERE created_at < $1 ORDER BY created_at LIMIT 10))",
        before,
    );
    Ok(gone.execute(db).await?.rows_affected())
}
