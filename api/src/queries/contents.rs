//! Queries for course contents: outlines, minutes of content, and what makes a course new.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::Db;
use shared::ids::CourseKey;
use uuid::Uuid;

use crate::error::ApiResult;

#[derive(Debug, Serialize, Deserialize)]
pub struct OutlineRow {
    pub id: Uuid,
    pub display_name: String,
    pub self_paced: bool,
    /// None until the outline is imported.
    pub outline: Option<Value>,
}

/// The outline of a published course; None if no course is published under this key.
pub async fn outline(db: &Db, key: &CourseKey) -> ApiResult<Option<OutlineRow>> {
    Ok(sqlx::query_as!(
        OutlineRow,
        r#"SELECT c.id, c.display_name, c.self_paced, x.outline AS "outline?"
           FROM courses c LEFT JOIN course_contents x ON x.course_id = c.id
           WHERE c.openedx_course_id = $1 AND c.is_published"#,
        key.as_str(),
    )
    .fetch_optional(db)
    .await?)
}

/// The minutes of content of each of these courses that is published.
pub async fn minutes(db: &Db, keys: &[String]) -> ApiResult<Vec<(String, i32)>> {
    let rows = sqlx::query!(
        "SELECT openedx_course_id, total_minutes FROM courses WHERE openedx_course_id = ANY($1) AND is_published",
        keys,
    );
    Ok(rows.fetch_all(db).await?.into_iter().map(|row| (row.openedx_course_id, row.total_minutes)).collect())
}

#[derive(Debug)]
pub struct Newness {
    pub openedx_course_id: String,
    pub flagged_new: bool,
    pub created_at: DateTime<Utc>,
}

/// For each of these courses that is published, the data that decides whether it is new.
pub async fn newness(db: &Db, keys: &[String]) -> ApiResult<Vec<Newness>> {
    Ok(sqlx::query_as!(
        Newness,
        "SELECT openedx_course_id, flagged_new, created_at FROM courses
         WHERE openedx_course_id = ANY($1) AND is_published",
        keys,
    )
    .fetch_all(db)
    .await?)
}
