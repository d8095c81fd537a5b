//! Learners that the storefront has met, as the course platform knows them.

use std::time::Duration;

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::email::Email;
use shared::ids::LearnerId;
use sqlx::{PgConnection, PgExecutor};
use texts::Language;
use uuid::Uuid;

use crate::error::JobResult;
use crate::plumbing::locks::Lock;

/// A stored learner.
#[derive(Debug)]
pub struct Learner {
    pub id: LearnerId,
    pub platform_user_id: i64,
    pub username: String,
    pub language: Option<Language>,
}

/// A learner to store, as the platform knows the account.
pub struct NewLearner<'a> {
    pub platform_user_id: i64,
    pub username: &'a str,
    pub name: &'a str,
    /// None if the platform does not say, which changes nothing.
    pub language: Option<&'a Language>,
}

/// The learner who had this address when the platform was last asked.
///
/// # Errors
/// The database is unavailable.
pub async fn find(db: impl PgExecutor<'_>, email: &Email) -> JobResult<Option<Learner>> {
    Ok(sqlx::query_as!(
        Learner,
        r#"SELECT id, platform_user_id, username, language AS "language: Language" FROM learners WHERE email = $1"#,
        email.as_str(),
    )
    .fetch_optional(db)
    .await?)
}

/// Stores the account's current username.
///
/// # Errors
/// The database is unavailable.
pub async fn rename(db: &Db, id: LearnerId, username: &str, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!("UPDATE learners SET username = $2, updated_at = $3 WHERE id = $1", id as _, username, now)
        .execute(db)
        .await?;
    Ok(())
}

/// Clears an address that the platform no longer knows: the learner who had it has another address now, or no
/// account. It stays on record as the former one, to find the learner by.
///
/// # Errors
/// The database is unavailable.
pub async fn forget_address(db: &mut PgConnection, email: &Email, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE learners SET email = NULL, former_email = email, updated_at = $2 WHERE email = $1",
        email.as_str(),
        now
    )
    .execute(db)
    .await?;
    Ok(())
}

/// A learner whose account may be retired.
pub struct Unchecked {
    pub id: LearnerId,
    pub platform_user_id: i64,
    /// The address, or the former one.
    pub email: String,
}

/// Learners whose account is due to be checked for retirement, the longest overdue first.
pub async fn unchecked(db: &Db, now: DateTime<Utc>, limit: i64) -> JobResult<Vec<Unchecked>> {
    Ok(sqlx::query_as!(
        Unchecked,
        r#"SELECT id, platform_user_id, coalesce(email, former_email) AS "email!" FROM learners
           WHERE (email IS NOT NULL OR former_email IS NOT NULL)
             AND coalesce(retirement_due_at, '-infinity') <= $1
           ORDER BY coalesce(retirement_due_at, '-infinity') LIMIT $2"#,
        now,
        limit,
    )
    .fetch_all(db)
    .await?)
}

/// Records that the accounts of these learners were checked for retirement, and when they are again: after an eighth of the time
/// that nothing has changed about the learner, but not sooner than `every` and not later than seven times that.
pub async fn checked(db: &Db, ids: &[LearnerId], every: Duration, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "UPDATE learners SET retirement_checked_at = $2, retirement_due_at = $2::timestamptz
             + greatest(make_interval(secs => $3), least(($2 - updated_at) / 8, make_interval(secs => $3 * 7)))
         WHERE id = ANY ($1)",
        ids as _,
        now,
        every.as_secs_f64(),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Stores an account under the address that it was found by.
pub async fn remember(
    db: &mut PgConnection,
    account: NewLearner<'_>,
    email: &Email,
    now: DateTime<Utc>,
) -> JobResult<LearnerId> {
    let id = sqlx::query_scalar!(
        // Of two concurrent first inserts, the second would hit the unique address before the existing account. The function sees what
        // the last holder of the lock has committed: each of its statements has a snapshot of its own.
        r#"SELECT remember_learner($1, $2, $3, $4, $5, $6, $7) AS "id!: LearnerId"
           FROM (SELECT pg_advisory_xact_lock(hashtextextended($8, 0))) AS locked"#,
        LearnerId::generate() as _,
        account.platform_user_id,
        account.username,
        email.as_str(),
        account.name,
        now,
        account.language.map(|language| language.to_string()),
        Lock::Learner(email).to_string(),
    )
    .fetch_one(db)
    .await?;
    Ok(id)
}

/// Gives the enrollments in some courses of learners who no longer have this address a placeholder address. They stay with those
/// learners. The other enrollments keep the address, so that a partner can still remove them by it. False if there was none.
///
/// # Errors
/// The database is unavailable.
pub async fn release_courses(db: &mut PgConnection, email: &Email, courses: &[Uuid]) -> JobResult<bool> {
    let released = sqlx::query!(
        "UPDATE enrollments e SET email = 'learner-' || learner_id || '@moved.invalid'
         WHERE email = $1 AND course_id = ANY($2) AND learner_id IS NOT NULL
           AND NOT EXISTS (SELECT FROM learners l WHERE l.id = e.learner_id AND l.email = $1)",
        email.as_str(),
        courses,
    );
    Ok(released.execute(db).await?.rows_affected() > 0)
}
