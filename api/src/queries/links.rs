//! Queries for signed links.

use shared::db::Db;
use uuid::Uuid;

use crate::error::ApiResult;

/// The version of the links to an order, or to a document, pool of seats or withdrawal of one. A correction of the order's address
/// raises it.
pub async fn version(db: &Db, subject: Uuid) -> ApiResult<i32> {
    Ok(sqlx::query_scalar!(r#"SELECT link_version($1) AS "version!""#, subject).fetch_one(db).await?)
}
