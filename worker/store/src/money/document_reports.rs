//! What other systems report of the documents that they clear or issue: the one place that moves a document's state.

use chrono::{DateTime, Utc};
use serde_json::json;
use shared::db::Db;
use shared::ids::{CartId, DocumentId, OrganisationId, RefundId};
use shared::messages::{FileType, ReportedFile};
use sqlx::PgConnection;
use sqlx::types::Json;

use crate::error::{JobError, JobResult};
use crate::model::document::{Content, Kind, Status};
use crate::plumbing::audit::{self, Cause, Change, Entity};

/// A document, its state locked.
pub struct Reported {
    pub id: DocumentId,
    pub cart_id: CartId,
    pub kind: Kind,
    pub refund_id: Option<RefundId>,
    pub state: Status,
    /// As it was before the report.
    pub number: Option<String>,
    pub reason: Option<String>,
    pub content: Json<Content>,
    /// Indicates whether credit notes refer to it that count, or are requested.
    pub is_credited: bool,
    /// Indicates whether it is a credit note to an invoice that does not count any more.
    pub is_of_cancelled: bool,
}

/// Finds the cart of a document; None if it is not of this organisation.
pub async fn cart(db: &Db, id: DocumentId, organisation: OrganisationId) -> JobResult<Option<CartId>> {
    let cart = sqlx::query_scalar!(
        r#"SELECT cart_id AS "cart_id: CartId" FROM documents WHERE id = $1 AND organisation_id = $2"#,
        id as _,
        organisation as _,
    );
    Ok(cart.fetch_optional(db).await?)
}

/// The documents of an organisation that wait for another system.
pub struct Requested {
    pub organisation: String,
    pub count: i64,
    /// Those of them that it has refused.
    pub refused: i64,
    pub oldest: DateTime<Utc>,
}

/// Counts the documents that wait for another system, by organisation.
pub async fn requested(db: &Db) -> JobResult<Vec<Requested>> {
    Ok(sqlx::query_as!(
        Requested,
        r#"SELECT o.short_name AS organisation, count(*) AS "count!", count(*) FILTER (WHERE d.state = 'refused') AS "refused!",
                  min(d.issued_at) AS "oldest!"
           FROM documents d JOIN organisations o ON o.id = d.organisation_id
           WHERE d.state IN ('requested', 'refused') GROUP BY o.short_name ORDER BY 1"#,
    )
    .fetch_all(db)
    .await?)
}

/// Locks a document.
pub async fn lock(db: &mut PgConnection, id: DocumentId) -> JobResult<Reported> {
    Ok(sqlx::query_as!(
        Reported,
        r#"SELECT id, cart_id, kind AS "kind: Kind", refund_id AS "refund_id: RefundId", state AS "state: Status", number, state_reason AS reason, content AS "content: Json<Content>",
                  EXISTS (SELECT FROM documents n WHERE n.refers_to = d.id AND n.state IN ('requested', 'issued')) AS "is_credited!",
                  EXISTS (SELECT FROM documents i WHERE i.id = d.refers_to AND i.state <> 'issued') AS "is_of_cancelled!"
           FROM documents d WHERE id = $1 FOR NO KEY UPDATE"#,
        id as _,
    )
    .fetch_one(db)
    .await?)
}

/// Moves a document to another state, with what was reported of it.
///
/// # Errors
/// `InvalidRequest` if another document of the organisation has the reported number.
pub async fn set(
    db: &mut PgConnection,
    document: &Reported,
    to: Status,
    reason: Option<&str>,
    cause: Cause,
) -> JobResult<()> {
    let moved = sqlx::query!(
        "UPDATE documents SET state = $2, state_at = $3, state_reason = $4, number = $5, content = $6 WHERE id = $1",
        document.id as _,
        to as Status,
        cause.now,
        reason,
        document.content.number,
        serde_json::to_value(&document.content.0)?,
    );
    moved.execute(&mut *db).await.map_err(|error| match error.as_database_error() {
        Some(fault) if fault.constraint() == Some("documents_number_key") => {
            JobError::invalid("number", "is that of another document")
        }
        _ => error.into(),
    })?;
    record(db, document, to, reason, cause).await
}

async fn record(
    db: &mut PgConnection,
    document: &Reported,
    to: Status,
    reason: Option<&str>,
    cause: Cause,
) -> JobResult<()> {
    let to = match to {
        Status::Requested => "document_requested",
        Status::Issued => "document_issued",
        Status::Refused => "document_refused",
        Status::Cancelled => "document_cancelled",
        Status::Replaced => "document_replaced",
    };
    let detail = json!({ "document": document.id, "number": document.content.number, "reason": reason });
    let entry = Change { entity: Entity::Cart, id: document.cart_id.into(), from: None, to, detail };
    audit::record(db, cause, entry).await
}

/// Keeps the file that another system has made of a document, unless it has one. A PDF of what it has issued is the document's own.
pub async fn keep_file(
    db: &mut PgConnection,
    id: DocumentId,
    file: &ReportedFile,
    is_own: bool,
) -> JobResult<()> {
    let bytes = file.bytes.0.as_slice();
    if is_own && file.media_type == FileType::Pdf {
        let kept = sqlx::query!(
            "INSERT INTO document_files (document_id, pdf) VALUES ($1, $2) ON CONFLICT (document_id) DO NOTHING",
            id as _,
            bytes
        );
        kept.execute(db).await?;
        return Ok(());
    }
    let media_type: &str = file.media_type.into();
    sqlx::query!(
        "INSERT INTO document_originals (document_id, media_type, file) VALUES ($1, $2, $3) ON CONFLICT (document_id) DO NOTHING",
        id as _,
        media_type,
        bytes,
    )
    .execute(db)
    .await?;
    Ok(())
}
