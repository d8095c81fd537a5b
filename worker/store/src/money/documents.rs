//! Invoices and credit notes, their numbers and files.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde_json::json;
use shared::db::Db;
use shared::e_invoice::{EInvoice, Syntax};
use shared::email::Email;
use shared::ids::{CartId, DocumentId, OrganisationId, RefundId};
use shared::messages::{BillingAddress, Mail};
use sqlx::PgConnection;
use sqlx::types::Json;
use texts::Language;

use crate::error::{JobError, JobResult};
use crate::model::chain::{self, Link};
use crate::model::document::{Content, Kind, Sale, Status};
use crate::model::seller::Issuer;
use crate::model::tax::TaxTerms;
use crate::plumbing::audit::{self, Cause, Change, Entity};
use crate::plumbing::mails;

/// A document of a cart.
pub struct Stored {
    pub id: DocumentId,
    pub kind: Kind,
    pub state: Status,
    /// Of an invoice: how often its buyer was corrected.
    pub version: i32,
    pub refund_id: Option<RefundId>,
    pub content: Json<Content>,
    /// Of a document in a chain, in hexadecimal digits.
    pub digest: Option<String>,
    /// Indicates whether it is rendered.
    pub has_file: bool,
}

impl Stored {
    /// Indicates whether the storefront is to render it now: it was issued, and not by another program.
    pub fn lacks_file(&self) -> bool {
        let is_external = self.content.seller.documents == Issuer::External;
        !self.has_file && self.state == Status::Issued && !is_external
    }

    /// Indicates whether it does not count, unless its issuer changes its mind.
    pub fn is_void(&self) -> bool {
        matches!(self.state, Status::Refused | Status::Cancelled)
    }
}

/// A document to insert.
pub struct NewDocument {
    pub version: i32,
    pub refund_id: Option<RefundId>,
    pub refers_to: Option<DocumentId>,
    pub content: Content,
}

/// A document as a mail attaches it.
pub struct File {
    pub id: DocumentId,
    pub kind: Kind,
    pub number: String,
    pub pdf: Vec<u8>,
}

/// The documents of a cart, in the order of their issue, without those that were replaced.
pub async fn of_cart(db: &mut PgConnection, cart_id: CartId) -> JobResult<Vec<Stored>> {
    Ok(sqlx::query_as!(
        Stored,
        r#"SELECT id, kind AS "kind: Kind", state AS "state: Status", version, refund_id, content AS "content: Json<Content>",
                  encode(digest, 'hex') AS digest,
                  EXISTS (SELECT FROM document_files f WHERE f.document_id = documents.id) AS "has_file!"
           FROM documents WHERE cart_id = $1 AND state <> 'replaced' ORDER BY issued_at, id"#,
        cart_id as _,
    )
    .fetch_all(db)
    .await?)
}

/// A number of a series.
pub struct Drawn {
    pub number: i64,
    /// Time of issue, which is not before that of the number before it.
    pub issued_at: DateTime<Utc>,
    /// Its day at the organisation.
    pub issued_on: NaiveDate,
}

/// Draws the next number of a series. Other documents of the series wait until the transaction ends.
pub async fn draw(
    db: &mut PgConnection,
    organisation_id: OrganisationId,
    prefix: &str,
    year: i32,
    now: DateTime<Utc>,
) -> JobResult<Drawn> {
    Ok(sqlx::query_as!(
        Drawn,
        r#"INSERT INTO document_series AS s (organisation_id, prefix, year, next, last_issued_at) VALUES ($1, $2, $3, 2, $4)
           ON CONFLICT (organisation_id, prefix, year)
           DO UPDATE SET next = s.next + 1, last_issued_at = greatest(s.last_issued_at, excluded.last_issued_at)
           RETURNING next - 1 AS "number!", last_issued_at AS issued_at,
               (SELECT (s.last_issued_at AT TIME ZONE day_zone(seller))::date FROM organisations WHERE id = $1) AS "issued_on!""#,
        organisation_id as _,
        prefix,
        year,
        now,
    )
    .fetch_one(db)
    .await?)
}

