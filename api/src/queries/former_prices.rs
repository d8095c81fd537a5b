//! Queries for what modes and programs cost before: where the law of the seller's country asks for the lowest price before a reduction.

use std::collections::HashMap;

use serde::Deserialize;
use shared::dated_price::FormerPrice;
use shared::db::Db;
use shared::region::Country;
use shared::tax_id;
use sqlx::types::Json;
use uuid::Uuid;

use crate::error::ApiResult;

/// A former price of a course's mode.
#[derive(Debug, Deserialize)]
pub struct OfMode {
    pub mode: String,
    #[serde(flatten)]
    pub price: FormerPrice,
}

/// The former prices of these courses' modes, by time. A course whose seller is not in the EU has no entry.
pub async fn of_courses(db: &Db, courses: &[Uuid]) -> ApiResult<HashMap<Uuid, Vec<OfMode>>> {
    if courses.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query!(
        r#"SELECT c.id, o.seller ->> 'country' AS country,
                  (SELECT coalesce(json_agg(json_build_object('mode', f.mode, 'full', json_build_object(
                              'minor', f.price, 'currency', f.currency), 'dated', f.dated_prices, 'until', f.held_until)
                          ORDER BY f.held_until), '[]')
                   FROM former_prices f WHERE f.course_id = c.id) AS "former!: Json<Vec<OfMode>>"
           FROM courses c JOIN organisations o ON o.id = c.organisation_id WHERE c.id = ANY($1)"#,
        courses,
    );
    let rows = rows.fetch_all(db).await?.into_iter().filter(|row| is_asked(row.country.as_deref()));
    Ok(rows.map(|row| (row.id, row.former.0)).collect())
}

/// The former prices of these programs, in the same way.
pub async fn of_programs(db: &Db, programs: &[Uuid]) -> ApiResult<HashMap<Uuid, Vec<FormerPrice>>> {
    if programs.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query!(
        r#"SELECT p.id, o.seller ->> 'country' AS country,
                  (SELECT coalesce(json_agg(json_build_object('full', json_build_object('minor', f.price, 'currency', f.currency),
                              'dated', f.dated_prices, 'until', f.held_until) ORDER BY f.held_until), '[]')
                   FROM former_prices f WHERE f.program_id = p.id) AS "former!: Json<Vec<FormerPrice>>"
           FROM programs p JOIN organisations o ON o.id = p.organisation_id WHERE p.id = ANY($1)"#,
        programs,
    );
    let rows = rows.fetch_all(db).await?.into_iter().filter(|row| is_asked(row.country.as_deref()));
    Ok(rows.map(|row| (row.id, row.former.0)).collect())
}

/// Returns whether the law of a seller's country asks for the lowest price before a reduction: Article 6a of Directive 98/6/EC.
fn is_asked(country: Option<&str>) -> bool {
    country.and_then(|country| country.parse::<Country>().ok()).is_some_and(tax_id::is_member_state)
}
