//! What became of mails: those that have failed, and the addresses that get none any more.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, OrganisationId};
use shared::messages::{MailFate, MailReport, SendEmail};
use sqlx::PgConnection;
use strum::VariantNames;
use uuid::Uuid;

use super::audit::{self, Cause, Change, Entity};
use super::outbox;
use crate::error::JobResult;

/// Records that the mail server has refused a mail for good. `is_of_address`: no mail reaches its address.
pub async fn fail(db: &Db, id: Uuid, reason: &str, is_of_address: bool, now: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!(
        "WITH failed AS (
             UPDATE mails SET leased_until = NULL, held_until = NULL, failed_at = $2, failed_reason = $3 WHERE id = $1
             RETURNING recipient)
         INSERT INTO suppressed_addresses (address, reason, suppressed_at)
         SELECT recipient, $3, $2 FROM failed WHERE $4 ON CONFLICT (address) DO NOTHING",
        id,
        now,
        reason,
        is_of_address,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Records what became of mails. A report of an unknown mail, a repeated one, and one that a later word has overtaken change nothing. A mail of
/// which something is reported was sent, whether the mail server's answer has arrived or not.
pub async fn report(db: &mut PgConnection, reports: &[MailReport], now: DateTime<Utc>) -> JobResult<()> {
    let fates: Vec<&str> = reports.iter().map(|report| report.fate.into()).collect();
    let reasons: Vec<&str> = reports.iter().map(|report| report.reason.as_str()).collect();
    let are_final: Vec<bool> = reports.iter().map(|report| report.is_final).collect();
    sqlx::query!(
        "WITH told AS (
             SELECT DISTINCT ON (id) id, fate, array_position($6::text[], fate) AS rank, reason, is_final
             FROM UNNEST($1::uuid[], $2::text[], $3::text[], $4::boolean[]) AS t (id, fate, reason, is_final)
             ORDER BY id, rank DESC),
         changed AS (
             UPDATE mails m SET fate = t.fate, sent_at = coalesce(m.sent_at, $5), leased_until = NULL, held_until = NULL,
                 failed_at = CASE WHEN t.fate IN ('bounced', 'complained') THEN coalesce(m.failed_at, $5) END,
                 failed_reason = CASE WHEN t.fate IN ('bounced', 'complained') THEN t.reason END
             FROM told t
             WHERE m.id = t.id AND coalesce(array_position($6::text[], m.fate), 0) < t.rank AND (m.failed_at IS NULL OR m.fate IS NOT NULL)
             RETURNING m.recipient, t.reason, t.is_final)
         INSERT INTO suppressed_addresses (address, reason, suppressed_at)
         SELECT DISTINCT ON (recipient) recipient, reason, $5 FROM changed WHERE is_final ORDER BY recipient, reason
         ON CONFLICT (address) DO NOTHING",
        &reports.iter().map(|report| report.mail_id).collect::<Vec<_>>(),
        &fates as _,
        &reasons as _,
        &are_final,
        now,
        MailFate::VARIANTS as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Queues a failed mail of an organisation once more, under another id, so that a late report of the failed one says nothing about it. Its
/// address gets mails again. False if there is none with this id.
pub async fn retry(
    db: &mut PgConnection,
    id: Uuid,
    organisation: OrganisationId,
    cause: Cause,
) -> JobResult<bool> {
    let mail_id = Uuid::now_v7();
    let failed = sqlx::query!(
        "WITH failed AS (
             UPDATE mails SET id = $3, sent_at = NULL, fate = NULL, failed_at = NULL, failed_reason = NULL
             WHERE id = $1 AND organisation_id = $2 AND failed_at IS NOT NULL RETURNING recipient, cart_id, template),
         lifted AS (DELETE FROM suppressed_addresses WHERE address IN (SELECT recipient FROM failed))
         SELECT cart_id, template FROM failed",
        id,
        organisation as _,
        mail_id,
    )
    .fetch_optional(&mut *db)
    .await?;
    let Some(failed) = failed else { return Ok(false) };
    outbox::push(db, SendEmail { mail_id }, cause.now).await?;
    let (entity, subject) = match failed.cart_id {
        Some(cart) => (Entity::Cart, cart.into()),
        None => (Entity::Message, id),
    };
    let detail = json!({ "mail": failed.template });
    let entry = Change { entity, id: subject, from: None, to: "mail_again", detail };
    audit::record(db, cause, entry).await?;
    Ok(true)
}

/// Gives the mails of a cart that were not sent, or have failed, to another address. What may still be reported of the address before has another
/// id: it says nothing about the new one. Those that have failed wait for a person, with the reason of then.
pub async fn readdress(
    db: &mut PgConnection,
    cart_id: CartId,
    to: &Email,
    now: DateTime<Utc>,
) -> JobResult<()> {
    let waiting = sqlx::query!(
        r#"WITH sent AS (DELETE FROM mails WHERE cart_id = $1 AND sent_at IS NOT NULL AND failed_at IS NULL)
           UPDATE mails SET recipient = $2, sent_at = NULL, fate = NULL, leased_until = NULL,
               id = CASE WHEN failed_at IS NOT NULL AND sent_at IS NULL THEN id ELSE gen_random_uuid() END,
               failed_reason = 'to the address before: ' || failed_reason
           WHERE cart_id = $1 AND (sent_at IS NULL OR failed_at IS NOT NULL)
           RETURNING id, failed_at IS NOT NULL AS "has_failed!""#,
        cart_id as _,
        to.as_str(),
    );
    for mail in waiting.fetch_all(&mut *db).await?.into_iter().filter(|mail| !mail.has_failed) {
        outbox::push(db, SendEmail { mail_id: mail.id }, now).await?;
    }
    Ok(())
}

/// Time for which an address gets no mails: people change their providers, and providers give names to others.
const SUPPRESSED: TimeDelta = TimeDelta::days(365);

/// Forgets addresses that have got no mails for long. Returns how many.
pub async fn forget_suppressed(db: &mut PgConnection, now: DateTime<Utc>) -> JobResult<u64> {
    let gone = sqlx::query!("DELETE FROM suppressed_addresses WHERE suppressed_at < $1", now - SUPPRESSED);
    Ok(gone.execute(db).await?.rows_affected())
}

/// Deletes an organisation's failed invitations to an address for which nothing waits any more.
pub async fn forget_invitations(
    db: &mut PgConnection,
    organisation: OrganisationId,
    to: &Email,
) -> JobResult<()> {
    sqlx::query!(
        "DELETE FROM mails WHERE organisation_id = $1 AND recipient = $2 AND template = 'registration_invitation' AND failed_at IS NOT NULL
             AND NOT EXISTS (SELECT FROM enrollments e WHERE e.email = $2 AND e.state = 'pending_registration')",
        organisation as _,
        to.as_str(),
    )
    .execute(db)
    .await?;
    Ok(())
}
