//! Learners that we have met, as the course platform knows them.

use chrono::{DateTime, Utc};
use shared::email::Email;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::error::JobResult;
use crate::platform::Account;

pub async fn find(db: &PgPool, email: &Email) -> JobResult<Option<Uuid>> {
    Ok(sqlx::query_scalar!("SELECT id FROM learners WHERE email = $1", email.as_str())
        .fetch_optional(db)
        .await?)
}

/// The account that holds an address, as far as we know.
pub async fn holder(db: &PgPool, email: &Email) -> JobResult<Option<i64>> {
    Ok(sqlx::query_scalar!("SELECT platform_user_id FROM learners WHERE email = $1", email.as_str())
        .fetch_optional(db)
        .await?)
}

/// Remembers an account under the address that it was found by.
pub async fn remember(
    db: &mut PgConnection,
    account: &Account,
    email: &Email,
    now: DateTime<Utc>,
) -> JobResult<Uuid> {
    // One at a time: of two first meetings at once the second would stumble over the address before it finds the account.
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('learner ' || $1, 0))", email.as_str())
        .execute(&mut *db)
        .await?;
    // The address has moved if another account held it: the platform's word is the newer one.
    sqlx::query!(
        "UPDATE learners SET email = NULL, updated_at = $3 WHERE email = $1 AND platform_user_id <> $2",
        email.as_str(),
        account.id,
        now,
    )
    .execute(&mut *db)
    .await?;
    let id = sqlx::query_scalar!(
        "INSERT INTO learners (id, platform_user_id, username, email, name, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6)
         ON CONFLICT ON CONSTRAINT learners_platform_user_id_key DO UPDATE
         SET username = excluded.username, email = excluded.email, name = excluded.name, updated_at = excluded.updated_at
         RETURNING id",
        Uuid::now_v7(), account.id, account.username, email.as_str(), account.name.as_deref().unwrap_or_default(), now,
    )
    .fetch_one(&mut *db)
    .await?;
    release_address(db, email).await?;
    Ok(id)
}

/// What learners have under an address that is theirs no longer stays their own, under another name: whoever has the
/// address now shall find it free.
pub async fn release_address(db: &mut PgConnection, email: &Email) -> JobResult<()> {
    sqlx::query!(
        "UPDATE enrollments e SET email = 'learner-' || learner_id || '@moved.invalid'
         WHERE email = $1 AND learner_id IS NOT NULL
           AND NOT EXISTS (SELECT FROM learners l WHERE l.id = e.learner_id AND l.email = $1)",
        email.as_str(),
    )
    .execute(db)
    .await?;
    Ok(())
}
