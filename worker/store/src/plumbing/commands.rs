//! Commands and their stored answers: they make a command that arrives twice take effect once.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use shared::db::Db;
use shared::messages::{Idempotency, Refusal};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::error::{JobError, JobResult};

/// Time that a command that does not answer keeps its idempotency key.
const LEASE: TimeDelta = TimeDelta::seconds(30);

/// The answer of a command, to be stored.
pub struct NewAnswer<'a> {
    pub id: Uuid,
    pub kind: &'a str,
    pub answer: Value,
    /// Indicates whether the command has claimed its row before its job began.
    pub is_claimed: bool,
}

/// The stored answer of this command, if an earlier delivery left one.
pub async fn answer(db: &Db, id: Uuid) -> JobResult<Option<Value>> {
    Ok(sqlx::query_scalar!("SELECT answer FROM commands WHERE id = $1", id)
        .fetch_optional(db)
        .await?
        .flatten())
}

/// Claims an idempotency key for a command, or returns the answer that is stored under it since `kept_since`. A redelivery
/// of the same command resumes; another command with the key is refused until the lease ends.
pub async fn claim(
    db: &Db,
    id: Uuid,
    kind: &str,
    idempotency: &Idempotency,
    kept_since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> JobResult<Option<Value>> {
    let Idempotency { scope, key, request_hash } = idempotency;
    if insert_claim(db, id, kind, idempotency, now).await? {
        return Ok(None);
    }
    let outlived = sqlx::query!(
        "DELETE FROM commands WHERE scope = $1 AND idempotency_key = $2 AND created_at < $3
             AND (lease_until IS NULL OR lease_until <= $4)",
        scope,
        key,
        kept_since,
        now,
    );
    if outlived.execute(db).await?.rows_affected() == 1
        && insert_claim(db, id, kind, idempotency, now).await?
    {
        return Ok(None);
    }
    let earlier = sqlx::query!(
        "SELECT id, request_hash, answer, lease_until FROM commands WHERE scope = $1 AND idempotency_key = $2",
        scope, key,
    )
    .fetch_optional(db)
    .await?
    .ok_or_else(|| JobError::Retry("the idempotency key was released just now".into()))?;
    match earlier.answer {
        _ if earlier.request_hash.as_ref() != Some(request_hash) => Err(Refusal::IdempotencyMismatch.into()),
        // Stored, and may still be corrected.
        Some(_) if earlier.id != id && earlier.lease_until.is_some_and(|until| until > now) => {
            Err(Refusal::InProgress.into())
        }
        Some(answer) => Ok(Some(answer)),
        None if earlier.id == id => Ok(None),
        None if earlier.lease_until.is_some_and(|until| until > now) => Err(Refusal::InProgress.into()),
        None => take_over(db, earlier.id, id, now).await.map(|()| None),
    }
}

/// Claims a key that no command has. False if one has it.
async fn insert_claim(
    db: &Db,
    id: Uuid,
    kind: &str,
    idempotency: &Idempotency,
    now: DateTime<Utc>,
) -> JobResult<bool> {
    let claimed = sqlx::query!(
        "INSERT INTO commands (id, type, scope, idempotency_key, request_hash, lease_until, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        id,
        kind,
        idempotency.scope,
        idempotency.key,
        idempotency.request_hash,
        now + LEASE,
        now,
    );
    Ok(claimed.execute(db).await?.rows_affected() == 1)
}

/// Takes the key from a command that has not answered within its lease. That command can no longer commit.
async fn take_over(db: &Db, earlier: Uuid, id: Uuid, now: DateTime<Utc>) -> JobResult<()> {
    let taken = sqlx::query!(
        "UPDATE commands SET id = $2, lease_until = $3 WHERE id = $1 AND answer IS NULL AND lease_until <= $4",
        earlier, id, now + LEASE, now,
    )
    .execute(db)
    .await?;
    if taken.rows_affected() == 1 { Ok(()) } else { Err(Refusal::InProgress.into()) }
}

/// Stores the answer of a command, in the transaction of the effect that it reports.
///
/// # Errors
/// `Superseded` if another delivery was faster: the caller must roll back.
pub async fn insert_answer(
    db: impl PgExecutor<'_>,
    new: &NewAnswer<'_>,
    now: DateTime<Utc>,
) -> JobResult<()> {
    let stored = if new.is_claimed {
        let stored = sqlx::query!(
            "UPDATE commands SET answer = $2, lease_until = NULL WHERE id = $1 AND answer IS NULL",
            new.id,
            new.answer,
        );
        stored.execute(db).await?
    } else {
        let stored = sqlx::query!(
            "INSERT INTO commands (id, type, answer, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            new.id,
            new.kind,
            new.answer,
            now,
        );
        stored.execute(db).await?
    };
    if stored.rows_affected() == 1 { Ok(()) } else { Err(JobError::Superseded) }
}

/// Keeps a stored answer from other commands with the same key until it is final, or `until` at the latest.
///
/// # Errors
/// The database is unavailable.
pub async fn withhold(db: &mut PgConnection, id: Uuid, until: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!("UPDATE commands SET lease_until = $2 WHERE id = $1", id, until).execute(db).await?;
    Ok(())
}

/// Replaces a stored answer by the final one, which a repeat of the command returns.
///
/// # Errors
/// The database is unavailable.
pub async fn correct(db: &Db, id: Uuid, answer: &Value) -> JobResult<()> {
    sqlx::query!("UPDATE commands SET answer = $2, lease_until = NULL WHERE id = $1", id, answer)
        .execute(db)
        .await?;
    Ok(())
}

/// Deletes a claim without an answer, so that the caller can retry before the lease ends.
pub async fn release(db: &Db, id: Uuid) -> JobResult<()> {
    sqlx::query!("DELETE FROM commands WHERE id = $1 AND answer IS NULL", id).execute(db).await?;
    Ok(())
}

/// Deletes a batch of answers stored before a time, with their keys, but no command that is under way. Returns how many.
pub async fn forget_old(
    db: &mut PgConnection,
    before: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<u64, sqlx::Error> {
    let gone = sqlx::query!(
        "DELETE FROM commands WHERE id = ANY (ARRAY(
             SELECT id FROM commands WHERE created_at < $1 AND (lease_until IS NULL OR lease_until <= $2)
             ORDER BY created_at LIMIT 10000))",
        before,
        now,
    )
    .execute(db)
    .await?;
    Ok(gone.rows_affected())
}