/// Inserts a document, in its place in the seller's chain if it has one. One that another system has to clear or to issue is requested
/// from it, by an event with its content.
pub async fn insert(
    db: &mut PgConnection,
    sale: &Sale,
    kind: Kind,
    new: NewDocument,
    issued_at: DateTime<Utc>,
    link: Option<&Link>,
) -> JobResult<Stored> {
    let id = DocumentId::generate();
    let content = serde_json::to_value(&new.content)?;
    let issuer = new.content.seller.documents;
    let state = if issuer == Issuer::Own { Status::Issued } else { Status::Requested };
    let form = link.map(|link| chain::canonical(link, id, issued_at, &content)).transpose();
    let digest = form.map_err(|error| JobError::dead(error.to_string()))?.map(|form| chain::digest(&form));
    sqlx::query!(
        "INSERT INTO documents (id, organisation_id, kind, number, cart_id, version, refund_id, refers_to, issued_at, total,
             currency, content, state, chain_position, previous_digest, digest)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, decode($15, 'hex'), decode($16, 'hex'))",
        id as _,
        sale.organisation_id as _,
        kind as Kind,
        new.content.number,
        sale.cart_id as _,
        new.version,
        new.refund_id as _,
        new.refers_to as _,
        issued_at,
        new.content.total_minor(),
        new.content.currency.code(),
        content,
        state as Status,
        link.map(|link| link.position),
        link.and_then(|link| link.previous.as_deref()),
        digest,
    )
    .execute(&mut *db)
    .await?;
    if state == Status::Requested {
        // One without a number has no form in EN 16931.
        let e_invoice = (issuer == Issuer::Cleared).then(|| EInvoice::of(&content).ok()).flatten();
        request(db, id, e_invoice.map(|e_invoice| e_invoice.write(Syntax::Ubl))).await?;
    }
    let NewDocument { version, refund_id, content, .. } = new;
    Ok(Stored { id, kind, state, version, refund_id, content: Json(content), digest, has_file: false })
}

/// Writes the event that asks another system for a document.
async fn request(db: &mut PgConnection, id: DocumentId, e_invoice: Option<String>) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO events (organisation_id, type, data)
         SELECT d.organisation_id, 'document.requested',
                document_facts(d) || jsonb_build_object('document', d.content) || jsonb_strip_nulls(jsonb_build_object('e_invoice', $2::text))
         FROM documents d WHERE d.id = $1",
        id as _,
        e_invoice,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// A document that a mail attaches.
#[derive(Clone, Copy)]
pub enum Attachment {
    /// The one that is valid.
    Invoice,
    /// Of a refund.
    CreditNote(RefundId),
    /// The credit note by which an order on account was cancelled.
    CancellingNote,
}

/// Returns the file of a document that a mail attaches, once it is issued and rendered.
pub async fn file(db: &Db, cart_id: CartId, attachment: Attachment) -> JobResult<Option<File>> {
    let (kind, refund_id) = match attachment {
        Attachment::Invoice => (Kind::Invoice, None),
        Attachment::CreditNote(refund) => (Kind::CreditNote, Some(refund)),
        Attachment::CancellingNote => (Kind::CreditNote, None),
    };
    Ok(sqlx::query_as!(
        File,
        r#"SELECT d.id AS "id!", d.kind AS "kind!: Kind", d.number AS "number!", f.pdf AS "pdf!"
           FROM (SELECT id, kind, number, state FROM documents
                 WHERE cart_id = $1 AND refund_id IS NOT DISTINCT FROM $2 AND kind = $3 AND state <> 'replaced'
                 ORDER BY version DESC LIMIT 1) d
           JOIN document_files f ON f.document_id = d.id WHERE d.state = 'issued'"#,
        cart_id as _,
        refund_id as _,
        kind as Kind,
    )
    .fetch_optional(db)
    .await?)
}

/// Returns whether a cart has a document that another system has not issued yet, or one that it has cleared and that is not rendered, or
/// whether its invoice waits for an exchange rate.
pub async fn waits(db: &Db, cart_id: CartId) -> JobResult<bool> {
    let waits = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM documents_due WHERE cart_id = $1 AND awaits_rate) OR EXISTS (
               SELECT FROM documents d WHERE cart_id = $1 AND (state IN ('requested', 'refused')
                   OR state = 'issued' AND content #>> '{seller,documents}' = 'cleared'
                      AND NOT EXISTS (SELECT FROM document_files f WHERE f.document_id = d.id))) AS "waits!""#,
        cart_id as _,
    );
    Ok(waits.fetch_one(db).await?)
}

