//! Mails that wait to be sent. Each is stored in the transaction that causes it, and deleted once it is sent, but where reports of it are
//! taken.

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::json;
use shared::about;
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, VoucherId};
use shared::messages::{Mail, Message, SendEmail};
use shared::trace_parent::TraceParent;
use sqlx::PgConnection;
use sqlx::types::Json;
use texts::Language;
use uuid::Uuid;

use super::audit::{self, Cause, Entity};
use super::outbox;
use crate::error::{JobError, JobResult};
use crate::model::seller::Contact;

/// Facts that an e-mail shows of an organisation.
pub struct Branding {
    pub name: String,
    pub logo_url: Option<String>,
    /// The page on which buyers of seats manage them.
    pub seats_url: Option<String>,
    /// As `#rrggbb`.
    pub colour: Option<String>,
    /// None if it has no record as a seller.
    pub contact: Option<Contact>,
    /// The organisation's languages, the most important first.
    pub languages: Vec<Language>,
}

/// Course of an order that begins after the mail about it.
#[derive(Clone, Debug, Deserialize)]
pub struct Beginning {
    pub course_id: Uuid,
    pub name: String,
    pub at: DateTime<Utc>,
    /// The same in the time zone of the organisation.
    pub local: NaiveDateTime,
    /// The zone's name in the IANA database.
    pub zone: String,
    /// The course's page.
    pub url: Option<String>,
}

/// Time that a delivery has a mail: longer than the SMTP server may take.
const LEASE: TimeDelta = TimeDelta::seconds(30);

/// A stored mail, with what it shows of its organisation.
pub struct StoredMail {
    pub id: Uuid,
    pub to: Email,
    pub mail: Mail,
    pub language: Language,
    pub created_at: DateTime<Utc>,
    pub organisation: Branding,
    /// Indicates whether its order has documents, or may lack some.
    pub is_documented: bool,
    /// The present version of the links to its order.
    pub link_version: i32,
    /// The page of a course in which its order has enrolled somebody.
    pub course_link: Option<String>,
    /// The courses of its order that begin later, and in which its recipient has a place.
    pub beginnings: Vec<Beginning>,
    /// The days at the organisation of a receipt's payment, and of what its buyer agreed to. None in other mails.
    pub paid_on: Option<NaiveDate>,
    pub agreed_on: Option<NaiveDate>,
    /// Indicates whether its address gets no mails any more but those that the law demands.
    pub is_suppressed: bool,
}

/// Result of a delivery's attempt to take a mail.
#[expect(clippy::large_enum_variant, reason = "a job holds one at a time")]
pub enum Taken {
    Mail(StoredMail),
    /// Another delivery has it.
    Busy,
    /// It was sent, or is no longer kept.
    Gone,
}

