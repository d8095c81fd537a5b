//! Courses: pages of the list and single ones, each in a fixed number of statements.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::ids::CourseKey;
use shared::money::Money;
use sqlx::{FromRow, PgPool, Postgres, QueryBuilder};
use uuid::Uuid;

use crate::error::ApiResult;

/// What a page of the list is cut from, and in which order.
#[derive(Clone, Debug)]
pub struct Filter {
    /// A pattern of ILIKE; empty for all.
    pub pattern: String,
    /// Short or display names, lower-cased; empty for all.
    pub organisations: Vec<String>,
    /// Names, lower-cased; a course with any of them matches. Empty for all.
    pub tags: Vec<String>,
    pub order: Order,
    pub descending: bool,
    /// Whether the overview, modes and whatever else only full items show is read too.
    pub full: bool,
    pub limit: i64,
    pub offset: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    CreatedAt,
    DisplayName,
    Start,
    End,
    Price,
    AvgRating,
}

/// A page before regional prices.
#[derive(Debug, Serialize, Deserialize)]
pub struct Page {
    pub courses: Vec<Course>,
    /// Rows that cannot be shown, and why.
    pub broken: Vec<Broken>,
    pub total: i64,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Broken {
    pub id: Uuid,
    pub openedx_course_id: String,
    pub reason: String,
}

/// A course with everything that lists and detail show of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Course {
    #[serde(flatten)]
    pub row: CourseRow,
    pub price: Option<Money>,
    pub tags: Vec<String>,
    /// Visible and unexpired, cheapest first.
    pub modes: Vec<Mode>,
}

