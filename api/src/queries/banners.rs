//! Queries for banners that have not ended.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::db::Db;
use uuid::Uuid;

use crate::error::ApiResult;

#[derive(Debug, Serialize, Deserialize)]
pub struct Banner {
    pub id: Uuid,
    pub organisation: String,
    pub title: String,
    pub image_url: String,
    pub link_url: Option<String>,
    pub position: i32,
    pub starts_at: Option<DateTime<Utc>>,
    pub ends_at: Option<DateTime<Utc>>,
}

/// The banners of the named organisations (short or display names, in any case), or of all if none is named.
pub async fn list(db: &Db, organisations: &[String], now: DateTime<Utc>) -> ApiResult<Vec<Banner>> {
    Ok(sqlx::query_as!(
        Banner,
        "SELECT b.id, o.short_name AS organisation, b.title, b.image_url, b.link_url, b.position, b.starts_at, b.ends_at
         FROM banners b JOIN organisations o ON o.id = b.organisation_id
         WHERE (b.ends_at IS NULL OR b.ends_at > $2)
           AND (cardinality($1::text[]) = 0 OR lower(o.short_name) IN (SELECT lower(n) FROM unnest($1::text[]) n)
                OR lower(o.name) IN (SELECT lower(n) FROM unnest($1::text[]) n))
         ORDER BY b.position, b.id",
        organisations,
        now,
    )
    .fetch_all(db)
    .await?)
}
