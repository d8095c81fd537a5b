//! Mails that wait to be sent. Each is stored in the transaction that causes it, and deleted once it is sent.

use chrono::{DateTime, TimeDelta, Utc};
use shared::email::Email;
use shared::messages::{Mail, Message, SendEmail};
use shared::trace_parent::TraceParent;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::error::{JobError, JobResult};

/// Facts that an e-mail shows of an organisation.
pub struct Branding {
    pub name: String,
    pub logo_url: Option<String>,
    /// The page on which buyers of seats manage them.
    pub seats_url: Option<String>,
}

/// Time that a delivery has a mail: longer than the SMTP server may take.
const LEASE: TimeDelta = TimeDelta::seconds(30);

/// A stored mail, with what it shows of its organisation.
pub struct StoredMail {
    pub to: Email,
    pub mail: Mail,
    pub organisation: Branding,
}

/// Result of a delivery's attempt to take a mail.
pub enum Taken {
    Mail(StoredMail),
    /// Another delivery has it.
    Busy,
    /// It was sent, or is no longer kept.
    Gone,
}

/// Stores a mail, and writes the task that sends it into the outbox.
pub async fn push(db: &mut PgConnection, to: &Email, mail: Mail, now: DateTime<Utc>) -> JobResult<()> {
    let mail_id = Uuid::now_v7();
    sqlx::query!(
        "WITH queued AS (
             INSERT INTO outbox (message_id, type, body, created_at, traceparent) VALUES ($5, $6, $7, $4, $8))
         INSERT INTO mails (id, recipient, mail, created_at) VALUES ($1, $2, $3, $4)",
        mail_id,
        to.as_str(),
        Json(mail) as Json<Mail>,
        now,
        Uuid::now_v7(),
        SendEmail::KIND,
        serde_json::to_value(SendEmail { mail_id })?,
        TraceParent::current().map(|trace| trace.to_string()),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes the lease of a mail, and reads what sending it needs, in one statement.
pub async fn take(db: &PgPool, id: Uuid, now: DateTime<Utc>) -> JobResult<Taken> {
    let row = sqlx::query!(
        r#"WITH taken AS (
               UPDATE mails SET leased_until = $3 WHERE id = $1 AND (leased_until IS NULL OR leased_until <= $2)
               RETURNING recipient, mail, (mail ->> 'organisation_id')::uuid AS organisation_id)
           SELECT t.recipient AS "to?: Email", t.mail AS "mail?: Json<Mail>", o.name AS "name?", o.logo_url, o.seats_url
           FROM mails m LEFT JOIN taken t ON true LEFT JOIN organisations o ON o.id = t.organisation_id WHERE m.id = $1"#,
        id,
        now,
        now + LEASE,
    )
    .fetch_optional(db)
    .await?;
    let Some(row) = row else { return Ok(Taken::Gone) };
    Ok(match (row.to, row.mail, row.name) {
        (Some(to), Some(mail), Some(name)) => Taken::Mail(StoredMail {
            to,
            mail: mail.0,
            organisation: Branding { name, logo_url: row.logo_url, seats_url: row.seats_url },
        }),
        (None, None, None) => Taken::Busy,
        _ => return Err(JobError::dead("a mail of no organisation")),
    })
}

/// Ends the lease of a mail that was not sent.
pub async fn release(db: &PgPool, id: Uuid) -> JobResult<()> {
    sqlx::query!("UPDATE mails SET leased_until = NULL WHERE id = $1", id).execute(db).await?;
    Ok(())
}

/// Deletes a mail that was sent.
pub async fn delete(db: &mut PgConnection, id: Uuid) -> JobResult<()> {
    sqlx::query!("DELETE FROM mails WHERE id = $1", id).execute(db).await?;
    Ok(())
}

/// Deletes a batch of mails whose dead letters the broker keeps no longer. Returns how many.
pub async fn forget_old(db: &mut PgConnection, before: DateTime<Utc>) -> JobResult<u64> {
    let gone = sqlx::query!(
        "DELETE FROM mails WHERE id = ANY (ARRAY(
             SELECT id FROM mails WHERE created_at < $1 ORDER BY created_at LIMIT 10000))",
        before,
    );
    Ok(gone.execute(db).await?.rows_affected())
}