#[derive(Debug, FromRow, Serialize, Deserialize)]
pub struct CourseRow {
    pub id: Uuid,
    pub openedx_course_id: String,
    pub display_name: String,
    pub short_description: String,
    pub overview: Option<String>,
    pub image_url: Option<String>,
    pub course_video_url: Option<String>,
    pub number: String,
    pub language: Option<String>,
    pub self_paced: bool,
    pub effort: Option<String>,
    pub total_minutes: i32,
    pub is_published: bool,
    pub is_invite_only: bool,
    pub flagged_new: bool,
    pub starts_at: Option<DateTime<Utc>>,
    pub ends_at: Option<DateTime<Utc>>,
    pub advertised_start: Option<String>,
    pub enrollment_start: Option<DateTime<Utc>>,
    pub enrollment_end: Option<DateTime<Utc>>,
    pub certificate_available_date: Option<DateTime<Utc>>,
    pub has_any_active_web_certificate: bool,
    pub link_to_course: Option<String>,
    pub created_at: DateTime<Utc>,
    #[sqlx(rename = "price")]
    #[serde(rename = "price_minor")]
    pub price_minor: Option<i64>,
    pub currency: Option<String>,
    pub course_mode: Option<String>,
    pub avg_rating: Option<Decimal>,
    pub review_count: i32,
    pub organisation_id: Uuid,
    pub organisation: String,
    pub organisation_name: String,
    pub logo_url: Option<String>,
    pub favicon_url: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Mode {
    pub slug: String,
    pub display_name: String,
    pub price: Money,
    pub expires_at: Option<DateTime<Utc>>,
    pub description: Option<String>,
    pub upsellable_course_modes: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Review {
    pub id: Uuid,
    pub rating: i16,
    pub title: String,
    pub comment: String,
    pub author_name: String,
    pub created_at: DateTime<Utc>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Detail {
    pub course: Course,
    pub reviews: Vec<Review>,
    pub structure: Option<Value>,
}

const COLUMNS: &str = "c.id, c.openedx_course_id, c.display_name, c.short_description, c.image_url, \
    c.course_video_url, c.number, c.language, c.self_paced, c.effort, c.total_minutes, c.is_published, \
    c.is_invite_only, c.flagged_new, c.starts_at, c.ends_at, c.advertised_start, c.enrollment_start, \
    c.enrollment_end, c.certificate_available_date, c.has_any_active_web_certificate, c.link_to_course, \
    c.created_at, c.price, c.currency, c.course_mode, c.avg_rating, c.review_count, c.organisation_id, \
    o.short_name AS organisation, o.name AS organisation_name, o.logo_url, o.favicon_url";

const FROM_LISTED: &str =
    " FROM courses c JOIN organisations o ON o.id = c.organisation_id WHERE c.is_published AND NOT c.hidden";

pub async fn list(db: &PgPool, filter: &Filter, now: DateTime<Utc>) -> ApiResult<Page> {
    let mut select = QueryBuilder::<Postgres>::new("SELECT ");
    // Long texts are read only where they are shown.
    select.push(if filter.full { "c.overview, " } else { "NULL::text AS overview, " });
    select.push(COLUMNS).push(FROM_LISTED);
    push_filter(&mut select, filter);
    push_order(&mut select, filter);
    select.push(" LIMIT ").push_bind(filter.limit).push(" OFFSET ").push_bind(filter.offset);
    let rows: Vec<CourseRow> = select.build_query_as().fetch_all(db).await?;

    let mut count = QueryBuilder::<Postgres>::new("SELECT count(*)");
    count.push(FROM_LISTED);
    push_filter(&mut count, filter);
    let total: i64 = count.build_query_scalar().fetch_one(db).await?;

    let (courses, broken) = complete(db, rows, filter.full, now).await?;
    Ok(Page { courses, broken, total })
}

fn push_filter(query: &mut QueryBuilder<Postgres>, filter: &Filter) {
    if !filter.pattern.is_empty() {
        query.push(" AND (c.display_name ILIKE ").push_bind(filter.pattern.clone());
        query.push(" OR c.short_description ILIKE ").push_bind(filter.pattern.clone());
        query.push(" OR c.overview ILIKE ").push_bind(filter.pattern.clone()).push(")");
    }
    if !filter.organisations.is_empty() {
        query.push(" AND c.organisation_id IN (SELECT id FROM organisations WHERE lower(short_name) = ANY(");
        query.push_bind(filter.organisations.clone()).push(") OR lower(name) = ANY(");
        query.push_bind(filter.organisations.clone()).push("))");
    }
    if !filter.tags.is_empty() {
        query.push(" AND c.id IN (SELECT ct.course_id FROM course_tags ct JOIN tags t ON t.id = ct.tag_id");
        query.push(" WHERE lower(t.name) = ANY(").push_bind(filter.tags.clone()).push("))");
    }
}

/// Nulls last either way, ties by id: pages never overlap.
fn push_order(query: &mut QueryBuilder<Postgres>, filter: &Filter) {
    query.push(match (filter.order, filter.descending) {
        (Order::CreatedAt, false) => " ORDER BY c.created_at, c.id",
        (Order::CreatedAt, true) => " ORDER BY c.created_at DESC, c.id DESC",
        (Order::DisplayName, false) => " ORDER BY c.display_name, c.id",
        (Order::DisplayName, true) => " ORDER BY c.display_name DESC, c.id DESC",
        (Order::Start, false) => " ORDER BY c.starts_at, c.id",
        (Order::Start, true) => " ORDER BY c.starts_at DESC NULLS LAST, c.id DESC",
        (Order::End, false) => " ORDER BY c.ends_at, c.id",
        (Order::End, true) => " ORDER BY c.ends_at DESC NULLS LAST, c.id DESC",
        (Order::Price, false) => " ORDER BY c.price_order, c.id",
        (Order::Price, true) => " ORDER BY c.price_order DESC NULLS LAST, c.id DESC",
        (Order::AvgRating, false) => " ORDER BY c.avg_rating, c.id",
        (Order::AvgRating, true) => " ORDER BY c.avg_rating DESC NULLS LAST, c.id DESC",
    });
}

/// A published course, hidden or not; None if there is none under this key.
pub async fn find(
    db: &PgPool,
    key: &CourseKey,
    with_structure: bool,
    now: DateTime<Utc>,
) -> ApiResult<Option<Result<Detail, Broken>>> {
    let mut select = QueryBuilder::<Postgres>::new("SELECT c.overview, ");
    select.push(COLUMNS).push(" FROM courses c JOIN organisations o ON o.id = c.organisation_id");
    select.push(" WHERE c.is_published AND c.openedx_course_id = ").push_bind(key.as_str());
    let Some(row) = select.build_query_as::<CourseRow>().fetch_optional(db).await? else { return Ok(None) };
    let id = row.id;
    let (mut courses, mut broken) = complete(db, vec![row], true, now).await?;
    if let Some(broken) = broken.pop() {
        return Ok(Some(Err(broken)));
    }
    let Some(course) = courses.pop() else { return Ok(None) };
    let structure = match with_structure {
        true => sqlx::query_scalar!("SELECT structure FROM course_contents WHERE course_id = $1", id)
            .fetch_optional(db)
            .await?
            .flatten(),
        false => None,
    };
    Ok(Some(Ok(Detail { course, reviews: reviews(db, id).await?, structure })))
}

/// The newest twenty.
async fn reviews(db: &PgPool, course: Uuid) -> ApiResult<Vec<Review>> {
    Ok(sqlx::query_as!(
        Review,
        "SELECT id, rating, title, comment, author_name, created_at FROM reviews WHERE course_id = $1
         ORDER BY created_at DESC, id DESC LIMIT 20",
        course,
    )
    .fetch_all(db)
    .await?)
}

/// Adds what stands in other tables, and sets aside the rows whose data cannot be shown.
async fn complete(
    db: &PgPool,
    rows: Vec<CourseRow>,
    with_modes: bool,
    now: DateTime<Utc>,
) -> ApiResult<(Vec<Course>, Vec<Broken>)> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut tags = tags(db, &ids).await?;
    let mut modes = if with_modes { modes(db, &ids, now).await? } else { HashMap::new() };
    let (mut courses, mut broken) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in rows {
        let modes = modes.remove(&row.id).unwrap_or_else(|| Ok(Vec::new()));
        let priced = price(row.price_minor, row.currency.as_deref());
        match modes.and_then(|modes| Ok((modes, priced?))) {
            Ok((modes, price)) => {
                let tags = tags.remove(&row.id).unwrap_or_default();
                courses.push(Course { row, price, tags, modes });
            }
            Err(reason) => {
                tracing::error!(course = %row.id, reason, "a course cannot be shown");
                broken.push(Broken { id: row.id, openedx_course_id: row.openedx_course_id, reason });
            }
        }
    }
    Ok((courses, broken))
}

async fn tags(db: &PgPool, courses: &[Uuid]) -> ApiResult<HashMap<Uuid, Vec<String>>> {
    let rows = sqlx::query!(
        "SELECT ct.course_id, t.name FROM course_tags ct JOIN tags t ON t.id = ct.tag_id
         WHERE ct.course_id = ANY($1) ORDER BY lower(t.name)",
        courses,
    )
    .fetch_all(db)
    .await?;
    let mut tags: HashMap<Uuid, Vec<String>> = HashMap::new();
    for row in rows {
        tags.entry(row.course_id).or_default().push(row.name);
    }
    Ok(tags)
}

async fn modes(
    db: &PgPool,
    courses: &[Uuid],
    now: DateTime<Utc>,
) -> ApiResult<HashMap<Uuid, Result<Vec<Mode>, String>>> {
    let rows = sqlx::query!(
        "SELECT course_id, slug, display_name, price, currency, expires_at, description, upsellable_course_modes
         FROM course_modes WHERE course_id = ANY($1) AND visible AND (expires_at IS NULL OR expires_at > $2)
         ORDER BY course_id, price_order, slug",
        courses, now,
    )
    .fetch_all(db)
    .await?;
    let mut modes: HashMap<Uuid, Result<Vec<Mode>, String>> = HashMap::new();
    for row in rows {
        let of_course = modes.entry(row.course_id).or_insert_with(|| Ok(Vec::new()));
        match (of_course.as_mut(), price(Some(row.price), Some(&row.currency))) {
            (Ok(read), Ok(Some(price))) => read.push(Mode {
                slug: row.slug,
                display_name: row.display_name,
                price,
                expires_at: row.expires_at,
                description: row.description,
                upsellable_course_modes: row.upsellable_course_modes,
            }),
            (Ok(_), Err(reason)) => *of_course = Err(format!("mode {}: {reason}", row.slug)),
            (Err(_), _) | (Ok(_), Ok(None)) => {}
        }
    }
    Ok(modes)
}

/// A stored amount, unless the course has no price.
fn price(minor: Option<i64>, currency: Option<&str>) -> Result<Option<Money>, String> {
    let (Some(minor), Some(code)) = (minor, currency) else { return Ok(None) };
    let currency = code.parse().map_err(|error| format!("currency {code:?} {error}"))?;
    Money::from_minor(minor, currency).map(Some).map_err(|error| format!("price {minor} {error}"))
}
