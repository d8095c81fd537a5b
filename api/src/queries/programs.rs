//! Queries for programs with their courses, each page with a fixed number of statements.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use shared::dated_price::DatedPrice;
use shared::db::Db;
use shared::ids::OrganisationId;
use sqlx::types::Json;
use sqlx::{FromRow, Postgres, QueryBuilder};
use strum::{EnumString, VariantNames};
use uuid::Uuid;

use super::courses::{self, Broken, Course, Price, price};
use super::filter::{Filters, Page, Source};
use super::former_prices;
use super::reviews::{self, Review};
use crate::error::ApiResult;
use crate::words::DurationMetric;

/// Keys by which the list can be ordered. The names are the values of `order_by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Order {
    CreatedAt,
    #[strum(serialize = "display_name")]
    Name,
    Price,
    AvgRating,
}

/// A program with its published courses, in their order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    pub row: ProgramRow,
    pub price: Option<Price>,
    pub tags: Vec<String>,
    pub courses: Vec<Course>,
}

#[derive(Clone, Debug, FromRow, Serialize, Deserialize)]
pub struct ProgramRow {
    pub id: Uuid,
    pub name: String,
    pub description: String,
    pub about: String,
    pub achievements: String,
    pub duration: Option<i32>,
    pub duration_metric: Option<DurationMetric>,
    pub image: Option<String>,
    #[sqlx(rename = "price")]
    pub price_minor: Option<i64>,
    pub currency: Option<String>,
    pub dated_prices: Json<Vec<DatedPrice>>,
    pub access_days: Option<i32>,
    pub access_until: Option<DateTime<Utc>>,
    pub is_invite_only: bool,
    pub is_published: bool,
    pub avg_rating: Option<Decimal>,
    pub organisation_id: OrganisationId,
    pub organisation_name: String,
    pub logo_url: Option<String>,
    pub favicon_url: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Detail {
    pub program: Program,
    pub broken: Vec<Broken>,
    pub reviews: Vec<Review>,
}

const COLUMNS: &str = "SELECT p.id, p.name, p.description, p.about, p.achievements, p.duration, p.duration_metric, \
    p.image, p.price, p.currency, p.dated_prices, p.access_days, p.access_until, p.is_invite_only, p.is_published, p.avg_rating, p.organisation_id, \
    o.name AS organisation_name, o.logo_url, o.favicon_url";

const SOURCE: Source = Source {
    from_listed: " FROM programs p JOIN organisations o ON o.id = p.organisation_id WHERE p.is_published",
    text: "p.search_text",
    organisation: "p.organisation_id",
    id: "p.id",
    tagged: "SELECT program_id FROM program_tags",
    tag_ids: None,
};

pub async fn list(db: &Db, page: &Page<Order>, now: DateTime<Utc>) -> ApiResult<(Vec<Program>, Vec<Broken>)> {
    let scope = page.filters.scope(db).await?;
    if scope.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut select = QueryBuilder::<Postgres>::new(COLUMNS);
    page.filters.push(&mut select, &SOURCE, scope);
    select.push(match (page.order, page.descending) {
        (Order::CreatedAt, false) => " ORDER BY p.created_at, p.id",
        (Order::CreatedAt, true) => " ORDER BY p.created_at DESC, p.id DESC",
        (Order::Name, false) => " ORDER BY p.name, p.id",
        (Order::Name, true) => " ORDER BY p.name DESC, p.id DESC",
        (Order::Price, false) => " ORDER BY p.price_order, p.id",
        (Order::Price, true) => " ORDER BY p.price_order DESC NULLS LAST, p.id DESC",
        (Order::AvgRating, false) => " ORDER BY p.avg_rating, p.id",
        (Order::AvgRating, true) => " ORDER BY p.avg_rating DESC NULLS LAST, p.id DESC",
    });
    page.push(&mut select);
    let rows: Vec<ProgramRow> = select.build_query_as().fetch_all(db).await?;
    complete(db, rows, now).await
}

pub async fn total(db: &Db, filters: &Filters) -> ApiResult<i64> {
    if filters.is_unset() {
        return Ok(sqlx::query_scalar!("SELECT listed_programs FROM catalog_generation")
            .fetch_one(db)
            .await?);
    }
    filters.count(db, &SOURCE).await
}

/// A published program; None if there is none, `Broken` if its stored data cannot be shown.
pub async fn find(db: &Db, id: Uuid, now: DateTime<Utc>) -> ApiResult<Option<Result<Detail, Broken>>> {
    let (mut programs, mut broken) = by_ids(db, &[id], now).await?;
    if let Some(at) = broken.iter().position(|broken| broken.id == id) {
        return Ok(Some(Err(broken.swap_remove(at))));
    }
    match programs.pop() {
        Some(program) => {
            Ok(Some(Ok(Detail { program, broken, reviews: reviews::of_program(db, id).await? })))
        }
        None => Ok(None),
    }
}

/// Those of these programs that are published.
pub async fn by_ids(db: &Db, ids: &[Uuid], now: DateTime<Utc>) -> ApiResult<(Vec<Program>, Vec<Broken>)> {
    if ids.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut select = QueryBuilder::<Postgres>::new(COLUMNS);
    select.push(SOURCE.from_listed).push(" AND p.id = ANY(").push_bind(ids.to_vec());
    select.push(") ORDER BY p.created_at DESC, p.id DESC");
    complete(db, select.build_query_as().fetch_all(db).await?, now).await
}

/// Adds tags and courses, and separates the programs and courses whose data cannot be shown.
async fn complete(
    db: &Db,
    rows: Vec<ProgramRow>,
    now: DateTime<Utc>,
) -> ApiResult<(Vec<Program>, Vec<Broken>)> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut tags = tags(db, &ids).await?;
    let members = members(db, &ids).await?;
    let course_ids: Vec<Uuid> = members.iter().map(|(_, course)| *course).collect();
    let (courses, mut broken) = courses::by_ids(db, &course_ids, now).await?;
    let mut children: HashMap<Uuid, Vec<Course>> = HashMap::new();
    for (program, course) in members {
        // A course can be in several programs; an unpublished one is in none.
        children.entry(program).or_default().extend(courses.get(&course).cloned());
    }
    let dated: Vec<Uuid> = rows.iter().filter(|row| !row.dated_prices.is_empty()).map(|row| row.id).collect();
    let mut former = former_prices::of_programs(db, &dated).await?;
    let mut programs = Vec::with_capacity(rows.len());
    for row in rows {
        let former = former.remove(&row.id);
        let price = price(row.price_minor, row.currency.as_deref(), row.dated_prices.0.clone());
        match price.map(|price| price.map(|price| Price { former, ..price })) {
            Ok(price) => programs.push(Program {
                tags: tags.remove(&row.id).unwrap_or_default(),
                courses: children.remove(&row.id).unwrap_or_default(),
                row,
                price,
            }),
            Err(reason) => {
                tracing::error!(program = %row.id, reason, "invalid stored program; not shown");
                broken.push(Broken { id: row.id, openedx_course_id: None, reason });
            }
        }
    }
    Ok((programs, broken))
}

/// Pairs of program and course, in each program's order of courses.
async fn members(db: &Db, programs: &[Uuid]) -> ApiResult<Vec<(Uuid, Uuid)>> {
    let rows = sqlx::query!(
        "SELECT program_id, course_id FROM program_courses WHERE program_id = ANY($1) ORDER BY program_id, position",
        programs,
    );
    Ok(rows.fetch_all(db).await?.into_iter().map(|row| (row.program_id, row.course_id)).collect())
}

async fn tags(db: &Db, programs: &[Uuid]) -> ApiResult<HashMap<Uuid, Vec<String>>> {
    let rows = sqlx::query!(
        "SELECT x.program_id, t.name FROM program_tags x JOIN tags t ON t.id = x.tag_id
         WHERE x.program_id = ANY($1) ORDER BY lower(t.name)",
        programs,
    );
    let mut tags: HashMap<Uuid, Vec<String>> = HashMap::new();
    for row in rows.fetch_all(db).await? {
        tags.entry(row.program_id).or_default().push(row.name);
    }
    Ok(tags)
}