/// Stores a mail, and writes the task that sends it into the outbox. `language`: of the order or grant that the mail is about; None:
/// that of the learner with the address, else the organisation's.
pub async fn push(
    db: &mut PgConnection,
    to: &Email,
    mail: Mail,
    language: Option<&Language>,
    now: DateTime<Utc>,
) -> JobResult<()> {
    let mail_id = Uuid::now_v7();
    sqlx::query!(
        "WITH queued AS (
             INSERT INTO outbox (message_id, type, body, created_at, traceparent) VALUES ($5, $6, $7, $4, $8))
         INSERT INTO mails (id, recipient, mail, created_at, language)
         SELECT $1, $2, m.mail, $4, buyer_language($9, $2, (m.mail ->> 'organisation_id')::uuid) FROM (SELECT $3::jsonb AS mail) m",
        mail_id,
        to.as_str(),
        Json(mail) as Json<Mail>,
        now,
        Uuid::now_v7(),
        SendEmail::KIND,
        serde_json::to_value(SendEmail { mail_id })?,
        TraceParent::current().map(|trace| trace.to_string()),
        language.map(|language| language.to_string()),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes the lease of a mail, and reads what sending it needs, in one statement.
pub async fn take(db: &Db, id: Uuid, now: DateTime<Utc>) -> JobResult<Taken> {
    let row = sqlx::query!(
        r#"WITH taken AS (
               UPDATE mails SET leased_until = $3
               WHERE id = $1 AND sent_at IS NULL AND (leased_until IS NULL OR leased_until <= $2)
               RETURNING recipient, mail, language, (mail ->> 'organisation_id')::uuid AS organisation_id)
           SELECT m.cart_id AS "cart_id: CartId", m.created_at, t.recipient AS "to?: Email", t.mail AS "mail?: Json<Mail>", t.language AS "language?: Language",
                  o.name AS "name?", o.logo_url, o.seats_url, o.colour, o.seller AS "contact?: Json<Contact>",
                  o.languages AS "languages?",
                  EXISTS (SELECT FROM documents_due d WHERE d.cart_id = m.cart_id)
                      OR EXISTS (SELECT FROM documents d WHERE d.cart_id = m.cart_id) AS "is_documented!",
                  link_version(m.cart_id) AS "link_version!", course_link(m.cart_id),
                  course_beginnings(m.cart_id, t.recipient, day_zone(o.seller), $2) AS "beginnings!: Json<Vec<Beginning>>",
                  ((t.mail ->> 'paid_at')::timestamptz AT TIME ZONE day_zone(o.seller))::date AS paid_on,
                  ((t.mail #>> '{consents,at}')::timestamptz AT TIME ZONE day_zone(o.seller))::date AS agreed_on,
                  EXISTS (SELECT FROM suppressed_addresses s WHERE s.address = t.recipient) AS "is_suppressed!"
           FROM mails m LEFT JOIN taken t ON true LEFT JOIN organisations o ON o.id = t.organisation_id
           WHERE m.id = $1 AND m.sent_at IS NULL"#,
        id,
        now,
        now + LEASE,
    )
    .fetch_optional(db)
    .await?;
    let Some(row) = row else { return Ok(Taken::Gone) };
    if let Some(cart_id) = row.cart_id {
        about::cart(cart_id);
    }
    let languages = row.languages.unwrap_or_default();
    Ok(match (row.to, row.mail, row.language, row.name) {
        (Some(to), Some(mail), Some(language), Some(name)) => Taken::Mail(StoredMail {
            id,
            to,
            mail: mail.0,
            language,
            created_at: row.created_at,
            organisation: Branding {
                name,
                logo_url: row.logo_url,
                seats_url: row.seats_url,
                colour: row.colour,
                contact: row.contact.map(|contact| contact.0),
                languages: Language::known(&languages),
            },
            is_documented: row.is_documented,
            link_version: row.link_version,
            course_link: row.course_link,
            beginnings: row.beginnings.0,
            paid_on: row.paid_on,
            agreed_on: row.agreed_on,
            is_suppressed: row.is_suppressed,
        }),
        (None, None, None, None) => Taken::Busy,
        _ => return Err(JobError::dead("a mail of no organisation")),
    })
}

/// The courses of a seat.
#[derive(Default)]
pub struct SeatCourses {
    /// The page of one; None if it has none, or the seat's address was enrolled nowhere yet.
    pub link: Option<String>,
    /// Those that begin later.
    pub beginnings: Vec<Beginning>,
}

/// Reads the courses of the seat that an address has in a pool.
pub async fn seat_courses(
    db: &Db,
    pool: VoucherId,
    email: &Email,
    now: DateTime<Utc>,
) -> JobResult<SeatCourses> {
    let row = sqlx::query!(
        r#"SELECT course_link(u.cart_id), course_beginnings(u.cart_id, u.email, day_zone(o.seller), $3) AS "beginnings!: Json<Vec<Beginning>>"
           FROM voucher_uses u JOIN vouchers v ON v.id = u.voucher_id JOIN organisations o ON o.id = v.organisation_id
           WHERE u.voucher_id = $1 AND u.email = $2 ORDER BY u.at DESC LIMIT 1"#,
        pool as _,
        email.as_str(),
        now,
    );
    let row = row.fetch_optional(db).await?;
    Ok(row.map(|row| SeatCourses { link: row.course_link, beginnings: row.beginnings.0 }).unwrap_or_default())
}

/// Ends the lease of a mail that was not sent.
pub async fn release(db: &Db, id: Uuid) -> JobResult<()> {
    sqlx::query!("UPDATE mails SET leased_until = NULL WHERE id = $1", id).execute(db).await?;
    Ok(())
}

/// Ends the lease of a mail that waits for its document, until a time at the latest.
pub async fn hold(db: &Db, id: Uuid, until: DateTime<Utc>) -> JobResult<()> {
    sqlx::query!("UPDATE mails SET leased_until = NULL, held_until = $2 WHERE id = $1", id, until)
        .execute(db)
        .await?;
    Ok(())
}

/// Time after which a mail that waits for its document is looked at again. Its report looks sooner.
pub const LOOKED_AT_AGAIN: TimeDelta = TimeDelta::hours(1);

/// Queues the mails that wait for documents of a cart.
pub async fn release_of_cart(db: &mut PgConnection, cart_id: CartId, now: DateTime<Utc>) -> JobResult<()> {
    let held = sqlx::query_scalar!(
        "UPDATE mails SET held_until = $2 WHERE cart_id = $1 AND held_until IS NOT NULL RETURNING id",
        cart_id as _,
        now + LOOKED_AT_AGAIN,
    );
    for mail_id in held.fetch_all(&mut *db).await? {
        outbox::push(db, SendEmail { mail_id }, now).await?;
    }
    Ok(())
}

/// Takes a batch of mails that have waited for their documents as long as they were to, and puts their next look off.
pub async fn take_held(db: &mut PgConnection, now: DateTime<Utc>, limit: i64) -> JobResult<Vec<Uuid>> {
    Ok(sqlx::query_scalar!(
        "UPDATE mails SET held_until = $3 WHERE id = ANY (ARRAY(
             SELECT id FROM mails WHERE held_until <= $1 ORDER BY held_until LIMIT $2 FOR UPDATE SKIP LOCKED))
         RETURNING id",
        now,
        limit,
        now + LOOKED_AT_AGAIN,
    )
    .fetch_all(db)
    .await?)
}

