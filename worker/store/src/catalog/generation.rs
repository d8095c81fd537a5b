//! The catalog generation, and course prices that change by the clock: when a mode expires, or a dated price begins or ends.
//!
//! Why: `docs/decisions/catalog-generation.md`

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::messages::CatalogChanged;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use crate::error::JobResult;
use crate::model::offer::{self, ModeOffer};
use crate::plumbing::outbox;

/// The advisory lock that an import or a batch of a sync holds until its transaction ends.
const WRITERS: i64 = 7_316_075;

/// Lets one transaction at a time write courses, so that what it has read stays true until it writes.
pub async fn lock_writers(db: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock($1)", WRITERS).execute(db).await?;
    Ok(())
}

/// Raises the catalog generation in the transaction that changes the catalog, and queues its publication to Redis.
pub async fn raise(db: &mut PgConnection, now: DateTime<Utc>) -> JobResult<i64> {
    let current = lock(db).await?;
    set(db, current + 1, now).await
}

/// Raises the catalog generation past one that is known elsewhere. None if it is past that already, as after a change since
/// that one was read.
pub async fn raise_past(db: &mut PgConnection, known: i64, now: DateTime<Utc>) -> JobResult<Option<i64>> {
    match lock(db).await? {
        current if current < known => Ok(Some(set(db, known.saturating_add(1), now).await?)),
        _ => Ok(None),
    }
}

/// Locks the generation. A statement of its own: an UPDATE that waited for another change would count the courses without that
/// change.
async fn lock(db: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!("SELECT generation FROM catalog_generation FOR UPDATE").fetch_one(db).await
}

async fn set(db: &mut PgConnection, generation: i64, now: DateTime<Utc>) -> JobResult<i64> {
    sqlx::query!(
        "UPDATE catalog_generation SET generation = $1,
             listed_courses = (SELECT count(*) FROM courses WHERE is_published AND NOT hidden),
             listed_programs = (SELECT count(*) FROM programs WHERE is_published)",
        generation,
    )
    .execute(&mut *db)
    .await?;
    outbox::push(db, CatalogChanged { generation }, now).await?;
    Ok(generation)
}

/// The last committed catalog generation.
pub async fn current(db: &Db) -> JobResult<i64> {
    Ok(sqlx::query_scalar!("SELECT generation FROM catalog_generation").fetch_one(db).await?)
}

/// Locks and returns courses whose cheapest mode or its price may be another by now. Skips courses that another transaction has locked.
pub async fn courses_with_changed_prices(
    db: &mut PgConnection,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT id FROM courses WHERE next_mode_expiry <= $1 ORDER BY next_mode_expiry LIMIT $2 FOR UPDATE SKIP LOCKED",
        now,
        limit,
    )
    .fetch_all(db)
    .await
}

/// Sets each course's price to that of its cheapest visible, unexpired mode.
pub async fn refresh_prices(db: &mut PgConnection, courses: &[Uuid], now: DateTime<Utc>) -> JobResult<()> {
    let rows = sqlx::query!(
        r#"SELECT id.course_id AS "course_id!", coalesce(json_agg(json_build_object(
                      'mode', m.slug, 'price', json_build_object('minor', m.price, 'currency', m.currency), 'visible', m.visible,
                      'expires_at', m.expires_at, 'dated_prices', m.dated_prices, 'access_until', m.access_until)) FILTER (WHERE m.slug IS NOT NULL), '[]')
                      AS "modes!: Json<Vec<ModeOffer>>"
           FROM unnest($1::uuid[]) AS id (course_id) LEFT JOIN course_modes m USING (course_id) GROUP BY id.course_id"#,
        courses,
    );
    let rows = rows.fetch_all(&mut *db).await?;
    let cheapest: Vec<_> = rows.iter().map(|row| offer::cheapest(&row.modes, now)).collect();
    let prices: Vec<_> = cheapest.iter().map(|best| best.map(|best| best.price.minor())).collect();
    let ids: Vec<Uuid> = rows.iter().map(|row| row.course_id).collect();
    let changes: Vec<_> = rows.iter().map(|row| offer::next_change(&row.modes, now)).collect();
    let currencies: Vec<_> =
        cheapest.iter().map(|best| best.map(|best| best.price.currency().code())).collect();
    let modes: Vec<_> = cheapest.iter().map(|best| best.map(|best| best.mode.slug())).collect();
    let orders: Vec<_> = cheapest.iter().map(|best| best.map(|best| best.order)).collect();
    sqlx::query!(
        "UPDATE courses c SET price = best.price, currency = best.currency, course_mode = best.mode,
             price_order = best.price_order, next_mode_expiry = best.next_change
         FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::numeric[], $6::timestamptz[])
             AS best (course_id, price, currency, mode, price_order, next_change)
         WHERE c.id = best.course_id AND (c.price, c.currency, c.course_mode, c.price_order, c.next_mode_expiry)
             IS DISTINCT FROM (best.price, best.currency, best.mode, best.price_order, best.next_change)",
        &ids,
        &prices as _,
        &currencies as _,
        &modes as _,
        &orders as _,
        &changes as _,
    )
    .execute(db)
    .await?;
    Ok(())
}
