//! Queries for the newest twenty reviews of a course or a program.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::db::Db;
use uuid::Uuid;

use crate::error::ApiResult;

#[derive(Debug, Serialize, Deserialize)]
pub struct Review {
    pub id: Uuid,
    pub rating: i16,
    pub title: String,
    pub comment: String,
    pub author_name: String,
    pub created_at: DateTime<Utc>,
}

pub async fn of_course(db: &Db, course: Uuid) -> ApiResult<Vec<Review>> {
    Ok(sqlx::query_as!(
        Review,
        "SELECT id, rating, title, comment, author_name, created_at FROM reviews WHERE course_id = $1
         ORDER BY created_at DESC, id DESC LIMIT 20",
        course,
    )
    .fetch_all(db)
    .await?)
}

pub async fn of_program(db: &Db, program: Uuid) -> ApiResult<Vec<Review>> {
    Ok(sqlx::query_as!(
        Review,
        "SELECT id, rating, title, comment, author_name, created_at FROM reviews WHERE program_id = $1
         ORDER BY created_at DESC, id DESC LIMIT 20",
        program,
    )
    .fetch_all(db)
    .await?)
}
