//! Times of a place, which the database alone knows.
//!
//! Why: `docs/decisions/one-source-of-days.md`

use chrono::{DateTime, FixedOffset, NaiveDateTime, Utc};
use shared::db::Db;

use crate::error::{ApiError, ApiResult};

/// Times as the clocks of a zone show them.
pub async fn local(db: &Db, zone: &str, times: &[DateTime<Utc>]) -> ApiResult<Vec<DateTime<FixedOffset>>> {
    let offsets = sqlx::query_scalar!(
        r#"SELECT extract(epoch FROM (t.at AT TIME ZONE $1) - (t.at AT TIME ZONE 'UTC'))::integer AS "seconds!"
           FROM unnest($2::timestamptz[]) WITH ORDINALITY AS t (at, nth) ORDER BY t.nth"#,
        zone,
        times,
    );
    let offsets = offsets.fetch_all(db).await?;
    let local = times.iter().zip(offsets).map(|(at, seconds)| {
        FixedOffset::east_opt(seconds).map(|offset| at.with_timezone(&offset)).ok_or(ApiError::Internal)
    });
    local.collect()
}

/// The time at which the clocks of a zone show this.
pub async fn at(db: &Db, zone: &str, shown: NaiveDateTime) -> ApiResult<DateTime<Utc>> {
    let at = sqlx::query_scalar!(r#"SELECT $2::timestamp AT TIME ZONE $1 AS "at!""#, zone, shown);
    Ok(at.fetch_one(db).await?)
}