/// Marks that a mail goes without its document. False if it is marked already.
pub async fn go_without(db: &mut PgConnection, id: Uuid) -> JobResult<bool> {
    let marked = sqlx::query!("UPDATE mails SET goes_without = true WHERE id = $1 AND NOT goes_without", id);
    Ok(marked.execute(db).await?.rows_affected() > 0)
}

/// Deletes a mail that has nothing to say any more.
pub async fn discard(db: &Db, id: Uuid) -> JobResult<()> {
    sqlx::query!("DELETE FROM mails WHERE id = $1", id).execute(db).await?;
    Ok(())
}

/// Deletes a mail that was sent, or keeps it if reports of it are taken; one about a cart leaves an audit record. Earlier ones about the same
/// seat that have failed are of no concern any more.
pub async fn sent(
    db: &Db,
    id: Uuid,
    about: Option<(CartId, &str)>,
    is_reported: bool,
    cause: Cause,
) -> JobResult<()> {
    let (cart, mail) = about.unzip();
    sqlx::query!(
        "WITH gone AS (DELETE FROM mails WHERE id = $1 AND NOT $9),
              kept AS (
                  UPDATE mails SET leased_until = NULL, held_until = NULL, sent_at = coalesce(sent_at, $2),
                      failed_at = CASE WHEN fate IN ('bounced', 'complained') THEN failed_at END,
                      failed_reason = CASE WHEN fate IN ('bounced', 'complained') THEN failed_reason END
                  WHERE id = $1 AND $9),
              settled AS (
                  DELETE FROM mails o USING mails m
                  WHERE m.id = $1 AND o.recipient = m.recipient AND o.voucher_id = m.voucher_id AND o.template = m.template
                    AND o.failed_at IS NOT NULL AND o.id <> m.id)
         INSERT INTO audit_log (at, entity, entity_id, actor, command_id, to_state, detail, trace)
         SELECT $2, $3, cart_id, $4, $5, 'mail_sent', $7, $8 FROM (SELECT $6::uuid AS cart_id) about
         WHERE cart_id IS NOT NULL",
        id,
        cause.now,
        Entity::Cart as Entity,
        cause.actor.to_string(),
        cause.command_id,
        cart as _,
        json!({ "mail": mail }),
        audit::trace(),
        is_reported,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes a batch of mails whose dead letters the broker keeps no longer, but for those that wait for a document. Returns how many.
pub async fn forget_old(db: &mut PgConnection, before: DateTime<Utc>) -> JobResult<u64> {
    let gone = sqlx::query!(
        "DELETE FROM mails WHERE id = ANY (ARRAY(
             SELECT id FROM mails WHERE created_at < $1 AND held_until IS NULL AND (sent_at IS NULL OR sent_at < $1)
             ORDER BY created_at LIMIT 10000))",
        before,
    );
    Ok(gone.execute(db).await?.rows_affected())
}
