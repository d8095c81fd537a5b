//! The planner's statistics of tables that have grown.

use shared::db::Db;

use crate::error::JobResult;

/// Collects the statistics of tables that have grown tenfold since theirs were collected. Returns how many there were.
pub async fn analyze_grown(db: &Db) -> JobResult<u64> {
    let analyzed =
        sqlx::query_scalar!(r#"SELECT analyze_grown_tables() AS "analyzed!""#).fetch_one(db).await?;
    Ok(analyzed.try_into().unwrap_or_default())
}
