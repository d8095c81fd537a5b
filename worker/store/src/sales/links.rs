//! Links to orders, and to what belongs to one.

use shared::db::Db;
use shared::link::Subject;
use uuid::Uuid;

use crate::error::JobResult;

/// Subject and present version for which a link to an order, or to a document, pool of seats or withdrawal of one, is signed.
pub async fn subject(db: &Db, id: impl Into<Uuid>) -> JobResult<Subject> {
    let id = id.into();
    let version = sqlx::query_scalar!(r#"SELECT link_version($1) AS "version!""#, id).fetch_one(db).await?;
    Ok(Subject { id, version })
}
