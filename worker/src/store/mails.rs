//! Mails that wait to be sent. Each is stored in the transaction that causes it, and deleted once it is sent.

use chrono::{DateTime, Utc};
use shared::email::Email;
use shared::messages::{Mail, SendEmail};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::outbox;
use crate::error::JobResult;

/// A stored mail.
pub struct StoredMail {
    pub to: Email,
    pub mail: Json<Mail>,
}

/// Stores a mail, and writes the task that sends it.
pub async fn push(db: &mut PgConnection, to: &Email, mail: Mail, now: DateTime<Utc>) -> JobResult<()> {
    let mail_id = Uuid::now_v7();
    sqlx::query!(
        "INSERT INTO mails (id, recipient, mail, created_at) VALUES ($1, $2, $3, $4)",
        mail_id,
        to.as_str(),
        Json(mail) as Json<Mail>,
        now,
    )
    .execute(&mut *db)
    .await?;
    outbox::push(db, SendEmail { mail_id }, now).await.map(drop)
}

/// A mail that was not sent yet; None if it was sent or forgotten.
pub async fn find(db: &PgPool, id: Uuid) -> JobResult<Option<StoredMail>> {
    Ok(sqlx::query_as!(
        StoredMail,
        r#"SELECT recipient AS "to: Email", mail AS "mail: Json<Mail>" FROM mails WHERE id = $1"#,
        id,
    )
    .fetch_optional(db)
    .await?)
}

/// Deletes a mail that was sent.
pub async fn delete(db: &mut PgConnection, id: Uuid) -> JobResult<()> {
    sqlx::query!("DELETE FROM mails WHERE id = $1", id).execute(db).await?;
    Ok(())
}

/// Deletes a batch of mails whose dead letters the broker keeps no longer. Returns how many.
pub async fn forget_old(db: &mut PgConnection, before: DateTime<Utc>) -> JobResult<u64> {
    let gone = sqlx::query!(
        "DELETE FROM mails WHERE id IN (SELECT id FROM mails WHERE created_at < $1 LIMIT 10000)",
        before,
    );
    Ok(gone.execute(db).await?.rows_affected())
}
