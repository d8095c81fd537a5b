//! SELECT only, one file per resource: rows as the views need them. No JSON here.

pub mod courses;
pub mod organisations;
pub mod pricing;

use sqlx::PgPool;

use crate::error::ApiResult;

/// The number of the last committed catalog change.
pub async fn generation(db: &PgPool) -> ApiResult<i64> {
    Ok(sqlx::query_scalar!("SELECT generation FROM catalog_generation").fetch_one(db).await?)
}
