//! The courses of an organisation, published or not, with their modes.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::dated_price::DatedPrice;
use shared::db::Db;
use shared::ids::OrganisationId;
use shared::money::Money;
use sqlx::types::Json;
use utoipa::ToSchema;

use crate::error::ApiResult;
use crate::queries::{COUNTED, Page};

/// A course as its organisation sees it.
pub struct CourseRow {
    pub openedx_course_id: String,
    pub display_name: String,
    pub is_published: bool,
    pub hidden: bool,
    pub starts_at: Option<DateTime<Utc>>,
    pub modes: Json<Vec<ModeRow>>,
    pub waiting_list: Json<WaitingCounts>,
}

/// The entries of a course's waiting list.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct WaitingCounts {
    /// How many wait for a place.
    waiting: i64,
    /// How many are offered a place now.
    offered: i64,
    /// How many have taken the place that they were offered.
    bought: i64,
    /// How many have let it go: its time was up, or they declined.
    lapsed: i64,
}

impl WaitingCounts {
    /// Returns whether there was an entry ever.
    pub fn is_used(&self) -> bool {
        self.waiting + self.offered + self.bought + self.lapsed > 0
    }
}

/// A mode of a course.
#[derive(Deserialize)]
pub struct ModeRow {
    pub mode: String,
    pub price: Money,
    pub dated_prices: Vec<DatedPrice>,
    pub visible: bool,
    pub expires_at: Option<DateTime<Utc>>,
}

/// The dated prices of a mode of an organisation's course; None if there is no such mode.
pub async fn dated_prices(
    db: &Db,
    organisation_id: OrganisationId,
    course: &str,
    mode: &str,
) -> ApiResult<Option<Vec<DatedPrice>>> {
    let prices = sqlx::query_scalar!(
        r#"SELECT m.dated_prices AS "dated_prices: Json<Vec<DatedPrice>>" FROM course_modes m JOIN courses c ON c.id = m.course_id
           WHERE c.organisation_id = $1 AND c.openedx_course_id = $2 AND m.slug = $3"#,
        organisation_id as _,
        course,
        mode,
    );
    Ok(prices.fetch_optional(db).await?.map(|prices| prices.0))
}

/// Courses to read.
pub struct Wanted<'a> {
    pub organisation_id: OrganisationId,
    /// A part of the name; empty for all.
    pub text: &'a str,
    /// The same as a part of the key.
    pub key: &'a str,
    pub limit: i64,
    pub offset: i64,
}

/// A page of the courses that a text finds, by name.
pub async fn list(db: &Db, wanted: &Wanted<'_>) -> ApiResult<Page<CourseRow>> {
    let total = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (SELECT FROM courses WHERE organisation_id = $1
               AND ($2 = '' OR searchable(display_name) LIKE containing($2) OR searchable(openedx_course_id) LIKE containing($3))
               LIMIT $4) counted"#,
        wanted.organisation_id as _,
        wanted.text,
        wanted.key,
        COUNTED,
    );
    let total = total.fetch_one(db).await?;
    let rows = sqlx::query_as!(
        CourseRow,
        r#"SELECT c.openedx_course_id, c.display_name, c.is_published, c.hidden, c.starts_at,
                  (SELECT coalesce(json_agg(json_build_object('mode', m.slug, 'price', json_build_object(
                              'minor', m.price, 'currency', m.currency), 'dated_prices', m.dated_prices, 'visible', m.visible,
                              'expires_at', m.expires_at)
                          ORDER BY m.price_order, m.slug), '[]')
                   FROM course_modes m WHERE m.course_id = c.id) AS "modes!: Json<Vec<ModeRow>>",
                  (SELECT json_build_object('waiting', count(*) FILTER (WHERE w.state = 'waiting'), 'offered', count(*) FILTER (WHERE w.state = 'offered'),
                              'bought', count(*) FILTER (WHERE w.state = 'bought'),
                              'lapsed', count(*) FILTER (WHERE w.state IN ('lapsed', 'declined')))
                   FROM waiting_list w WHERE w.course_id = c.id) AS "waiting_list!: Json<WaitingCounts>"
           -- The page first: what the offset skips is neither read from the table nor given its modes.
           FROM (SELECT id FROM courses WHERE organisation_id = $1
                   AND ($2 = '' OR searchable(display_name) LIKE containing($2) OR searchable(openedx_course_id) LIKE containing($3))
                 ORDER BY display_name, id LIMIT $4 OFFSET $5) page
           -- OFFSET leaves the planner only the way by the key.
           JOIN LATERAL (SELECT * FROM courses WHERE id = page.id OFFSET 0) c ON true ORDER BY c.display_name, c.id"#,
        wanted.organisation_id as _,
        wanted.text,
        wanted.key,
        wanted.limit + 1,
        wanted.offset,
    );
    Ok(Page::new(rows.fetch_all(db).await?, total, wanted.limit))
}
