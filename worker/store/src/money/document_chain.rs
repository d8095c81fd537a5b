//! The chain of a seller's documents: each carries the digest of the one before it. [`crate::model::chain`] says of what it is made.

use chrono::{DateTime, NaiveDate, Utc};
use futures_util::stream::BoxStream;
use serde_json::Value;
use shared::db::Db;
use shared::ids::{CartId, DocumentId, OrganisationId};
use sqlx::PgConnection;
use sqlx::types::Json;

use super::documents;
use crate::error::JobResult;
use crate::model::chain::Link;
use crate::model::document::Kind;
use crate::model::seller::Seller;

/// Takes the next place in the chain of a seller. Its other documents wait until the transaction ends.
pub async fn extend(
    db: &mut PgConnection,
    organisation_id: OrganisationId,
    now: DateTime<Utc>,
) -> JobResult<Link> {
    // Numbers of invoices and credit notes have a prefix.
    let place = documents::draw(&mut *db, organisation_id, "", 0, now).await?;
    let previous = sqlx::query_scalar!(
        r#"SELECT encode(digest, 'hex') AS "digest!" FROM documents WHERE organisation_id = $1 AND chain_position = $2"#,
        organisation_id as _,
        place.number - 1,
    );
    Ok(Link { position: place.number, previous: previous.fetch_optional(db).await? })
}

/// Reads an organisation as a seller; None if it is none.
pub async fn seller(db: &Db, organisation_id: OrganisationId) -> JobResult<Option<Seller>> {
    let seller = sqlx::query_scalar!(
        r#"SELECT seller AS "seller: Json<Seller>" FROM organisations WHERE id = $1"#,
        organisation_id as _,
    );
    Ok(seller.fetch_one(db).await?.map(|seller| seller.0))
}

/// The documents of a time, and the places of those that are in the chain.
pub struct Span {
    pub first: Option<i64>,
    pub last: Option<i64>,
    /// The digest of the one before the first, in hexadecimal digits. None if that is the first of the chain.
    pub previous: Option<String>,
    /// The digest of the last one.
    pub digest: Option<String>,
    /// Places that the chain has given, of any time.
    pub given: i64,
    /// Number of documents that the storefront has issued outside of the chain.
    pub unchained: i64,
    /// The days that the first and the last of those show, as in ISO 8601.
    pub unchained_from: Option<String>,
    pub unchained_to: Option<String>,
}

/// Finds the documents of a seller that show a day from `from` on and before `end`.
pub async fn span(
    db: &mut PgConnection,
    organisation_id: OrganisationId,
    from: NaiveDate,
    end: NaiveDate,
) -> JobResult<Span> {
    Ok(sqlx::query_as!(
        Span,
        r#"WITH shown AS (
               SELECT chain_position, content ->> 'issued_on' AS day, content #>> '{seller,documents}' IS NOT DISTINCT FROM 'external' AS is_external
               FROM documents WHERE organisation_id = $1
                 AND (content ->> 'issued_on') COLLATE "C" >= $2 AND (content ->> 'issued_on') COLLATE "C" < $3),
           places AS (SELECT min(chain_position) AS first, max(chain_position) AS last FROM shown)
           SELECT first, last,
                  (SELECT encode(digest, 'hex') FROM documents WHERE organisation_id = $1 AND chain_position = first - 1) AS previous,
                  (SELECT encode(digest, 'hex') FROM documents WHERE organisation_id = $1 AND chain_position = last) AS digest,
                  coalesce((SELECT next - 1 FROM document_series WHERE organisation_id = $1 AND prefix = '' AND year = 0), 0) AS "given!",
                  unchained AS "unchained!", unchained_from, unchained_to
           FROM places, (SELECT count(*) AS unchained, min(day) AS unchained_from, max(day) AS unchained_to
                         FROM shown WHERE chain_position IS NULL AND NOT is_external) u"#,
        organisation_id as _,
        from.to_string(),
        end.to_string(),
    )
    .fetch_one(db)
    .await?)
}

/// A document of a chain, as it is on record.
pub struct Chained {
    pub position: i64,
    pub previous: Option<String>,
    pub digest: String,
    pub id: DocumentId,
    pub issued_at: DateTime<Utc>,
    pub kind: Kind,
    pub number: Option<String>,
    pub cart_id: CartId,
    /// In minor units.
    pub total: i64,
    pub currency: String,
    pub content: Json<Value>,
}

/// Streams the documents in these places of a chain, in their order.
pub fn documents(
    db: &mut PgConnection,
    organisation_id: OrganisationId,
    first: i64,
    last: i64,
) -> BoxStream<'_, sqlx::Result<Chained>> {
    sqlx::query_as!(
        Chained,
        r#"SELECT chain_position AS "position!", encode(previous_digest, 'hex') AS previous, encode(digest, 'hex') AS "digest!",
                  id, issued_at, kind AS "kind: Kind", number, cart_id, total, currency, content AS "content: Json<Value>"
           FROM documents WHERE organisation_id = $1 AND chain_position BETWEEN $2 AND $3 ORDER BY chain_position"#,
        organisation_id as _,
        first,
        last,
    )
    .fetch(db)
}
