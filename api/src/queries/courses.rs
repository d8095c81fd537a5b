//! Queries for courses: list pages and single courses, each with a fixed number of statements.
//!
//! Why: `docs/decisions/price-order.md`

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::access_period::AccessPeriod;
use shared::dated_price::{DatedPrice, FormerPrice};
use shared::db::Db;
use shared::ids::{CourseKey, OrganisationId};
use shared::money::Money;
use shared::voucher;
use sqlx::types::Json;
use sqlx::{FromRow, Postgres, QueryBuilder};
use strum::{EnumString, VariantNames};
use uuid::Uuid;

use super::filter::{Filters, Page, Source};
use super::former_prices;
use super::reviews::{self, Review};
use crate::error::ApiResult;

/// Keys by which the list can be ordered. The names are the values of `order_by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Order {
    CreatedAt,
    DisplayName,
    Start,
    End,
    Price,
    AvgRating,
}

/// A stored item that cannot be shown, and why.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Broken {
    pub id: Uuid,
    /// None for programs.
    pub openedx_course_id: Option<String>,
    pub reason: String,
}

/// A course with everything that the list and the detail show.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Course {
    #[serde(flatten)]
    pub row: CourseRow,
    pub price: Option<Price>,
    pub tags: Vec<String>,
    /// Visible and unexpired, cheapest first. Empty in a light list, unless they have dated prices.
    pub modes: Vec<Mode>,
}

/// A price as it is stored. The present one depends on the time of the answer, not of the query.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Price {
    pub full: Money,
    pub dated: Vec<DatedPrice>,
    /// What it cost before, by time. None if no law asks for it.
    pub former: Option<Vec<FormerPrice>>,
}

#[derive(Clone, Debug, FromRow, Serialize, Deserialize)]
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
    pub price_minor: Option<i64>,
    pub currency: Option<String>,
    pub course_mode: Option<String>,
    pub has_dated_prices: bool,
    pub avg_rating: Option<Decimal>,
    pub review_count: i32,
    pub organisation_id: OrganisationId,
    pub organisation: String,
    pub organisation_name: String,
    pub logo_url: Option<String>,
    pub favicon_url: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mode {
    pub slug: String,
    pub display_name: String,
    pub price: Price,
    pub expires_at: Option<DateTime<Utc>>,
    #[serde(flatten)]
    pub access: AccessPeriod,
    pub description: Option<String>,
    pub upsellable_course_modes: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Detail {
    pub course: Course,
    pub reviews: Vec<Review>,
    pub structure: Option<Value>,
    /// None if the course takes as many learners as come.
    #[serde(default)]
    pub places_left: Option<i64>,
}

const COLUMNS: &str = "c.id, c.openedx_course_id, c.display_name, c.short_description, c.image_url, \
    c.course_video_url, c.number, c.language, c.self_paced, c.effort, c.total_minutes, c.is_published, \
    c.is_invite_only, c.flagged_new, c.starts_at, c.ends_at, c.advertised_start, c.enrollment_start, \
    c.enrollment_end, c.certificate_available_date, c.has_any_active_web_certificate, c.link_to_course, \
    c.created_at, c.price, c.currency, c.course_mode, c.has_dated_prices, c.avg_rating, c.review_count, c.organisation_id, \
    o.short_name AS organisation, o.name AS organisation_name, o.logo_url, o.favicon_url";

const SOURCE: Source = Source {
    from_listed: " FROM courses c JOIN organisations o ON o.id = c.organisation_id WHERE c.is_published AND NOT c.hidden",
    text: "c.search_text",
    organisation: "c.organisation_id",
    id: "c.id",
    tagged: "SELECT course_id FROM course_tags",
    tag_ids: Some("c.tag_ids"),
};

/// A page of the list; `full` adds the overview and the modes.
pub async fn list(
    db: &Db,
    page: &Page<Order>,
    full: bool,
    now: DateTime<Utc>,
) -> ApiResult<(Vec<Course>, Vec<Broken>)> {
    let scope = page.filters.scope(db).await?;
    if scope.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut select = QueryBuilder::<Postgres>::new("SELECT ");
    // Read the long texts only if they are shown.
    select.push(if full { "c.overview, " } else { "NULL::text AS overview, " }).push(COLUMNS);
    page.filters.push(&mut select, &SOURCE, scope);
    select.push(order_by(page.order, page.descending));
    page.push(&mut select);
    let rows: Vec<CourseRow> = select.build_query_as().fetch_all(db).await?;
    complete(db, rows, full, now).await
}

pub async fn total(db: &Db, filters: &Filters) -> ApiResult<i64> {
    if filters.is_unset() {
        return Ok(sqlx::query_scalar!("SELECT listed_courses FROM catalog_generation")
            .fetch_one(db)
            .await?);
    }
    filters.count(db, &SOURCE).await
}

/// Sorts nulls last in both directions and breaks ties by id, so that pages never overlap.
fn order_by(order: Order, descending: bool) -> &'static str {
    match (order, descending) {
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
    }
}

