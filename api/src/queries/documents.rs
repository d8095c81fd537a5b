//! Queries for invoices and credit notes.

use serde_json::Value;
use shared::about;
use shared::db::Db;
use shared::ids::DocumentId;

use super::carts::Owner;
use crate::error::ApiResult;

/// The cart of a document, and its owner.
pub async fn order(db: &Db, id: DocumentId) -> ApiResult<Option<Owner>> {
    let owner = sqlx::query_as!(
        Owner,
        "SELECT c.id, c.buyer, c.organisation_id FROM documents d JOIN carts c ON c.id = d.cart_id WHERE d.id = $1",
        id as _,
    )
    .fetch_optional(db)
    .await?;
    Ok(owner.inspect(|owner| about::cart(owner.id)))
}

/// Returns the content of a document.
pub async fn content(db: &Db, id: DocumentId) -> ApiResult<Option<Value>> {
    Ok(sqlx::query_scalar!("SELECT content FROM documents WHERE id = $1", id as _).fetch_optional(db).await?)
}

/// A document's number, and its file once it is rendered.
pub async fn file(db: &Db, id: DocumentId) -> ApiResult<Option<(String, Option<Vec<u8>>)>> {
    let row = sqlx::query!(
        r#"SELECT d.number, f.pdf AS "pdf?" FROM documents d LEFT JOIN document_files f ON f.document_id = d.id
           WHERE d.id = $1"#,
        id as _,
    );
    Ok(row.fetch_optional(db).await?.map(|row| (row.number, row.pdf)))
}
