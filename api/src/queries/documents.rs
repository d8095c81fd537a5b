//! Queries for invoices and credit notes.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use shared::about;
use shared::db::Db;
use shared::ids::{CartId, DocumentId, OrganisationId};
use utoipa::ToSchema;
use uuid::Uuid;

use super::carts::Owner;
use crate::error::ApiResult;
use crate::words::{DocumentKind, DocumentStatus};

/// The order of a document.
pub struct DocumentOrder {
    pub owner: Owner,
    /// Indicates whether the document is, or was, the buyer's: another system may have to issue it first.
    pub is_issued: bool,
}

/// The cart of a document, and its owner.
pub async fn order(db: &Db, id: DocumentId) -> ApiResult<Option<DocumentOrder>> {
    let row = sqlx::query!(
        r#"SELECT c.id AS "id: CartId", c.buyer, c.organisation_id AS "organisation_id: OrganisationId",
                  d.state IN ('issued', 'cancelled')
                      OR EXISTS (SELECT FROM document_files f WHERE f.document_id = d.id) AS "is_issued!"
           FROM documents d JOIN carts c ON c.id = d.cart_id WHERE d.id = $1"#,
        id as _,
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| {
        about::cart(row.id);
        let owner = Owner { id: row.id, buyer: row.buyer, organisation_id: row.organisation_id };
        DocumentOrder { owner, is_issued: row.is_issued }
    }))
}

/// Where an invoice or a credit note stands that another system may have to clear or to issue.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentStanding {
    document_id: Uuid,
    cart_id: Uuid,
    kind: DocumentKind,
    /// Null until another program, which issues it under its own numbers, has reported it.
    #[schema(max_length = 64, example = "NW26-000001")]
    number: Option<String>,
    status: DocumentStatus,
    /// `cleared` by an authority, or issued by an `external` program. Null for what the storefront issues by itself.
    #[schema(pattern = "^(cleared|external)$")]
    issuer: Option<String>,
    /// Since when.
    since: DateTime<Utc>,
    /// Why it was refused or cancelled; null for the others.
    #[schema(max_length = 1000)]
    reason: Option<String>,
}

/// Returns where a document stands.
pub async fn standing(db: &Db, id: DocumentId) -> ApiResult<DocumentStanding> {
    Ok(sqlx::query_as!(
        DocumentStanding,
        r#"SELECT id AS "document_id: Uuid", cart_id AS "cart_id: Uuid", kind AS "kind: DocumentKind", number, state AS "status: DocumentStatus",
                  content #>> '{seller,documents}' AS issuer, coalesce(state_at, issued_at) AS "since!", state_reason AS reason
           FROM documents WHERE id = $1"#,
        id as _,
    )
    .fetch_one(db)
    .await?)
}

/// Lists where the documents of a cart stand that another system clears or issues, but for those that were replaced.
pub async fn standings(db: &Db, cart_id: CartId) -> ApiResult<Vec<DocumentStanding>> {
    Ok(sqlx::query_as!(
        DocumentStanding,
        r#"SELECT id AS "document_id: Uuid", cart_id AS "cart_id: Uuid", kind AS "kind: DocumentKind", number, state AS "status: DocumentStatus",
                  content #>> '{seller,documents}' AS issuer, coalesce(state_at, issued_at) AS "since!", state_reason AS reason
           FROM documents WHERE cart_id = $1 AND content #>> '{seller,documents}' IS NOT NULL AND state <> 'replaced'
           ORDER BY issued_at, id"#,
        cart_id as _,
    )
    .fetch_all(db)
    .await?)
}

/// Returns the content of a document, and its place in its seller's chain.
pub async fn content(db: &Db, id: DocumentId) -> ApiResult<Option<Value>> {
    let content = sqlx::query_scalar!(
        r#"SELECT CASE WHEN chain_position IS NULL THEN content ELSE content || jsonb_build_object('chain', jsonb_build_object(
                      'position', chain_position, 'previous', encode(previous_digest, 'hex'), 'digest', encode(digest, 'hex'))) END AS "content!"
           FROM documents WHERE id = $1"#,
        id as _,
    );
    Ok(content.fetch_optional(db).await?)
}

/// A document with its PDF.
pub struct DocumentPdf {
    pub number: Option<String>,
    pub status: DocumentStatus,
    /// Indicates whether another program issues it.
    pub is_external: bool,
    /// None until it is rendered, or reported.
    pub pdf: Option<Vec<u8>>,
}

/// Returns a document's number, and its file.
pub async fn file(db: &Db, id: DocumentId) -> ApiResult<Option<DocumentPdf>> {
    let row = sqlx::query_as!(
        DocumentPdf,
        r#"SELECT d.number, d.state AS "status: DocumentStatus", f.pdf AS "pdf?",
                  d.content #>> '{seller,documents}' IS NOT DISTINCT FROM 'external' AS "is_external!"
           FROM documents d LEFT JOIN document_files f ON f.document_id = d.id WHERE d.id = $1"#,
        id as _,
    );
    Ok(row.fetch_optional(db).await?)
}

/// Returns the file that another system has reported of a document, and its media type.
pub async fn original(db: &Db, id: DocumentId) -> ApiResult<Option<(String, Vec<u8>)>> {
    let row = sqlx::query!("SELECT media_type, file FROM document_originals WHERE document_id = $1", id as _);
    Ok(row.fetch_optional(db).await?.map(|row| (row.media_type, row.file)))
}
