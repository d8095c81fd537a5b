//! Queries for tags with the courses and programs that carry them.
//!
//! Why: `docs/decisions/tag-lists.md`

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::db::Db;
use uuid::Uuid;

use super::courses::{self, Broken, Course};
use super::programs::{self, Program};
use crate::error::ApiResult;

/// Maximum number of courses, and of programs, that one tag shows, newest first: in a large catalog a tag has
/// thousands.
const SHOWN: usize = 100;
/// Maximum number of courses that all tags of one answer show together, each tag an equal share; likewise for programs.
const COURSES_IN_ALL: usize = 2_000;
const PROGRAMS_IN_ALL: usize = 400;

#[derive(Debug, Serialize, Deserialize)]
pub struct Tagged {
    /// The tags, each with the ids of its courses and programs.
    pub tags: Vec<Tag>,
    pub courses: HashMap<Uuid, Course>,
    pub programs: HashMap<Uuid, Program>,
    pub broken: Vec<Broken>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Tag {
    pub name: String,
    pub courses: Vec<Uuid>,
    pub programs: Vec<Uuid>,
}

/// Tags whose name contains a text. Case and accents do not matter; the empty text matches all.
pub async fn list(
    db: &Db,
    search: &str,
    with_courses: bool,
    with_programs: bool,
    now: DateTime<Utc>,
) -> ApiResult<Tagged> {
    let rows = sqlx::query!(
        "SELECT id, name FROM tags WHERE searchable(name) LIKE containing($1) ORDER BY lower(name)",
        search
    );
    let rows = rows.fetch_all(db).await?;
    let ids: Vec<i32> = rows.iter().map(|row| row.id).collect();
    let mut courses_of = if with_courses {
        tagged_courses(db, &ids, share(COURSES_IN_ALL, ids.len())).await?
    } else {
        HashMap::new()
    };
    let mut programs_of = if with_programs {
        tagged_programs(db, &ids, share(PROGRAMS_IN_ALL, ids.len())).await?
    } else {
        HashMap::new()
    };
    let (courses, mut broken) = courses::by_ids(db, &distinct(&courses_of), now).await?;
    let (programs, more) = programs::by_ids(db, &distinct(&programs_of), now).await?;
    broken.extend(more);
    let tags = rows
        .into_iter()
        .map(|row| Tag {
            courses: courses_of.remove(&row.id).unwrap_or_default(),
            programs: programs_of.remove(&row.id).unwrap_or_default(),
            name: row.name,
        })
        .collect();
    let programs = programs.into_iter().map(|program| (program.row.id, program)).collect();
    Ok(Tagged { tags, courses, programs, broken })
}

/// The number of items that one tag may show in an answer with this many tags.
fn share(in_all: usize, tags: usize) -> i64 {
    let part = (in_all / tags.max(1)).clamp(1, SHOWN);
    i64::try_from(part).unwrap_or(i64::MAX)
}

fn distinct(by_tag: &HashMap<i32, Vec<Uuid>>) -> Vec<Uuid> {
    let mut ids: Vec<Uuid> = by_tag.values().flatten().copied().collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

async fn tagged_courses(db: &Db, tags: &[i32], limit: i64) -> ApiResult<HashMap<i32, Vec<Uuid>>> {
    let rows = sqlx::query!(
        r#"SELECT t.id AS "tag_id!", x.id AS "id!" FROM unnest($1::int[]) AS t (id) CROSS JOIN LATERAL (
               SELECT c.id FROM course_tags ct JOIN courses c ON c.id = ct.course_id
               WHERE ct.tag_id = t.id AND c.is_published AND NOT c.hidden
               ORDER BY c.created_at DESC, c.id DESC LIMIT $2
           ) x"#,
        tags,
        limit,
    );
    let mut by_tag: HashMap<i32, Vec<Uuid>> = HashMap::new();
    for row in rows.fetch_all(db).await? {
        by_tag.entry(row.tag_id).or_default().push(row.id);
    }
    Ok(by_tag)
}

async fn tagged_programs(db: &Db, tags: &[i32], limit: i64) -> ApiResult<HashMap<i32, Vec<Uuid>>> {
    let rows = sqlx::query!(
        r#"SELECT t.id AS "tag_id!", x.id AS "id!" FROM unnest($1::int[]) AS t (id) CROSS JOIN LATERAL (
               SELECT p.id FROM program_tags pt JOIN programs p ON p.id = pt.program_id
               WHERE pt.tag_id = t.id AND p.is_published
               ORDER BY p.created_at DESC, p.id DESC LIMIT $2
           ) x"#,
        tags,
        limit,
    );
    let mut by_tag: HashMap<i32, Vec<Uuid>> = HashMap::new();
    for row in rows.fetch_all(db).await? {
        by_tag.entry(row.tag_id).or_default().push(row.id);
    }
    Ok(by_tag)
}
