//! Queries for what browsers may read of courses that are sold: their modes, whether they can be bought now, the programs that hold
//! them, and the tax in the visitor's country.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use shared::course_mode::CourseMode;
use shared::dated_price::DatedPrice;
use shared::db::Db;
use shared::ids::OrganisationId;
use shared::region::Country;
use shared::voucher;
use sqlx::types::Json;
use uuid::Uuid;

use super::courses::{self, Mode, Price, price};
use super::former_prices;
use crate::error::ApiResult;

/// A published course as it is sold.
#[derive(Debug, Serialize, Deserialize)]
pub struct CourseOnSale {
    pub openedx_course_id: String,
    pub organisation_id: OrganisationId,
    /// Indicates whether anybody may enroll now.
    pub is_open: bool,
    /// Indicates whether all places are taken.
    pub is_full: bool,
    /// Visible and unexpired, cheapest first.
    pub modes: Vec<Mode>,
    pub programs: Vec<ProgramOnSale>,
}

/// A published program that can be bought in a mode of all of its courses.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProgramOnSale {
    pub id: Uuid,
    pub name: String,
    pub organisation_id: OrganisationId,
    pub mode: CourseMode,
    pub price: Price,
}

/// Tax of an organisation's prices in one country.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Tax {
    /// Indicates whether prices contain the tax; otherwise it is charged on top of them.
    pub is_included: bool,
    /// All taxes together, in percent. None if the country has rates of its states alone.
    pub rate: Option<Decimal>,
}

/// The published ones of these courses, in the order of their keys, with what they cost. One whose stored price is invalid is left
/// out, and logged.
pub async fn courses_on_sale(db: &Db, keys: &[String], now: DateTime<Utc>) -> ApiResult<Vec<CourseOnSale>> {
    let rows = sqlx::query!(
        r#"SELECT id, openedx_course_id, organisation_id AS "organisation_id: OrganisationId",
                  (NOT is_invite_only AND coalesce(ends_at > $2, true) AND coalesce(enrollment_start <= $2, true)
                   AND coalesce(enrollment_end > $2, true)) AS "is_open!",
                  coalesce(capacity <= places_taken(id, $3, NULL), false) AS "is_full!"
           FROM courses WHERE is_published AND openedx_course_id = ANY($1) ORDER BY openedx_course_id"#,
        keys,
        now,
        now - voucher::HOLD,
    );
    let rows = rows.fetch_all(db).await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut modes = courses::modes(db, &ids, now).await?;
    let mut programs = programs(db, &ids, now).await?;
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        match modes.remove(&row.id).unwrap_or_else(|| Ok(Vec::new())) {
            Ok(modes) => found.push(CourseOnSale {
                openedx_course_id: row.openedx_course_id,
                organisation_id: row.organisation_id,
                is_open: row.is_open,
                is_full: row.is_full,
                modes,
                programs: programs.remove(&row.id).unwrap_or_default(),
            }),
            Err(reason) => tracing::error!(course = %row.id, reason, "invalid stored course; not offered"),
        }
    }
    Ok(found)
}

/// The programs that hold these courses, by course. Each is sold in the cheapest mode that all of its published courses have and
/// that not all of them give for nothing; one with a course that nobody can buy now is not sold.
async fn programs(
    db: &Db,
    courses: &[Uuid],
    now: DateTime<Utc>,
) -> ApiResult<HashMap<Uuid, Vec<ProgramOnSale>>> {
    let rows = sqlx::query!(
        r#"SELECT held.course_id, p.id, p.name, p.organisation_id AS "organisation_id: OrganisationId",
                  p.price, p.currency, p.dated_prices AS "dated_prices: Json<Vec<DatedPrice>>", sold.slug AS "mode!: CourseMode"
           FROM program_courses held JOIN programs p ON p.id = held.program_id
           CROSS JOIN LATERAL (
               SELECT m.slug FROM program_courses x JOIN courses c ON c.id = x.course_id AND c.is_published
               JOIN course_modes m ON m.course_id = c.id AND m.visible AND coalesce(m.expires_at > $2, true)
               WHERE x.program_id = p.id AND NOT c.is_invite_only AND coalesce(c.ends_at > $2, true)
                     AND coalesce(c.enrollment_start <= $2, true) AND coalesce(c.enrollment_end > $2, true)
               GROUP BY m.slug
               HAVING count(*) = (SELECT count(*) FROM program_courses y JOIN courses c ON c.id = y.course_id AND c.is_published
                                  WHERE y.program_id = p.id)
               AND sum(m.price) > 0
               ORDER BY sum(m.price), m.slug LIMIT 1) AS sold
           WHERE held.course_id = ANY($1) AND coalesce(p.access_until > $2, true) AND p.is_published AND NOT p.is_invite_only
           ORDER BY p.name, p.id"#,
        courses,
        now,
    );
    let rows = rows.fetch_all(db).await?;
    let dated: Vec<Uuid> = rows.iter().filter(|row| !row.dated_prices.is_empty()).map(|row| row.id).collect();
    let former = former_prices::of_programs(db, &dated).await?;
    let mut programs: HashMap<Uuid, Vec<ProgramOnSale>> = HashMap::new();
    for row in rows {
        let (id, name, organisation_id, mode) = (row.id, row.name, row.organisation_id, row.mode);
        match price(row.price, row.currency.as_deref(), row.dated_prices.0) {
            Ok(Some(price)) => programs.entry(row.course_id).or_default().push(ProgramOnSale {
                id,
                name,
                organisation_id,
                mode,
                price: Price { former: former.get(&id).cloned(), ..price },
            }),
            Ok(None) => {}
            Err(reason) => tracing::error!(program = %id, reason, "invalid stored program; not offered"),
        }
    }
    Ok(programs)
}

/// The tax in the visitor's country, else in the seller's own, of the organisations that charge one there.
pub async fn taxes(
    db: &Db,
    organisations: &[OrganisationId],
    country: Option<Country>,
    now: DateTime<Utc>,
) -> ApiResult<HashMap<OrganisationId, Tax>> {
    let rows = sqlx::query!(
        r#"SELECT o.id AS "id: OrganisationId", (o.seller ->> 'prices_include_tax')::boolean AS "is_included!", now_valid.rate,
                  now_valid.is_of_country AS "is_of_country!"
           FROM organisations o
           CROSS JOIN LATERAL (
               SELECT (SELECT coalesce(sum((part ->> 'rate')::numeric), 0) FROM jsonb_array_elements(r.components) AS part) AS rate,
                      r.state IS NULL AS is_of_country
               FROM tax_rates r
               WHERE r.organisation_id = o.id AND r.valid_from <= ($3::timestamptz AT TIME ZONE day_zone(o.seller))::date
                     AND r.country = coalesce($2, CASE o.seller ->> 'country' WHEN 'MC' THEN 'FR' ELSE o.seller ->> 'country' END)
               ORDER BY r.state IS NULL DESC, r.valid_from DESC LIMIT 1) AS now_valid
           WHERE o.id = ANY($1) AND o.seller IS NOT NULL"#,
        organisations as _,
        country.map(|country| country.of_vat().to_string()),
        now,
    );
    let of = |is_included, rate: Option<Decimal>, is_of_country: bool| Tax {
        is_included,
        rate: rate.filter(|_| is_of_country),
    };
    let rows = rows.fetch_all(db).await?.into_iter();
    Ok(rows.map(|row| (row.id, of(row.is_included, row.rate, row.is_of_country))).collect())
}