/// Those of these courses that are published, with everything that their program or tag shows.
pub async fn by_ids(
    db: &Db,
    ids: &[Uuid],
    now: DateTime<Utc>,
) -> ApiResult<(HashMap<Uuid, Course>, Vec<Broken>)> {
    if ids.is_empty() {
        return Ok((HashMap::new(), Vec::new()));
    }
    let mut select = QueryBuilder::<Postgres>::new("SELECT c.overview, ");
    select.push(COLUMNS).push(" FROM courses c JOIN organisations o ON o.id = c.organisation_id");
    select.push(" WHERE c.is_published AND c.id = ANY(").push_bind(ids.to_vec()).push(")");
    let rows: Vec<CourseRow> = select.build_query_as().fetch_all(db).await?;
    let (courses, broken) = complete(db, rows, true, now).await?;
    Ok((courses.into_iter().map(|course| (course.row.id, course)).collect(), broken))
}

/// A published course, also a hidden one; None if no course is published under this key.
pub async fn find(
    db: &Db,
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
    let places_left = places_left(db, id, now).await?;
    Ok(Some(Ok(Detail { course, reviews: reviews::of_course(db, id).await?, structure, places_left })))
}

/// The places that checkouts have left of a course; None if it takes as many learners as come.
async fn places_left(db: &Db, id: Uuid, now: DateTime<Utc>) -> ApiResult<Option<i64>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT greatest(capacity - places_taken(id, $2, NULL), 0) AS "left!" FROM courses
           WHERE id = $1 AND capacity IS NOT NULL"#,
        id,
        now - voucher::HOLD,
    )
    .fetch_optional(db)
    .await?)
}

/// Adds the data from other tables, and separates the rows whose data cannot be shown.
async fn complete(
    db: &Db,
    rows: Vec<CourseRow>,
    with_modes: bool,
    now: DateTime<Utc>,
) -> ApiResult<(Vec<Course>, Vec<Broken>)> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut tags = tags(db, &ids).await?;
    let with_modes = rows.iter().filter(|row| with_modes || row.has_dated_prices).map(|row| row.id);
    let mut modes = modes(db, &with_modes.collect::<Vec<_>>(), now).await?;
    let (mut courses, mut broken) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in rows {
        let modes = modes.remove(&row.id).unwrap_or_else(|| Ok(Vec::new()));
        // A course with dated prices gets those of its modes, once it is known at which time.
        let priced = price(row.price_minor, row.currency.as_deref(), Vec::new());
        match modes.and_then(|modes| Ok((modes, priced?))) {
            Ok((modes, price)) => {
                let tags = tags.remove(&row.id).unwrap_or_default();
                courses.push(Course { row, price, tags, modes });
            }
            Err(reason) => {
                tracing::error!(course = %row.id, reason, "invalid stored course; not shown");
                broken.push(Broken { id: row.id, openedx_course_id: Some(row.openedx_course_id), reason });
            }
        }
    }
    Ok((courses, broken))
}