/// Returns whether a cart has a document that was not replaced.
pub async fn has_any(db: &Db, cart_id: CartId) -> JobResult<bool> {
    let has = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM documents WHERE cart_id = $1 AND state <> 'replaced') AS "has!""#,
        cart_id as _,
    );
    Ok(has.fetch_one(db).await?)
}

/// Keeps the buyer that a member of the staff asks finance to put on the invoice of a cart. A later one replaces it.
pub async fn ask_finance(
    db: &mut PgConnection,
    cart_id: CartId,
    address: &BillingAddress,
    now: DateTime<Utc>,
) -> JobResult<()> {
    let asked = json!({ "billing_address": address, "asked_at": now });
    sqlx::query!("UPDATE carts SET asked_invoice = $2 WHERE id = $1", cart_id as _, asked)
        .execute(db)
        .await?;
    Ok(())
}

/// Forgets what finance was asked for. False if it was asked for nothing.
pub async fn refuse_asked(db: &mut PgConnection, cart_id: CartId) -> JobResult<bool> {
    let refused = sqlx::query!(
        "UPDATE carts SET asked_invoice = NULL WHERE id = $1 AND asked_invoice IS NOT NULL",
        cart_id as _,
    );
    Ok(refused.execute(db).await?.rows_affected() > 0)
}

/// Returns the file of one document.
pub async fn file_of(db: &Db, id: DocumentId) -> JobResult<Option<File>> {
    Ok(sqlx::query_as!(
        File,
        r#"SELECT d.id, d.kind AS "kind: Kind", d.number AS "number!", f.pdf
           FROM documents d JOIN document_files f ON f.document_id = d.id WHERE d.id = $1"#,
        id as _,
    )
    .fetch_optional(db)
    .await?)
}

/// Times that the documents of an order are mailed again in a day, because somebody without a valid link asks for it.
const A_DAY: i64 = 3;

/// Mails a document again to the address of its order. False if there is none with this id, or its order got three such mails in a day.
/// A repeated delivery of the same message mails nothing more.
pub async fn mail_again(db: &mut PgConnection, id: DocumentId, cause: Cause) -> JobResult<bool> {
    let of = sqlx::query!(
        r#"SELECT c.id AS "id: CartId", c.organisation_id AS "organisation_id: OrganisationId", c.email AS "email: Email",
                  c.language AS "language: Language"
           FROM documents d JOIN carts c ON c.id = d.cart_id
           WHERE d.id = $1 AND EXISTS (SELECT FROM document_files f WHERE f.document_id = d.id) FOR NO KEY UPDATE OF c"#,
        id as _,
    );
    let Some(of) = of.fetch_optional(&mut *db).await? else { return Ok(false) };
    let mail = Mail::DocumentAgain { organisation_id: of.organisation_id, cart_id: of.id, document_id: id };
    // By itself: it must see what the transaction has done that held the lock.
    let before = sqlx::query!(
        r#"SELECT count(*) AS "mailed!", coalesce(bool_or(command_id = $4), false) AS "is_repeated!" FROM audit_log
           WHERE entity = $1 AND entity_id = $2 AND at > $3 AND to_state = 'mail_again' AND detail ->> 'mail' = 'document_again'"#,
        Entity::Cart as Entity,
        of.id as _,
        cause.now - TimeDelta::days(1),
        cause.command_id,
    )
    .fetch_one(&mut *db)
    .await?;
    if before.is_repeated || before.mailed >= A_DAY {
        return Ok(before.is_repeated);
    }
    mails::push(db, &of.email, mail, Some(&of.language), cause.now).await?;
    let detail = json!({ "mail": "document_again" });
    let entry = Change { entity: Entity::Cart, id: of.id.into(), from: None, to: "mail_again", detail };
    audit::record(db, cause, entry).await?;
    Ok(true)
}

/// Sets the billing address of a cart, and how it is taxed there, after its invoice was corrected.
pub async fn set_buyer(
    db: &mut PgConnection,
    cart_id: CartId,
    address: &BillingAddress,
    terms: Option<&TaxTerms>,
) -> JobResult<()> {
    sqlx::query!(
        "UPDATE carts SET billing_address = $2, tax_terms = $3, asked_invoice = NULL WHERE id = $1",
        cart_id as _,
        serde_json::to_value(address)?,
        terms.map(serde_json::to_value).transpose()?,
    )
    .execute(db)
    .await?;
    Ok(())
}