async fn tags(db: &Db, courses: &[Uuid]) -> ApiResult<HashMap<Uuid, Vec<String>>> {
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

/// The modes of courses that are visible and unexpired, cheapest first; or why those of a course cannot be shown.
pub(super) async fn modes(
    db: &Db,
    courses: &[Uuid],
    now: DateTime<Utc>,
) -> ApiResult<HashMap<Uuid, Result<Vec<Mode>, String>>> {
    if courses.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query!(
        r#"SELECT course_id, slug, display_name, price, currency, expires_at, description, upsellable_course_modes,
                  dated_prices AS "dated_prices: Json<Vec<DatedPrice>>", access_days, access_until
           FROM course_modes WHERE course_id = ANY($1) AND visible AND (expires_at IS NULL OR expires_at > $2)
             AND (access_until IS NULL OR access_until > $2)
           ORDER BY course_id, price_order, slug"#,
        courses, now,
    )
    .fetch_all(db)
    .await?;
    let mut modes: HashMap<Uuid, Result<Vec<Mode>, String>> = HashMap::new();
    for row in rows {
        let of_course = modes.entry(row.course_id).or_insert_with(|| Ok(Vec::new()));
        match (of_course.as_mut(), price(Some(row.price), Some(&row.currency), row.dated_prices.0)) {
            (Ok(read), Ok(Some(price))) => read.push(Mode {
                slug: row.slug,
                display_name: row.display_name,
                price,
                expires_at: row.expires_at,
                access: AccessPeriod { days: row.access_days, until: row.access_until },
                description: row.description,
                upsellable_course_modes: row.upsellable_course_modes,
            }),
            (Ok(_), Err(reason)) => *of_course = Err(format!("mode {}: {reason}", row.slug)),
            (Err(_), _) | (Ok(_), Ok(None)) => {}
        }
    }
    add_former(db, &mut modes).await?;
    Ok(modes)
}

/// Adds to modes with dated prices what they cost before.
async fn add_former(db: &Db, modes: &mut HashMap<Uuid, Result<Vec<Mode>, String>>) -> ApiResult<()> {
    let is_dated =
        |modes: &Result<Vec<Mode>, String>| modes.iter().flatten().any(|mode| !mode.price.dated.is_empty());
    let dated = modes.iter().filter(|(_, modes)| is_dated(modes)).map(|(course, _)| *course);
    for (course, former) in former_prices::of_courses(db, &dated.collect::<Vec<_>>()).await? {
        for mode in modes.get_mut(&course).into_iter().flat_map(|modes| modes.iter_mut().flatten()) {
            let own = former.iter().filter(|former| former.mode == mode.slug);
            mode.price.former = Some(own.map(|former| former.price.clone()).collect());
        }
    }
    Ok(())
}

/// A stored price; None if the course has none.
pub(super) fn price(
    minor: Option<i64>,
    currency: Option<&str>,
    dated: Vec<DatedPrice>,
) -> Result<Option<Price>, String> {
    let (Some(minor), Some(code)) = (minor, currency) else { return Ok(None) };
    let currency = code.parse().map_err(|error| format!("currency {code:?} {error}"))?;
    let full = Money::from_minor(minor, currency).map_err(|error| format!("price {minor} {error}"))?;
    Ok(Some(Price { full, dated, former: None }))
}

/// A course by its two names.
pub struct CourseName {
    pub id: Uuid,
    pub openedx_course_id: String,
}

impl CourseName {
    /// Returns whether a text is the course's key or id.
    pub fn is_named(&self, text: &str) -> bool {
        self.openedx_course_id == text || Uuid::try_parse(text).is_ok_and(|id| id == self.id)
    }
}

/// An organisation's courses among those with these keys or ids.
pub async fn of_organisation(
    db: &Db,
    organisation_id: OrganisationId,
    names: &[&str],
) -> ApiResult<Vec<CourseName>> {
    let ids: Vec<Uuid> = names.iter().filter_map(|name| Uuid::try_parse(name).ok()).collect();
    Ok(sqlx::query_as!(
        CourseName,
        "SELECT id, openedx_course_id FROM courses
         WHERE organisation_id = $1 AND (openedx_course_id = ANY($2::text[]) OR id = ANY($3))",
        organisation_id as _,
        names as _,
        &ids,
    )
    .fetch_all(db)
    .await?)
}
